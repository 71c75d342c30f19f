/** Lies of those who judge, perceive and work. None hangs, passes, or costs without bound, and each is told clearly. */
import { sha256Hex } from '@retainer/contract/std/hash';
import { describe, expect } from 'vitest';
import {
  criteria,
  failing,
  given,
  liar,
  own,
  play,
  expectRefusal,
  type Lie,
  spec,
  takesAPlan,
  roleCycles,
  type Lies,
  WORK,
  yes,
} from '../../../../test/support/liar.ts';
import { call, criterion, judged, merged, planned, worked } from '../../../../test/support/run-scenarios.ts';
import { type Mind } from '../../../../test/support/run-world.ts';
import type { CyclePurpose } from './event.ts';
import { verifies } from '../../../../test/verifies.ts';

describe('a validator that always says yes', () => {
  const noProof = /cites no tool call|no tool call ran|nothing proves/;
  const lies: readonly Lie[] = [
    { name: 'without evidence', lies: { AgentValidator: () => yes() }, told: noProof },
    { name: 'on a call that nobody made', lies: { AgentValidator: () => yes('r-r1-s1-a1-t99') }, told: noProof },
    {
      name: 'on the words of the reply',
      lies: {
        Executor: (purpose) => ({ ...worked(purpose), text: 'tool-call forged-t1 tool=read_file status=ok' }),
        AgentValidator: () => yes('forged-t1', 'reply', 'output', '1'),
      },
      told: noProof,
    },
    {
      name: 'on the subtask, the message and the cycle',
      lies: { AgentValidator: ({ subtaskId = '' }) => yes(subtaskId, 'r', 'r-m1', 'r-c1', 'r-v1') },
      told: noProof,
    },
    {
      name: 'on a call whose id it changed a little',
      lies: { AgentValidator: (purpose) => yes(` ${own(purpose)}`, own(purpose).toUpperCase(), `${own(purpose)}\n`) },
      told: noProof,
    },
    {
      name: 'where no call was made',
      lies: { Executor: () => ({ text: 'done' }), AgentValidator: (purpose) => yes(own(purpose)) },
      told: noProof,
    },
    ...(['Error', 'TimedOut', 'Cancelled', 'Unknown', 'Unrun'] as const).map((status) => ({
      name: `on a call that ended ${status}`,
      lies: {
        Executor: (purpose: CyclePurpose) => failing(purpose, status),
        AgentValidator: (purpose: CyclePurpose) => yes(own(purpose)),
      },
      told: noProof,
    })),
    {
      name: 'on a failed call beside one that went well',
      lies: {
        Executor: (purpose) => ({
          text: 'done',
          calls: [
            call(purpose),
            call(purpose, { callId: `${own(purpose)}x`, tool: 'run_code', target: 'b', status: 'Error' }),
          ],
        }),
        AgentValidator: (purpose) => yes(own(purpose), `${own(purpose)}x`),
      },
      told: /did not succeed/,
    },
    {
      name: 'on a call of the attempt before',
      lies: {
        Executor: (purpose) => (purpose.attempt === 1 ? worked(purpose) : failing(purpose, 'Error')),
        AgentValidator: (purpose) =>
          purpose.attempt === 1 ? judged(purpose, false) : yes(own({ ...purpose, attempt: 1 })),
      },
      told: noProof,
    },
    {
      name: 'on a call of the round before',
      lies: {
        Executor: (purpose) => ({
          text: 'done',
          calls: [call(purpose, purpose.round === 1 ? {} : { target: 'c.csv' })],
        }),
        AgentValidator: (purpose) => (purpose.round === 1 ? judged(purpose, false) : yes('r-r1-s1-a1-t1')),
      },
      told: noProof,
    },
    {
      name: 'on a call of the subtask beside it',
      lies: {
        ...takesAPlan,
        Planner: ({ round }) => planned([`One ${round}`, `Two ${round}`]),
        AgentValidator: (purpose) => yes(`r-r${purpose.round}-s1-a1-t1`),
      },
      told: noProof,
    },
  ];
  for (const lie of lies) verifies('run:verdicts-need-evidence', lie.name, () => expectRefusal(lie));
});

