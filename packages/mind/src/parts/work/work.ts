/**
 * Work that the agent plans for itself: items and endeavours. A projection of the store `work`.
 *
 * I1  A deleted one stays deleted: its tombstone is folded like every other record, and nothing brings it back.
 * I2  Folding is total: an operation on what is ended, deleted or no longer in memory changes nothing.
 * I3  What is kept is bounded (`limits.ts`); the record has the rest.
 *
 * Source: springdrift 8 (each operation a record).
 */
import { z } from 'zod';
import { defineProjection, type Recorded } from '../../part/projection.ts';
import { Endeavour } from './endeavour.ts';
import { endeavourFolds } from './fold-endeavour.ts';
import { itemFolds } from './fold-item.ts';
import { WorkItem } from './item.ts';
import { workKinds, type WorkKind, type WorkPayload } from './kinds.ts';
import { CYCLE_IDS_KEPT } from './limits.ts';
import { joined, noteCall, putEndeavour, putItem, startWork, Tombstone, type Work } from './work-state.ts';

/** An item counts each cycle once, as far back as it knows their ids. */
function countCycles(work: Work, { itemIds, endeavourId, cycleIds, tokens }: WorkPayload<'CycleCounted'>): void {
  for (const id of itemIds) {
    const item = work.items.get(id) ?? work.ended.get(id);
    const fresh = cycleIds.filter((it) => item?.cycleIds.includes(it) === false);
    if (item === undefined || fresh.length === 0) continue;
    const kept = [...item.cycleIds, ...fresh].slice(-CYCLE_IDS_KEPT);
    const counted = { ...item, cycles: item.cycles + fresh.length, tokens: item.tokens + tokens, cycleIds: kept };
    (work.items.has(id) ? work.items : work.ended).set(id, counted);
  }
  const endeavour = endeavourId === undefined ? undefined : work.endeavours.get(endeavourId);
  if (endeavour === undefined) return;
  const cycles = endeavour.cycles + cycleIds.length;
  putEndeavour(work, { ...endeavour, cycles, tokens: endeavour.tokens + tokens });
}

function score(work: Work, { subject, id, ...told }: WorkPayload<'ForecastScored'>, { timeMs }: Recorded): void {
  const before = subject === 'Item' ? work.items.get(id)?.forecast : work.endeavours.get(id)?.forecast;
  const suggestedAtMs = told.suggests ? timeMs : before?.suggestedAtMs;
  const forecast = {
    score: told.score,
    breakdown: told.breakdown,
    scoredAtMs: timeMs,
    ...(suggestedAtMs === undefined ? {} : { suggestedAtMs }),
  };
  const [item, endeavour] = [work.items.get(id), work.endeavours.get(id)];
  if (subject === 'Item' && item !== undefined) putItem(work, { ...item, forecast });
  if (subject === 'Endeavour' && endeavour !== undefined) putEndeavour(work, { ...endeavour, forecast });
}

function appraise(work: Work, { subject, id, postMortem, label }: WorkPayload<'PostMortemAdded'>): void {
  if (subject === 'Item') {
    const item = work.ended.get(id);
    if (item !== undefined) work.ended.set(id, { ...item, postMortem, label: joined(item.label, label) });
    return;
  }
  const endeavour = work.over.get(id);
  if (endeavour !== undefined) work.over.set(id, { ...endeavour, postMortem, label: joined(endeavour.label, label) });
}

type Folds = {
  readonly [K in WorkKind]: (work: Work, payload: WorkPayload<K>, record: Recorded) => void;
};

/** Each operation of a call is known by that call: after a crash, its tool finds out by it what became of it. */
function noting(folds: Folds): Folds {
  const noted = Object.entries(folds).map(([kind, fold]) => {
    const take = (work: Work, { callId, ...payload }: Called, record: Recorded): void => {
      noteCall(work, callId, payload.itemId ?? payload.endeavourId ?? payload.id ?? '');
      (fold as (work: Work, payload: object, record: Recorded) => void)(work, payload, record);
    };
    return [kind, take] as const;
  });
  return Object.fromEntries(noted) as unknown as Folds;
}

interface Called {
  readonly callId?: string;
  readonly itemId?: string;
  readonly endeavourId?: string;
  readonly id?: string;
}

export const work = defineProjection({
  store: 'work',
  kinds: workKinds,
  start: startWork,
  folds: noting({
    ...itemFolds,
    ...endeavourFolds,
    CycleCounted: countCycles,
    ForecastScored: score,
    PostMortemAdded: appraise,
  }),
  window: 'WholeStore',
  cached: {
    version: 2,
    schema: z.object({
      items: z.array(WorkItem),
      ended: z.array(WorkItem),
      endeavours: z.array(Endeavour),
      over: z.array(Endeavour),
      deleted: z.array(Tombstone),
      byCall: z.array(z.tuple([z.string(), z.string()])),
      left: z.number(),
    }),
    keep: ({ items, ended, endeavours, over, deleted, byCall, left }) => ({
      items: [...items.values()],
      ended: [...ended.values()],
      endeavours: [...endeavours.values()],
      over: [...over.values()],
      deleted: [...deleted.values()],
      byCall: [...byCall],
      left,
    }),
    restore: (state, kept) => {
      for (const it of kept.items) state.items.set(it.itemId, it);
      for (const it of kept.ended) state.ended.set(it.itemId, it);
      for (const it of kept.endeavours) state.endeavours.set(it.endeavourId, it);
      for (const it of kept.over) state.over.set(it.endeavourId, it);
      for (const it of kept.deleted) state.deleted.set(it.id, it);
      for (const [callId, id] of kept.byCall) state.byCall.set(callId, id);
      state.left = kept.left;
    },
  },
});
