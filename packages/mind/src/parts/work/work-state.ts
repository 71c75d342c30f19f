/** The state of work in memory, and where its parts go. `work.ts` folds it. */
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { z } from 'zod';
import { join, type Label } from '../../gate/provenance/label.ts';
import type { Recorded } from '../../part/projection.ts';
import { isOver, type Endeavour } from './endeavour.ts';
import { isEnded, type WorkItem } from './item.ts';
import { ENDED_ENDEAVOURS_KEPT, ENDED_ITEMS_KEPT, TOMBSTONES_KEPT } from './limits.ts';
import { Moment } from './texts.ts';

export const Tombstone = z.strictObject({ id: z.string(), reason: z.string(), by: z.string(), atMs: Moment });
export type Tombstone = Readonly<z.infer<typeof Tombstone>>;

export interface Work {
  /** Open ones, in the order in which they were made. */
  readonly items: Map<string, WorkItem>;
  /** Ended ones, in the order in which they ended. */
  readonly ended: Map<string, WorkItem>;
  /** Open ones, as `items`. */
  readonly endeavours: Map<string, Endeavour>;
  /** Ended ones, as `ended`. */
  readonly over: Map<string, Endeavour>;
  /** Deleted ones, by id. */
  readonly deleted: Map<string, Tombstone>;
  /** Calls whose item or endeavour is in memory, with its id. */
  readonly byCall: Map<string, string>;
  /** Ended ones that are no longer in memory. */
  left: number;
}

export function startWork(): Work {
  return {
    items: new Map(),
    ended: new Map(),
    endeavours: new Map(),
    over: new Map(),
    deleted: new Map(),
    byCall: new Map(),
    left: 0,
  };
}

/** An item that is open or ended. */
export const itemOf = ({ items, ended }: Pick<Work, 'items' | 'ended'>, id: string): WorkItem | undefined =>
  items.get(id) ?? ended.get(id);

export const endeavourOf = (
  { endeavours, over }: Pick<Work, 'endeavours' | 'over'>,
  id: string,
): Endeavour | undefined => endeavours.get(id) ?? over.get(id);

/** Items of an endeavour, open ones first. */
export function itemsOf({ items, ended }: Pick<Work, 'items' | 'ended'>, endeavourId: string): readonly WorkItem[] {
  return [...items.values(), ...ended.values()].filter((it) => it.endeavourId === endeavourId);
}

/** Puts the item where it belongs. Nothing that was forgotten or deleted comes back by it. */
export function putItem(work: Work, item: WorkItem): void {
  const { items, ended } = work;
  if (!isEnded(item)) {
    items.set(item.itemId, item);
    return;
  }
  items.delete(item.itemId);
  ended.set(item.itemId, item);
  if (forgetOldest(ended, ENDED_ITEMS_KEPT)) work.left += 1;
}

export function putEndeavour(work: Work, endeavour: Endeavour): void {
  const { endeavours, over } = work;
  if (!isOver(endeavour)) {
    endeavours.set(endeavour.endeavourId, endeavour);
    return;
  }
  endeavours.delete(endeavour.endeavourId);
  over.set(endeavour.endeavourId, endeavour);
  if (forgetOldest(over, ENDED_ENDEAVOURS_KEPT)) work.left += 1;
}

export function bury(
  work: Work,
  id: string,
  { reason, by }: Pick<Tombstone, 'reason' | 'by'>,
  { timeMs }: Recorded,
): void {
  for (const map of [work.items, work.ended, work.endeavours, work.over]) map.delete(id);
  work.deleted.set(id, { id, reason, by, atMs: timeMs });
  forgetOldest(work.deleted, TOMBSTONES_KEPT);
}

/** Calls that are known: those of the last operations, since only a call that a crash cut off is asked for. */
const CALLS_KEPT = 1_000;

export function noteCall({ byCall }: Work, callId: string | undefined, id: string): void {
  if (callId === undefined) return;
  byCall.set(callId, id);
  forgetOldest(byCall, CALLS_KEPT);
}

/** The label of a text made from both; without a second one, the first. */
export const joined = (label: Label, more: Label | undefined): Label =>
  more === undefined ? label : join(label, more);
