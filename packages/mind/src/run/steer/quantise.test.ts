import { DIRECTIVES } from '@retainer/contract/api/task-status';
import { Megram, type SubTaskOutcome } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { call, met, outcome, replanRequest, steerContext, unmet } from '../../../../../test/support/steer-rounds.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { failureMegrams, PAIRS_MAX, QUANTA } from './quantise.ts';
import type { MegramDraft } from './quantise.ts';
import { steerAccept, steerReplan } from './steer.ts';
import { initialSteerState } from './steer-state.ts';

const ok = { status: 'Ok' } as const;
const failing = outcome(0, [unmet(1)], {
  failureReason: 'no rows\ncame',
  calls: [
    call('read', '/a'),
    call('bash', 'ls /a'),
    call('read', '/a'),
    call('read', '/b', ok),
    call('web', '/c', { status: 'Unrun' }),
  ],
});
const brief = (drafts: readonly MegramDraft[]): readonly unknown[] =>
  drafts.map(({ space, entity, state, f, sigma, k }) => [space, entity, state, f, sigma, k]);

verifies('steer:quantisation', 'the table, and half-lives that follow from it', () => {
  const rows = DIRECTIVES.map((it) => [it, QUANTA[it].f, QUANTA[it].sigma, QUANTA[it].k]);
  expect(rows).toEqual([
    ['Accept', 0.9, 1, 0.05],
    ['Success', 0.8, 1, 0.05],
    ['Retry', 0.1, 0, 0.5],
    ['Refine', 0.1, 0.5, 0.5],
    ['ChangePath', 0.3, 0, 0.2],
    ['ChangeApproach', 0.85, -1, 0.05],
    ['BreakSymmetry', 0.75, 1, 0.05],
    ['Abandon', 0.95, -1, 0.05],
  ]);
  const halfLife = (k: number): number => Math.round((Math.LN2 / k) * 10) / 10;
  expect([0.05, 0.2, 0.5].map(halfLife)).toEqual([13.9, 3.5, 1.4]);
  const daysUntilForgotten = DIRECTIVES.map(
    (it) => Math.round((Math.log(QUANTA[it].f / 0.1) / QUANTA[it].k) * 10) / 10,
  );
  expect(daysUntilForgotten).toEqual([43.9, 41.6, 0, 0, 5.5, 42.8, 40.3, 45]);
});

describe('after a failing round', () => {
  verifies('steer:one-megram-per-target', 'one for each tool and target of failed subtasks that was tried', () => {
    const drafts = failureMegrams(
      'ChangePath',
      [failing, outcome(1, [met(1)], { calls: [call('good', '/d')] })],
      'Spec',
    );
    expect(brief(drafts)).toEqual([
      ['tool:read', 'path:/a', 'ChangePath', 0.3, 0, 0.2],
      ['tool:bash', 'path:ls /a', 'ChangePath', 0.3, 0, 0.2],
      ['tool:read', 'path:/b', 'ChangePath', 0.3, 0, 0.2],
    ]);
    expect(drafts[0]).toMatchObject({ level: 'M', content: 'step 0: no rows came' });
  });

  it.each(['Refine', 'ChangePath', 'ChangeApproach', 'BreakSymmetry'] as const)('by the row of %s', (directive) => {
    const [draft] = failureMegrams(directive, [failing], 'Spec');
    expect(draft).toMatchObject({ state: directive, ...QUANTA[directive] });
  });

  it('says why by the first failed criterion where the outcome has no reason', () => {
    const silent = outcome(0, [met(1), unmet(2)], { calls: [call('bash')] });
    expect(failureMegrams('Refine', [silent], 'Spec')).toMatchObject([
      { entity: 'path:', content: 'step 0: not seen 2' },
    ]);
  });

  it('is bounded in number and length', () => {
    const calls = Array.from({ length: 1000 }, (_, index) => call('bash', `t${index}`));
    const drafts = failureMegrams('Refine', [{ ...failing, calls, failureReason: 'x'.repeat(1e6) }], 'Spec');
    expect(drafts).toHaveLength(PAIRS_MAX);
    expect(drafts[0]?.content.length).toBeLessThan(700);
  });

  verifies('steer:break-symmetry-valence', 'Spec praises as its table says, Hardened blames what it blocks', () => {
    expect(failureMegrams('BreakSymmetry', [failing], 'Spec')[0]).toMatchObject({ sigma: 1, f: 0.75 });
    expect(failureMegrams('BreakSymmetry', [failing], 'Hardened')[0]).toMatchObject({
      state: 'BreakSymmetry',
      sigma: -1,
      f: 0.85,
      k: 0.05,
    });
    expect(failureMegrams('ChangePath', [failing], 'Hardened')[0]).toMatchObject({ sigma: 0, f: 0.3 });
  });
});

