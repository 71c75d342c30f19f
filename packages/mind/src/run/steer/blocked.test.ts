import { DIRECTIVES } from '@retainer/contract/api/task-status';
import type { SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { call, met, outcome, replanRequest, steerContext, unmet } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { block } from './blocked.ts';
import type { BlockRules } from './blocked.ts';
import { steerReplan } from './steer.ts';
import { initialSteerState } from './steer-state.ts';

const rules: BlockRules = { candidateTools: [], accumulate: false, given: '' };

/** A failed subtask that made these calls, `tool target`. */
const failed = (...calls: readonly string[]): SubTaskOutcome =>
  outcome(0, [unmet(1)], {
    calls: calls.map((it) => {
      const [tool = '', target] = it.split(' ');
      return call(tool, target);
    }),
  });

describe('what is blocked', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['Refine', [], ['/a', '/b']],
    ['ChangePath', [], ['/a', '/b']],
    ['ChangeApproach', ['read', 'bash'], []],
    ['BreakSymmetry', ['read', 'bash'], []],
    ['Accept', [], []],
    ['Success', [], []],
    ['Abandon', [], []],
  ])('by %s', (directive, tools, targets) => {
    const known = DIRECTIVES.find((it) => it === directive) ?? 'Accept';
    const outcomes = [
      failed('read /a', 'bash /b', 'read /b', 'read /a'),
      outcome(1, [met(1)], { calls: [call('good', '/c')] }),
    ];
    expect(block(initialSteerState, known, outcomes, rules).blocked).toEqual({ tools, targets });
  });

  it('has no targets of calls that have none', () => {
    const outcomes = [outcome(0, [unmet(1)], { calls: [call('bash'), call('bash', ''), call('bash', 'x')] })];
    expect(block(initialSteerState, 'ChangePath', outcomes, rules).blocked.targets).toEqual(['x']);
  });

  verifies('steer:targets-accumulate', 'each once, in the order of the rounds, and sent in full', () => {
    let state = initialSteerState;
    const sent = [failed('read /b', 'read /a'), failed('read /c', 'read /b'), failed('read /0')].map((it) => {
      const steered = steerReplan(state, replanRequest([it]), steerContext());
      state = steered.state;
      return steered.explanation.blocked;
    });
    expect(sent.map((it) => it.targets)).toEqual([
      ['/b', '/a'],
      ['/b', '/a', '/c'],
      ['/b', '/a', '/c', '/0'],
    ]);
    expect(sent.flatMap((it) => it.tools)).toEqual([]);
  });

  verifies('steer:never-both-blocked', 'a round that blames the approach keeps the targets for later', () => {
    const first = block(initialSteerState, 'ChangePath', [failed('read /a')], rules);
    const second = block(first.next, 'ChangeApproach', [failed('bash /b')], rules);
    const third = block(second.next, 'Refine', [failed('read /c')], rules);
    expect(second.blocked).toEqual({ tools: ['bash'], targets: [] });
    expect(third.blocked).toEqual({ tools: [], targets: ['/a', '/c'] });
  });
});

describe('blocked tools', () => {
  it('are those of the last round, unless they are kept', () => {
    const first = block(initialSteerState, 'BreakSymmetry', [failed('read /a')], rules);
    expect(block(first.next, 'ChangeApproach', [failed('bash /b')], rules).blocked.tools).toEqual(['bash']);
    const kept = { ...rules, accumulate: true, given: '' };
    const before = block(initialSteerState, 'BreakSymmetry', [failed('read /a')], kept);
    const after = block(before.next, 'ChangeApproach', [failed('bash /b', 'read /a')], kept);
    expect(after.blocked.tools).toEqual(['read', 'bash']);
    expect(after.next.blockedTools).toEqual(['read', 'bash']);
  });

  verifies('steer:last-tool-spared', 'one of all that failed together stays open: the one blamed last', () => {
    const two = { candidateTools: ['read', 'bash'], accumulate: false, given: '' };
    const once = block(initialSteerState, 'BreakSymmetry', [failed('bash /a', 'other /x', 'read /b')], two);
    expect(once).toMatchObject({ blocked: { tools: ['bash', 'other'] }, isNoToolLeft: false });
    expect(block(once.next, 'BreakSymmetry', [failed('read /b')], two)).toMatchObject({
      blocked: { tools: ['read'] },
      isNoToolLeft: false,
    });
    const only = { candidateTools: ['bash'], accumulate: false, given: '' };
    const again = block(initialSteerState, 'BreakSymmetry', [failed('bash /a')], only);
    expect(block(again.next, 'BreakSymmetry', [failed('bash /a')], only)).toMatchObject({
      blocked: { tools: [] },
      isNoToolLeft: false,
    });
  });

  verifies('steer:last-tool-spared', 'where tools stay blocked and it fails again, none is left', () => {
    const two = { candidateTools: ['read', 'bash'], accumulate: true, given: '' };
    const first = block(initialSteerState, 'BreakSymmetry', [failed('bash /a')], two);
    const second = block(first.next, 'BreakSymmetry', [failed('read /b')], two);
    expect(second).toMatchObject({ blocked: { tools: ['bash'] }, isNoToolLeft: false });
    expect(block(second.next, 'BreakSymmetry', [failed('read /b')], two).isNoToolLeft).toBe(true);
    // It was asked for what is blocked, so the spared tool had no chance yet.
    expect(block(second.next, 'BreakSymmetry', [failed('bash /b')], two).isNoToolLeft).toBe(false);
    expect(block(second.next, 'ChangePath', [failed('read /b')], two).isNoToolLeft).toBe(false);
  });

  it('leave none where the candidates shrank to what is blocked already', () => {
    const state = { ...initialSteerState, blockedTools: ['read'] };
    const one = { candidateTools: ['read'], accumulate: true, given: '' };
    expect(block(state, 'ChangeApproach', [failed('bash /a')], one).isNoToolLeft).toBe(true);
  });

  verifies('steer:last-tool-spared', 'the run then ends, and says that no tool is admissible', () => {
    const context = steerContext({ accumulateBlockedTools: true, maxReplans: 16 }, { candidateTools: ['bash'] });
    const request = replanRequest([outcome(0, [unmet(1, 'Logical')], { calls: [call('bash', 'ls')] })]);
    const first = steerReplan(initialSteerState, request, context);
    expect(first.message.payload).toMatchObject({ directive: 'BreakSymmetry', blocked: { tools: [] } });
    const second = steerReplan(first.state, request, context);
    expect(second.message.payload).toMatchObject({ directive: 'Abandon', cause: 'Policy' });
    expect(second.explanation).toMatchObject({ byTable: 'BreakSymmetry', override: 'NoAdmissibleTool' });
    expect(second.message.payload).toHaveProperty('summary', expect.stringContaining('no admissible tool'));
    expect(second.megrams).toEqual([expect.objectContaining({ state: 'Abandon' })]);
  });
});
