/** Without a usable answer of the perceiver or the planner, and against one that speaks for people, the people's words are the task. */
import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import { describe, expect, it } from 'vitest';
import { criterion, perceived, scenarios } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { limitReason } from '../cycle/end-fault.ts';
import type { CyclePurpose, RunSpec } from './event.ts';

const INTENT = 'Sum the column amount in data/sales.csv and write it into out/sum.txt.';
const spec: RunSpec = {
  ...runSpec({ criteria: [criterion('The work is done')] }, ['read_file', 'run_code']),
  intent: INTENT,
  input: INTENT,
};
const plainMind: Mind = scenarios[0]?.mind ?? (() => undefined);

/** As a run that succeeds, but for these roles. */
function but(roles: Partial<Record<CyclePurpose['role'], () => Thinking>>): Mind {
  return (purpose, of) => roles[purpose.role]?.() ?? plainMind(purpose, of);
}

function understood(mind: Mind, of = spec): BusPayload<'TaskSpec'> {
  const message = new RunWorld({ spec: of, mind })
    .play()
    .messages()
    .find((it) => it.type === 'TaskSpec');
  if (message?.type !== 'TaskSpec') throw new Error('nothing was understood');
  return message.payload;
}

const useless: readonly (readonly [string, () => Thinking])[] = [
  ...['Malformed', 'EmptyReply', 'Truncated'].map(
    (reason) => [reason, (): Thinking => ({ outcome: 'Failed', reason, modelCalls: 3 })] as const,
  ),
  [
    'tools until a limit ended it',
    () => ({
      outcome: 'OutOfBudget',
      reason: limitReason('the turns of this cycle are used up', { limit: 'turns', value: 4, max: 4 }),
    }),
  ],
];

describe.each(useless)('a model that gives %s', (_name, fails) => {
  const asPlan = (): Thinking => perceived('Plan');
  it.each([
    ['perceiver', { Perceiver: fails }],
    ['planner', { Perceiver: asPlan, Planner: fails }],
    ['perceiver and planner', { Perceiver: fails, Planner: fails }],
  ])('as %s keeps no work from being done: people said what it is', (_role, roles) => {
    const world = new RunWorld({ spec, mind: but(roles) }).play();
    const [step] = world.messages().filter((it) => it.type === 'SubTask');
    expect(world.concluded.outcome).toBe('Accepted');
    if (Object.hasOwn(roles, 'Planner'))
      expect(step?.payload).toMatchObject({ intent: INTENT, criteria: spec.criteria });
    else expect(understood(but(roles)).intent).toBe(INTENT);
  });
});

describe('what the perceiver understood', () => {
  const task =
    (intent: string, assumptions: readonly string[] = []) =>
    (): Thinking => ({
      value: { kind: 'Task', slug: 'sum', intent, shape: 'SingleStep', assumptions: [...assumptions] },
    });

  verifies('run:perceiver-speaks-for-nobody', 'names nothing that stands nowhere in what it was told', () => {
    for (const invented of [
      'Sum the sales of March in sales-march.csv.',
      'Sum the column amount of the 31 rows in data/sales.csv.',
      'Fetch https://example.org/sales and sum it.',
    ])
      expect(understood(but({ Perceiver: task(invented) }))).toMatchObject({ intent: INTENT, shape: 'SingleStep' });
    const assumed = ['The file is data/refunds.csv.', 'Amounts have two decimals.'];
    expect(understood(but({ Perceiver: task(INTENT, assumed) })).assumptions).toEqual(['Amounts have two decimals.']);
  });

  it('is not the turn before instead', () => {
    const turns = [{ input: 'What is the total of the column amount in data/sales.csv?', summary: 'It is 12.' }];
    const message = 'Which customer in data/sales.csv spent most?';
    const of = { ...spec, intent: message, input: message, session: { turns, user: [] } };
    const intentFrom = (intent: string): string => understood(but({ Perceiver: task(intent) }), of).intent;
    expect(intentFrom('Measure the total of the column amount in data/sales.csv.')).toBe(message);
    expect(intentFrom('Find the customer with the greatest total in data/sales.csv.')).toMatch(/^Find the customer/u);
  });

  it('resolves what the turns before say', () => {
    const session = { turns: [{ input: 'What is in data/refunds.csv?', summary: 'It has 12 rows.' }], user: [] };
    const resolved = 'Sum the column amount of the 12 rows in data/refunds.csv.';
    const of = { ...spec, intent: 'Sum that.', input: 'Sum that.' };
    expect(understood(but({ Perceiver: task(resolved) }), { ...of, session }).intent).toBe(resolved);
    expect(understood(but({ Perceiver: task(resolved) }), of).intent).toBe('Sum that.');
    for (const message of ['That is not good enough, please try again.', 'Und im Monat davor?']) {
      const asked = { ...spec, intent: message, input: message, session };
      expect(understood(but({ Perceiver: task(resolved) }), asked).intent).toBe(resolved);
    }
  });
});
