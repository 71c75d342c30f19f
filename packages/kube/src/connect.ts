import type { Connection } from './connection.ts';
import { connectInCluster } from './connect-in-cluster.ts';
import { connectKubeconfig, type KubeconfigChoice } from './connect-kubeconfig.ts';

/** What a program's environment says about the API server; read by its `config.ts`. */
export interface ConnectionChoice {
  /** `KUBERNETES_SERVICE_HOST` and `_PORT`: given to every pod. */
  readonly service?: { readonly host: string; readonly port: string } | undefined;
  readonly kubeconfig: KubeconfigChoice;
}

/** In a pod by its service account, elsewhere by kubeconfig. @throws with what is missing */
export function connect({ service, kubeconfig }: ConnectionChoice): Promise<Connection> {
  return service === undefined ? connectKubeconfig(kubeconfig) : connectInCluster(service);
}
