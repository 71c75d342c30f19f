/** kubectl against one cluster, with objects as data. */
import { runTool } from '../../scripts/kubernetes-tools.ts';

export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

export class Kubectl {
  readonly kubeconfig: string;

  constructor(kubeconfig: string) {
    this.kubeconfig = kubeconfig;
  }

  /** What it printed on standard output. Rejects with what it printed on standard error. */
  async run(args: readonly string[], input?: unknown): Promise<string> {
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    const { stdout } = await runTool('kubectl', args, {
      kubeconfig: this.kubeconfig,
      ...(input === undefined ? {} : { input: text }),
    });
    return stdout;
  }

  /** @returns undefined where it does not exist */
  async get<T>(kind: string, name: string, namespace?: string): Promise<T | undefined> {
    const place = namespace === undefined ? [] : ['-n', namespace];
    const text = await this.run(['get', kind, name, ...place, '--ignore-not-found', '-o', 'json']);
    return text.trim() === '' ? undefined : (JSON.parse(text) as T);
  }

  async list<T>(kind: string, ...args: readonly string[]): Promise<readonly T[]> {
    return (JSON.parse(await this.run(['get', kind, ...args, '-o', 'json'])) as { readonly items: readonly T[] }).items;
  }

  async apply(objects: readonly unknown[]): Promise<void> {
    await this.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], listOf(objects));
  }

  /** As somebody else, the answer only: nothing is stored. @returns the error text; undefined where it would be taken */
  async refusal(identity: Identity, args: readonly string[], input?: unknown): Promise<string | undefined> {
    const as = ['--as', identity.user, ...(identity.groups ?? []).flatMap((group) => ['--as-group', group])];
    try {
      await this.run([...args, ...as, '--dry-run=server'], input);
      return undefined;
    } catch (error) {
      return String(error);
    }
  }
}

export function listOf(items: readonly unknown[]): object {
  return { apiVersion: 'v1', kind: 'List', items };
}
