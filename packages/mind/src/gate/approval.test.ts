import { describe, expect, it } from 'vitest';
import { facts } from '../../../../test/support/cycles.ts';
import { approvalOf } from '../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../test/verifies.ts';
import { demandApproval } from './approval.ts';
import type { Decided, Inquiry } from './chain/inquiry.ts';
import type { Approval, ApprovalMode } from './verdict.ts';

const nowMs = 1000;
const call = facts('change', 1);
const fitting = { ...approvalOf(call), expiresAtMs: nowMs + 1 };

/** The rule that asks about an accepted call, with these approvals; undefined where it goes on. */
function asks(approvalMode: ApprovalMode, approvals: readonly Approval[]): string | undefined {
  const inquiry: Inquiry = {
    subject: { gate: 'Tool', call },
    context: { agent: 'executor', autonomous: true, nowMs, approvals },
    background: '',
    past: { scores: [], iterations: 0, modifications: 0 },
    answers: {},
    approvalMode,
  };
  const verdict = { gate: 'Tool', kind: 'Accept', rule: 'effect-class/1', reason: '' } as const;
  const decided = { kind: 'Decided', verdict, action: { kind: 'Proceed' } } as Decided;
  const { verdict: after } = demandApproval(decided, inquiry);
  return after.kind === 'Accept' ? undefined : after.rule;
}

describe('demandApproval', () => {
  const cases: readonly [string, readonly Approval[], boolean][] = [
    ['nobody has approved anything', [], true],
    ['somebody approved exactly this call', [fitting], false],
    ['somebody approved other arguments', [{ ...fitting, argumentsDigest: 'f'.repeat(64) }], true],
    ['the approval expired this moment', [{ ...fitting, expiresAtMs: nowMs }], true],
    ['the approval expired long ago', [{ ...fitting, expiresAtMs: 0 }], true],
    ['the file is no longer the one that was shown', [{ ...fitting, standing: 'a'.repeat(64) }], true],
    ['a person denied the call beside it', [fitting, { ...fitting, decision: 'Deny' }], true],
  ];
  for (const mode of ['EveryEffect', 'BeforeStart'] as const)
    for (const [when, approvals, isAsked] of cases)
      verifies('gate:approval-mode', `${mode}: ${isAsked ? 'asks' : 'does not ask'} when ${when}`, () => {
        const rule = { EveryEffect: 'approval-mode/every-effect', BeforeStart: 'approval-mode/before-start' }[mode];
        expect(asks(mode, approvals)).toBe(isAsked ? rule : undefined);
      });

  it('asks nothing more under the mode of the policy', () => {
    expect(asks('ByPolicy', [])).toBeUndefined();
  });
});
