import { describe, expect, it } from 'vitest';
import { CycleUnderTest, facts } from '../../../../test/support/cycles.ts';
import { verifies } from '../../../../test/verifies.ts';

function asked(cycle: CycleUnderTest): readonly string[] {
  return cycle.events.flatMap((event) =>
    event.kind === 'GateDecided' && event.verdict === 'Escalate' ? [`${event.rule} ${event.callId}`] : [],
  );
}

function approve(cycle: CycleUnderTest, callId: string, tool: string, input: unknown): void {
  cycle.decideApproval(`${callId}-a`, 'Approve', facts(tool, input).argumentsDigest);
}

describe('approval of every effect', () => {
  verifies('gate:approval-mode', 'a call that changes anything is put before a person, others are not', () => {
    const cycle = new CycleUnderTest({ approvalMode: 'EveryEffect' });
    cycle.answer({
      calls: [
        ['look', 1],
        ['change', 1],
      ],
    });
    expect(cycle.now.pendingTools).toEqual(['r-c1-t1']);
    expect(asked(cycle)).toEqual(['approval-mode/every-effect r-c1-t2']);
    approve(cycle, 'r-c1-t2', 'change', 1);
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', callId: 'r-c1-t2', approvalId: 'r-c1-t2-a' });
  });

  it('asks for each, since an approval serves one call', () => {
    const cycle = new CycleUnderTest({ approvalMode: 'EveryEffect' });
    cycle.answer({ calls: [['change', 1]] });
    approve(cycle, 'r-c1-t1', 'change', 1);
    cycle.finish('r-c1-t1');
    cycle.answer({ calls: [['change', 2]] });
    expect(asked(cycle)).toHaveLength(2);
  });

  it('takes no refusal back and asks no second time for what the policy asks for', () => {
    const cycle = new CycleUnderTest({ approvalMode: 'EveryEffect' });
    cycle.answer({
      calls: [
        ['change', 'FORBIDDEN'],
        ['send', 1],
      ],
    });
    expect(cycle.now.rejections).toMatchObject([{ rule: 'never/forbidden' }]);
    expect(asked(cycle)).toEqual(['effect-class/3 r-c1-t2']);
    approve(cycle, 'r-c1-t2', 'send', 1);
    expect(cycle.now.pendingTools).toEqual(['r-c1-t2']);
  });
});

describe('approval before the start', () => {
  verifies('gate:approval-mode', 'the first call that would run is put before a person, later ones are not', () => {
    const cycle = new CycleUnderTest({ approvalMode: 'BeforeStart' });
    cycle.answer({ calls: [['look', { bad: true }]] });
    cycle.answer({ calls: [['look', 1]] });
    expect(asked(cycle)).toEqual(['approval-mode/before-start r-c1-t2']);
    expect(cycle.now.pendingTools).toEqual([]);
    approve(cycle, 'r-c1-t2', 'look', 1);
    cycle.finish('r-c1-t2');
    cycle.answer({ calls: [['change', 1]] });
    expect(asked(cycle)).toHaveLength(1);
    expect(cycle.now.pendingTools).toEqual(['r-c1-t3']);
  });

  it('is not given by a denial: the next call is the first again', () => {
    const cycle = new CycleUnderTest({ approvalMode: 'BeforeStart' });
    cycle.answer({ calls: [['look', 1]] });
    cycle.decideApproval('r-c1-t1-a', 'Deny', facts('look', 1).argumentsDigest);
    cycle.answer({ calls: [['look', 2]] });
    expect(asked(cycle)).toHaveLength(2);
    expect(cycle.kinds()).not.toContain('ToolRequested');
  });
});

it.each(['ByPolicy', undefined] as const)('%s leaves it to the gate', (approvalMode) => {
  const cycle = new CycleUnderTest(approvalMode === undefined ? {} : { approvalMode });
  cycle.answer({ calls: [['change', 1]] });
  expect(asked(cycle)).toEqual([]);
});
