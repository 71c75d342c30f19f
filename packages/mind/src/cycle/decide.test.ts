import { describe, expect, it } from 'vitest';
import { cycleSpec, CycleUnderTest, facts, startMs } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';
import { endFault } from './end-fault.ts';
import type { CycleEvent } from './event.ts';
import { APPROVAL_USE_MS } from './evolve-approval.ts';

function ended(cycle: CycleUnderTest): Extract<CycleEvent, { kind: 'CycleEnded' }> | undefined {
  return cycle.events.find((event) => event.kind === 'CycleEnded');
}

function answered(cycle: CycleUnderTest): readonly string[] {
  return cycle.events.flatMap((event) => (event.kind === 'CallAnswered' ? [event.why] : []));
}

describe('decideCycle', () => {
  it('asks the model once the input has passed its gate', () => {
    expect(new CycleUnderTest().kinds()).toEqual(['CycleStarted', 'GateDecided', 'ModelRequested']);
  });

  it('refuses a forbidden input without asking the model', () => {
    const cycle = new CycleUnderTest({ input: 'FORBIDDEN' });
    expect(cycle.kinds()).toEqual(['CycleStarted', 'GateDecided', 'CycleEnded']);
    expect(ended(cycle)).toMatchObject({ outcome: 'Refused', reason: 'never/forbidden' });
  });

  it('runs a tool, shows its result to the model, and replies', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['look', { at: 1 }]] });
    cycle.finish('r-c1-t1', 'found 42');
    cycle.answer({ text: 'It is 42.' });
    expect(ended(cycle)).toMatchObject({ outcome: 'Replied', text: 'It is 42.' });
    expect(cycle.now.messages.at(-2)?.content).toMatchObject([
      { type: 'ToolResult', toolUseId: 'use-3-0', text: expect.stringContaining('\nfound 42\n'), isError: false },
    ]);
  });

  it('keeps a forbidden reply back', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ text: 'FORBIDDEN words' });
    expect(ended(cycle)).toMatchObject({ outcome: 'Refused', reason: 'never/forbidden' });
    expect(ended(cycle)?.text).toMatch(
      /^because of never\/forbidden \(rule never\/forbidden\) .*docs\/gates\.md#appeal/,
    );
  });

  verifies(
    'cycle:every-tool-use-is-answered',
    'in a mixed answer of known, unknown, malformed and refused calls',
    () => {
      const cycle = new CycleUnderTest();
      cycle.answer({
        calls: [
          ['look', 1],
          ['nonsense', {}],
          ['change', { bad: true }],
          ['change', 'FORBIDDEN'],
        ],
      });
      expect(answered(cycle)).toEqual(['UnknownTool', 'InvalidArguments', 'Refused']);
      cycle.finish('r-c1-t1');
      expect(cycle.now.messages.at(-1)?.content.map((block) => block.type)).toEqual(Array(4).fill('ToolResult'));
      expect(cycle.now.pendingModelCall).toBe('r-c1-m2');
    },
  );

  it('waits for all results of a turn before it asks again', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({
      calls: [
        ['look', 1],
        ['look', 2],
      ],
    });
    expect(cycle.finish('r-c1-t2').map((event) => event.kind)).toEqual(['ToolFinished']);
    expect(cycle.finish('r-c1-t1').map((event) => event.kind)).toEqual(['ToolFinished', 'ModelRequested']);
  });

  it('answers cut-off calls with what to do instead of running them', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['change', 1]], stop: 'MaxTokens' });
    expect(answered(cycle)).toEqual(['CutOff']);
    expect(cycle.kinds()).not.toContain('ToolRequested');
  });
});

