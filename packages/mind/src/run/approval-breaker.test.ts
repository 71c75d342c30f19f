import { describe, expect, it } from 'vitest';
import { runSpec } from '../../../../test/support/runs.ts';
import { approvalBreaker } from './approval-breaker.ts';

type Asked = readonly [requests: number, refusals: number];

function rule(asked: readonly Asked[], approvals?: { requestsMax: number; refusalsMax: number }): string | undefined {
  const byCycle = asked.map(([requests, refusals], index) => [`r-c${index}`, { requests, refusals }] as const);
  const spec = runSpec(approvals === undefined ? {} : { approvals });
  return approvalBreaker({ spec, asked: new Map(byCycle) })?.rule;
}

describe('approvalBreaker', () => {
  it.each<[what: string, asked: readonly Asked[], rule: string | undefined]>([
    ['nothing was asked', [], undefined],
    ['two refusals', [[20, 2]], undefined],
    ['three refusals', [[3, 3]], 'approval/too-many-refusals'],
    [
      'three refusals in three cycles',
      [
        [1, 1],
        [1, 1],
        [4, 1],
      ],
      'approval/too-many-refusals',
    ],
    [
      'twenty requests',
      [
        [15, 0],
        [5, 0],
      ],
      undefined,
    ],
    [
      'one more',
      [
        [15, 0],
        [6, 0],
      ],
      'approval/too-many-requests',
    ],
  ])('%s', (_, asked, expected) => {
    expect(rule(asked)).toBe(expected);
  });

  it('takes the limits of the Agent', () => {
    expect(rule([[1, 1]], { requestsMax: 9, refusalsMax: 1 })).toBe('approval/too-many-refusals');
    expect(rule([[2, 0]], { requestsMax: 1, refusalsMax: 9 })).toBe('approval/too-many-requests');
  });
});
