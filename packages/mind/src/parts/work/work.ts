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
import { workKinds, type WorkPayload } from './kinds.ts';
import { CYCLE_IDS_KEPT } from './limits.ts';
import { joined, putEndeavour, putItem, startWork, Tombstone, type Work } from './work-state.ts';

function countCycle(work: Work, { itemIds, endeavourId, cycleId, tokens }: WorkPayload<'CycleCounted'>): void {
  for (const id of itemIds) {
    const item = work.items.get(id);
    if (item === undefined || item.cycleIds.includes(cycleId)) continue;
    const cycleIds = [...item.cycleIds, cycleId].slice(-CYCLE_IDS_KEPT);
    putItem(work, { ...item, cycles: item.cycles + 1, tokens: item.tokens + tokens, cycleIds });
  }
  const endeavour = endeavourId === undefined ? undefined : work.endeavours.get(endeavourId);
  if (endeavour === undefined) return;
  putEndeavour(work, { ...endeavour, cycles: endeavour.cycles + 1, tokens: endeavour.tokens + tokens });
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

export const work = defineProjection({
  store: 'work',
  kinds: workKinds,
  start: startWork,
  folds: {
    ...itemFolds,
    ...endeavourFolds,
    CycleCounted: countCycle,
    ForecastScored: score,
    PostMortemAdded: appraise,
  },
  window: 'WholeStore',
  cached: {
    version: 1,
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
