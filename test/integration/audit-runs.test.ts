/**
 * The auditor decides whole runs again: over real records of real runs, from which one record after the other is taken, or in
 * which one says something else. The chain is made anew each time, and no head was kept.
 */
import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import { runInputs } from '@retainer/mind/run/event';
import { RunCheck } from '@retainer/agent-pod/review/run-check';
import { isSaidOnce } from '../../agent-pod/src/loop/stores.ts';
import { VerdictCheck } from '@retainer/agent-pod/review/verdict-check';
import { Auditor } from '../../agent-pod/src/audit/auditor.ts';
import { isAlarm, type Finding } from '../../agent-pod/src/audit/finding.ts';
import { judgeRecords, type JudgeAnswer, type JudgeRequest } from '../../agent-pod/src/audit/judge-records.ts';
import { SETTLE_MS } from '../../agent-pod/src/audit/store-watch.ts';
import { manualClock } from '../support/manual-clock.ts';
import { journalOf, mildCharacter, recordRuns, scoredCharacter, strictCharacter } from '../support/recorded-agent.ts';
import { cutTail, rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const original = journalOf(join(root.path, 'data'));
let records: readonly JournalRecord[] = [];
let copies = 0;

beforeAll(async () => {
  const data = join(root.path, 'data');
  const first = await recordRuns(data, strictCharacter, ['plain', 'refused', 'approved', 'corrected', 'unsaid']);
  const second = await recordRuns(data, scoredCharacter, ['vile', 'again']);
  const third = await recordRuns(data, mildCharacter, ['unheard']);
  records = [...first, ...second, ...third];
});
afterAll(() => root.remove());

function copyOf(directory: string): string {
  copies += 1;
  const copy = join(root.path, `copy-${copies}`);
  cpSync(directory, copy, { recursive: true, filter: (path) => basename(path) !== 'ballast' });
  return copy;
}

function changed(
  { store, seq }: Pick<JournalRecord, 'store' | 'seq'>,
  change: Parameters<typeof rewriteRecord>[3],
): string {
  const copy = copyOf(original);
  rewriteRecord(copy, store, seq, change);
  return copy;
}

const without = (record: JournalRecord): string => changed(record, () => undefined);

/** One batch of the judge, over all that is there. */
async function judged(directory: string, saved: Partial<JudgeRequest> = {}): Promise<JudgeAnswer> {
  const clock = manualClock();
  const record = { heads: new Map(), keepHeads: () => Promise.resolve(), tell: () => Promise.resolve() };
  const auditor = new Auditor({ directory, record, clock });
  await auditor.look();
  clock.advance(SETTLE_MS);
  const { open } = await auditor.look();
  expect(open).toEqual([]);
  const request = { directory, characterFiles: [], once: true, bornAtOrder: -1, ends: auditor.ends, ...saved };
  return judgeRecords(request, {
    clock,
    namesPlaces: isSaidOnce,
    makeVerdictRules: () => new VerdictCheck(),
    makeRunRules: (isTold) => new RunCheck([], isTold),
    isRunInput: (kind) => kind in runInputs,
  });
}

const placesOf = (found: readonly Finding[]): readonly unknown[] =>
  found.map(({ kind, store, seq }) => [kind, store, seq]);

/** The first and the last record of each kind, which are of different runs. */
function ofEachKind(store: string): readonly JournalRecord[] {
  const all = records.filter((it) => it.store === store && it.runId !== undefined);
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const some = all.filter((it) => it.kind === kind);
    return [...new Set([some[0], some.at(-1)])].flatMap((it) => (it === undefined ? [] : [it]));
  });
}

const byAnotherRule: Parameters<typeof rewriteRecord>[3] = (it) => ({
  ...it,
  payload: { ...it.payload, rule: 'another' },
});

/** How often a person was asked for a leave counts only against a limit. */
const changesNoDecision = ['ApprovalsAsked'];

function recordOf(kind: string): JournalRecord {
  const found = records.find((it) => it.kind === kind);
  if (found === undefined) throw new Error(`the runs have no ${kind}`);
  return found;
}

