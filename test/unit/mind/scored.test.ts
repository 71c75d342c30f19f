import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CycleUnderTest } from '../../support/cycles.ts';
import { DOUBTFUL } from '../../support/gate-inquiries.ts';
import {
  begun,
  fromOthers,
  gates,
  limits,
  ScoredCycle,
  scoredConfig,
  type Scored,
} from '../../support/scored-cycle.ts';
import { verifies } from '../../verifies.ts';
import { cycleMachine } from '@retainer/agent-pod/loop/cycle-driver';
import { restoreInstance } from '@retainer/agent-pod/loop/instance';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import { HOW_TO_APPEAL } from '@retainer/mind/cycle/refusal';
import type { PendingAsk } from '@retainer/mind/cycle/state';

describe('a cycle whose gates ask models', () => {
  verifies('cycle:gate-intent-first', 'puts each question on the record, and waits for its answer', () => {
    const cycle = new ScoredCycle(fromOthers);
    expect(cycle.kinds()).toEqual(['CycleStarted', 'GateProbeRequested']);
    cycle.probe();
    expect(cycle.kinds().slice(2)).toEqual(['GateProbed', 'GateDecided', 'ModelRequested']);
    cycle.answer({ calls: [['change', 1]] });
    expect(cycle.events.at(-1)).toMatchObject({
      kind: 'GateScoreRequested',
      callId: 'r-c1-t1',
      features: ['harm', 'waste'],
      request: { role: 'gate-scorer', model: 'f' },
    });
    cycle.score('r-c1-t1-score', 0);
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ToolRequested', callId: 'r-c1-t1' });
    expect(cycle.events.at(-2)).toMatchObject({ kind: 'GateDecided', record: { scorer: 'Available', score: 0 } });
    cycle.finish('r-c1-t1');
    cycle.answer({ text: 'Done.' });
    cycle.score('r-c1-o2-score', 0);
    expect(cycle.end).toMatchObject({ outcome: 'Replied', text: 'Done.' });
    expect(cycle.now.usage.inputTokens).toBe(320);
    expect(cycle.now.costUsd).toBeCloseTo(0.032);
  });

  verifies('cycle:gate-keeps-order', 'asks about several calls side by side, and runs them in their order', () => {
    const cycle = begun(fromOthers);
    cycle.answer({
      calls: [
        ['change', 1],
        ['change', 2],
        ['look', 3],
      ],
    });
    expect(cycle.askIds()).toEqual(['r-c1-t1-score', 'r-c1-t2-score']);
    cycle.score('r-c1-t2-score', 0);
    expect(cycle.kinds()).not.toContain('ToolRequested');
    cycle.score('r-c1-t1-score', 0);
    const run = cycle.events.flatMap((event) => (event.kind === 'ToolRequested' ? [event.callId] : []));
    expect(run).toEqual(['r-c1-t1', 'r-c1-t2', 'r-c1-t3']);
  });

  verifies('cycle:answer-too-late', 'changes nothing: its call was answered as a repetition meanwhile', () => {
    const cycle = begun();
    cycle.answer({
      calls: [
        ['change', 1],
        ['change', 1],
      ],
    });
    cycle.score('r-c1-t1-score', 5);
    expect(cycle.now.pendingModelCall).toBe('r-c1-m2');
    expect(cycle.score('r-c1-t2-score', 5).map(({ kind }) => kind)).toEqual(['GateScored']);
    cycle.answer({ text: 'Done.' });
    cycle.score('r-c1-o2-score', 0);
    expect(cycle.end).toMatchObject({ outcome: 'Replied', text: 'Done.' });
  });

  verifies(
    'cycle:caution-is-a-result',
    'answers a doubtful call with the caution, and lets the model think again',
    () => {
      const cycle = begun();
      cycle.answer({ calls: [['change', 1]] });
      cycle.score('r-c1-t1-score', 3);
      const answered = cycle.events.find((event) => event.kind === 'CallAnswered');
      expect(answered).toMatchObject({ why: 'Cautioned', text: expect.stringMatching(/^\[caution\].*harm/s) });
      expect(cycle.events.at(-1)).toMatchObject({ kind: 'ModelRequested', turn: 2 });
      expect(cycle.now.gatePasts.Tool).toMatchObject({ iterations: 1, scores: [0.36] });
    },
  );

  verifies('cycle:refusal-is-an-outcome', 'ends as Refused with reason, rule and how to appeal', () => {
    const cycle = begun();
    cycle.answer({ text: 'It is 42.' });
    cycle.score('r-c1-o1-score', 5);
    expect(cycle.end).toMatchObject({ outcome: 'Refused', text: expect.stringContaining(HOW_TO_APPEAL) });
    expect(cycle.end?.text).toContain(`(rule ${cycle.end?.reason})`);
    expect(cycle.now.rejections).toMatchObject([{ gate: 'Output', rule: cycle.end?.reason }]);
  });

  it('refuses an input that takes over a probe', () => {
    const cycle = new ScoredCycle(fromOthers);
    cycle.probe('Detected');
    expect(cycle.end).toMatchObject({ outcome: 'Refused', reason: 'probe/hijack' });
  });

  verifies(
    'approvals:output-breaker',
    'revises nothing while texts are held: what is in doubt is refused, and kept',
    () => {
      const cycle = begun({ outputsHeld: true });
      cycle.answer({ text: 'The mean was 12.4 mm, of all the days in the record.' });
      cycle.score('r-c1-o1-score', 2);
      expect(cycle.verdicts()).toEqual(['Input Accept', 'Output Reject']);
      expect(cycle.now.rejections).toMatchObject([{ gate: 'Output', rule: 'output-breaker/held' }]);
      expect(cycle.end).toMatchObject({ outcome: 'Refused', reason: 'output-breaker/held' });
      expect(JSON.stringify(cycle.now.messages)).toContain('The mean was 12.4 mm');
    },
  );

  verifies(
    'cycle:revision-stops',
    'gives the original back, and lets it out with a warning when revisions are used up',
    () => {
      const cycle = begun({ limits: { ...limits, turns: 20 } });
      const original = 'The mean was 12.4 mm, of all the days that there are in the record of observations.';
      cycle.answer({ text: original });
      cycle.score('r-c1-o1-score', 2);
      const nudge = cycle.events.find((event) => event.kind === 'Nudged');
      expect(nudge).toMatchObject({ why: 'Revision', text: expect.stringContaining(original) });
      cycle.answer({ calls: [['look', 1]] });
      cycle.finish('r-c1-t1');
      cycle.answer({ text: `${original} (revised)` });
      cycle.score('r-c1-o3-score', 2);
      cycle.answer({ calls: [['look', 2]] });
      cycle.finish('r-c1-t2');
      expect(cycle.now.gatePasts.Output).toMatchObject({ modifications: 2, original });
      cycle.answer({ text: `${original} (revised again)` });
      cycle.score('r-c1-o5-score', 2);
      expect(cycle.end).toMatchObject({ outcome: 'Replied', text: expect.stringMatching(/Quality warning/) });
      expect(cycle.end?.text.startsWith(`${original}\n`)).toBe(true);
    },
  );

  verifies('cycle:lost-question', 'is not asked again after a restart: the answer is not to be had', () => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: 'r-c1-t1-score', epoch: 2 });
    expect(cycle.verdicts()).toEqual(['Input Accept', 'Tool Reject']);
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'ModelRequested', turn: 2 });
    const asked = cycle.events.filter((event) => event.kind === 'GateScoreRequested');
    expect(asked).toHaveLength(1);
  });

  const doubtful = { input: DOUBTFUL };
  const budget = {
    message: 'budgets.tokensPerHour of the Agent is 1',
    field: 'tokensPerHour',
    used: 1,
    asked: 2,
    max: 1,
  } as const;
  const outOfBudget = { outcome: 'OutOfBudget', text: '', reason: budget.message, budget: 'tokensPerHour' };

  it.each<[string, () => ScoredCycle]>([
    ['of what came in', () => begun(doubtful)],
    ['of a call', () => begun().asked({ calls: [['change', 1]] })],
    ['of a text', () => begun().asked({ text: 'It is 42.' })],
  ])('ends out of budget where the Agent’s budget forbids a score %s', (_name, at) => {
    const cycle = at();
    cycle.refuse(budget);
    expect(cycle.end).toMatchObject(outOfBudget);
    expect(cycle.events.at(-2)).not.toMatchObject({ kind: 'GateDecided' });
    expect(cycle.events).toContainEqual({ kind: 'LimitReached', limit: 'budgets.tokensPerHour', value: 3, max: 1 });
    expect(cycle.now.rejections).toEqual([]);
  });

  verifies('cycle:gate-out-of-budget', 'ends out of budget where it forbids a probe, unless a person is there', () => {
    const alone = new ScoredCycle(fromOthers);
    alone.refuse(budget);
    expect(alone.end).toMatchObject(outOfBudget);
    const watched = new ScoredCycle({ ...fromOthers, autonomous: false });
    watched.refuse(budget);
    expect(watched.events.at(-1)).toMatchObject({ kind: 'ModelRequested' });
  });

  verifies(
    'cycle:gate-out-of-budget',
    'ends at a limit of the cycle before a text that cannot be scored any more',
    () => {
      const unread = new ScoredCycle({ ...fromOthers, limits: { ...limits, tokens: 900 } });
      expect(unread.end).toMatchObject({
        outcome: 'OutOfBudget',
        reason: expect.stringMatching(/use up the tokens of this cycle \(tokens \d+ of 900\)/),
      });
      const unsent = begun({ ...fromOthers, limits: { ...limits, costUsd: 0.015 } }).asked({
        text: 'It is 42.',
        costUsd: 0.01,
      });
      expect(unsent.end).toMatchObject({
        outcome: 'OutOfBudget',
        text: '',
        reason: 'the money of this cycle is used up (costUsd 0.02 of 0.015)',
      });
      expect(unsent.events.findLast((it) => it.kind === 'LimitReached')).toMatchObject({
        limit: 'costUsd',
        max: 0.015,
      });
    },
  );

  it.each([
    ['names no model', {}, 'no model'],
    ['has no tokens left', { gates, limits: { ...limits, tokens: 2500 } }, 'tokens'],
    ['has no money left', { gates, limits: { ...limits, costUsd: 0.001 } }, 'money'],
  ] as const)('is refused at once on an autonomous path that %s', (_name, spec, why) => {
    const cycle = new CycleUnderTest({ limits, ...spec }, { config: scoredConfig });
    if (cycle.now.pendingAsks.length > 0)
      cycle.when({
        kind: 'GateProbed',
        atMs: cycle.tick(),
        askId: 'r-c1-in-probe',
        latencyMs: 1,
        hijack: { outcome: 'Clean', tokenDigest: '' },
        leakage: { outcome: 'Clean', tokenDigest: '' },
      });
    if (cycle.now.ended === undefined) cycle.answer({ calls: [['change', 1]], costUsd: 0.001 });
    const tool = cycle.events.find((event) => event.kind === 'GateDecided' && event.gate === 'Tool');
    expect(tool).toMatchObject({
      verdict: 'Reject',
      record: { scorer: 'Unavailable', scorerFault: expect.stringContaining(why) },
    });
  });

  verifies(
    'cycle:unscored-stays',
    'lets nothing out at a limit that would have to be scored, where nobody is there',
    () => {
      const unscored = begun();
      unscored.answer({ text: 'So far 41.', calls: [['change', 1]] });
      unscored.when({ kind: 'TimeExpired', atMs: unscored.now.startedAtMs + limits.wallClockMs, what: 'Cycle' });
      expect(unscored.end).toMatchObject({ outcome: 'OutOfBudget', text: '' });
      expect(unscored.now.rejections).toEqual([]);
      const watched = begun({ autonomous: false });
      watched.answer({ text: 'So far 41.', calls: [['change', 1]] });
      watched.when({ kind: 'TimeExpired', atMs: watched.now.startedAtMs + limits.wallClockMs, what: 'Cycle' });
      expect(watched.end).toMatchObject({ outcome: 'OutOfBudget', text: 'So far 41.' });
    },
  );

  it.each<[string, Scored]>([
    ['gives no answer', { available: false, reason: 'Timeout' }],
    ['invents features', { available: true, forecasts: [{ feature: 'invented', magnitude: 0, rationale: '' }] }],
    ['leaves one out', { available: true, forecasts: [{ feature: 'harm', magnitude: 0, rationale: '' }] }],
    [
      'leaves the scale',
      {
        available: true,
        forecasts: ['harm', 'waste'].map((name) => ({ feature: name, magnitude: 99, rationale: '' })),
      },
    ],
  ])('refuses on an autonomous path when the scorer %s', (_name, forecasts) => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    for (let [askId] = cycle.askIds(); askId !== undefined; [askId] = cycle.askIds()) cycle.scored(askId, forecasts);
    expect(cycle.verdicts().at(-1)).toBe('Tool Reject');
    expect(cycle.kinds()).not.toContain('ToolRequested');
  });

  const malformed: Scored = { available: false, reason: 'no XML', isMalformed: true };

  verifies('cycle:score-asked-again', 'puts each further question on the record, and counts what all cost', () => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    const before = cycle.now.usage.inputTokens;
    cycle.scored('r-c1-t1-score', malformed);
    expect(cycle.events.at(-1)).toMatchObject({ kind: 'GateScoreRequested', askId: 'r-c1-t1-score-2' });
    cycle.scored('r-c1-t1-score-2', malformed);
    cycle.score('r-c1-t1-score-3', 0);
    expect(cycle.events.at(-2)).toMatchObject({ kind: 'GateDecided', record: { scorer: 'Available', scorings: 3 } });
    expect(cycle.now.usage.inputTokens - before).toBe(300);
  });

  verifies('cycle:score-asked-again', 'asks no more than twice again, and not without money', () => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    for (const askId of ['r-c1-t1-score', 'r-c1-t1-score-2', 'r-c1-t1-score-3']) cycle.scored(askId, malformed);
    expect(cycle.verdicts().at(-1)).toBe('Tool Reject');
    const poor = begun(fromOthers);
    poor.answer({ calls: [['change', 1]], costUsd: limits.costUsd - 0.015 });
    poor.scored('r-c1-t1-score', malformed);
    expect(poor.askIds()).toEqual([]);
  });

  verifies('cycle:score-asked-again', 'asks as often again as the Agent says', () => {
    const cycle = begun({ limits: { ...limits, structuredRetries: 0 } });
    cycle.answer({ calls: [['change', 1]] });
    cycle.scored('r-c1-t1-score', malformed);
    expect(cycle.verdicts().at(-1)).toBe('Tool Reject');
  });

  verifies('cycle:lost-question', 'is not asked again where a restart lost the second answer either', () => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    cycle.scored('r-c1-t1-score', malformed);
    cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId: 'r-c1-t1-score-2', epoch: 2 });
    expect(cycle.events).toContainEqual(
      expect.objectContaining({ kind: 'GateDecided', gate: 'Tool', record: expect.objectContaining({ scorings: 2 }) }),
    );
  });

  it('takes no answer twice, nor one that nobody asked for', () => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    expect(cycle.scored('r-c1-t9-score', { available: false, reason: '' })).toEqual([]);
    expect(cycle.probe('Clean', 'r-c1-t1-score')).toEqual([]);
    cycle.score('r-c1-t1-score', 0);
    expect(cycle.score('r-c1-t1-score', 0)).toEqual([]);
  });
});

