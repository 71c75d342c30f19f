/**
 * The conditions of all Agents and the states of all Tasks as metrics, read from the caches at each scrape: an agent that does
 * not start tells nothing itself.
 *
 * Bounded: one series for Ready of each Agent, one more for each condition that is not True; Tasks by state and reason, never
 * by name. Words that are not ours count as `Other`.
 */
import { Gauge, type Registry } from 'prom-client';
import { CONDITION_REASONS, CONDITION_TYPES } from '@retainer/contract/api/conditions';
import { LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { oncePerVersion } from '../observe/observe-kinds.ts';
import { seenConditions, taskStateOf, type SeenCondition } from '../observe/observe-conditions.ts';
import type { Caches } from '../watch/caches.ts';

const VALUES = { True: 1, False: 0, Unknown: -1 } as const;
const AGENT_TYPES: ReadonlySet<string> = new Set(CONDITION_TYPES.Agent);
const AGENT_REASONS: ReadonlySet<string> = new Set(CONDITION_REASONS.Agent);
const TASK_REASONS: ReadonlySet<string> = new Set(CONDITION_REASONS.Task);

export function watchConditions(registry: Registry, caches: Caches): void {
  const registers = [registry];
  const conditions = new Gauge({
    name: 'retainer_agent_condition',
    help: 'Conditions of Agents: 1 True, 0 False, -1 Unknown. Conditions other than Ready appear only while they are not True.',
    labelNames: ['agent', 'agent_namespace', 'condition', 'reason'],
    registers,
    collect: () => {
      conditions.reset();
      for (const agent of caches.of(resources.agents).list())
        for (const { type, status, reason } of told(agent))
          conditions.set({ ...nameOf(agent), condition: type, reason: known(reason, AGENT_REASONS) }, VALUES[status]);
    },
  });
  const restarts = new Gauge({
    name: 'retainer_agent_container_restarts',
    help: 'Restarts of the containers of an agent’s pod, since the pod was made.',
    labelNames: ['agent', 'agent_namespace'],
    registers,
    collect: () => {
      restarts.reset();
      for (const pod of caches.of(resources.pods).list()) {
        const agent = pod.metadata.labels?.[LABELS.agent];
        if (agent !== undefined && pod.metadata.labels?.[LABELS.networkRole] === 'agent')
          restarts.set({ agent, agent_namespace: pod.metadata.namespace ?? '' }, restartsOf(pod));
      }
    },
  });
  const tasks = new Gauge({
    name: 'retainer_tasks',
    help: 'Tasks by state and by the reason of their condition Ready.',
    labelNames: ['state', 'reason'],
    registers,
    collect: () => {
      tasks.reset();
      for (const task of caches.of(resources.tasks).list()) {
        const { state, reason } = stateOf(task);
        tasks.inc({ state, reason: known(reason, TASK_REASONS) });
      }
    },
  });
}

const conditionsOf = oncePerVersion(seenConditions);
const stateOf = oncePerVersion(taskStateOf);

function told(agent: KubeObject): readonly SeenCondition[] {
  return conditionsOf(agent).filter(
    ({ type, status }) => type === 'Ready' || (AGENT_TYPES.has(type) && type !== 'Suspended' && status !== 'True'),
  );
}

function known(reason: string, ours: ReadonlySet<string>): string {
  return ours.has(reason) ? reason : 'Other';
}

function nameOf({ metadata: { name, namespace = '' } }: KubeObject) {
  return { agent: name, agent_namespace: namespace };
}

function restartsOf({ status }: KubeObject): number {
  const { containerStatuses = [] } = (status ?? {}) as {
    readonly containerStatuses?: readonly { readonly restartCount?: number }[];
  };
  return containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}
