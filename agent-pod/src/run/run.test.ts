import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cycleSpec } from '../../../test/support/cycles.ts';
import { noUsage } from '../cycle/state.ts';
import { decideRun } from './decide.ts';
import type { Criterion, Evidence, RunEvent, RunEventOf, RunInput, RunOutcome, RunSpec } from './event.ts';
import { evolveRun } from './evolve.ts';
import { judgeCriteria } from './judge.ts';
import type { RunState } from './state.ts';

const { limits } = cycleSpec();
const part = { tier: 'Capable', model: 'm', system: [], tools: [], limits } as const;
const criterion: Criterion = { text: 'The number is right', mode: 'Verifiable', required: true };

function runSpec(spec: Partial<RunSpec> = {}): RunSpec {
  return {
    runId: 'r',
    task: { namespace: 'default', name: 'sum' },
    intent: 'Sum it.',
    input: 'Sum it.',
    criteria: [criterion],
    autonomous: true,
    executor: { ...part, system: [], tools: [] },
    validator: { ...part, system: [], tools: [] },
    characterDigest: 'c',
    ...spec,
  };
}

class RunUnderTest {
  readonly events: RunEvent[] = [];
  state: RunState | undefined;

  constructor(spec: Partial<RunSpec> = {}) {
    this.when({ kind: 'RunAdmitted', atMs: 1, spec: runSpec(spec) });
  }

  when(input: RunInput): readonly RunEvent[] {
    const events = decideRun(this.state, input);
    for (const event of events) this.state = evolveRun(this.state, event);
    this.events.push(...events);
    return events;
  }

  concluded(): RunEventOf<'RunConcluded'> | undefined {
    return this.events.find((event) => event.kind === 'RunConcluded');
  }

  kinds(): readonly string[] {
    return this.events.map((event) => event.kind);
  }
}

function evidence(callId: string, status: 'Ok' | 'Error' | 'Unknown' = 'Ok'): Evidence {
  const outcome = { status, text: '42', outputBytes: 2, outputSha256: '', files: [], durationMs: 1 };
  return { callId, tool: 'look', arguments: '{}', outcome };
}

function ended(change: Partial<RunEventOf<'CycleConcluded'>> = {}): RunInput {
  return {
    kind: 'CycleConcluded',
    atMs: 2,
    cycleId: 'r-c1',
    role: 'Executor',
    outcome: 'Replied',
    text: 'It is 42.',
    evidence: [evidence('t1')],
    rejections: [],
    usage: noUsage,
    costUsd: 0,
    isCostComplete: true,
    modelCalls: 1,
    ...change,
  };
}

function judged(value: unknown, change: Partial<RunEventOf<'CycleConcluded'>> = {}): RunInput {
  return ended({ cycleId: 'r-v1', role: 'Validator', evidence: [], value: value as never, ...change });
}

const met = { verdicts: [{ criterion: 1, met: true, evidence: ['t1'], reason: 'shown' }] };

