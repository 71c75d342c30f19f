/** Lessons of steering decisions: what they say of a pair of space and entity, and how they fade. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { z } from 'zod';
import { appliedChanges } from '../../part/applied-changes.ts';
import { entriesGauge } from '../../part/memory-gauges.ts';
import { defineCommand, definePart, Reason, fieldOf, listIn } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { lessonFields } from './lesson.ts';
import { megramKinds, megrams, type MegramIndex } from './megrams.ts';

/** Hexadecimal digits of a lesson's id: practically unique within one agent. */
const LESSON_ID_DIGITS = 12;

/** Megrams of one word: as many as a person would list. */
const IDS_MAX = 64;

/** Only the steering step writes megrams, and the Dreamer after it. Source: artoo A.11. */
const store = defineStore({
  name: 'megram',
  durability: 'durable',
  kinds: megramKinds,
  writers: {
    Steerer: ['MegramWritten', 'MegramRecalled'],
    Person: ['MegramLearned', 'MegramForgotten', 'MegramEndorsed'],
    Dreamer: [
      'MegramWritten',
      'MegramPromoted',
      'MegramDoubted',
      'MegramConsolidated',
      'MegramDemoted',
      'MegramForgotten',
    ],
  },
});

interface Known {
  readonly megrams: MegramIndex;
  readonly megramChanges: ReadonlySet<string>;
}

const teach = defineCommand({
  schema: z.object({ ...lessonFields, reason: Reason }),
  isOverPodsExec: true,
  decide: ({ megramChanges }: Known, { lesson, tags, category, calls, reason, by }, { originId, atMs }) => {
    if (megramChanges.has(originId)) return [];
    const id = `lesson-${sha256Hex(originId).slice(0, LESSON_ID_DIGITS)}`;
    const payload = { id, lesson, tags, category, calls, atMs, by, reason, originId };
    return [recordIn(store, 'MegramLearned', payload, { by })];
  },
});

const named = z.object({ ids: z.array(z.string().min(1)).min(1).max(IDS_MAX), reason: Reason });

/** A person's word about megrams by their ids. */
const about = (kind: 'MegramForgotten' | 'MegramEndorsed') =>
  defineCommand({
    schema: named,
    isOverPodsExec: true,
    decide: ({ megramChanges }: Known, { ids, reason, by }, { originId }) =>
      megramChanges.has(originId) ? [] : [recordIn(store, kind, { ids, by, reason, originId }, { by })],
  });

export const megramsPart = definePart({
  name: 'megrams',
  stores: [store],
  projections: { megrams, megramChanges: appliedChanges('megram', megramKinds) },
  commands: {
    Teach: teach,
    ForgetMegrams: about('MegramForgotten'),
    /** Their words are believed as those of the person. */
    EndorseMegrams: about('MegramEndorsed'),
  },
  gauges: [entriesGauge('megrams', (known: Known) => known.megrams.size)],
  isAbout: ({ payload }, id) => {
    const one = [fieldOf(payload, 'id'), fieldOf(payload, 'into'), fieldOf(fieldOf(payload, 'megram'), 'id')];
    return [...one, ...listIn(fieldOf(payload, 'ids'))].includes(id);
  },
});
