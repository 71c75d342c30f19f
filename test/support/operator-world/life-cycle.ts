/** What people do to all five kinds from creation to deletion, step by step, and when the operator has followed. */
import { LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { memberAt } from '../fake-api-server/json.ts';
import type { OperatorWorld } from './operator-world.ts';
import { RELEASED_PREFIX } from './simulated-agent.ts';
import { agent, character, NAMESPACE, SANDBOX_NAMESPACE, sandboxRun, skill, skillBody, task } from './world-objects.ts';

export interface LifeStep {
  readonly name: string;
  readonly act: (world: OperatorWorld) => void;
  readonly isDone: (world: OperatorWorld) => boolean;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
}

export function holds(world: OperatorWorld, resource: Resource, name: string, type = 'Ready'): boolean {
  const object = world.server.get(resource, { namespace: NAMESPACE, name });
  const conditions = (memberAt(object, 'status.conditions') ?? []) as readonly Condition[];
  const condition = conditions.find((one) => one.type === type);
  return condition?.status === 'True' && condition.observedGeneration === object?.metadata.generation;
}

function status(world: OperatorWorld, resource: Resource, name: string, field: string): unknown {
  return memberAt(world.server.get(resource, { namespace: NAMESPACE, name }), `status.${field}`);
}

const { agents, tasks, skills, characterSpecs, sandboxRuns, pods, statefulSets, jobs } = resources;

function isAgentUp(world: OperatorWorld): boolean {
  const set = world.server.get(statefulSets, { namespace: NAMESPACE, name: 'retainer-ada' });
  const isRolled = memberAt(set, 'status.currentRevision') === memberAt(set, 'status.updateRevision');
  return isRolled && holds(world, agents, 'ada') && holds(world, agents, 'ada', 'NetworkPolicyEnforced');
}

function isRunFinished(world: OperatorWorld, name: string): boolean {
  return status(world, sandboxRuns, name, 'finishedAt') !== undefined;
}

const RELEASED_RUN = `${RELEASED_PREFIX}1`;

/** It was claimed, ran, and is gone. */
function wasReleased({ server }: OperatorWorld): boolean {
  const changes = server.store.history.filter(({ object }) => object.metadata.name === RELEASED_RUN);
  const wasClaimed = changes.some(({ object }) => memberAt(object, 'status.claim') !== undefined);
  return wasClaimed && changes.at(-1)?.type === 'DELETED';
}

function isGone(world: OperatorWorld, resource: Resource, name: string): boolean {
  return world.server.get(resource, { namespace: NAMESPACE, name }) === undefined;
}

const CHANGED_AGENT = { limits: { turnsPerCycle: 7 } };
const POOLED_AGENT = { ...CHANGED_AGENT, sandbox: { pool: { size: 1, maxConcurrent: 2 } } };

export const LIFE_CYCLE: readonly LifeStep[] = [
  {
    name: 'create a character, a skill and an agent',
    act: (world) => {
      world.put(characterSpecs, character());
      world.put(skills, skill());
      world.put(agents, agent());
    },
    isDone: (world) => isAgentUp(world) && holds(world, skills, 'counting') && holds(world, characterSpecs, 'careful'),
  },
  {
    name: 'run a task',
    act: (world) => world.put(tasks, task()),
    isDone: (world) => status(world, tasks, 'count', 'outcome') === 'Succeeded' && holds(world, tasks, 'count'),
  },
  {
    name: 'run code in a cold sandbox',
    act: (world) => world.put(sandboxRuns, sandboxRun()),
    isDone: (world) => isRunFinished(world, 'run-1'),
  },
  {
    name: 'change the agent',
    act: (world) => world.put(agents, agent(CHANGED_AGENT)),
    isDone: isAgentUp,
  },
  {
    name: 'change the character and the skill',
    act: (world) => {
      world.put(characterSpecs, character({ persona: 'A careful and curious analyst.' }));
      world.put(skills, skill({ version: '1.1.0', body: skillBody('Count again.') }));
    },
    isDone: (world) =>
      isAgentUp(world) &&
      status(world, agents, 'ada', 'characterDigest') === status(world, characterSpecs, 'careful', 'digest'),
  },
  {
    name: 'keep a sandbox ready',
    act: (world) => world.put(agents, agent(POOLED_AGENT)),
    isDone: (world) => isAgentUp(world) && world.server.list(jobs, SANDBOX_NAMESPACE).some(isReadyPool),
  },
  {
    name: 'run code in a warm sandbox',
    act: (world) => world.put(sandboxRuns, sandboxRun(RELEASED_RUN)),
    isDone: wasReleased,
  },
  {
    name: 'suspend the agent',
    act: (world) => world.put(agents, agent({ ...POOLED_AGENT, suspend: true })),
    isDone: (world) => holds(world, agents, 'ada', 'Suspended') && isGone(world, pods, 'retainer-ada-0'),
  },
  {
    name: 'delete the task and the runs',
    act: (world) => {
      world.remove(tasks, { namespace: NAMESPACE, name: 'count' });
      world.remove(sandboxRuns, { namespace: NAMESPACE, name: 'run-1' });
    },
    isDone: () => true,
  },
  {
    name: 'delete the agent',
    act: (world) => world.remove(agents, { namespace: NAMESPACE, name: 'ada' }),
    isDone: (world) => isGone(world, statefulSets, 'retainer-ada'),
  },
  {
    name: 'delete the skill and the character',
    act: (world) => {
      world.remove(skills, { namespace: NAMESPACE, name: 'counting' });
      world.remove(characterSpecs, { namespace: NAMESPACE, name: 'careful' });
    },
    isDone: () => true,
  },
];

function isReadyPool(job: KubeObject): boolean {
  const isPool = job.metadata.labels?.[LABELS.sandboxPool] !== undefined;
  return isPool && Number(memberAt(job, 'status.ready') ?? 0) > 0;
}