describe('decideRun', () => {
  it('executes, judges, delivers, archives, closes', () => {
    const run = new RunUnderTest();
    run.when(ended());
    run.when(judged(met));
    run.when({ kind: 'Archived', atMs: 3 });
    run.when({ kind: 'Delivered', atMs: 4, deliveryId: 'r-d1' });
    expect(run.kinds()).toEqual([
      'RunAdmitted',
      'CycleRequested',
      'CycleConcluded',
      'CycleRequested',
      'CycleConcluded',
      'VerdictsJudged',
      'RunConcluded',
      'DeliveryRequested',
      'ArchiveRequested',
      'Archived',
      'Delivered',
      'RunClosed',
    ]);
    expect(run.concluded()).toMatchObject({ outcome: 'Accepted', unmet: [] });
  });

  const rejection = { gate: 'Tool', rule: 'never/x', reason: 'it is forbidden' };
  it.each<readonly [string, Partial<RunSpec>, readonly RunInput[], readonly [RunOutcome, string?]]>([
    ['cancelled cycle', {}, [ended({ outcome: 'Cancelled', reason: 'by ann' })], ['Cancelled', 'by ann']],
    [
      'refused input',
      {},
      [ended({ outcome: 'Refused', rejections: [rejection] })],
      ['Refused', 'it is forbidden (rule never/x)'],
    ],
    [
      'refused call, whatever the reply claims',
      {},
      [ended({ rejections: [rejection] })],
      ['Refused', 'it is forbidden (rule never/x)'],
    ],
    ['model failure', {}, [ended({ outcome: 'Failed', reason: 'the model failed' })], ['Failed', 'the model failed']],
    ['budget used up', {}, [ended({ outcome: 'OutOfBudget', reason: 'out of time' })], ['Abandoned', 'out of time']],
    [
      'no criteria',
      { criteria: [] },
      [ended()],
      ['Succeeded', 'the Task names no success criteria, so nothing was verified'],
    ],
    [
      'nothing ran',
      {},
      [ended({ evidence: [] })],
      ['Abandoned', 'criterion 1 is unmet: no tool call ran and succeeded, so nothing proves it'],
    ],
    [
      'validator says no',
      {},
      [ended(), judged({ verdicts: [{ criterion: 1, met: false, evidence: [], reason: 'it is 41' }] })],
      ['Abandoned', 'criterion 1 is unmet: it is 41'],
    ],
    [
      'validator gives nothing',
      {},
      [ended(), judged(undefined, { outcome: 'Failed', reason: 'Malformed' })],
      ['Failed', 'the result could not be verified: Malformed'],
    ],
    [
      'validator out of budget',
      {},
      [ended(), judged(undefined, { outcome: 'OutOfBudget', reason: 'the tokens are used up' })],
      ['Abandoned', 'the budget is used up before the result could be verified: the tokens are used up'],
    ],
    [
      'optional criterion unmet',
      { criteria: [criterion, { ...criterion, text: 'nice', required: false }] },
      [ended(), judged(met)],
      ['Accepted'],
    ],
    ['deadline', { deadlineMs: 10 }, [{ kind: 'DeadlinePassed', atMs: 10 }], ['Abandoned', 'the deadline passed']],
    [
      'cancelled run',
      {},
      [{ kind: 'RunCancelled', atMs: 2, by: 'ann', reason: 'enough' }],
      ['Cancelled', 'cancelled by ann: enough'],
    ],
  ])('ends as the table says: %s', (_, spec, inputs, [outcome, reason]) => {
    const run = new RunUnderTest(spec);
    for (const input of inputs) run.when(input);
    expect(run.concluded()).toMatchObject({ outcome, reasons: reason === undefined ? [] : [reason] });
    expect(run.kinds().filter((kind) => kind === 'DeliveryRequested')).toHaveLength(1);
  });

  it('saves the validating call when nothing ran that could prove anything', () => {
    const run = new RunUnderTest();
    run.when(ended({ evidence: [evidence('t1', 'Error')] }));
    expect(run.kinds().filter((kind) => kind === 'CycleRequested')).toHaveLength(1);
  });

  it.each<readonly [string, RunInput]>([
    ['a second conclusion', ended()],
    ['a cancellation after the end', { kind: 'RunCancelled', atMs: 9, by: 'ann', reason: 'late' }],
    ['a deadline after the end', { kind: 'DeadlinePassed', atMs: 9 }],
    ['another delivery', { kind: 'Delivered', atMs: 9, deliveryId: 'other' }],
  ])('takes no notice of %s', (_, input) => {
    const run = new RunUnderTest({ deadlineMs: 5 });
    run.when(ended({ outcome: 'Failed' }));
    expect(run.when(input)).toEqual([]);
  });
});

describe('judgeCriteria', () => {
  const two = [criterion, { ...criterion, text: 'second' }];
  const say = (number: number, ids: readonly string[], isMet = true) => ({
    criterion: number,
    met: isMet,
    evidence: [...ids],
    reason: 'r',
  });

  verifies('run:verdicts-need-evidence', 'a verdict that cites no existing successful call is unmet', () => {
    const all = [evidence('t1'), evidence('t2', 'Error'), evidence('t3', 'Unknown')];
    for (const ids of [[], ['t9'], ['t2'], ['t3'], ['reply']]) {
      expect(judgeCriteria([criterion], { verdicts: [say(1, ids)] }, all).criteria[0]).toMatchObject({
        verdict: 'Unmet',
        evidence: [],
      });
    }
    expect(judgeCriteria([criterion], { verdicts: [say(1, ['t9', 't1', 't1'])] }, all).criteria[0]).toMatchObject({
      verdict: 'Met',
      evidence: ['t1'],
    });
  });

  verifies('run:verdicts-by-index', 'each criterion needs exactly one verdict, by its number', () => {
    const verdicts = (answer: unknown) => judgeCriteria(two, answer, [evidence('t1')]).criteria.map((it) => it.verdict);
    expect(verdicts({ verdicts: [say(1, ['t1'])] })).toEqual(['Met', 'Unmet']);
    expect(verdicts({ verdicts: [say(1, ['t1']), say(1, ['t1']), say(2, ['t1'])] })).toEqual(['Unmet', 'Met']);
    expect(verdicts({ verdicts: [say(3, ['t1']), say(0, ['t1'])] })).toEqual(['Unmet', 'Unmet']);
    expect(verdicts({ nonsense: true })).toEqual(['Unverified', 'Unverified']);
  });

  it('says what it corrected', () => {
    expect(
      judgeCriteria([criterion], { verdicts: [say(1, []), say(7, ['t1'])] }, [evidence('t1')]).corrections,
    ).toEqual([
      'verdict on criterion 7, which does not exist, was ignored',
      'criterion 1: the verdict cites no tool call that ran and succeeded',
    ]);
  });
});
