import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { config, CycleUnderTest, facts } from '../../support/cycles.ts';
import { cycleMachine } from '@retainer/agent-pod/loop/cycle-driver';
import { restoreInstance } from '@retainer/agent-pod/loop/instance';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import { nextCycleTimer, type CycleState } from '@retainer/mind/cycle/state';

/** One thing that the world may do next, chosen by numbers so that it shrinks well. */
type Move = { readonly what: number; readonly which: number; readonly input: number };

const tools = ['look', 'change', 'send', 'nonsense', 'request_approval'] as const;
const inputs = [1, 2, { bad: true }, 'FORBIDDEN', { tool: 'send', input: 1, reason: 'r' }] as const;

type Play = (cycle: CycleUnderTest, which: number, input: number) => void;

const callTools: Play = (cycle, which, input) => {
  cycle.answer({
    calls: Array.from(
      { length: which + 1 },
      (_, index) => [tools[(input + index) % 5] ?? 'look', inputs[(input + index * 2) % 5] ?? 1] as const,
    ),
    stop: which === 3 ? 'MaxTokens' : 'EndTurn',
  });
};

const finishTool: Play = (cycle, which, input) => {
  cycle.finish(pendingTool(cycle, which), 'x', input === 0 ? 'Error' : 'Ok');
};

/** By `what`; tool calls and their results come more often than the rest. */
const plays: readonly Play[] = [
  (cycle) => void cycle.answer({ text: 'fine' }),
  (cycle, which) =>
    void cycle.answer({ text: which === 0 ? '' : 'FORBIDDEN', stop: which === 1 ? 'MaxTokens' : 'EndTurn' }),
  callTools,
  callTools,
  callTools,
  finishTool,
  finishTool,
  (cycle, which, input) => {
    const { pendingApprovals } = cycle.now;
    const waiting = pendingApprovals[which % Math.max(1, pendingApprovals.length)];
    const digest = waiting?.argumentsDigest ?? facts('send', 1).argumentsDigest;
    cycle.decideApproval(waiting?.requestId ?? 'r-c1-t9-a', input > 2 ? 'Deny' : 'Approve', digest);
  },
  (cycle, which) => {
    const callId = which === 0 ? (cycle.now.pendingModelCall ?? '') : pendingTool(cycle, which);
    cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId, epoch: 2 });
  },
  (cycle, _, input) => {
    const timer = nextCycleTimer(cycle.now);
    if (input === 0) cycle.when({ kind: 'CycleCancelled', atMs: cycle.tick(), by: 'ann', reason: 'r' });
    else if (timer !== undefined) cycle.when({ kind: 'TimeExpired', ...timer });
  },
];

const move = fc.record({ what: fc.nat(plays.length - 1), which: fc.nat(3), input: fc.nat(4) });

function pendingTool({ now }: CycleUnderTest, which: number): string {
  return now.pendingTools[which % Math.max(1, now.pendingTools.length)] ?? 'r-c1-t99';
}

const modes = ['ByPolicy', 'EveryEffect', 'BeforeStart'] as const;

/** The first move chooses the approval mode, too. */
function played(moves: readonly Move[]): CycleUnderTest {
  const cycle = new CycleUnderTest({ approvalMode: modes[(moves[0]?.which ?? 0) % modes.length] ?? 'ByPolicy' });
  for (const { what, which, input } of moves) plays[what]?.(cycle, which, input);
  return cycle;
}

/** The first is the user's, turns alternate, every tool use is answered in the next turn, no result is an orphan. */
function expectValidHistory(state: CycleState): void {
  const { messages } = state;
  expect(
    messages.map((message, index) => message.role === (index % 2 === 0 ? 'User' : 'Assistant')).every(Boolean),
  ).toBe(true);
  for (const [index, message] of messages.entries()) {
    const uses = message.content.flatMap((block) => (block.type === 'ToolUse' ? [block.id] : []));
    const next = messages[index + 1];
    if (next === undefined) continue;
    const results = next.content.flatMap((block) => (block.type === 'ToolResult' ? [block.toolUseId] : []));
    if (message.role === 'Assistant') expect(results).toEqual(uses);
  }
}

describe('any course of events', () => {
  it('keeps the history valid, ends at most once, and never waits for nothing', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const cycle = played(moves);
        const { now } = cycle;
        expectValidHistory(now);
        const ends = cycle.kinds().filter((kind) => kind === 'CycleEnded').length;
        const isPending =
          now.pendingModelCall !== undefined || now.pendingTools.length + now.pendingApprovals.length > 0;
        expect(ends).toBe(now.ended === undefined ? 0 : 1);
        expect(isPending).toBe(now.ended === undefined);
        const recorded = now.calls.map((call) => call.callId);
        expect(recorded).toEqual([...new Set(recorded)]);
        expect(now.ended !== undefined && now.calls.some((call) => call.end.kind === 'Running')).toBe(false);
        expect(now.turns).toBeLessThanOrEqual(now.spec.limits.turns);
        expect(cycle.kinds().filter((kind) => kind === 'ToolRequested').length).toBeLessThanOrEqual(
          now.spec.limits.toolCalls,
        );
      }),
      { numRuns: 400 },
    );
  });

  it('is the same state again when it is folded from its record', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        const cycle = played(moves);
        let state: CycleState | undefined;
        for (const event of JSON.parse(JSON.stringify(cycle.events)) as typeof cycle.events)
          state = evolveCycle(state, event, config.catalog.known);
        expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(cycle.now)));
      }),
      { numRuns: 200 },
    );
  });

  it('is completed to the same record from any prefix that cuts a decision off', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), fc.nat(), (moves, cut) => {
        const { events } = played(moves);
        const kept = events.slice(0, 1 + (cut % events.length));
        const restored = restoreInstance(cycleMachine(config), kept);
        expect(restored.hasDiverged).toBe(false);
        expect(events.slice(kept.length, kept.length + restored.missing.length)).toEqual(restored.missing);
      }),
      { numRuns: 300 },
    );
  });
});
