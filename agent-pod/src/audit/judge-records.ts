/**
 * One batch of judging: verdicts and runs that settled since the last one. It runs in a process of its own that ends with the
 * batch, because the agent's deciders take more memory than all the rest of the auditor. Its request and its answer are JSON.
 *
 * Source: design 5.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { z } from 'zod';
import { isAlarm, type Finding } from './finding.ts';
import { FindingRecord } from './finding-record.ts';
import { RunAudit, type RunRules } from './run-audit.ts';
import { SavedRunsRecord } from './run-file.ts';
import { VerdictAudit, type VerdictRules } from './verdict-audit.ts';
import { list, SavedVerdictsRecord } from './verdict-file.ts';
import { WholePayloads, type NamesPlaces } from './whole-payload.ts';

const count = z.int().nonnegative();

const StoreEnd = z.object({
  store: z.string(),
  segment: z.string(),
  endBytes: count,
  lineHash: z.string(),
  order: z.int(),
  epoch: count,
});
export type JudgedEnd = z.infer<typeof StoreEnd>;

export const JudgeRequest = z.object({
  /** The journal's. */
  directory: z.string(),
  characterFiles: list(z.string()),
  once: z.boolean(),
  bornAtOrder: z.int(),
  /** Of all stores, settled; of the store `agent` the newest, because a verdict needs the configuration before it. */
  ends: list(StoreEnd),
  verdicts: SavedVerdictsRecord.optional(),
  runs: SavedRunsRecord.optional(),
});
export type JudgeRequest = z.infer<typeof JudgeRequest>;

export const JudgeAnswer = z.object({
  fresh: list(FindingRecord),
  open: list(FindingRecord),
  verdicts: SavedVerdictsRecord.optional(),
  runs: SavedRunsRecord,
  counts: z.object({
    verdicts: count,
    otherRulesCycles: count,
    verdictsLastSeq: z.int(),
    runsEqual: count,
    runsDifferent: count,
    runsOther: count,
  }),
  /** False: the batch took its time and leaves records to the next one. */
  isDone: z.boolean(),
});
export type JudgeAnswer = z.infer<typeof JudgeAnswer>;

/** The agent's deciders. Injected, so that the auditor's reader shares no code with the agent's. */
export interface Deciders {
  readonly clock: Clock;
  readonly makeVerdictRules: () => VerdictRules;
  readonly makeRunRules: (isTold: (store: string, seq: number) => boolean) => RunRules;
  /** Kinds of records that a run takes in. */
  readonly isRunInput: (kind: string) => boolean;
  readonly namesPlaces: NamesPlaces;
}

/** @throws when the record cannot be read; nothing is lost then */
export async function judgeRecords(request: JudgeRequest, deciders: Deciders): Promise<JudgeAnswer> {
  const { directory, once, bornAtOrder, ends } = request;
  const { clock, makeVerdictRules, makeRunRules, isRunInput } = deciders;
  const payloads = new WholePayloads(directory, deciders.namesPlaces);
  const common = { directory, clock, once, bornAtOrder, payloads };
  const verdicts = new VerdictAudit({ ...common, makeRules: makeVerdictRules, saved: request.verdicts });
  const end = (name: string): JudgedEnd => ends.find(({ store }) => store === name) ?? nothing;
  const found = await verdicts.look({ seen: end, settled: end });
  // A note on other rules is no finding about the cycle: whoever forged a version would silence the judging of its run.
  const told = new Set(verdicts.open.filter(isAlarm).map(placeOf));
  const isTold = (store: string, seq: number): boolean => told.has(placeOf({ store, seq }));
  const runs = new RunAudit({
    ...common,
    makeRules: () => makeRunRules(isTold),
    isInput: isRunInput,
    saved: request.runs,
  });
  // Verdicts first: a run is not told twice of a cycle.
  const foundInRuns = verdicts.isDone ? await runs.look(ends) : [];
  const { verdictsTotal, otherRulesCyclesTotal, lastSeq } = verdicts.figures;
  const { equal, different, other } = runs.counts;
  const savedVerdicts = verdicts.save() ?? request.verdicts;
  const savedRuns = verdicts.isDone ? runs.save() : (request.runs ?? runs.save());
  return {
    fresh: [...found, ...foundInRuns],
    open: [...verdicts.open, ...savedRuns.open],
    ...(savedVerdicts === undefined ? {} : { verdicts: savedVerdicts }),
    runs: savedRuns,
    counts: {
      verdicts: verdictsTotal,
      otherRulesCycles: otherRulesCyclesTotal,
      verdictsLastSeq: lastSeq,
      runsEqual: equal,
      runsDifferent: different,
      runsOther: other,
    },
    isDone: verdicts.isDone && runs.isDone,
  };
}

const nothing: JudgedEnd = { store: '', segment: '', endBytes: 0, lineHash: '', order: -1, epoch: 0 };

function placeOf({ store, seq }: Pick<Finding, 'store' | 'seq'>): string {
  return `${store}/${seq ?? ''}`;
}