const three = [
  ['change', 1],
  ['change', 2],
  ['change', 3],
] as const;

function questions(cycle: ScoredCycle): readonly Extract<CycleEvent, { kind: 'GateScoreRequested' }>[] {
  return cycle.events.flatMap((event) => (event.kind === 'GateScoreRequested' ? [event] : []));
}

describe('the calls of one answer', () => {
  verifies('cycle:scored-together', 'are scored in one request, each between marks and by its own id', () => {
    const cycle = begun();
    cycle.answer({ calls: three });
    const [question, ...more] = questions(cycle);
    expect(more).toEqual([]);
    expect(question).toMatchObject({
      askId: 'r-c1-t1-score',
      callId: 'r-c1-t1',
      others: [{ callId: 'r-c1-t2' }, { callId: 'r-c1-t3' }],
      request: { role: 'gate-scorer' },
    });
    const asked = JSON.stringify(question?.request.messages);
    for (const id of ['t1', 't2', 't3']) expect(asked).toMatch(new RegExp(`Call ${id}\\..*- call ${id}, harm`));
    expect(asked.match(/<<<[0-9a-f]{32}/g)).toHaveLength(4);
    cycle.scoredTogether('r-c1-t1-score', [0, 5, 0]);
    const run = cycle.events.flatMap((event) => (event.kind === 'ToolRequested' ? [event.callId] : []));
    expect(run).toEqual(['r-c1-t1', 'r-c1-t3']);
    expect(cycle.verdicts()).toEqual(['Input Accept', 'Tool Accept', 'Tool Reject', 'Tool Accept']);
  });

  verifies('cycle:scored-together', 'are scored again alone where the answer leaves one out', () => {
    const cycle = begun();
    cycle.answer({ calls: three });
    cycle.scoredTogether('r-c1-t1-score', [0, undefined, 0]);
    expect(cycle.askIds()).toEqual(['r-c1-t2-score-2']);
    expect(questions(cycle).at(-1)).not.toHaveProperty('others');
    cycle.score('r-c1-t2-score-2', 0);
    const run = cycle.events.flatMap((event) => (event.kind === 'ToolRequested' ? [event.callId] : []));
    expect(run).toEqual(['r-c1-t1', 'r-c1-t2', 'r-c1-t3']);
  });

  verifies('cycle:scored-together', 'are refused where one is left out and nothing is asked again', () => {
    const cycle = begun({ limits: { ...limits, structuredRetries: 0 } });
    cycle.answer({ calls: three });
    cycle.scoredTogether('r-c1-t1-score', [undefined, 0, 0]);
    expect(cycle.verdicts().slice(1)).toEqual(['Tool Reject', 'Tool Accept', 'Tool Accept']);
  });

  it.each<[string, () => ScoredCycle, readonly (readonly [string, string | number])[]]>([
    ['the cycle has read untrusted text', () => begun(fromOthers), three],
    ['the rules doubt it', () => begun(), [...three, ['change', DOUBTFUL]]],
  ])('stand alone where %s', (_name, at, calls) => {
    const cycle = at();
    cycle.answer({ calls });
    const alone = questions(cycle).filter(({ others }) => others === undefined);
    expect(alone.map(({ callId }) => callId)).toContain(`r-c1-t${calls.length}`);
    const together = questions(cycle).flatMap(({ others = [] }) => others.map(({ callId }) => callId));
    expect(together).not.toContain(`r-c1-t${calls.length}`);
  });

  it('share a request in groups that a model can keep apart, and none without room for the answer', () => {
    const many = begun();
    many.answer({ calls: Array.from({ length: 11 }, (_, index) => ['change', index] as const) });
    expect(questions(many).map(({ others = [] }) => others.length)).toEqual([7, 2]);
    const narrow = begun({ gates: { ...gates, scorer: { ...gates.scorer, outputTokens: 200 } } });
    narrow.answer({ calls: three });
    expect(questions(narrow).map(({ others }) => others)).toEqual([undefined, undefined, undefined]);
  });

  it('are not asked about together where one only repeats what ran', () => {
    const cycle = begun();
    cycle.answer({ calls: [['change', 1]] });
    cycle.score('r-c1-t1-score', 0);
    cycle.finish('r-c1-t1');
    cycle.answer({ calls: three });
    expect(questions(cycle).at(1)).toMatchObject({ callId: 'r-c1-t3' });
  });
});

