/** Kubelet and StatefulSet controller for one agent: its pod's program runs as a real process, and its readiness is told. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { startAgentProgram, type PodProcess } from './agent-pod-process.ts';
import type { FakeApiServer } from './fake-api-server/fake-api-server.ts';
import { mountPod } from './mounted-pod.ts';
import { tickStatefulSets } from './operator-world/simulated-stateful-set.ts';

/** A probe of readiness comes every 5 s in an installation: nothing here waits for it. */
const LOOK_MS = 100;

export interface AgentKubeletOptions {
  readonly server: FakeApiServer;
  /** Of the server, also while it is away. */
  readonly url: string;
  /** Holds the volume and what is mounted. */
  readonly directory: string;
  readonly pod: ObjectKey;
  readonly user: string;
  /** Besides what the pod says. */
  readonly environment: Readonly<Record<string, string>>;
}

export class AgentKubelet {
  readonly #options: AgentKubeletOptions;
  #program: PodProcess | undefined;
  #podUid = '';
  #starts = 0;

  constructor(options: AgentKubeletOptions) {
    this.#options = options;
  }

  /** How often the program was started. */
  get starts(): number {
    return this.#starts;
  }

  /** Until aborted; what runs then is ended with `endPods`. */
  async run(signal: AbortSignal): Promise<void> {
    const { server } = this.#options;
    while (!signal.aborted) {
      // A kubelet goes on with what it runs, and tells nobody, while the API server is away.
      if (server.isUp) await this.#look();
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { server, pod: key } = this.#options;
    tickStatefulSets(server);
    const pod = server.get(resources.pods, key);
    if (pod?.metadata.uid === undefined) return;
    if (pod.metadata.uid !== this.#podUid || this.#program?.child.exitCode !== null) await this.#start(pod);
    const answer = await this.#program?.ask('/readyz');
    this.#tell(pod, answer?.status === 200);
  }

  async #start(pod: KubeObject): Promise<void> {
    const { server, url, directory, user, environment } = this.#options;
    this.#starts += 1;
    this.#podUid = pod.metadata.uid ?? '';
    const ofPod = await mountPod(server, pod, directory);
    this.#program = await startAgentProgram({ directory, url, user, environment: { ...ofPod, ...environment } });
  }

  #tell(pod: KubeObject, isReady: boolean): void {
    const { server } = this.#options;
    const status = {
      phase: 'Running',
      podIP: '127.0.0.1',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: isReady ? 'True' : 'False' },
      ],
      containerStatuses: [
        { name: 'agent', ready: isReady, started: true, restartCount: this.#starts - 1, state: { running: {} } },
      ],
    };
    if (JSON.stringify(pod['status']) !== JSON.stringify(status) && server.isUp)
      server.putStatus(resources.pods, { ...pod, status });
  }
}
