/** What a test of an installation needs: namespaces that go away, waiting with a deadline, and the state of things on failure. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseObjects, RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import type { Kubectl } from '../support/kubectl.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { kubectlOf } from './cluster.ts';
import type { LogLevel } from '../../contract/src/std/log.ts';

export const SANDBOX_NAMESPACE = 'retainer-sandboxes';
/** The example's agent: Ready some 10 s after it is applied. */
export const READY_MS = 120_000;
/** The longest task of the examples takes 10 s. */
export const TASK_MS = 120_000;
/** Between two looks. */
const POLL_MS = 500;

export interface ClusterObject extends RenderedObject {
  readonly metadata: RenderedObject['metadata'] & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
    readonly [field: string]: unknown;
  };
}

export class World {
  readonly kubectl: Kubectl = kubectlOf(inject('installation').cluster);
  readonly #namespaces: string[] = [];

  /** A namespace of agents, held to the restricted standard. */
  async namespace(name: string): Promise<string> {
    const full = `e2e-${name}-${Date.now().toString(36).slice(-5)}`;
    const level = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await this.kubectl.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: full, labels: level } }]);
    this.#namespaces.push(full);
    return full;
  }

  /** Deletes the namespaces that were made, and waits: volumes of one test must not be there in the next. */
  async close(): Promise<void> {
    if (this.#namespaces.length === 0) return;
    await this.kubectl.run(['delete', 'namespace', ...this.#namespaces, '--timeout=120s']);
  }

  /** @param values  objects; their namespace is set */
  async apply(namespace: string, objects: readonly RenderedObject[]): Promise<void> {
    await this.kubectl.apply(objects.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } })));
  }

  async get(kind: string, name: string, namespace: string): Promise<ClusterObject> {
    const object = await this.kubectl.get<ClusterObject>(kind, name, namespace);
    if (object === undefined) throw new Error(`${kind} ${namespace}/${name} does not exist`);
    return object;
  }

  /** Looks until there is something. Rejects with what it waited for, and with the state of the namespace. */
  async until<T>(what: string, look: () => Promise<T | undefined>, timeoutMs: number, namespace?: string): Promise<T> {
    const deadline = Date.now() + timeoutMs;
    let lastError = '';
    for (;;) {
      try {
        const found = await look();
        if (found !== undefined) return found;
      } catch (error) {
        lastError = String(error);
      }
      if (Date.now() > deadline) {
        const state = namespace === undefined ? '' : await this.stateOf(namespace);
        throw new Error(`waited ${timeoutMs} ms for ${what}; ${lastError}\n${state}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** An object with this condition. */
  condition(
    namespace: string,
    [kind, name]: readonly [kind: string, name: string],
    wanted: { readonly type: string; readonly status: string; readonly reason?: string },
    timeoutMs = READY_MS,
  ): Promise<ClusterObject> {
    const look = async () => {
      const object = await this.kubectl.get<ClusterObject>(kind, name, namespace);
      const found = object?.status?.conditions?.find(({ type }) => type === wanted.type);
      const isSo = found?.status === wanted.status && (wanted.reason === undefined || found.reason === wanted.reason);
      return isSo ? object : undefined;
    };
    return this.until(`${kind} ${name}: ${JSON.stringify(wanted)}`, look, timeoutMs, namespace);
  }

  /** A Task that has ended, however. */
  ended(namespace: string, name: string, timeoutMs = TASK_MS): Promise<ClusterObject> {
    const look = async () => {
      const task = await this.kubectl.get<ClusterObject>('task', name, namespace);
      return task?.status?.['outcome'] === undefined ? undefined : task;
    };
    return this.until(`the end of Task ${name}`, look, timeoutMs, namespace);
  }

  /** Everything worth reading after a failure. */
  async stateOf(namespace: string): Promise<string> {
    const commands = [
      ['get', 'agents,tasks,sandboxruns,pods,pvc', '-n', namespace, '-o', 'wide'],
      ['get', 'jobs,pods', '-n', SANDBOX_NAMESPACE],
      ['get', 'events', '-n', namespace, '--sort-by=.lastTimestamp'],
      ['logs', '-n', namespace, '-l', 'app.kubernetes.io/name=agent', '--all-containers', '--tail=40', '--prefix'],
      ['logs', '-n', RELEASE.namespace, '-l', 'app.kubernetes.io/name=operator', '--tail=40', '--prefix'],
    ];
    const parts = [];
    for (const args of commands) {
      parts.push(`$ kubectl ${args.join(' ')}\n${await this.kubectl.run(args).catch(String)}`);
    }
    return parts.join('\n');
  }

  /** Lines of the logs of a release's operators that no test has to do with. */
  async operatorFaults(
    since: Date,
    { namespace }: { readonly namespace: string } = RELEASE,
  ): Promise<readonly string[]> {
    const args = ['-n', namespace, '-l', 'app.kubernetes.io/name=operator', '--tail=-1'];
    const read = () => this.kubectl.run(['logs', ...args, `--since-time=${since.toISOString()}`]);
    const look = () => read().then((log) => ({ log }), unlessPodGoes);
    const found = await this.until('the logs of the operators', look, READY_MS);
    if ('error' in found) throw found.error;
    return unexpectedLines(found.log, this.#namespaces);
  }
}

/** A pod may go, or not have begun, between the list of pods and its log; nothing else gets better by another look. */
const POD_GOES = /pods "[^"]+" not found|unable to retrieve container logs|is waiting to start|container not found/;

/** @returns undefined: look again */
function unlessPodGoes(error: unknown): { readonly error: unknown } | undefined {
  return POD_GOES.test(String(error)) ? undefined : { error };
}

/** The examples of the repository, in the order of their files. */
export function examples(): readonly RenderedObject[] {
  const directory = join(repositoryRoot, 'manifests/examples');
  return readdirSync(directory)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .flatMap((file) => parseObjects(readFileSync(join(directory, file), 'utf8')));
}

/** Said by an operator that is well: the API server or the machine was busy, or an object changed while it was looked at. */
const ALLOWED: readonly RegExp[] = [
  /object has been modified/,
  /the Lease could not be read or written/,
  /was not renewed within/,
  /only the cache does not know it yet/,
  /nothing came within \d+ ms/,
];

const LEVELS = new Set<string>(['warn', 'error'] satisfies LogLevel[]);

/** Namespaces of `World.namespace`. */
const TEST_NAMESPACE = /\be2e-[a-z-]+-[a-z0-9]{5}\b/g;

/**
 * Lines of level warn and above that nobody expects; a line that is no JSON is one of them. Files run side by side: a line that names
 * only namespaces of others is theirs.
 */
function unexpectedLines(log: string, namespaces: readonly string[]): readonly string[] {
  const isOfOthers = (line: string): boolean => {
    const named = line.match(TEST_NAMESPACE) ?? [];
    return named.length > 0 && !named.some((it) => namespaces.includes(it));
  };
  return log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .filter((line) => isFault(line) && !isOfOthers(line) && !ALLOWED.some((pattern) => pattern.test(line)));
}

function isFault(line: string): boolean {
  try {
    return LEVELS.has(String((JSON.parse(line) as { readonly level?: unknown }).level));
  } catch {
    return true;
  }
}
