/** What a run tried on a problem, and what came of it. */
import { z } from 'zod';
import { appliedChanges } from '../../part/applied-changes.ts';
import { entriesGauge, leftGauge } from '../../part/memory-gauges.ts';
import { defineCommand, definePart, Reason, fieldOf, listIn } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { caseKinds, cases, CURATIONS, type Cases } from './cases.ts';

export const caseStore = defineStore({
  name: 'case',
  durability: 'durable',
  kinds: caseKinds,
  writers: {
    Archivist: ['CaseWritten', 'CaseUsed'],
    Appraiser: ['CaseWritten'],
    Dreamer: ['CaseMerged', 'CasePruned'],
    Person: ['CaseCurated'],
  },
});

interface Known {
  readonly cases: Cases;
  readonly caseChanges: ReadonlySet<string>;
}

const curate = defineCommand({
  schema: z.object({ caseId: z.string().min(1), how: z.enum(CURATIONS), reason: Reason }),
  isOverPodsExec: true,
  decide: ({ caseChanges }: Known, { caseId, how, reason, by }, { originId }) =>
    caseChanges.has(originId)
      ? []
      : [recordIn(caseStore, 'CaseCurated', { caseId, how, by, reason, originId }, { by })],
});

export const casesPart = definePart({
  name: 'cases',
  stores: [caseStore],
  projections: { cases, caseChanges: appliedChanges('case', caseKinds) },
  commands: { CurateCase: curate },
  gauges: [
    entriesGauge('cases', (known: Known) => known.cases.byId.size),
    leftGauge('cases', (known: Known) => known.cases.left),
  ],
  isAbout: ({ payload }, id) =>
    [fieldOf(payload, 'caseId'), fieldOf(payload, 'into'), ...listIn(fieldOf(payload, 'ids'))].includes(id),
});