describe('a text that is not trusted', () => {
  verifies('cycle:probes-beside-score', 'is probed and scored side by side', () => {
    const cycle = new ScoredCycle({ ...fromOthers, input: DOUBTFUL });
    expect(cycle.askIds()).toEqual(['r-c1-in-probe', 'r-c1-in-score']);
    cycle.score('r-c1-in-score', 0);
    expect(cycle.verdicts()).toEqual([]);
    cycle.probe();
    expect(cycle.verdicts()).toEqual(['Input Accept']);
  });

  verifies('cycle:probes-beside-score', 'is refused by a probe, whatever the score says', () => {
    const cycle = new ScoredCycle({ ...fromOthers, input: DOUBTFUL });
    cycle.score('r-c1-in-score', 0);
    cycle.probe('Detected');
    expect(cycle.end).toMatchObject({ outcome: 'Refused', reason: 'probe/hijack' });
  });
});

type Move = { readonly what: number; readonly which: number; readonly magnitude: number };
const move = fc.record({ what: fc.nat(6), which: fc.nat(3), magnitude: fc.nat(5) });

/** One thing that models, tools and restarts may do next. */
function play(cycle: ScoredCycle, moved: Move): void {
  const { pendingAsks, pendingTools, pendingModelCall, ended } = cycle.now;
  if (ended !== undefined) return;
  const ask = pendingAsks[moved.which % Math.max(1, pendingAsks.length)];
  const tool = pendingTools[moved.which % Math.max(1, pendingTools.length)];
  if (moved.what === 0) {
    const callId = ask?.askId ?? tool ?? pendingModelCall ?? '';
    cycle.when({ kind: 'EffectLost', atMs: cycle.tick(), callId, epoch: 2 });
  } else if (ask !== undefined) answerAsk(cycle, ask, moved);
  else if (tool !== undefined) cycle.finish(tool);
  else answerModel(cycle, moved);
}

