/** Whole runs with a validator that says yes to everything, and cites every call: only the record can turn a lie away. */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { describe, expect, it } from 'vitest';
import { call, criterion, perceived } from '../../../../test/support/run-scenarios.ts';
import { RunWorld, type Mind, type Thinking } from '../../../../test/support/run-world.ts';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import type { CyclePurpose } from './event.ts';

const SUM = 'results/sum.txt';
const holdsTheSum = `${SUM} holds the sum`;

type Call = Partial<ToolCallRecord>;

const listed: Call = { tool: 'list_files', input: '{}', target: '.', output: '. is empty.' };
const written: Call = {
  tool: 'write_file',
  input: `{"content":"42","path":"${SUM}"}`,
  target: SUM,
  output: `wrote 2 bytes to ${SUM}`,
  files: [{ path: SUM, sizeBytes: 2, sha256: 'a'.repeat(64) }],
};
const refusedByDisk: Call = { ...written, status: 'Error', output: 'no room', files: [] };
const shell = (script: string, change: Call = {}): Call => ({
  tool: 'bash',
  input: JSON.stringify({ script }),
  target: script,
  output: 'exit code 0',
  ...change,
});

interface Tried {
  readonly text?: string;
  readonly attempts: readonly (Thinking & { readonly did: readonly Call[] })[];
  readonly stood?: readonly string[];
}

/** The last attempt is repeated for ever. */
function played({ text = holdsTheSum, attempts, stood = [] }: Tried): RunWorld {
  const thoughtIn = ({ attempt = 1 }: CyclePurpose): Tried['attempts'][number] =>
    attempts[Math.min(attempt, attempts.length) - 1] ?? { did: [] };
  const callsIn = (purpose: CyclePurpose): ToolCallRecord[] =>
    thoughtIn(purpose).did.map((did, at) =>
      call(purpose, { callId: `${purpose.subtaskId ?? ''}-a${purpose.attempt ?? 1}-t${at + 1}`, ...did }),
    );
  const mind: Mind = (purpose) => {
    if (purpose.role === 'Perceiver') return perceived('SingleStep');
    if (purpose.role === 'AgentValidator') {
      const evidence = callsIn(purpose).map((it) => it.callId);
      const verdicts = [{ criterion: 1, met: true, evidence, reason: 'shown' }];
      return { value: { verdicts, whatWasWrong: '', whatToDo: '' } };
    }
    const { did: _, ...thinking } = thoughtIn(purpose);
    return { text: 'It is done.', ...thinking, calls: callsIn(purpose) };
  };
  const control = { ...runSpec().control, maxReplans: 0 };
  const spec = runSpec({ criteria: [criterion(text)], intent: 'Sum it.', input: 'Sum it.', control }, ['read_file']);
  const files = stood.map((path) => ({ path, sha256: 'b'.repeat(64) }));
  return new RunWorld({ spec, mind, stood: { files, isWhole: true } }).play();
}