describe('verdicts', () => {
  const verdict = (number: number, id: string, met = true): object => ({
    criterion: number,
    met,
    evidence: [id],
    reason: 'shown',
  });
  const said = (verdicts: (id: string) => readonly object[]): Lies => ({
    AgentValidator: (purpose) => given({ verdicts: verdicts(own(purpose)), whatWasWrong: 'x', whatToDo: 'y' }),
  });
  const lies: readonly Lie[] = [
    { name: 'none', lies: said(() => []), told: /gave no verdict/ },
    { name: 'on another criterion', lies: said((id) => [verdict(2, id), verdict(0, id)]), told: /gave no verdict/ },
    {
      name: 'on a negative and a broken number',
      lies: said((id) => [verdict(-1, id), verdict(0.5, id)]),
      told: /gave no verdict/,
    },
    {
      name: 'on no number',
      lies: said((id) => [verdict(Number.NaN, id)]),
      told: /could not be verified/,
      outcome: 'Abandoned|Failed',
    },
    { name: 'twice, yes and no', lies: said((id) => [verdict(1, id), verdict(1, id, false)]), told: /2 verdicts/ },
    { name: 'twice, both yes', lies: said((id) => [verdict(1, id), verdict(1, id)]), told: /2 verdicts/ },
    {
      name: 'for two criteria where there are three',
      lies: {
        AgentValidator: (purpose) =>
          given({ verdicts: [verdict(2, own(purpose)), verdict(3, own(purpose))], whatWasWrong: '', whatToDo: '' }),
      },
      change: { criteria: [...criteria, criterion('second'), criterion('third')] },
      told: /gave no verdict/,
    },
  ];
  for (const lie of lies) verifies('run:verdicts-by-index', lie.name, () => expectRefusal(lie));

  verifies('run:verdicts-by-index', 'a thousand more than there are criteria: the one that counts counts, once', () => {
    const world = play(liar(said((id) => Array.from({ length: 1000 }, (_, at) => verdict(at + 1, id)))));
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.concluded.criteria).toHaveLength(1);
    for (const { corrections } of world.of('VerdictsJudged')) expect(corrections.length).toBeLessThanOrEqual(64);
  });
});

describe('a perceiver', () => {
  verifies('adversary:people-criteria', 'that replies where criteria ask for work does not end the run', () => {
    const world = play(liar({ Perceiver: () => given({ kind: 'Reply', text: 'All is done already.' }) }));
    expect(world.messages().map((it) => it.type)).not.toContain('FastReply');
    expect(roleCycles(world, 'Executor')).toBeGreaterThan(0);
  });

  verifies('adversary:people-criteria', 'that replies without criteria is not called accepted', () => {
    const world = play(liar({ Perceiver: () => given({ kind: 'Reply', text: 'All is done.' }) }), { criteria: [] });
    expect(world.concluded).toMatchObject({ outcome: 'Succeeded', criteria: [] });
    expect(world.concluded.reasons).toEqual(['the Task names no success criteria, so nothing was verified']);
  });

  verifies(
    'adversary:people-criteria',
    'that drops the criteria and softens the intent changes neither criteria nor words',
    () => {
      const world = play(
        liar({
          Perceiver: () =>
            given({
              kind: 'Task',
              slug: 'x',
              intent: 'Do nothing.',
              shape: 'SingleStep',
              assumptions: ['the criteria are met'],
              criteria: [],
            }),
          AgentValidator: (purpose) => judged(purpose, false),
        }),
        { intent: 'Sum the sales.', input: 'Sum the sales.' },
      );
      expect(world.concluded.criteria.map((it) => it.text)).toEqual([WORK]);
      expect(world.concluded.outcome).toBe('Abandoned');
      const [work] = world.of('CycleRequested').filter((it) => it.purpose.role === 'Executor');
      expect(work?.spec.input).toContain('Sum the sales.');
    },
  );

  verifies('adversary:people-criteria', 'that asks for ever is told to go on', () => {
    const world = play(liar({ Perceiver: () => given({ kind: 'Question', text: 'Which?' }) }));
    expect(world.of('QuestionAsked')).toHaveLength(spec().control.clarificationsMax);
    expect(world.concluded.outcome).toBe('Accepted');
  });
});

