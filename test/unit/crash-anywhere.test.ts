import { AgentControl } from '@retainer/contract/api/agent-control';
import { err } from '@retainer/contract/std/result';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { RunEventOf } from '@retainer/mind/run/event';
import { scripted } from '../support/agents.ts';
import { cycleSpec } from '../support/cycles.ts';
import { crashLabel, expectNoEffectTwice, expectOneDelivery } from '../support/crash-labels.ts';
import { crashPoints, play, World, worldAt, type Ambiguity, type Arrival } from '../support/crash-world.ts';
import { citingRule, oneStepRule, runSpec } from '../support/runs.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { verifies } from '../verifies.ts';

/** The last result decides the reply; an unknown or failed one is tried again in other words. */
const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: correct an error
    when: {role: executor, last: {text: 'no such column'}}
    answer: {calls: [{tool: change, input: {column: right}}]}
  - name: an unknown result is looked up
    when: {role: executor, last: {text: '\[unknown\]'}}
    answer: {calls: [{tool: change, input: {column: right}}]}
  - name: reply
    when: {role: executor, last: {text: 'value (?P<value>\S+)'}}
    answer: {text: 'It is {{last.value}}.'}
  - name: refused
    when: {role: executor, last: {text: '\[refused\]'}}
    answer: {text: 'It was refused.'}
  - name: forbidden
    when: {role: executor, task: forbidden}
    answer: {calls: [{tool: change, input: {path: FORBIDDEN}}]}
  - name: with leave
    when: {role: executor, task: leave}
    answer: {calls: [{tool: send, input: {column: right}}]}
  - name: report
    when: {role: planner, text: given up after}
    answer: {text: '<report><missing>The value.</missing><nextMove>Ask somebody else.</nextMove></report>'}
  - name: nobody can do it
    when: {role: executor, task: impossible}
    answer: {text: 'I cannot.'}
  - name: answered
    when: {role: executor, last: {text: 'A person answered:\s+the right column'}}
    answer: {calls: [{tool: change, input: {column: right}}]}
  - name: asks
    when: {role: executor, task: asking}
    answer: {calls: [{tool: ask_person, input: {question: 'Which column?'}}]}
  - name: corrected
    when: {role: executor, task: corrected}
    answer: {calls: [{tool: change, input: {column: fail}}]}
  - name: plain
    when: {role: executor}
    answer: {calls: [{tool: change, input: {column: right}}]}