describe('a validator that says yes to everything', () => {
  const loop = 'the last calls were alike and brought nothing new (alikeCalls 10 of 10)';
  const lies: readonly (readonly [string, Tried, RegExp])[] = [
    ['a list of an empty workspace', { attempts: [{ did: [listed] }] }, /sum\.txt did not stand .* wrote it/],
    [
      'a write that failed, and a look that succeeded',
      { attempts: [{ did: [refusedByDisk, shell('ls -d .')] }] },
      /did not succeed/,
    ],
    [
      'the same of a criterion that names nothing',
      { text: 'The sum is written', attempts: [{ did: [refusedByDisk, shell('ls -d .')] }] },
      /did not succeed/,
    ],
    [
      'a cycle that the loop breaker ended',
      { attempts: [{ did: [written, listed], outcome: 'OutOfBudget', reason: loop }] },
      /cut off: the last calls were alike/,
    ],
    [
      'another file',
      {
        attempts: [
          {
            did: [
              {
                ...written,
                files: [{ path: 'old/results/sum.txt', sizeBytes: 2, sha256: 'c' }],
                target: 'old/results/sum.txt',
              },
            ],
          },
        ],
      },
      /wrote it/,
    ],
    [
      'another figure',
      { text: `${SUM} holds 4,711`, attempts: [{ did: [written] }] },
      /sum\.txt as it is now is not shown to hold 4,711/,
    ],
    [
      'a file that stood there, after a write that failed',
      {
        attempts: [{ did: [refusedByDisk, shell('echo ok'), { target: SUM, output: '41' }, shell('python3 x.py')] }],
        stood: [SUM],
      },
      /did not succeed/,
    ],
    [
      'a file that stood there, and was to be written',
      { text: `${SUM} is written`, attempts: [{ did: [{ target: SUM, output: '41' }] }], stood: [SUM] },
      /no call of this run that succeeded wrote results\/sum\.txt/,
    ],
    [
      'a file that somebody else made meanwhile',
      { attempts: [{ did: [shell(`cat ${SUM}`, { output: '42' })] }] },
      /wrote it/,
    ],
    [
      'half of what is named',
      { text: `${SUM} and results/mean.txt are there`, attempts: [{ did: [written] }] },
      /mean\.txt did not stand/,
    ],
    [
      'an address that was never fetched',
      { text: 'The page https://example.org/rates is quoted', attempts: [{ did: [written] }] },
      /shows https:\/\/example\.org\/rates/,
    ],
  ];
  for (const [name, tried, told] of lies)
    verifies('verdict:evidence-bears', `is overruled on ${name}`, () => {
      const { concluded } = played(tried);
      expect(concluded.outcome).toBe('Abandoned');
      expect([...concluded.reasons, ...concluded.criteria.map((it) => it.reason)].join('; ')).toMatch(told);
    });

  const truths: readonly (readonly [string, Tried, 'Shown' | 'Judged'])[] = [
    ['a file that the run wrote', { attempts: [{ did: [written] }] }, 'Shown'],
    [
      'a file written by an attempt before, and read',
      {
        attempts: [
          { did: [written], outcome: 'OutOfBudget', reason: 'the turns are used up' },
          { did: [{ target: SUM, output: '42' }] },
        ],
      },
      'Shown',
    ],
    ['a write that failed and was repeated', { attempts: [{ did: [refusedByDisk, written] }] }, 'Shown'],
    [
      'a file that stood there and was read',
      { attempts: [{ did: [{ target: SUM, output: '42' }] }], stood: [SUM] },
      'Shown',
    ],
    [
      'a figure in another spelling',
      { text: 'The total is 4.711,50 EUR', attempts: [{ did: [{ output: 'total 4711.5' }] }] },
      'Shown',
    ],
    ['nothing that is named', { text: 'The sum is told', attempts: [{ did: [{ output: '42' }] }] }, 'Judged'],
  ];
  for (const [name, tried, basis] of truths)
    verifies('verdict:basis', `is right on ${name}, which is ${basis}`, () => {
      const { concluded } = played(tried);
      expect(concluded.outcome).toBe('Accepted');
      expect(concluded.criteria).toMatchObject([{ verdict: 'Met', basis }]);
    });

  it('is not asked where nothing that is named is shown; the correction names the file and what to do', () => {
    const world = played({ attempts: [{ did: [listed] }, { did: [written] }] });
    expect(world.concluded.outcome).toBe('Accepted');
    expect(world.of('CycleRequested').filter((it) => it.purpose.role === 'AgentValidator')).toHaveLength(1);
    const [correction] = world.messages().filter((it) => it.type === 'CorrectionSignal');
    expect(correction?.payload).toMatchObject({
      whatWasWrong: `${SUM} did not stand in the workspace when the run began, and no call of this run that succeeded wrote it`,
      whatToDo: `Write ${SUM} with a call that succeeds.`,
    });
  });
});
