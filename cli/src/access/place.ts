/** Which place a command means: a data directory of this machine, or a cluster. Pure. */
import { err, ok, type Result } from '@retainer/contract/std/result';

/** The options of every command that reaches an agent. */
export interface PlaceFlags {
  readonly data?: string;
  readonly namespace?: string;
  readonly agent?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export type Place =
  | { readonly where: 'Directory'; readonly data: string | undefined }
  | {
      readonly where: 'Cluster';
      readonly namespace?: string;
      readonly agent?: string;
      readonly kubeconfig?: string;
      readonly context?: string;
    };

/** Any option of a cluster means the cluster, and `--data` a directory. @param isPlugin  called as `kubectl retainer` */
export function placeOf({ data, ...cluster }: PlaceFlags, isPlugin: boolean): Result<Place, string> {
  const named = clusterOptions(cluster);
  if (data !== undefined && named.length > 0)
    return err(`--data means a directory here and ${named.join(', ')} a cluster: leave one of them out`);
  if (data === undefined && (named.length > 0 || isPlugin)) return ok({ where: 'Cluster', ...pick(cluster) });
  return ok({ where: 'Directory', data });
}

/** The given options that mean a cluster, as they are typed. */
export function clusterOptions({ namespace, agent, kubeconfig, context }: PlaceFlags): readonly string[] {
  const values = { '-n': namespace, '--agent': agent, '--kubeconfig': kubeconfig, '--context': context };
  return Object.entries(values).flatMap(([option, value]) => (value === undefined ? [] : [option]));
}

function pick({ namespace, agent, kubeconfig, context }: PlaceFlags): Omit<PlaceFlags, 'data'> {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(agent === undefined ? {} : { agent }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  };
}
