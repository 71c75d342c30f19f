/**
 * Plays what a control plane without a node lacks: a kubelet that makes every agent's pod ready, storage that gives every claim a
 * volume, which else is missed in an event every 15 s, and agents that take an admitted Task and end it at once, with the two
 * status writes that a real agent makes.
 */
import { FIELD_MANAGERS, LABELS } from '@retainer/contract/api/names';
import { Informer } from '@retainer/kube/informer';
import type { KubeClient } from '@retainer/kube/kube-client';
import { keyOf, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { apiVersionOf } from '@retainer/kube/resource';
import { systemClock } from '@retainer/contract/std/system-clock';
import { WorkQueue, type Next } from '@retainer/kube/work-queue';
import { resources } from '@retainer/kube/resources';

/** Writes under way at once: a small cluster's kubelets together. */
const concurrency = 16;
const writeDeadlineMs = 30_000;

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface WithStatus extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly acceptedAt?: string;
    readonly outcome?: string;
  };
  readonly spec?: {
    readonly containers?: readonly { readonly name: string }[];
    readonly volumeName?: string;
  };
}

export interface PlayedNode {
  /** Tasks whose end the API server tells. */
  readonly finishedTasks: () => number;
  /** Agents that the API server tells to be ready: watched, since a list of them all, time and again, is a load of its own. */
  readonly readyAgents: () => number;
  readonly stopped: Promise<unknown>;
}

/** Plays until the signal is aborted. */
export function playNode(client: KubeClient, namespace: string, signal: AbortSignal): PlayedNode {
  const finished = new Set<string>();
  const ready = new Set<string>();
  /** The cache may be behind a write of ours; an agent remembers its own. */
  const made = new Set<string>();
  const pods = played(client, namespace, {
    resource: resources.pods,
    labelSelector: `${LABELS.managedBy}=retainer`,
    isDue: (pod) => pod.status?.phase !== 'Running',
    play: (pod) =>
      client.mergePatch(resources.pods, keyOf(pod), { status: readyStatus(pod) }, { subresource: 'status' }),
  });
  const claims = played(client, namespace, {
    resource: resources.claims,
    isDue: (claim) => claim.spec?.volumeName === undefined,
    play: (claim) => client.mergePatch(resources.claims, keyOf(claim), { spec: { volumeName: claim.metadata.uid } }),
  });
  const tasks = played(client, namespace, {
    resource: resources.tasks,
    onSeen: (task) => {
      if (task.status?.outcome !== undefined) finished.add(task.metadata.name);
    },
    isDue: (task) => {
      const step = nextStep(task);
      return step !== undefined && !made.has(`${step} ${task.metadata.name}`);
    },
    play: async (task) => {
      const step = nextStep(task);
      await client.apply(resources.tasks, step === 'End' ? endedTask(task) : takenTask(task), {
        fieldManager: FIELD_MANAGERS.agentTaskStatus,
        force: true,
        subresource: 'status',
      });
      made.add(`${step} ${task.metadata.name}`);
    },
  });
  const agents = new Informer({
    client,
    clock: systemClock,
    random: Math.random,
    resource: resources.agents,
    namespaces: [namespace],
    onChange: ({ after }) => {
      if (after === undefined) return;
      if (isTrue(after, 'Ready')) ready.add(after.metadata.name);
      else ready.delete(after.metadata.name);
    },
  });
  const stopped = Promise.all([pods, claims, tasks, agents].map((it) => it.run(signal)));
  return { finishedTasks: () => finished.size, readyAgents: () => ready.size, stopped };
}

interface Part {
  readonly resource: (typeof resources)[keyof typeof resources];
  readonly labelSelector?: string;
  readonly onSeen?: (object: WithStatus) => void;
  readonly isDue: (object: WithStatus) => boolean;
  readonly play: (object: WithStatus) => Promise<unknown>;
}

function played(client: KubeClient, namespace: string, part: Part): { run(signal: AbortSignal): Promise<void> } {
  const informer = new Informer({
    client,
    clock: systemClock,
    random: Math.random,
    resource: part.resource,
    namespaces: [namespace],
    ...(part.labelSelector === undefined ? {} : { labelSelector: part.labelSelector }),
    onChange: ({ after }) => {
      if (after === undefined) return;
      part.onSeen?.(after);
      if (part.isDue(after)) queue.add(keyOf(after));
    },
  });
  const work = async (key: ObjectKey): Promise<Next> => {
    const object = informer.cache.get(key);
    if (object !== undefined && part.isDue(object)) await part.play(object);
    return { type: 'Idle' };
  };
  const queue = new WorkQueue({
    name: part.resource.plural,
    clock: systemClock,
    concurrency,
    deadlineMs: writeDeadlineMs,
    work,
    onPanic: (key, error) => process.stderr.write(`${part.resource.plural} ${key.name}: ${String(error)}\n`),
  });
  return {
    run: async (signal) => {
      queue.start();
      await informer.run(signal);
      await queue.stop(0);
    },
  };
}

function nextStep(task: WithStatus): 'Take' | 'End' | undefined {
  if (task.status?.outcome !== undefined || !isTrue(task, 'Admitted')) return undefined;
  return task.status?.acceptedAt === undefined ? 'Take' : 'End';
}

function isTrue({ status }: WithStatus, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
}

function readyStatus({ spec }: WithStatus): object {
  const now = new Date().toISOString();
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
  }));
  const containerStatuses = (spec?.containers ?? []).map(({ name }) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: 'none',
    imageID: 'none',
    state: { running: { startedAt: now } },
  }));
  // Without an address: the controllers of endpoints would look for its node, time and again.
  return { phase: 'Running', startTime: now, conditions, containerStatuses };
}

function statusOf(task: WithStatus, status: object): KubeObject {
  const { name, namespace = '', uid = '' } = task.metadata;
  return { apiVersion: apiVersionOf(resources.tasks), kind: 'Task', metadata: { name, namespace, uid }, status };
}

function condition(task: WithStatus, type: string, status: 'True' | 'False', reason: string): object {
  const { generation = 1 } = task.metadata;
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    type,
    status,
    reason,
    message: 'Played by a benchmark.',
    observedGeneration: generation,
    lastTransitionTime,
  };
}

function takenTask(task: WithStatus): KubeObject {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const running = condition(task, 'Running', 'True', 'Running');
  return statusOf(task, { acceptedAt: now, startedAt: now, runId: task.metadata.name, conditions: [running] });
}

function endedTask(task: WithStatus): KubeObject {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = [
    condition(task, 'Running', 'False', 'Succeeded'),
    condition(task, 'Complete', 'True', 'Succeeded'),
  ];
  const { acceptedAt } = task.status ?? {};
  return statusOf(task, {
    acceptedAt,
    startedAt: acceptedAt,
    finishedAt: now,
    runId: task.metadata.name,
    outcome: 'Succeeded',
    summary: 'Played by a benchmark.',
    conditions,
  });
}
