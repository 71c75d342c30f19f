/**
 * How long a change of an Agent's status waits, so that the stages of one start or roll-out become one write. The first kind
 * of change in the list that applies decides. Pure.
 *
 * Source: reliability-security 7 (at most three writes of a status for each change).
 */
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import type { AgentCondition } from './agent-condition.ts';
import type { AgentStatus } from './index.ts';

/** A start passes its stages (scheduled, bound, created, started) within seconds; nobody looks again sooner. */
export const WORD_HOLD_MS = 5_000;
/** Time of an ordinary restart with its drain. Messages in between hold only briefly, and digests come with Ready. */
export const TEXT_HOLD_MS = 15_000;
/** Counts change with every Task, job and letter of the agent; a count may be a minute old. */
export const COUNTS_HOLD_MS = 60_000;

export interface StoredAgentStatus {
  readonly conditions?: readonly (AgentCondition & { readonly observedGeneration?: number | undefined })[];
  readonly [field: string]: unknown;
}

type WrittenAgentStatus = Pick<AgentStatus, 'conditions' | 'fields'>;

interface Change {
  readonly now: WrittenAgentStatus;
  readonly stored: StoredAgentStatus;
  readonly generation: number | undefined;
}

/** Reasons that only a person can end. That person waits for the answer. */
const MENDED_BY_PEOPLE: ReadonlySet<AgentCondition['reason']> = new Set([
  'SpecInvalid',
  'NameTaken',
  'EgressNotPossible',
  'StorageShrinkRefused',
  'StorageGrowthRefused',
  'JournalCorrupt',
]);

/** Fields that change with the work of the agent. */
const COUNTS: ReadonlySet<string> = new Set(['tasks', 'jobs', 'mail']);

const HOLDS: readonly { readonly isThere: (change: Change) => boolean; readonly holdMs: number }[] = [
  // Somebody may wait for this condition: kubectl wait, a Task, an alert.
  { isThere: turns('Ready'), holdMs: 0 },
  { isThere: turns('PodReady'), holdMs: 0 },
  { isThere: isFirstVerdict, holdMs: 0 },
  { isThere: needsPeople, holdMs: 0 },
  { isThere: (change) => differs(change, ({ status, reason }) => [status, reason]), holdMs: WORD_HOLD_MS },
  { isThere: (change) => differs(change, ({ message }) => [message]), holdMs: TEXT_HOLD_MS },
  { isThere: (change) => fieldsDiffer(change, (field) => !COUNTS.has(field)), holdMs: TEXT_HOLD_MS },
  { isThere: (change) => fieldsDiffer(change, (field) => COUNTS.has(field)), holdMs: COUNTS_HOLD_MS },
];

/** @returns the least time between the last write and this one; undefined if there is nothing to write */
export function changeHoldMs(change: Change): number | undefined {
  return HOLDS.find(({ isThere }) => isThere(change))?.holdMs;
}

export function asStored(
  { conditions, fields }: WrittenAgentStatus,
  generation: number | undefined,
): StoredAgentStatus {
  return { ...fields, conditions: conditions.map((condition) => ({ ...condition, observedGeneration: generation })) };
}

function turns(type: AgentCondition['type']): (change: Change) => boolean {
  return ({ now, stored }) => conditionOf(now, type)?.status !== conditionOf(stored, type)?.status;
}

function isFirstVerdict({ stored, generation }: Change): boolean {
  return conditionOf(stored, 'Ready')?.observedGeneration !== generation;
}

function needsPeople({ now, stored }: Change): boolean {
  const reason = conditionOf(now, 'Ready')?.reason;
  return reason !== undefined && reason !== conditionOf(stored, 'Ready')?.reason && MENDED_BY_PEOPLE.has(reason);
}

function conditionOf<T extends AgentCondition>(
  { conditions }: { readonly conditions?: readonly T[] },
  wanted: AgentCondition['type'],
): T | undefined {
  return conditions?.find(({ type }) => type === wanted);
}

function differs({ now, stored }: Change, told: (condition: AgentCondition) => readonly string[]): boolean {
  return now.conditions.some((condition) => {
    const before = conditionOf(stored, condition.type);
    return before === undefined || told(before).join() !== told(condition).join();
  });
}

function fieldsDiffer({ now, stored }: Change, isMeant: (field: string) => boolean): boolean {
  return Object.entries(now.fields).some(
    ([field, value]) => isMeant(field) && canonicalJson(value ?? null) !== canonicalJson(stored[field] ?? null),
  );
}
