import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { sha256Hex } from '@retainer/contract/std/hash';
import { describe, expect, it } from 'vitest';
import { testTools } from '../../../../../test/support/known-tools.ts';
import { differenceText, hasLookedAt, hasResults, isConfirmed, type Surroundings, type Work } from './agreement.ts';

const surroundings: Surroundings = { given: ['Add up the amounts of sales.csv into out/total.txt'], known: testTools };

function printed(output: string, change: Partial<ToolCallRecord> = {}): ToolCallRecord {
  const made = { callId: 'r-c1-t1', tool: 'bash', input: '{}', status: 'Ok', durationMs: 1, files: [] } as const;
  return { ...made, files: [], output, ...change };
}

function wrote(path: string, content: string): ToolCallRecord {
  const files = [{ path, sizeBytes: new TextEncoder().encode(content).length, sha256: sha256Hex(content) }];
  return printed('written', { tool: 'write_file', input: JSON.stringify({ path, content }), target: path, files });
}

const work = (output: string, ...calls: readonly ToolCallRecord[]): Work => ({ output, calls });

const FILE = 'amount\n1250.40\n980.00\n3554.60';
const right = work('The total is 5785.00.', printed('5785.00'));

describe('an attempt is confirmed by another one', () => {
  it.each<readonly [string, Work, Work]>([
    ['that says the same in another spelling', right, work('5,785 in all.', printed('5785.0'))],
    ['that says more', right, work('The total of 3 rows is 5785.00, 12 % up.', printed('5785.00 3 12'))],
    [
      'that says less, and shows the rest',
      work('5785.00; mean 1928.33.', printed('5785 1928.33')),
      work('5785.00', printed(FILE), printed('5785.00')),
    ],
    [
      'that used another program',
      work('total.py gave 5785.00.', wrote('total.py', 'print(total)'), printed('5785.00')),
      work('`sum.awk` gave 5785.00.', printed('5785.00')),
    ],
    [
      'whose figure code can compute, as its own',
      work('It is 5785.00.', printed(FILE)),
      work('In all 5785.00.', printed(FILE)),
    ],
    ['although it states what its own calls do not show', work('5785.00, as in 1999.', printed('5785.00')), right],
  ])('%s', (_, own, other) => {
    expect(isConfirmed(own, other, surroundings)).toBe(true);
  });
});

describe('an attempt is not confirmed by another one', () => {
  it.each<readonly [string, Work, Work]>([
    ['that says something else', work('1250.40', printed('1250.40')), right],
    [
      'that read the same file and says something else',
      work('1250.40', printed(FILE), printed('1250.40')),
      work('5785.00', printed(FILE), printed('5785.00')),
    ],
    ['that says the same and shows it nowhere', right, work('The total is 5785.00.', printed('sales.csv'))],
    ['that shows it and says nothing of it', right, work('Done.', printed(FILE), printed('5785.00'))],
    [
      'that agrees in a part',
      work('3 rows, 1250.40.', printed('3 1250.40')),
      work('3 rows, 5785.00.', printed('3 5785.00 1250.40')),
    ],
    ['whose call failed', right, work('5785.00', printed('5785.00', { status: 'Unrun' }))],
    ['that wrote no such file', work('Done.', wrote('out/total.txt', '5785.00')), right],
    [
      'that wrote another figure',
      work('Done.', wrote('out/total.txt', '5785.00')),
      work('Done.', printed(FILE), wrote('out/total.txt', '1250.40')),
    ],
  ])('%s', (_, own, other) => {
    expect(isConfirmed(own, other, surroundings)).toBe(false);
  });
});

it('came to nothing that can be compared where it states no more than it was told', () => {
  expect(hasResults(work('All of sales.csv is added up.', printed('5785.00')), surroundings)).toBe(false);
  expect(hasResults(work('Done.', wrote('out/total.txt', 'spring rain')), surroundings)).toBe(false);
  expect(hasResults(work('Done.', wrote('notes.txt', '12')), surroundings)).toBe(false);
  expect(hasResults(work('Done.', wrote('out/total.txt', '12')), surroundings)).toBe(true);
});

it.each<readonly [string, readonly ToolCallRecord[], boolean]>([
  ['read the file', [printed('12', { input: '{"script":"cat out/total.txt"}' })], true],
  ['read all files beside it', [printed('12', { input: '{"script":"cat out/*"}' })], true],
  [
    'read the file after it wrote it',
    [wrote('out/total.txt', '12'), printed('12', { target: 'out/total.txt' })],
    false,
  ],
  ['failed to write it', [printed('', { status: 'Error', input: '{"script":"cp total.txt out/total.txt"}' })], false],
  ['recalled it without one that had remembered it', [printed('12', { tool: 'memory_read' })], false],
  ['read another one', [printed('12', { target: 'out/subtotal.txt' })], false],
])('that %s: whether an attempt looked at what another one had left', (_, calls, looked) => {
  expect(hasLookedAt(work('', ...calls), work('', wrote('out/total.txt', '12')), testTools)).toBe(looked);
});

describe('the difference is told', () => {
  it.each<readonly [readonly Work[], string]>([
    [[work('1250.40', printed('1250.40')), right], 'worked out twice, with different results: 1250.40 and 5785.00'],
    [
      [work('1250.40', printed('1250.40')), right, work('980', printed('980'))],
      'worked out 3 times, with different results: 1250.40, 5785.00 and 980',
    ],
    [[right, work('Done.')], 'worked out twice, with different results: 5785.00 and nothing that can be compared'],
  ])('in a sentence, %#', (works, text) => {
    expect(differenceText(works, surroundings)).toBe(text);
  });
});

it('looked at what another one had left in memory', () => {
  const kept = printed('kept', { tool: 'memory_write', target: 'total' });
  expect(hasLookedAt(work('', printed('12', { tool: 'memory_read' })), work('', kept), testTools)).toBe(true);
});
