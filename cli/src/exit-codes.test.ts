import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { exitCodeLines, exitCodeOf, exitCodes, type CodedEnd } from './exit-codes.ts';

describe('exitCodeOf', () => {
  const cases: readonly { readonly ends: readonly CodedEnd[]; readonly code: number; readonly strict: number }[] = [
    { ends: [], code: 0, strict: 0 },
    { ends: ['Accepted', 'Succeeded'], code: 0, strict: 0 },
    { ends: ['Accepted', 'Refused'], code: 0, strict: 3 },
    { ends: ['Refused', 'Abandoned'], code: 2, strict: 2 },
    { ends: ['Cancelled'], code: 2, strict: 2 },
    { ends: ['Accepted', 'RequiredUnmet'], code: 2, strict: 2 },
    { ends: ['Accepted', 'NotStarted'], code: 2, strict: 2 },
    { ends: ['AwaitingApproval', 'NotStarted', 'Refused'], code: 10, strict: 10 },
    { ends: ['Abandoned', 'Failed', 'Refused'], code: 4, strict: 4 },
  ];
  for (const { ends, code, strict } of cases) {
    verifies('cli:exit-code-tells-outcome', `${ends.join(', ') || 'no Task'}: ${code}, strictly ${strict}`, () => {
      expect(exitCodeOf(ends, false)).toBe(code);
      expect(exitCodeOf(ends, true)).toBe(strict);
    });
  }

  it('has a line of help for every code', () => {
    expect(exitCodeLines.map((line) => Number.parseInt(line, 10))).toEqual(
      Object.values(exitCodes).toSorted((a, b) => a - b),
    );
  });
});