function answerAsk(cycle: ScoredCycle, { kind, askId }: PendingAsk, { what, magnitude }: Move): void {
  if (kind === 'Probe') cycle.probe(magnitude === 5 ? 'Inconclusive' : 'Clean', askId);
  else if (what === 1) cycle.scored(askId, { available: false, reason: 'late' });
  else if (what === 2) cycle.scored(askId, { available: false, reason: 'no XML', isMalformed: true });
  else cycle.score(askId, magnitude);
}

function answerModel(cycle: ScoredCycle, { what, which }: Move): void {
  if (what < 4) cycle.answer({ text: `An answer of some length, number ${what}.` });
  else cycle.answer({ calls: Array.from({ length: which + 1 }, (_, index) => ['change', what * 10 + index] as const) });
}

describe('any course of scores', () => {
  const moveLists = fc.array(move, { maxLength: 60 });
  const played = (moves: readonly Move[]): ScoredCycle => {
    const cycle = new ScoredCycle({ limits: { ...limits, tokens: 20_000 } });
    for (const it of moves) play(cycle, it);
    return cycle;
  };

  verifies('cycle:scored-ends', 'always waits for something or has ended, and stays within its tokens', () => {
    fc.assert(
      fc.property(moveLists, (moves) => {
        const { now } = played(moves);
        const pending = now.pendingTools.length + now.pendingApprovals.length + now.pendingAsks.length;
        expect(pending > 0 || now.pendingModelCall !== undefined).toBe(now.ended === undefined);
        expect(now.usage.inputTokens).toBeLessThanOrEqual(now.spec.limits.tokens);
        const ids = now.pendingAsks.map((it) => it.askId);
        expect(ids).toEqual([...new Set(ids)]);
      }),
      { numRuns: 300 },
    );
  });

  verifies('cycle:scored-restarts', 'is completed to the same record from any prefix', () => {
    fc.assert(
      fc.property(moveLists, fc.nat(), (moves, cut) => {
        const { events } = played(moves);
        const kept = events.slice(0, 1 + (cut % events.length));
        const restored = restoreInstance(
          cycleMachine(scoredConfig),
          JSON.parse(JSON.stringify(kept)) as readonly CycleEvent[],
        );
        expect(restored.hasDiverged).toBe(false);
        expect(events.slice(kept.length, kept.length + restored.missing.length)).toEqual(restored.missing);
      }),
      { numRuns: 200 },
    );
  });

  it.each([2, 3, 5])('ends when every score is %s, however long the model goes on', (magnitude) => {
    const cycle = new ScoredCycle({ limits: { ...limits, turns: 8 } });
    for (let step = 0; cycle.now.ended === undefined; step += 1) {
      expect(step).toBeLessThan(200);
      play(cycle, { what: step % 2 === 0 ? 2 : 5, which: step % 3, magnitude });
    }
    expect(cycle.now.ended).toBeDefined();
  });
});
