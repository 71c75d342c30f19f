/** What in the record of a cycle can begin or end a wait. */
import type { CycleEvent } from '@retainer/mind/cycle/event';

type Kinds = ReadonlySet<CycleEvent['kind']>;

/** Of a person. */
const forPeople: Kinds = new Set(['ApprovalRequested', 'ApprovalDecided', 'ApprovalWithdrawn', 'TimeExpired']);

/** Of a provider. */
const forProvider: Kinds = new Set(['Parked', 'Unparked', 'EffectLost']);

export function mayWaitForPeople(events: readonly CycleEvent[]): boolean {
  return events.some(({ kind }) => forPeople.has(kind));
}

export function mayWaitForProvider(events: readonly CycleEvent[]): boolean {
  return events.some(({ kind }) => forProvider.has(kind));
}