describe('stale inputs', () => {
  verifies('cycle:one-terminal-transition', 'nothing is recorded after the end', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['look', 1]] });
    cycle.when({ kind: 'CycleCancelled', atMs: cycle.tick(), by: 'ann', reason: 'enough' });
    expect(ended(cycle)?.outcome).toBe('Cancelled');
    expect(cycle.finish('r-c1-t1')).toEqual([]);
    expect(cycle.when({ kind: 'CycleCancelled', atMs: cycle.tick(), by: 'ann', reason: 'enough' })).toEqual([]);
    expect(cycle.kinds().filter((kind) => kind === 'CycleEnded')).toHaveLength(1);
  });

  it.each([
    ['a result of no call', (cycle: CycleUnderTest) => cycle.finish('r-c1-t9')],
    ['an approval that nobody asked for', (cycle: CycleUnderTest) => cycle.decideApproval('r-c1-t1-a', 'Approve', 'x')],
    [
      'a lost effect that is not pending',
      (cycle: CycleUnderTest) => cycle.when({ kind: 'EffectLost', atMs: 1, callId: 'r-c1-t1', epoch: 2 }),
    ],
    [
      'an alarm before its time',
      (cycle: CycleUnderTest) => cycle.when({ kind: 'TimeExpired', atMs: startMs + 1, what: 'Cycle' }),
    ],
  ])('%s yields nothing', (_, feed) => {
    expect(feed(new CycleUnderTest())).toEqual([]);
  });

  it('answers open calls when it is cancelled, so that the history stays valid', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['look', 1]] });
    cycle.when({ kind: 'CycleCancelled', atMs: cycle.tick(), by: 'ann', reason: 'enough' });
    expect(answered(cycle)).toEqual(['CycleEnded']);
  });

  it('keeps one record of a call that ran when the cycle ended, with an unknown outcome', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['change', 1]] });
    cycle.when({ kind: 'CycleCancelled', atMs: cycle.tick(), by: 'ann', reason: 'enough' });
    expect(cycle.now.calls).toMatchObject([
      {
        callId: 'r-c1-t1',
        argumentsDigest: facts('change', 1).argumentsDigest,
        end: {
          kind: 'Ran',
          outcome: { status: 'Unknown', text: expect.stringContaining('ended while this call was running') },
        },
      },
    ]);
  });
});

describe('guards', () => {
  verifies('cycle:empty-reply-guard', 'one nudge, then an admission', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ text: ' ' });
    expect(cycle.kinds().slice(-2)).toEqual(['Nudged', 'ModelRequested']);
    cycle.answer({});
    expect(ended(cycle)).toMatchObject({ outcome: 'Failed', reason: 'EmptyReply' });
    expect(ended(cycle)?.text).toContain('[empty_reply_guard]');
  });

  verifies('cycle:truncation-guard', 'one nudge, then an admission that names model, tokens, limit and tools', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['look', 1]] });
    cycle.finish('r-c1-t1');
    cycle.answer({ text: 'half', stop: 'MaxTokens' });
    cycle.answer({ text: 'half', stop: 'MaxTokens' });
    expect(ended(cycle)?.text).toBe('[truncation_guard] m stopped at 0 of 500 output tokens, twice. Tools used: look.');
  });

  verifies('infer:structured-retry', 'as often as the Agent says', () => {
    const spec = { role: 'AgentValidator' as const, structured: 'AttemptVerdicts' as const, tools: [] };
    const faulty = { text: '<attempt>', structured: { ok: false, faults: '- line 1: unexpected end' } } as const;
    for (const structuredRetries of [0, 1, 5]) {
      const cycle = new CycleUnderTest({ ...spec, limits: { ...cycleSpec().limits, turns: 9, structuredRetries } });
      for (let retry = 0; retry < structuredRetries; retry += 1) cycle.answer(faulty);
      expect(ended(cycle)).toBeUndefined();
      cycle.answer(faulty);
      expect(ended(cycle)).toMatchObject({ outcome: 'Failed', reason: 'Malformed' });
    }
  });

  verifies('infer:structured-retry', 'the validator message goes back to the model, twice at most', () => {
    const cycle = new CycleUnderTest({ role: 'AgentValidator', structured: 'AttemptVerdicts', tools: [] });
    const faulty = { text: '<attempt>', structured: { ok: false, faults: '- line 1: unexpected end' } } as const;
    cycle.answer(faulty);
    expect(cycle.now.messages.at(-1)?.content[0]).toMatchObject({
      text: expect.stringContaining('line 1: unexpected end'),
    });
    cycle.answer(faulty);
    cycle.answer(faulty);
    expect(ended(cycle)).toMatchObject({ outcome: 'Failed', reason: 'Malformed' });
  });

  it.each([
    ['Perceiver', 'TaskSpec', { kind: 'Reply', text: 'It is FORBIDDEN.' }],
    ['MetaValidator', 'Merge', { output: 'It is FORBIDDEN.', verdicts: [], summary: 'Done.' }],
    ['MetaValidator', 'Merge', { output: 'Done.', verdicts: [], summary: 'It is FORBIDDEN.' }],
  ] as const)('what a structured answer of the %s gives people passes the output gate', (role, structured, value) => {
    const answered = (told: unknown): CycleUnderTest => {
      const cycle = new CycleUnderTest({ role, structured, tools: [] });
      cycle.answer({ text: '<x/>', structured: { ok: true, value: told as never } });
      return cycle;
    };
    expect(ended(answered(value))).toMatchObject({ outcome: 'Refused', reason: 'never/forbidden' });
    const harmless = JSON.parse(JSON.stringify(value).replace('FORBIDDEN', 'fine')) as unknown;
    expect(ended(answered(harmless))).toMatchObject({ outcome: 'Replied', value: harmless });
  });

  it('says nothing at a limit that the output gate would refuse', () => {
    const cycle = new CycleUnderTest({ limits: { ...cycleSpec().limits, turns: 1 } });
    cycle.answer({ text: 'It is FORBIDDEN.', calls: [['look', 1]] });
    cycle.finish('r-c1-t1');
    expect(ended(cycle)).toMatchObject({ outcome: 'OutOfBudget', text: '' });
  });

  it('fails when the provider declines', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ text: 'no', stop: 'Refusal' });
    expect(ended(cycle)?.outcome).toBe('Failed');
    expect(endFault(ended(cycle)?.reason)).toBe('Declined');
  });

  it('names the category of a refusal, where the provider names one', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ text: 'no', stop: 'Refusal', refusalCategory: 'cyber' });
    expect(ended(cycle)?.reason).toBe('the model provider declined to answer (category cyber)');
    expect(endFault(ended(cycle)?.reason)).toBe('Declined');
  });

  it('fails, naming the kind, when the model fails', () => {
    const cycle = new CycleUnderTest();
    cycle.when({
      kind: 'ModelFailed',
      atMs: cycle.tick(),
      callId: 'r-c1-m1',
      failure: { kind: 'Overloaded', message: 'busy', attempts: 4, latencyMs: 9 },
    });
    expect(ended(cycle)).toMatchObject({ outcome: 'Failed', reason: 'the model failed (Overloaded): busy' });
  });
});

