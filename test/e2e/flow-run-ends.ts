/** How every run of code of one namespace's agents ended, as the cluster saw it: a watch misses none, however soon it is cleared away. */
import { LABELS } from '@retainer/contract/api/names';
import { sha256Hex } from '@retainer/contract/std/hash';
import { RunnerEnd } from '@retainer/contract/wire/runner';
import { connectKubeconfig } from '@retainer/kube/connect-kubeconfig';
import { HttpsClient } from '@retainer/kube/https-client';
import { Informer } from '@retainer/kube/informer';
import type { KubeObject } from '@retainer/kube/kube-object';
import { systemClock } from '@retainer/contract/std/system-clock';
import { resources } from '@retainer/kube/resources';

export interface ObservedEnd {
  readonly end: RunnerEnd['end'];
  readonly exitCode: number | undefined;
  /** By the runner's clock: the code alone. */
  readonly durationMs: number;
  /** By the kubelet's, whole seconds: the sandbox from its start to its end. */
  readonly podSeconds: number;
}

interface Terminated {
  readonly message?: string;
  readonly reason?: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

export class RunEnds {
  readonly #stop = new AbortController();
  readonly #scriptOfRun = new Map<string, string>();
  readonly #endOfRun = new Map<string, ObservedEnd>();
  #running: Promise<unknown> = Promise.resolve();

  async start(kubeconfig: string, agents: string, sandboxes: string): Promise<void> {
    const connection = await connectKubeconfig({ paths: [kubeconfig] });
    const client = new HttpsClient({ connection, clock: systemClock, userAgent: 'retainer-e2e' });
    const parts = { client, clock: systemClock, random: Math.random };
    const runs = new Informer({
      ...parts,
      ...{ resource: resources.sandboxRuns, namespaces: [agents] },
      onChange: ({ after }) => this.#seeRun(after),
    });
    const pods = new Informer({
      ...parts,
      ...{ resource: resources.pods, namespaces: [sandboxes] },
      labelSelector: `${LABELS.agentNamespace}=${agents}`,
      onChange: ({ before, after }) => this.#seePod(after ?? before),
    });
    const { signal } = this.#stop;
    this.#running = Promise.all([runs.run(signal), pods.run(signal)]).finally(() => client.close());
    await Promise.all([runs.untilSynced(signal), pods.untilSynced(signal)]);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('over'));
    await this.#running;
  }

  /** Of the one run of this script; undefined as long as it has not ended. */
  of(script: string): ObservedEnd | undefined {
    const digest = `sha256:${sha256Hex(script)}`;
    const [run] = [...this.#scriptOfRun].find(([, known]) => known === digest) ?? [];
    return run === undefined ? undefined : this.#endOfRun.get(run);
  }

  #seeRun(object: KubeObject | undefined): void {
    const { script } = (object?.['spec'] ?? {}) as { readonly script?: { readonly digest: string } };
    if (object !== undefined && script !== undefined) this.#scriptOfRun.set(object.metadata.name, script.digest);
  }

  #seePod(object: KubeObject | undefined): void {
    const run = object?.metadata.labels?.[LABELS.sandboxRun];
    const { containerStatuses } = (object?.['status'] ?? {}) as {
      readonly containerStatuses?: readonly { readonly state?: { readonly terminated?: Terminated } }[];
    };
    const terminated = containerStatuses?.[0]?.state?.terminated;
    const end = terminated === undefined ? undefined : endOf(terminated);
    if (run !== undefined && end !== undefined) this.#endOfRun.set(run, end);
  }
}

/** Undefined where neither the runner nor the kubelet says it. */
function endOf({ message, reason, startedAt, finishedAt }: Terminated): ObservedEnd | undefined {
  const podSeconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  if (message !== undefined) {
    const { end, exitCode, durationMs } = RunnerEnd.parse(JSON.parse(message));
    return { end, exitCode, durationMs, podSeconds };
  }
  // Memory may run out for the runner as well; then nobody but the kubelet tells.
  return reason === 'OOMKilled'
    ? { end: 'Killed', exitCode: undefined, durationMs: podSeconds * 1000, podSeconds }
    : undefined;
}
