/** What every operation on work has: who makes it, what it finds, and its sentence where it does not fit. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Label } from '../../gate/provenance/label.ts';
import type { PartRecord } from '../../part/store.ts';
import { recordIn } from '../../part/record-in.ts';
import { isOver, type Endeavour } from './endeavour.ts';
import { isEnded, type WorkItem } from './item.ts';
import type { WorkKind, WorkPayload } from './kinds.ts';
import { workStore } from './store.ts';
import { endeavourOf, itemOf, type Work } from './work-state.ts';

/** Of the call that makes an operation. */
export interface Making {
  readonly work: Work;
  readonly callId: string;
  readonly runId: string;
  readonly cycleId: string;
  /** Of everything that the cycle has read. */
  readonly label: Label;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** The records that it comes to, or one sentence that names field and fix. */
export type Operation = Result<readonly PartRecord[], string>;

export function operation<K extends WorkKind>(
  { runId, cycleId, callId }: Pick<Making, 'runId' | 'cycleId' | 'callId'>,
  kind: K,
  payload: Omit<WorkPayload<K>, 'callId'>,
): PartRecord {
  return recordIn(workStore, kind, { ...payload, callId } as never, { runId, cycleId });
}

export function one<K extends WorkKind>(making: Making, kind: K, payload: Omit<WorkPayload<K>, 'callId'>): Operation {
  return ok([operation(making, kind, payload)]);
}

/** Hexadecimal digits of an id: a person can read them out. More where that one is taken. */
const ID_DIGITS = 6;

/** The id of what a call makes: the same call makes the same one. */
export function newId(prefix: 'w' | 'e', { work, callId }: Pick<Making, 'work' | 'callId'>): string {
  const digest = sha256Hex(callId);
  for (let digits = ID_DIGITS; ; digits += 1) {
    const id = `${prefix}-${digest.slice(0, digits)}`;
    const isTaken = itemOf(work, id) ?? endeavourOf(work, id) ?? work.deleted.get(id);
    if (isTaken === undefined || digits >= digest.length) return id;
  }
}

const MAX_ID_CHARACTERS = 40;
const quoted = (id: string): string => JSON.stringify(id.slice(0, MAX_ID_CHARACTERS));

function gone(
  work: Work,
  field: string,
  id: string,
  others: readonly string[],
): { readonly ok: false; readonly error: string } {
  const tombstone = work.deleted.get(id);
  if (tombstone !== undefined) return err(`${field}: ${quoted(id)} was deleted by ${tombstone.by}; name another one.`);
  const known = others.length === 0 ? 'there is none yet' : `known: ${others.slice(0, 10).join(', ')}`;
  return err(`${field}: there is no ${quoted(id)}; ${known}.`);
}

export function openItem(work: Work, itemId: string): Result<WorkItem, string> {
  const item = itemOf(work, itemId);
  if (item === undefined) return gone(work, 'itemId', itemId, [...work.items.keys()]);
  if (!isEnded(item)) return ok(item);
  return err(`itemId: ${itemId} is ${item.status} and does not change any more; make a new item for new work.`);
}

export function anyItem(work: Work, itemId: string): Result<WorkItem, string> {
  const item = itemOf(work, itemId);
  return item === undefined ? gone(work, 'itemId', itemId, [...work.items.keys()]) : ok(item);
}

export function openEndeavour(work: Work, endeavourId: string): Result<Endeavour, string> {
  const endeavour = endeavourOf(work, endeavourId);
  if (endeavour === undefined) return gone(work, 'endeavourId', endeavourId, [...work.endeavours.keys()]);
  if (!isOver(endeavour)) return ok(endeavour);
  return err(
    `endeavourId: ${endeavourId} is ${endeavour.status} and does not change any more; make a new endeavour for new work.`,
  );
}

export function anyEndeavour(work: Work, endeavourId: string): Result<Endeavour, string> {
  const endeavour = endeavourOf(work, endeavourId);
  return endeavour === undefined ? gone(work, 'endeavourId', endeavourId, [...work.endeavours.keys()]) : ok(endeavour);
}