describe('limits', () => {
  it.each([
    ['turns', { turns: 2 }, (cycle: CycleUnderTest) => callTwice(cycle)],
    ['tokens', { tokens: 75 }, (cycle: CycleUnderTest) => callTwice(cycle)],
    ['costUsd', { costUsd: 0.0015 }, (cycle: CycleUnderTest) => callTwice(cycle)],
  ])('ends before the model call that would exceed %s', (limit, limits, drive) => {
    const cycle = new CycleUnderTest();
    const limited = new CycleUnderTest({ limits: { ...cycle.now.spec.limits, ...limits } });
    drive(limited);
    expect(limited.events.find((event) => event.kind === 'LimitReached')).toMatchObject({ limit });
    expect(ended(limited)).toMatchObject({ outcome: 'OutOfBudget', text: 'on it' });
  });

  verifies('cycle:turn-warning', 'the model is told when two turns are left', () => {
    const cycle = new CycleUnderTest({ limits: { ...new CycleUnderTest().now.spec.limits, turns: 3 } });
    cycle.answer({ calls: [['look', 1]] });
    cycle.finish('r-c1-t1');
    expect(cycle.events.find((event) => event.kind === 'Nudged')).toMatchObject({
      why: 'TurnsLeft',
      text: expect.stringContaining('2 turns are left'),
    });
  });

  it('answers calls beyond the tool limit without running them', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: Array.from({ length: 100 }, (_, index) => ['look', index] as const) });
    expect(cycle.kinds().filter((kind) => kind === 'ToolRequested')).toHaveLength(8);
    expect(answered(cycle)).toEqual(Array(92).fill('LimitReached'));
  });

  it('stops after three turns in a row with a failure', () => {
    const cycle = new CycleUnderTest();
    for (const turn of [1, 2, 3]) {
      cycle.answer({ calls: [['look', turn]] });
      cycle.finish(`r-c1-t${turn}`, 'broken', 'Error');
    }
    expect(cycle.events.find((event) => event.kind === 'LimitReached')).toMatchObject({ limit: 'failedTurnsInRow' });
  });

  verifies('cycle:repeated-calls', 'the first identical consecutive call is warned, the second ends the cycle', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['look', 1]] });
    cycle.finish('r-c1-t1');
    cycle.answer({ calls: [['look', 1]] });
    expect(answered(cycle)).toEqual(['Repeated']);
    cycle.answer({ calls: [['look', 2]] });
    cycle.finish('r-c1-t3');
    cycle.answer({ calls: [['look', 2]] });
    expect(ended(cycle)).toMatchObject({ outcome: 'OutOfBudget', reason: 'the model repeated the same call of look' });
  });

  verifies('cycle:repeated-calls', 'the same call for the third time, with the warning between, ends the cycle', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['look', 1]] });
    cycle.finish('r-c1-t1');
    cycle.answer({ calls: [['look', 1]] });
    expect(cycle.now.ended).toBeUndefined();
    cycle.answer({ calls: [['look', 1]] });
    expect(ended(cycle)).toMatchObject({ outcome: 'OutOfBudget', reason: 'the model repeated the same call of look' });
  });

  verifies('cycle:repeated-calls', 'a call is still the same after one that could not be read', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['change', 'FORBIDDEN']] });
    cycle.answer({ calls: [['change', { bad: true }]] });
    cycle.answer({ calls: [['change', 'FORBIDDEN']] });
    expect(answered(cycle)).toEqual(['Refused', 'InvalidArguments', 'Repeated']);
  });

  it('lets a call be made again when its result is unknown', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['change', 1]] });
    cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: 'r-c1-t1', epoch: 2 });
    cycle.answer({ calls: [['change', 1]] });
    expect(cycle.now.pendingTools).toEqual(['r-c1-t2']);
  });

  it('runs out of time by the clock, not while it waits for a person', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['send', 1]] });
    const late = startMs + 60_001;
    expect(cycle.when({ kind: 'TimeExpired', atMs: late, what: 'Cycle' })).toEqual([]);
    cycle.decideApproval('r-c1-t1-a', 'Approve', facts('send', 1).argumentsDigest);
    cycle.when({ kind: 'TimeExpired', atMs: late + 60_000, what: 'Cycle' });
    expect(ended(cycle)?.outcome).toBe('OutOfBudget');
  });
});

