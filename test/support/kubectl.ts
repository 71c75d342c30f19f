/**
 * kubectl against one cluster, with objects as data. One object is read without kubectl: tests look twice a second, and each process
 * of kubectl takes a tenth of a second of a processor.
 */
import { systemClock } from '@retainer/contract/std/system-clock';
import { connectKubeconfig } from '@retainer/kube/connect-kubeconfig';
import { HttpsClient } from '@retainer/kube/https-client';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { runTool } from '../../scripts/kubernetes-tools.ts';

/** By the words that tests have for them; what is not among them, kubectl reads. */
const READABLE: ReadonlyMap<string, Resource> = new Map([
  ...Object.values(resources).flatMap((it): [string, Resource][] => [
    [it.plural, it],
    [it.kind.toLowerCase(), it],
  ]),
  ['pvc', resources.claims],
]);

export interface Identity {
  readonly user: string;
  readonly groups?: readonly string[];
}

export class Kubectl {
  readonly kubeconfig: string;
  #reader: Promise<HttpsClient> | undefined;

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
    const resource = READABLE.get(kind);
    if (resource?.isNamespaced === true && namespace !== undefined) {
      const reader = await (this.#reader ??= this.#connect());
      return (await reader.get(resource, { name, namespace })) as T | undefined;
    }
    const place = namespace === undefined ? [] : ['-n', namespace];
    const text = await this.run(['get', kind, name, ...place, '--ignore-not-found', '-o', 'json']);
    return text.trim() === '' ? undefined : (JSON.parse(text) as T);
  }

  async #connect(): Promise<HttpsClient> {
    const connection = await connectKubeconfig({ paths: [this.kubeconfig] });
    return new HttpsClient({ connection, clock: systemClock, userAgent: 'retainer-tests' });
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