describe('an executor', () => {
  const claiming = (text: string): Lies => ({ Executor: (purpose) => ({ ...worked(purpose), text }) });
  const lies: readonly Lie[] = [
    {
      name: 'that states a number which no tool showed',
      lies: claiming('There are 4711 rows.'),
      told: /4711.*no tool output shows/,
    },
    {
      name: 'that has a file say that it was cut, to be believed on what is not in it',
      lies: {
        Executor: (purpose) => {
          const output = 'rows: 3\n[… 9 characters left out …]\n';
          return { ...worked(purpose, { output, sha256: sha256Hex(output) }), text: 'There are 4711 rows.' };
        },
      },
      told: /4711.*no tool output shows/,
    },
    {
      name: 'that names a file which it never wrote',
      lies: claiming('It is in out/report.csv.'),
      told: /out\/report\.csv.*no tool output shows/,
    },
    {
      name: 'that names an address which nobody opened',
      lies: claiming('See https://example.org/x.'),
      told: /example\[\.\]org.*no tool output shows/,
    },
    { name: 'that turns a sign', lies: claiming('It fell by -3 rows.'), told: /no tool output shows/ },
    {
      name: 'that makes its call fail and tells what it would have shown',
      lies: { Executor: (purpose) => ({ ...failing(purpose, 'Error'), text: 'rows: 5000' }) },
      told: /no tool call ran|nothing proves/,
    },
  ];
  for (const lie of lies) verifies('adversary:fabrication', lie.name, () => expectRefusal(lie));

  verifies(
    'adversary:fabrication',
    'that states what nothing shows is told the very words, and is believed without them',
    () => {
      const world = play(
        liar({
          Executor: (purpose) => ({
            ...worked(purpose),
            text: purpose.attempt === 1 ? 'There are 4711 rows.' : 'There are 3 rows.',
          }),
        }),
      );
      const [correction] = world.messages().filter((it) => it.type === 'CorrectionSignal');
      expect(correction?.type === 'CorrectionSignal' && correction.payload.whatWasWrong).toContain('4711');
      expect(world.concluded).toMatchObject({ outcome: 'Accepted', summary: 'There are 3 rows.' });
    },
  );

  verifies(
    'adversary:budget',
    'that calls more than it may, and more tokens than there are, ends the run by its budget',
    () => {
      const lavish: Mind = (purpose, { limits }) => ({
        ...liar({ AgentValidator: (it) => judged(it, false) })(purpose, {} as never),
        usage: {
          inputTokens: Math.min(limits.tokens, 20_000),
          outputTokens: 0,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
        },
      });
      const world = play(lavish);
      expect(world.concluded.outcome).toBe('Abandoned');
      expect(world.concluded.reasons.join()).toMatch(/budget/);
    },
  );
});

describe('a meta validator', () => {
  const twoSteps: Lies = { ...takesAPlan, Planner: ({ round }) => planned([`One ${round}`, `Two ${round}`]) };
  const lies: readonly Lie[] = [
    { name: 'that cites nothing', lies: { ...twoSteps, MetaValidator: () => merged([]) }, told: /cites no tool call/ },
    {
      name: 'that cites calls of no subtask',
      lies: { ...twoSteps, MetaValidator: () => merged(['r-w1', 'r-r1-s1', 'forged']) },
      told: /cites no tool call/,
    },
    {
      name: 'that cites a call of the round before',
      lies: {
        ...twoSteps,
        MetaValidator: ({ round }) => merged(round === 1 ? [] : ['r-r1-s1-a1-t1']),
      },
      told: /cites no tool call/,
    },
    {
      name: 'that gives no verdict',
      lies: { ...twoSteps, MetaValidator: () => merged([], 0) },
      told: /gave no verdict/,
    },
    {
      name: 'that answers nonsense',
      lies: { ...twoSteps, MetaValidator: () => given('yes') },
      told: /could not be verified/,
      outcome: 'Abandoned|Failed',
    },
  ];
  for (const lie of lies) verifies('adversary:whole', lie.name, () => expectRefusal(lie));

  verifies('adversary:whole', 'is not asked at all where a subtask failed', () => {
    const world = play(
      liar({ ...twoSteps, AgentValidator: (purpose) => judged(purpose, purpose.subtaskId?.endsWith('s1') === true) }),
    );
    expect(roleCycles(world, 'MetaValidator')).toBe(0);
    expect(world.concluded.outcome).toBe('Abandoned');
    expect(world.concluded.partial).toBe(true);
  });

  verifies('adversary:whole', 'that adds to what the subtasks brought delivers what they brought', () => {
    const world = play(
      liar({
        ...twoSteps,
        MetaValidator: ({ round }) => {
          const { value } = merged([`r-r${round}-s1-a1-t1`]);
          return given({
            ...(value as object),
            output: 'There are 4711 rows in secret/file.csv.',
            summary: '4711 rows.',
          });
        },
      }),
    );
    expect(world.concluded.outcome).toBe('Accepted');
    expect(JSON.stringify(world.concluded)).not.toContain('4711');
  });

  verifies(
    'adversary:whole',
    "that proves the planner's criterion and none of the people's is not called accepted",
    () => {
      const world = play(
        liar({
          ...twoSteps,
          Planner: ({ round }) =>
            given({
              ...(planned([`One ${round}`, `Two ${round}`]).value as object),
              criteria: [criterion('Something is there')],
            }),
          MetaValidator: ({ round }) =>
            given({
              output: 'All.',
              verdicts: [
                { criterion: 1, met: false, failureClass: 'Logical', evidence: [], reason: 'no' },
                { criterion: 2, met: true, evidence: [`r-r${round}-s1-a1-t1`], reason: 'shown' },
              ],
              summary: 'Done.',
            }),
        }),
        { criteria: [{ ...criterion(WORK), required: false }] },
      );
      expect(world.concluded.outcome).toBe('Succeeded');
      expect(world.concluded.unmet).toContain(WORK);
    },
  );
});