describe('after a breakthrough', () => {
  const stuck = replanRequest([outcome(0, [unmet(1, 'Logical')], { calls: [call('read', '/a')] })]);
  const solved = outcome(0, [met(1)], {
    calls: [call('read', '/b', ok), call('bash', 'sum', ok), call('bash', 'oops'), call('web', 'x')],
  });
  const summary = { summary: 'ok', output: '42', elapsedMs: 1, outcomes: [solved], taskVerdicts: [] };

  verifies(
    'steer:break-symmetry-valence',
    'only new tools that succeeded, only in Hardened, only right after it',
    () => {
      const hardened = steerContext({ profile: 'Hardened' });
      const { state } = steerReplan(initialSteerState, stuck, hardened);
      expect(brief(steerAccept(state, summary, hardened).megrams)).toEqual([
        ['intent:sum_sales', 'env:local', 'Accept', 0.9, 1, 0.05],
        ['tool:bash', 'path:sum', 'BreakSymmetry', 0.75, 1, 0.05],
      ]);
      expect(steerAccept(state, summary, steerContext()).megrams).toHaveLength(1);
      expect(steerAccept({ ...state, previous: 'ChangeApproach' }, summary, hardened).megrams).toHaveLength(1);
    },
  );

  verifies('steer:break-symmetry-valence', 'a success confirms it, too', () => {
    const hardened = steerContext({ profile: 'Hardened' });
    const { state } = steerReplan(initialSteerState, stuck, hardened);
    const near = replanRequest([solved, outcome(1, [met(1), met(2), met(3), unmet(4)])]);
    const { megrams } = steerReplan(state, near, hardened);
    expect(megrams.map((it) => it.state)).toEqual(['Success', 'BreakSymmetry']);
  });
});

describe('after the end', () => {
  const context = steerContext();

  verifies('steer:one-megram-per-target', 'one for the intent, whatever the calls', () => {
    const { megrams } = steerReplan({ ...initialSteerState, rounds: 3 }, replanRequest([failing]), context);
    expect(brief(megrams)).toEqual([['intent:sum_sales', 'env:local', 'Abandon', 0.95, -1, 0.05]]);
    expect(megrams[0]?.content).toBe('Failed. Tools tried: read:/a, bash:ls /a, read:/b. Gap: something is missing');
  });

  const wrote = { status: 'Ok' as const, files: [{ path: '/w', sizeBytes: 1, sha256: 'x' }] };
  const blamedRows: readonly (readonly [string, string, Partial<SubTaskOutcome>, readonly string[] | undefined])[] = [
    ['what failed', 'Sum it.', {}, ['read:/a', 'bash:ls /a', 'read:/b']],
    ['not what the Task names', 'Sum /a and /b.', {}, ['bash:ls /a']],
    ['not what a call wrote', 'Sum it.', { calls: [call('write', '/w', wrote), call('read', '/a')] }, ['read:/a']],
    ['nothing that nobody could judge', 'Sum it.', { failureClass: 'Unverified' }, undefined],
    ['nothing without a target', 'Sum it.', { calls: [call('list', undefined)] }, undefined],
  ];
  for (const [name, given, change, blamed] of blamedRows)
    verifies('megrams:same-target-binds', `an abandoned run blames ${name}`, () => {
      const rounds = { ...initialSteerState, rounds: 3 };
      const { megrams } = steerReplan(rounds, replanRequest([{ ...failing, ...change }]), { ...context, given });
      expect(megrams[0]?.state).toBe('Abandon');
      expect(megrams[0]?.blamed?.map(({ tool, target }) => `${tool}:${target}`)).toEqual(blamed);
    });

  it('says which tools succeeded, in bounds', () => {
    const calls = [call('bash', `echo ${'x'.repeat(500)}`, ok), call('list', undefined, ok)];
    const summary = {
      summary: 'The sum is 42.',
      output: '',
      elapsedMs: 1,
      outcomes: [outcome(0, [met(1)], { calls })],
      taskVerdicts: [],
    };
    const [draft] = steerAccept(initialSteerState, summary, context).megrams;
    expect(draft?.content).toBe(`Succeeded. Tools: bash:echo ${'x'.repeat(115)}, list. Result: The sum is 42.`);
  });

  it('is a memory once it has an id and a moment', () => {
    const { megrams } = steerReplan(initialSteerState, replanRequest([failing]), context);
    for (const draft of megrams) expect(Megram.parse({ ...draft, id: 'm1', createdAtMs: 1 })).toMatchObject(draft);
  });
});
