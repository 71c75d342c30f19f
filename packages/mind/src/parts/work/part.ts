/** Work that the agent plans for itself: items with steps, endeavours with phases, what is forecast and what is learned of them. */
import { z } from 'zod';
import { entriesGauge, leftGauge } from '../../part/memory-gauges.ts';
import { appliedChanges } from '../../part/applied-changes.ts';
import { defineCommand, definePart, fieldOf, listIn, Reason, textIn } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { endOfRun } from './end-of-run.ts';
import { LINE_CHARACTERS_MAX } from './limits.ts';
import { workKinds } from './kinds.ts';
import { workStore } from './store.ts';
import { workEvents, workTellers } from './telling.ts';
import { work } from './work.ts';
import type { Work } from './work-state.ts';
import { workLines } from './work-lines.ts';

interface Known {
  readonly work: Work;
  readonly jobs: Jobs;
  readonly workChanges: ReadonlySet<string>;
}

/** A person closes an item with a word. What is ended or unknown stays as it is. */
const abandon = defineCommand({
  schema: z.object({ itemId: z.string().min(1), reason: Reason.max(LINE_CHARACTERS_MAX) }),
  isOverPodsExec: true,
  decide: ({ work: { items }, workChanges }: Known, { itemId, reason, by }, { originId }) => {
    if (workChanges.has(originId) || !items.has(itemId)) return [];
    return [recordIn(workStore, 'ItemEnded', { itemId, status: 'Abandoned', reason, originId }, { by })];
  },
});

const remove = defineCommand({
  schema: z.object({ id: z.string().min(1), reason: Reason.max(LINE_CHARACTERS_MAX) }),
  isOverPodsExec: true,
  decide: ({ work: known, workChanges }: Known, { id, reason, by }, { originId }) => {
    if (workChanges.has(originId)) return [];
    const why = { reason, by, originId };
    if (known.items.has(id) || known.ended.has(id))
      return [recordIn(workStore, 'ItemDeleted', { itemId: id, ...why }, { by })];
    if (known.endeavours.has(id) || known.over.has(id))
      return [recordIn(workStore, 'EndeavourDeleted', { endeavourId: id, ...why }, { by })];
    return [];
  },
});

export const workPart = definePart({
  name: 'work',
  stores: [workStore],
  projections: { work, workChanges: appliedChanges('work', workKinds) },
  commands: { AbandonWorkItem: abandon, DeleteWork: remove },
  tell: workTellers,
  events: workEvents,
  ended: (known: Known, end) => endOfRun(known, end),
  contributes: (known: Known, { atMs, principal }) => workLines(known.work, atMs, principal),
  gauges: [
    entriesGauge('work-items', (known: Known) => known.work.items.size + known.work.ended.size),
    entriesGauge('endeavours', (known: Known) => known.work.endeavours.size + known.work.over.size),
    leftGauge('work', (known: Known) => known.work.left),
    {
      name: 'work_items_open',
      help: 'Work items that are neither ended nor deleted.',
      of: (known: Known) => known.work.items.size,
    },
    {
      name: 'endeavours_blocked',
      help: 'Endeavours that a blocker holds up.',
      of: (known: Known) => [...known.work.endeavours.values()].filter(({ status }) => status === 'Blocked').length,
    },
  ],
  fields: ['Agent spec.upkeep.forecaster'],
  isAbout: ({ payload }, id) =>
    ['itemId', 'endeavourId', 'id'].some((field) => textIn(fieldOf(payload, field)) === id) ||
    listIn(fieldOf(payload, 'itemIds')).includes(id),
});