`;

/** The first time that a validator is asked its model fails. */
const failingOnce = (model: ModelPort): ModelPort => ({
  ...model,
  infer: (request, options) =>
    options.callId.startsWith('r-v1-')
      ? Promise.resolve(err({ kind: 'Overloaded', message: 'try again', attempts: 4, latencyMs: 9 }))
      : model.infer(request, options),
});

function startRun(intent: string): readonly Arrival[] {
  const criteria = [{ text: 'The value is given', mode: 'Verifiable' as const, required: true }];
  const limits = { ...cycleSpec().limits, wallClockMs: 600_000, approvalWaitMs: 600_000 };
  const control = AgentControl.parse({ maxReplans: 0, fastLoop: { maxRetries: 0 } });
  const reportDuties = [{ text: 'Report.', cache: true }];
  const spec = runSpec(
    { intent, input: intent, criteria, control, reportDuties },
    ['look', 'change', 'send', 'ask_person'],
    {
      limits,
    },
  );
  return [{ originId: 'task:work', command: { type: 'StartRun', spec } }];
}

describe.each([
  ['a plain run', 'plain', 'Accepted'],
  ['a run that corrects itself', 'corrected', 'Accepted'],
  ['a run that waits for leave', 'leave', 'Accepted'],
  ['a run whose worker asks a person', 'asking', 'Accepted'],
  ['a run that is refused', 'forbidden', 'Refused'],
  ['a run whose validator fails once', 'unjudged', 'Accepted'],
  ['a run that is given up and reported on', 'impossible', 'Abandoned'],
])('%s', (_, intent, outcome) => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = intent === 'unjudged' ? failingOnce(await scripted(script)) : await scripted(script);
    await play(whole, end, model, startRun(intent));
  });

  it('ends as it is meant to, once', () => {
    expect(end.deliveries.map((it) => it.body.outcome)).toEqual([outcome]);
    expect(whole.records.filter((it) => it.kind === 'RetryDue')).toHaveLength(intent === 'unjudged' ? 1 : 0);
    const isReported = end.deliveries[0]?.body.summary.endsWith('Missing: The value. Next: Ask somebody else.');
    expect(isReported).toBe(intent === 'impossible');
  });

  for (const ambiguity of ['NotDone', 'DoneAndKnown', 'DoneAndUnknown'] satisfies readonly Ambiguity[])
    verifies('run:crash-anywhere', `from every prefix, the effect in flight ${ambiguity}: the same, once`, async () => {
      for (const length of crashPoints(whole.records)) {
        const prefix = whole.records.slice(0, length);
        const journal = new MemoryJournal(prefix);
        const world = worldAt(prefix, end, ambiguity);
        await play(journal, world, model, startRun(intent));
        const label = crashLabel(prefix);
        expectOneDelivery(world, label);
        // A report whose one call a crash lost is left out.
        const result = (it: World): string | undefined => it.deliveries[0]?.body.summary.split('\n\n')[0];
        expect(world.deliveries[0]?.body.outcome, label).toBe(outcome);
        expect(result(world), label).toBe(result(end));
        expectNoEffectTwice(world, label);
        expect(
          journal.records.filter((it) => it.kind === 'RunRemembered'),
          label,
        ).toHaveLength(1);
        expect(
          journal.records.filter((it) => it.kind === 'CycleEnded' && it.cycleId === 'r-c1'),
          label,
        ).toHaveLength(1);
      }
    });
});

const cancel: Arrival = {
  originId: 'cancel:work',
  command: { type: 'CancelRun', runId: 'r', by: 'ann', reason: 'enough' },
};

verifies(
  'loop:cancelled-stays-cancelled',
  'from every prefix of a cancelled run: one delivery, no more work',
  async () => {
    const model = await scripted(script);
    const whole = new MemoryJournal();
    const end = new World();
    const arrivals = [...startRun('corrected'), cancel];
    await play(whole, end, model, arrivals);
    expect(end.deliveries.map((it) => it.body.outcome)).toEqual(['Cancelled']);
    for (const length of crashPoints(whole.records)) {
      const prefix = whole.records.slice(0, length);
      const journal = new MemoryJournal(prefix);
      const world = worldAt(prefix, end, 'DoneAndUnknown');
      await play(journal, world, model, arrivals);
      const label = crashLabel(prefix);
      expectOneDelivery(world, label);
      expectNoEffectTwice(world, label);
      const closedAt = journal.records.find((it) => it.kind === 'RunClosed')?.order ?? 0;
      const late = journal.records.filter((it) => it.kind === 'ToolRequested' && it.order > closedAt);
      expect(late, label).toEqual([]);
    }
  },
);

verifies(
  'loop:changed-character-ends-runs',
  'from every prefix of a run, cancelled or not, under another character: it ends, once, and does no more work',
  async () => {
    const model = await scripted(script);
    for (const arrivals of [startRun('corrected'), [...startRun('corrected'), cancel]]) {
      const whole = new MemoryJournal();
      const end = new World();
      await play(whole, end, model, arrivals);
      for (const length of crashPoints(whole.records, 1)) {
        const prefix = whole.records.slice(0, length);
        if (!prefix.some((it) => it.kind === 'RunAdmitted')) continue;
        const journal = new MemoryJournal(prefix);
        const world = worldAt(prefix, end, 'DoneAndUnknown');
        world.characterDigest = 'd'.repeat(64);
        await play(journal, world, model, []);
        const label = crashLabel(prefix);
        expectOneDelivery(world, label);
        const later = journal.records.slice(length);
        expect(
          later.filter((it) => ['ToolRequested', 'CycleRequested', 'ModelRequested'].includes(it.kind)),
          label,
        ).toEqual([]);
      }
    }
  },
  60_000,
);

const asItWas = { identity: 'somebody else', executor: [{ text: 'You are somebody else.', cache: true }], workers: [] };

verifies(
  'loop:changed-character-continues',
  'from every prefix of a run, waiting or not, under another character: it goes on to the same end, once',
  async () => {
    const model = await scripted(script);
    for (const [intent, outcome] of [
      ['corrected', 'Accepted'],
      ['leave', 'Accepted'],
      ['impossible', 'Abandoned'],
    ] as const) {
      const whole = new MemoryJournal();
      const end = new World();
      await play(whole, end, model, startRun(intent));
      for (const length of crashPoints(whole.records, 1)) {
        const prefix = whole.records.slice(0, length);
        const journal = new MemoryJournal(prefix);
        const world = worldAt(prefix, end, 'DoneAndKnown');
        world.characterDigest = 'd'.repeat(64);
        world.character = {
          onChange: 'Continue',
          recast: () => ({ texts: asItWas }),
          partsSince: () => Promise.resolve(['persona']),
        };
        await play(journal, world, model, startRun(intent));
        const label = crashLabel(prefix);
        expectOneDelivery(world, label);
        expect(world.deliveries[0]?.body.outcome, label).toBe(outcome);
        expectNoEffectTwice(world, label);
      }
    }
  },
  60_000,
);

verifies(
  'loop:changed-character-ends-runs',
  'from every prefix of a run that is given up, under another character: once it is decided it is not decided again',
  async () => {
    const model = await scripted(script);
    const whole = new MemoryJournal();
    const end = new World();
    await play(whole, end, model, startRun('impossible'));
    const isDecision = ({ kind, payload }: JournalRecord): boolean =>
      kind === 'MessageSent' &&
      (payload as unknown as RunEventOf<'MessageSent'>).messages.some(({ type }) => type === 'ReportRequest');
    const decidedAt = whole.records.findIndex(isDecision);
    expect(decidedAt).toBeGreaterThan(0);
    for (const length of crashPoints(whole.records, decidedAt + 1)) {
      const prefix = whole.records.slice(0, length);
      const journal = new MemoryJournal(prefix);
      const world = worldAt(prefix, end, 'DoneAndUnknown');
      world.characterDigest = 'd'.repeat(64);
      await play(journal, world, model, []);
      const label = crashLabel(prefix);
      expect(
        world.deliveries.map((it) => it.body.outcome),
        label,
      ).toEqual(['Abandoned']);
      expect(
        journal.records.filter((it) => it.kind === 'RoundSteered'),
        label,
      ).toHaveLength(1);
    }
  },
);

verifies(
  'loop:unknown-is-flagged',
  'an effect that may have happened is flagged, not repeated under its id',
  async () => {
    const model = await scripted(script);
    const whole = new MemoryJournal();
    const end = new World();
    await play(whole, end, model, startRun('plain'));
    const cut = whole.records.findIndex((it) => it.kind === 'ToolRequested') + 1;
    const journal = new MemoryJournal(whole.records.slice(0, cut));
    const world = worldAt(journal.records, end, 'DoneAndUnknown');
    await play(journal, world, model, []);
    expect(journal.records.filter((it) => it.kind === 'EffectLost').map((it) => it.payload)).toMatchObject([
      { callId: 'r-c1-t1', epoch: 2 },
    ]);
    expect(world.effects.get('r-c1-t1')).toBe(1);
  },
);