describe('a closed run decided again', () => {
  verifies('audit:runs-decided-again', 'is equal to its record, under each of its characters', async () => {
    const { fresh, counts } = await judged(original);
    expect(fresh).toEqual([]);
    expect(counts).toMatchObject({ runsEqual: 8, runsDifferent: 0, runsOther: 0 });
  });

  verifies('audit:omissions-found', 'lacks a record of any kind: each is found', async () => {
    const missed: string[] = [];
    for (const store of ['run', 'cycle']) {
      for (const record of ofEachKind(store)) {
        const { fresh } = await judged(without(record));
        if (!fresh.some(isAlarm)) missed.push(record.kind);
      }
    }
    expect([...new Set(missed)]).toEqual(changesNoDecision);
  });

  verifies('audit:omissions-found', 'says where, what is missing, and what it is told otherwise', async () => {
    const steered = recordOf('RoundSteered');
    const [found] = (await judged(without(steered))).fresh;
    expect(found).toMatchObject({ kind: 'DecisionMissing', store: 'run', seq: steered.seq });
    expect(found?.detail).toMatch(/^run plain-\w+: the deciders give RoundSteered there$/);
    const concluded = recordOf('CycleConcluded');
    const forged = changed(concluded, (it) => ({ ...it, payload: { ...it.payload, modelCalls: 7 } }));
    expect((await judged(forged)).fresh).toContainEqual({
      kind: 'DecisionDiffers',
      store: 'run',
      seq: concluded.seq,
      detail: expect.stringMatching(/^the run was told otherwise of cycle plain-\w+-p1 than/),
    });
  });

  verifies('audit:omissions-found', 'lacks a whole cycle', async () => {
    const { cycleId, seq } = recordOf('CycleStarted');
    const copy = copyOf(original);
    for (const record of records.filter((it) => it.store === 'cycle' && it.cycleId === cycleId))
      rewriteRecord(copy, 'cycle', seq, () => (record.seq < 0 ? { payload: {} } : undefined));
    const { fresh } = await judged(copy);
    expect(fresh).toContainEqual(expect.objectContaining({ kind: 'DecisionMissing', store: 'run' }));
  });

  verifies('audit:runs-decided-again', 'is not equal where a verdict of a cycle is found to be another', async () => {
    const { fresh, counts } = await judged(changed(recordOf('GateDecided'), byAnotherRule));
    expect(fresh.map(({ kind }) => kind)).toEqual(['VerdictMismatch']);
    expect(counts).toMatchObject({ runsEqual: 7, runsDifferent: 1 });
  });

  verifies(
    'audit:other-rules-no-hiding',
    'is told where other rules of the gates are named for a verdict',
    async () => {
      const decided = recordOf('GateDecided');
      const copy = changed(decided, byAnotherRule);
      for (const { seq } of records.filter(({ kind }) => kind === 'Configured'))
        rewriteRecord(copy, 'agent', seq, (it) => ({ ...it, payload: { ...it.payload, gateRules: 1 } }));
      const { fresh } = await judged(copy);
      expect(fresh.map(({ kind }) => kind)).toContain('OtherRules');
      expect(placesOf(fresh)).toContainEqual(['DecisionDiffers', 'cycle', decided.seq]);
    },
  );

  verifies('audit:runs-decided-again', 'passes as no other version than its configuration names', async () => {
    const admitted = recordOf('RunAdmitted');
    const other = changed(admitted, (it) => ({ ...it, payload: { ...it.payload, deciders: 1 } }));
    const { fresh, counts } = await judged(other);
    expect(placesOf(fresh)).toEqual([['DecisionDiffers', 'run', admitted.seq]]);
    expect(counts).toMatchObject({ runsEqual: 7, runsDifferent: 1 });
  });
});

describe('a run that was never closed', () => {
  verifies(
    'audit:omissions-found',
    'lacks its end, once the agent went on and the run rested for a while',
    async () => {
      const closed = recordOf('RunClosed');
      const copy = without(closed);
      const whole = copyOf(copy);
      cutTail(copy, 'run', closed.seq);
      for (const store of ['cycle', 'agent', 'inbox', 'narrative', 'megram'])
        cutTail(copy, store, (records.findLast((it) => it.store === store && it.order < closed.order)?.seq ?? -1) + 1);
      const following = { once: false };
      const first = await judged(copy, following);
      expect(first.fresh).toEqual([]);
      const second = await judged(whole, { ...following, runs: first.runs });
      const third = await judged(whole, { ...following, runs: second.runs });
      expect(placesOf([...second.fresh, ...third.fresh])).toEqual([['DecisionMissing', 'run', closed.seq - 1]]);
      expect(third.runs.open).toHaveLength(1);
    },
  );

  verifies(
    'audit:runs-decided-again',
    'is judged when it is closed, whatever was looked at before, and once',
    async () => {
      const runs = records.filter(({ kind }) => kind === 'RunClosed');
      const half = copyOf(original);
      const end = records.find(({ store, seq }) => store === 'run' && seq === (runs[3]?.seq ?? 0) - 5);
      cutTail(half, 'run', end?.seq ?? 0);
      // What came later names what was said before.
      cutTail(
        half,
        'cycle',
        (records.findLast((it) => it.store === 'cycle' && it.order < (end?.order ?? 0))?.seq ?? 0) + 1,
      );
      const first = await judged(half, { once: false });
      const second = await judged(original, { once: false, runs: first.runs });
      expect([...first.fresh, ...second.fresh]).toEqual([]);
      expect(first.counts.runsEqual + second.counts.runsEqual).toBe(runs.length);
      const third = await judged(original, { once: false, runs: second.runs });
      expect(third.counts.runsEqual).toBe(0);
    },
  );
});