describe('approvals', () => {
  const digest = facts('send', { to: 'bob' }).argumentsDigest;

  function waiting(): CycleUnderTest {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['send', { to: 'bob' }]] });
    return cycle;
  }

  it('puts a call that needs leave before a person, with its exact arguments', () => {
    expect(waiting().events.at(-1)).toMatchObject({
      kind: 'ApprovalRequested',
      requestId: 'r-c1-t1-a',
      tool: 'send',
      argumentsDigest: digest,
      expiresAtMs: startMs + 30_001,
    });
  });

  it('runs exactly that call once it is approved, and uses the approval up', () => {
    const cycle = waiting();
    cycle.decideApproval('r-c1-t1-a', 'Approve', digest);
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', tool: 'send', approvalId: 'r-c1-t1-a' });
    expect(cycle.now.approvals).toEqual([]);
    cycle.finish('r-c1-t1');
    cycle.answer({ calls: [['look', 0]] });
    cycle.finish('r-c1-t2');
    cycle.answer({ calls: [['send', { to: 'bob' }]] });
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ApprovalRequested', requestId: 'r-c1-t3-a' });
  });

  verifies('gate:approval-bound-to-arguments', 'an approval of other arguments changes nothing', () => {
    const cycle = waiting();
    expect(cycle.decideApproval('r-c1-t1-a', 'Approve', facts('send', { to: 'eve' }).argumentsDigest)).toEqual([]);
  });

  it('refuses what was denied, and names who said so', () => {
    const cycle = waiting();
    cycle.decideApproval('r-c1-t1-a', 'Deny', digest);
    expect(cycle.now.rejections).toMatchObject([
      { gate: 'Tool', rule: 'approval/denied', reason: 'ann denied it: said so' },
    ]);
  });

  verifies('gate:approval-timeout-refuses', 'nobody answering is a refusal', () => {
    const cycle = waiting();
    cycle.when({ kind: 'TimeExpired', atMs: startMs + 30_001, what: 'Approval', requestId: 'r-c1-t1-a' });
    expect(cycle.now.rejections).toMatchObject([{ rule: 'approval/timed-out' }]);
    expect(answered(cycle)).toEqual(['Denied']);
  });

  it('can be used for a while after the decision, however late that came', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['request_approval', { tool: 'send', input: { to: 'bob' }, reason: 'must' }]] });
    cycle.tick(29_000);
    cycle.decideApproval('r-c1-t1-a', 'Approve', digest);
    expect(cycle.now.approvals[0]?.expiresAtMs).toBe(cycle.now.nowMs + APPROVAL_USE_MS);
    cycle.tick(2000);
    cycle.answer({ calls: [['send', { to: 'bob' }]] });
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', approvalId: 'r-c1-t1-a' });
  });

  it('leaves a denial the time of its request', () => {
    const cycle = waiting();
    cycle.decideApproval('r-c1-t1-a', 'Deny', digest);
    expect(cycle.now.approvals[0]?.expiresAtMs).toBe(startMs + 30_001);
  });

  it('lets the model ask ahead for the call that it names', () => {
    const cycle = new CycleUnderTest();
    cycle.answer({ calls: [['request_approval', { tool: 'send', input: { to: 'bob' }, reason: 'must' }]] });
    cycle.decideApproval('r-c1-t1-a', 'Approve', digest);
    expect(answered(cycle)).toEqual(['Approved']);
    cycle.answer({ calls: [['send', { to: 'bob' }]] });
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', approvalId: 'r-c1-t1-a' });
  });
});

