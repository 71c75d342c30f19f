import type { BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { sha256Hex } from '@retainer/contract/std/hash';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { criterion, judged, perceived, scenarios } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { CyclePurpose, RunSpec } from './event.ts';

const INTENT = 'What is the total of the amounts in sales.csv?';
const asked = { intent: INTENT, input: INTENT, criteria: [criterion('The total is told')] };
const doubted = (spec: Partial<RunSpec> = {}): RunSpec =>
  runSpec({ ...asked, selfConsistency: ['m'], ...spec }, ['bash', 'write_file']);

/** What one attempt does: the scripts that it runs, with what they print, and what it says at last. */
interface Try {
  readonly says: string;
  readonly ran?: readonly (readonly [script: string, output: string])[];
  readonly calls?: readonly Partial<ToolCallRecord>[];
  /** What the validator says of it; absent: all is met. */
  readonly isMet?: boolean;
}

const callsOf = ({ subtaskId = '', attempt = 1 }: CyclePurpose, { ran = [], calls = [] }: Try): ToolCallRecord[] =>
  [
    ...ran.map(([script, output]) => ({ tool: 'bash', input: JSON.stringify({ script }), target: script, output })),
    ...calls,
  ].map((change, at) => ({
    callId: `${subtaskId}-a${attempt}-t${at + 1}`,
    tool: 'write_file',
    input: '{}',
    status: 'Ok',
    output: 'done',
    durationMs: 5,
    files: [],
    ...change,
  }));

const mind = (tries: readonly Try[]): Mind => {
  const tryOf = ({ attempt = 1 }: CyclePurpose): Try => tries[attempt - 1] ?? { says: 'no more' };
  const byRole: Record<CyclePurpose['role'], (purpose: CyclePurpose) => Thinking> = {
    Perceiver: () => perceived('SingleStep'),
    Executor: (purpose) => ({ text: tryOf(purpose).says, calls: callsOf(purpose, tryOf(purpose)), modelCalls: 2 }),
    AgentValidator: (purpose) => judged(purpose, tryOf(purpose).isMet !== false),
    Planner: () => ({ outcome: 'Failed', reason: 'the model failed' }),
    MetaValidator: () => ({ outcome: 'Failed', reason: 'the model failed' }),
  };
  return (purpose) => byRole[purpose.role](purpose);
};

const emptyWorkspace = { files: [{ path: 'sales.csv' }], isWhole: true };

const play = (tries: readonly Try[], spec = doubted()): RunWorld =>
  new RunWorld({ spec, mind: mind(tries), stood: emptyWorkspace }).play();

const cycles = (world: RunWorld, role: CyclePurpose['role']) =>
  world.of('CycleRequested').filter((it) => it.purpose.role === role);
const signals = (world: RunWorld): readonly BusPayload<'CorrectionSignal'>[] =>
  world.messages().flatMap((it) => (it.type === 'CorrectionSignal' ? [it.payload] : []));
const compared = (world: RunWorld) => world.of('VerdictsJudged').map((it) => it.selfConsistency);
const modelCalls = (world: RunWorld): number => world.of('CycleConcluded').reduce((sum, it) => sum + it.modelCalls, 0);

const ROWS = 'amount\n1250.40\n980.00\n3554.60';
const oneRow: Try = {
  says: 'The total is 1250.40.',
  ran: [["awk 'NR==2 {sum=$1} END {print sum}' sales.csv", '1250.40']],
};
const allRows: Try = {
  says: 'The total of all amounts is 5785.00.',
  ran: [["awk 'NR>1 {sum+=$1} END {print sum}' sales.csv", '5785.00']],
};

describe('a result that a model of unknown worth came to', () => {
  verifies(
    'verdict:worked-out-twice',
    'stands when a second attempt came to it, without another word of a validator',
    () => {
      const again: Try = { says: 'It is 5785.00 in all.', ran: [['python3 -c "print(total)"', '5785.00']] };
      const world = play([allRows, again]);
      expect(world.concluded.outcome).toBe('Accepted');
      expect(world.concluded.summary).toContain('The total of all amounts is 5785.00.');
      expect(compared(world)).toEqual([undefined, { attempt: 1, agrees: true }]);
      expect(cycles(world, 'AgentValidator')).toHaveLength(1);
      expect(modelCalls(world)).toBe(6);
    },
  );

  verifies(
    'verdict:worked-out-twice',
    'is not accepted when the second attempt came to another one, to the end',
    () => {
      const third: Try = { says: 'The total is 2230.40.', ran: [['awk once more', '2230.40']] };
      const fourth: Try = { says: 'The total is 4534.60.', ran: [['awk another way', '4534.60']] };
      const world = play([oneRow, allRows, third, fourth]);
      expect(world.concluded.outcome).not.toBe('Accepted');
      expect(world.concluded.outcome).not.toBe('Succeeded');
      expect(signals(world).map((it) => it.selfConsistency)).toEqual(['Blind', 'Differs', 'Differs']);
      expect(signals(world)[1]?.whatWasWrong).toBe('worked out twice, with different results: 1250.40 and 5785.00');
      expect(signals(world)[1]?.failureClass).toBe('Logical');
      expect(world.concluded.reasons.join()).toContain(
        'worked out 4 times, with different results: 1250.40, 5785.00, 2230.40 and 4534.60',
      );
      expect(world.concluded.summary).not.toContain('The total is 1250.40');
    },
  );

  it('stands when a third attempt, which is told of both, came to one of them', () => {
    const third: Try = {
      says: 'The total is 5785.00.',
      ran: [
        ['cat sales.csv', ROWS],
        ['awk sum', '5785.00'],
      ],
    };
    const world = play([oneRow, allRows, third]);
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.concluded.summary).toContain('5785.00');
    expect(compared(world)).toEqual([undefined, { attempt: 1, agrees: false }, { attempt: 2, agrees: true }]);
    expect(cycles(world, 'Executor')[2]?.spec.input).toContain('with different results: 1250.40 and 5785.00');
  });

  it('is another one although both read a file that shows both', () => {
    const cat = ['cat sales.csv', ROWS] as const;
    const world = play([
      { ...oneRow, ran: [cat, ...(oneRow.ran ?? [])] },
      { ...allRows, ran: [cat, ...(allRows.ran ?? [])] },
    ]);
    expect(compared(world)[1]).toEqual({ attempt: 1, agrees: false });
    expect(world.concluded.outcome).not.toBe('Accepted');
  });

  it('does not stand by itself when the second attempt fails by its own verdict', () => {
    const world = play([
      allRows,
      { ...oneRow, isMet: false },
      { ...oneRow, isMet: false },
      { ...oneRow, isMet: false },
    ]);
    expect(world.concluded.outcome).not.toBe('Accepted');
    expect(compared(world)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('is not confirmed by words that no call of the second attempt shows', () => {
    const said: Try = { says: 'The total is 5785.00.', ran: [['ls', 'sales.csv']] };
    expect(compared(play([allRows, said]))[1]?.agrees).not.toBe(true);
  });

  it('may hold what the Task itself says, which nobody works out', () => {
    const world = play([{ says: 'All amounts of sales.csv were read.', ran: [['cat sales.csv', ROWS]] }]);
    expect(world.concluded.outcome).toBe('Accepted');
    expect(signals(world)).toEqual([]);
  });
});

describe('the second attempt', () => {
  it('is asked for of the models in question alone, and of none in a run that names none', () => {
    for (const spec of [doubted({ selfConsistency: ['another'] }), runSpec(asked, ['bash'])])
      expect(play([oneRow], spec).concluded.outcome).toBe('Accepted');
  });

  verifies(
    'verdict:second-attempt-is-blind',
    'is told nothing that the first one did not hear, whatever that one came to',
    () => {
      fc.assert(
        fc.property(fc.integer({ min: 1000, max: 999_999 }), fc.string({ minLength: 1 }), (figure, words) => {
          const world = play([{ says: `${words}: ${figure}.`, ran: [[`print ${words}`, String(figure)]] }]);
          const [first, second] = cycles(world, 'Executor');
          expect(second?.spec.input).toBe(first?.spec.input);
          expect(second?.purpose.attempt).toBe(2);
        }),
        { numRuns: 25 },
      );
    },
  );

  it('is sampled at a higher temperature, unless the Agent says at which', () => {
    const own = doubted();
    const fixed = { ...own, roles: { ...own.roles, Executor: { ...own.roles.Executor, temperature: 0 } } };
    const temperatures = (spec: RunSpec) =>
      cycles(play([oneRow, oneRow], spec), 'Executor').map((it) => it.spec.temperature);
    expect(temperatures(own)).toEqual([undefined, 0.7]);
    expect(temperatures(fixed)).toEqual([0, 0]);
  });

  it('is asked for where the model in question went on in the place of another one', () => {
    const usual = mind([oneRow, oneRow]);
    const fellBack = { from: 'm', to: 'other', why: 'Overloaded' } as const;
    const world = new RunWorld({
      spec: doubted({ selfConsistency: ['other'] }),
      mind: (purpose, cycle) => ({ ...usual(purpose, cycle), ...(purpose.role === 'Executor' ? { fellBack } : {}) }),
      stood: emptyWorkspace,
    }).play();
    expect(compared(world)).toEqual([undefined, { attempt: 1, agrees: true }]);
  });

  it('is the work of the same model, since none failed before', () => {
    const own = doubted({ selfConsistency: ['light'] });
    const Executor = { ...own.roles.Executor, light: { tier: 'Fast' as const, model: 'light' } };
    const world = play([oneRow, oneRow], { ...own, roles: { ...own.roles, Executor } });
    expect(cycles(world, 'Executor').map((it) => [it.purpose.work, it.spec.model])).toEqual([
      ['Simple', 'light'],
      ['Simple', 'light'],
    ]);
  });

  it('that fell short is corrected without a word of the first one', () => {
    const world = play([oneRow, { ...allRows, isMet: false }, allRows]);
    const input = cycles(world, 'Executor')[2]?.spec.input ?? '';
    expect(input).toContain('NR>1');
    expect(input).not.toContain('1250.40');
  });

  it('is never made of work for which a person was asked', () => {
    const spec = doubted();
    const input = { kind: 'ApprovalsAsked', atMs: 2500, cycleId: 'r-c1', requests: 1, refusals: 0 } as const;
    const world = new RunWorld({
      spec,
      mind: mind([oneRow]),
      stood: emptyWorkspace,
      happenings: [{ atMs: 1500, input }],
    }).play();
    expect(world.of('ApprovalsAsked')).toHaveLength(1);
    expect(signals(world)).toEqual([]);
  });

  it('compares what the record no longer holds of the first one, too', () => {
    const long = `${ROWS}\n`.repeat(400);
    const cut: Try = {
      says: 'The total is 9999.99.',
      calls: [{ tool: 'bash', output: headAndTail(long, 3000), sha256: sha256Hex(long) }],
    };
    expect(compared(play([cut, allRows]))[1]).toEqual({ attempt: 1, agrees: false });
  });

  it.each<readonly [string, Partial<ToolCallRecord>]>([
    ['sends something', { tool: 'send' }],
    ['changes a file that stood there', { files: [{ path: 'sales.csv', sizeBytes: 1, sha256: 'a' }] }],
  ])('is never made of work that %s', (_, change) => {
    const world = play([{ ...oneRow, calls: [change] }]);
    expect(signals(world)).toEqual([]);
    expect(world.concluded.outcome).toBe('Accepted');
  });
});

describe('a file that an attempt made', () => {
  const spec = doubted({
    intent: `${INTENT} Write it into out/total.txt.`,
    criteria: [criterion('out/total.txt is written')],
  });
  const file = (text: string) => ({ path: 'out/total.txt', sizeBytes: text.length, sha256: sha256Hex(text) });
  const byScript = (text: string, script = 'awk > out/total.txt'): Try => ({
    says: 'It is in out/total.txt.',
    calls: [{ tool: 'bash', input: JSON.stringify({ script }), target: script, output: '', files: [file(text)] }],
  });
  const byHand = (text: string, says = 'It is in out/total.txt.'): Try => ({
    says,
    ran: [['awk sum', '5785.00']],
    calls: [
      {
        input: JSON.stringify({ path: 'out/total.txt', content: text }),
        target: 'out/total.txt',
        files: [file(text)],
      },
    ],
  });
  const look = {
    tool: 'bash',
    input: '{"script":"cat out/total.txt"}',
    target: 'cat out/total.txt',
    output: '5785.00',
  };

  it.each<readonly [string, Try, Try, boolean]>([
    ['the same bytes', byScript('5785.00'), byScript('5785.00'), true],
    ['other bytes of a script', byScript('5785.00'), byScript('1250.40'), false],
    ['other words for the same', byHand('Total: 5785.00'), byHand('The total is 5785.00.'), true],
    ['another figure', byHand('Total: 5785.00'), byHand('Total: 1250.40'), false],
    ['no file', byHand('Total: 5785.00'), { says: 'It is 5785.00.', ran: [['awk sum', '5785.00']] }, false],
  ])('is confirmed or not by %s', (_, first, second, agrees) => {
    const world = play([first, second], spec);
    expect(compared(world).some((it) => it?.agrees === true)).toBe(agrees);
  });

  it('is confirmed by nobody who looked at it first; the work is done again, blind', () => {
    const looked = { ...byScript('5785.00'), calls: [look, ...(byScript('5785.00').calls ?? [])] };
    const world = play([byScript('5785.00'), looked, byScript('5785.00')], spec);
    expect(signals(world).map((it) => it.selfConsistency)).toEqual(['Blind', 'Blind']);
    expect(compared(world)).toEqual([undefined, undefined, { attempt: 1, agrees: true }]);
    expect(world.concluded.outcome).toBe('Accepted');
  });
});

it.each(scenarios)(
  'a run that is $name and whose models are known is decided as ever',
  ({ outcome, spec, mind: usual }) => {
    const known = new RunWorld({ spec, mind: usual }).play();
    const other = new RunWorld({ spec: { ...spec, selfConsistency: ['another'] }, mind: usual }).play();
    expect(other.concluded.outcome).toBe(outcome);
    expect(other.messages().map((it) => it.contentHash)).toEqual(known.messages().map((it) => it.contentHash));
  },
);
