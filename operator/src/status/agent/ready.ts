/** Ready: the summary of all other conditions, which printer columns show. Pure. */
import type { AgentCondition } from './agent-condition.ts';

/** An obstacle without its own condition. */
export interface Obstacle {
  readonly reason: AgentCondition['reason'];
  readonly message: string;
}

/** By importance for a person. An unknown condition does not make an agent unready, except PodReady. */
const ORDER = [
  'Suspended',
  'CharacterResolved',
  'SkillsResolved',
  'StorageReady',
  'PodReady',
  'NetworkPolicyEnforced',
] as const satisfies readonly AgentCondition['type'][];

/** @param obstacles  children that could not be made. @param waiting  why a change waits; the agent works as before */
export function ready(
  conditions: readonly AgentCondition[],
  obstacles: readonly Obstacle[],
  waiting: string | undefined,
): AgentCondition {
  const type = 'Ready';
  const isSuspended = conditions.some((one) => one.type === 'Suspended' && one.status === 'True');
  const [obstacle] = obstacles;
  if (!isSuspended && obstacle !== undefined) return { type, status: 'False', ...obstacle };
  for (const wanted of ORDER) {
    const found = conditions.find((one) => one.type === wanted);
    if (found !== undefined && isInTheWay(found))
      return { ...found, type, status: 'False', message: told(found, conditions) };
  }
  return { type, status: 'True', reason: 'AgentReady', message: waiting ?? 'the agent works' };
}

function isInTheWay({ type, status }: AgentCondition): boolean {
  if (type === 'Suspended') return status === 'True';
  if (type === 'PodReady') return status !== 'True';
  return status === 'False';
}

/** The message, and whether the agent works all the same. */
function told({ type, message }: AgentCondition, conditions: readonly AgentCondition[]): string {
  const isWorking = conditions.some((one) => one.type === 'PodReady' && one.status === 'True');
  const isReference = type === 'CharacterResolved' || type === 'SkillsResolved';
  return isWorking && isReference
    ? `${message}; meanwhile the agent continues with its previous configuration`
    : message;
}
