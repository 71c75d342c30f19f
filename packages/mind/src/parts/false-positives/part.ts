/** Refusals of a gate that a person called wrong. It loosens nothing. */
import { z } from 'zod';
import { defineCommand, definePart, Reason, textIn } from '../../part/part.ts';
import { recordIn } from '../../part/record-in.ts';
import { defineStore } from '../../part/store.ts';
import { refusedFields, reportKinds } from './reports.ts';

const store = defineStore({
  name: 'agent',
  durability: 'durable',
  kinds: reportKinds,
  writers: { Person: ['FalsePositiveReported'] },
});

/** The same report again changes nothing. */
const report = defineCommand({
  schema: z.object({ ...refusedFields, reason: Reason }),
  isOverPodsExec: true,
  decide: (_known, { cycleId, gate, rule, subjectDigest, reason, by }) => {
    const of = subjectDigest === undefined ? {} : { subjectDigest };
    return [recordIn(store, 'FalsePositiveReported', { cycleId, gate, rule, ...of, by, reason }, { by })];
  },
});

export const falsePositivesPart = definePart({
  name: 'false-positives',
  stores: [store],
  commands: { ReportFalsePositive: report },
  events: {
    // The rule is a person's word: a report may name one that no gate has.
    FalsePositiveReported: ({ gate }) => ({ name: 'refusal-called-wrong', title: `the gate ${textIn(gate)}` }),
  },
});
