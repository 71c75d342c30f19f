/** Adds Reconciling or Stalled to the conditions that are written together with Ready. Pure. */
import { progressOf, type Progress, type ToldCondition } from '@retainer/contract/api/progress';
import { KINDS } from '@retainer/contract/api/names';

interface WrittenCondition extends ToldCondition {
  readonly message: string;
}

const TYPES: ReadonlySet<string> = new Set<Progress>(['Reconciling', 'Stalled']);

export function withProgress<T extends WrittenCondition>(
  kind: string,
  conditions: readonly T[],
): readonly (T | WrittenCondition)[] {
  const own = KINDS.find((name) => name === kind);
  const type = own === undefined ? undefined : progressOf(own, conditions);
  const ready = conditions.find((one) => one.type === 'Ready');
  if (ready === undefined || type === undefined || type === 'Current') return conditions;
  return [...conditions, { type, status: 'True', reason: ready.reason, message: ready.message }];
}

/**
 * Those of the two that are stored and no longer written, with Ready's words and False. An agent that ended its Task while the operator
 * wrote Ready owns a part of such a condition, so that the operator cannot take it away.
 */
export function overProgress<T extends WrittenCondition>(
  stored: readonly ToldCondition[],
  written: readonly T[],
): readonly T[] {
  const ready = written.find(({ type }) => type === 'Ready');
  const types = new Set(written.map(({ type }) => type));
  const over = stored.filter(({ type }) => TYPES.has(type) && !types.has(type));
  return ready === undefined ? [] : over.map(({ type }) => ({ ...ready, type, status: 'False' }));
}

/**
 * Whether one of the two is still True in the stored conditions that those to be written, Ready among them, no longer have. An
 * agent that ended its Task left it False, since it cannot take the operator's condition away.
 */
export function hasOldProgress(stored: readonly ToldCondition[], written: readonly ToldCondition[]): boolean {
  const types = new Set(written.map(({ type }) => type));
  return (
    types.has('Ready') && stored.some(({ type, status }) => TYPES.has(type) && status === 'True' && !types.has(type))
  );
}