describe('after a restart', () => {
  verifies(
    'cycle:unknown-effects-are-flagged',
    'a lost tool call is told as unknown and never repeated by itself',
    () => {
      const cycle = new CycleUnderTest();
      cycle.answer({ calls: [['change', 1]] });
      cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: 'r-c1-t1', epoch: 2 });
      expect(cycle.now.messages.at(-1)?.content[0]).toMatchObject({
        isError: true,
        text: expect.stringContaining('[unknown]'),
      });
      expect(cycle.kinds().filter((kind) => kind === 'ToolRequested')).toHaveLength(1);
    },
  );

  it('does not count restarts as failures of the model', () => {
    const cycle = new CycleUnderTest();
    for (const turn of [1, 2, 3, 4]) {
      cycle.answer({ calls: [['change', turn]] });
      cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: `r-c1-t${turn}`, epoch: turn + 1 });
    }
    expect(cycle.now.failedTurnsInRow).toBe(0);
    expect(cycle.now.pendingModelCall).toBe('r-c1-m5');
  });

  it('lets the model look again after each restart', () => {
    const cycle = new CycleUnderTest({ limits: { ...new CycleUnderTest().now.spec.limits, turns: 20, toolCalls: 20 } });
    for (const round of [0, 1, 2, 3]) {
      cycle.answer({ calls: [['change', round]] });
      cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: `r-c1-t${2 * round + 1}`, epoch: round + 2 });
      cycle.answer({ calls: [['look', 'at it']] });
      cycle.finish(`r-c1-t${2 * round + 2}`);
    }
    expect(answered(cycle)).toEqual([]);
    expect(cycle.now.ended).toBeUndefined();
  });

  it('asks a lost model call again under a new id, with the same turns', () => {
    const cycle = new CycleUnderTest();
    const before = cycle.now.messages;
    cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: 'r-c1-m1', epoch: 2 });
    expect(cycle.now.pendingModelCall).toBe('r-c1-m2');
    expect(cycle.now.messages).toEqual(before);
  });
});

function callTwice(cycle: CycleUnderTest): void {
  for (const turn of [1, 2]) {
    if (cycle.now.ended !== undefined) return;
    cycle.answer({ text: 'on it', calls: [['look', turn]] });
    cycle.finish(`r-c1-t${turn}`);
  }
}
