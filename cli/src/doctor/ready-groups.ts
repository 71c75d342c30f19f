/** Objects that are not Ready, grouped by their reason. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { conditionOf, momentOf, type SeenCondition } from './fields.ts';
import { age, placeOf, type Status } from './check-result.ts';

/** The urgency of a reason of Ready for the person on call. */
export type Level =
  /** Needs no attention. */
  | 'Normal'
  /** Normal for some minutes, then a fault. */
  | 'Passing'
  /** Waits for a person. */
  | 'Person'
  | 'Fault';

/** Other reasons are faults, such as those of a newer operator. */
export type Levels = Readonly<Partial<Record<string, Level>>>;

/** Three times the measured start of an agent with a large volume and a cold image. */
const PASSING_MS = 300_000;
const NOT_LOOKED_AT = 'NotReconciled';

export interface Unready {
  readonly object: KubeObject;
  readonly reason: string;
  readonly message: string;
  readonly ageMs: number;
  readonly status: Extract<Status, 'warn' | 'fail'>;
}

/** Worst first, then the longest. */
export function unready(objects: readonly KubeObject[], levels: Levels, nowMs: number): readonly Unready[] {
  return objects
    .flatMap((object) => unreadyOne(object, levels, nowMs) ?? [])
    .toSorted((a, b) => Number(b.status === 'fail') - Number(a.status === 'fail') || b.ageMs - a.ageMs);
}

function unreadyOne(object: KubeObject, levels: Levels, nowMs: number): Unready | undefined {
  const ready = conditionOf(object, 'Ready') ?? notLookedAt(object);
  if (ready.status === 'True') return undefined;
  const ageMs = Math.max(0, nowMs - (ready.sinceMs ?? nowMs));
  const level = ready.reason === NOT_LOOKED_AT ? 'Passing' : (levels[ready.reason] ?? 'Fault');
  const status = statusOf(level, ageMs);
  return status === undefined ? undefined : { object, reason: ready.reason, message: ready.message, ageMs, status };
}

function notLookedAt({ metadata }: KubeObject): SeenCondition {
  const sinceMs = momentOf(metadata.creationTimestamp ?? '');
  return { type: 'Ready', status: 'Unknown', reason: NOT_LOOKED_AT, message: 'no operator has reconciled it', sinceMs };
}

function statusOf(level: Level, ageMs: number): Unready['status'] | undefined {
  switch (level) {
    case 'Normal':
      return undefined;
    case 'Passing':
      return ageMs > PASSING_MS ? 'fail' : 'warn';
    case 'Person':
      return 'warn';
    case 'Fault':
      return 'fail';
  }
}

/** Reasons named in one check, and objects named for each. */
const GROUPS_MAX = 6;
const NAMED_MAX = 3;

/** `CharacterNotFound: weather/ada (2 h), weather/bob (5 min): …`, one line for each reason. */
export function groupLines(all: readonly Unready[]): readonly string[] {
  const reasons = [...new Set(all.map(({ reason }) => reason))];
  const lines = reasons.slice(0, GROUPS_MAX).map((reason) => {
    const group = all.filter((one) => one.reason === reason);
    const names = group.slice(0, NAMED_MAX).map(({ object, ageMs }) => `${placeOf(object)} (${age(ageMs)})`);
    const more = group.length - names.length;
    return `${reason}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${group[0]?.message ?? ''}`;
  });
  const rest = reasons.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more reasons`] : lines;
}
