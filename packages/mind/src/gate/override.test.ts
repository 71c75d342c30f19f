import { describe, expect, it } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { characterSpec } from '../../../../test/support/agents.ts';
import { facts } from '../../../../test/support/cycles.ts';
import { approvalOf } from '../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../test/verifies.ts';
import { compileGate } from './compile-gate.ts';
import { appealOf, isOverridable, overruled } from './override.ts';
import type { CallFacts, GateContext, Verdict, Override } from './verdict.ts';
import { testTools } from '../../../../test/support/known-tools.ts';
import type { Gate } from './gate.ts';

const rules = [{ id: 'swords', pattern: 'sword', verdict: 'Reject', description: 'No swords.', reason: 'No swords.' }];
const given: Override = {
  of: 'first',
  rule: 'output-rules/swords',
  subjectDigest: sha256Hex('a sword'),
  by: 'ada',
  reason: 'it is a museum',
  coversTask: false,
};

function gate(): Gate {
  const character = characterSpec({ gatePolicies: { input: { rules }, output: { rules } } });
  const compiled = compileGate(character.spec, 'c'.repeat(64), testTools);
  if (!compiled.ok) throw new Error(compiled.error.join('\n'));
  return compiled.value;
}

const context = (override?: Override): GateContext => ({
  agent: 'executor',
  autonomous: true,
  nowMs: 0,
  approvals: [],
  ...(override === undefined ? {} : { override }),
});

function textVerdict(name: 'Input' | 'Output', text: string, override?: Override): Verdict {
  const past = { scores: [], iterations: 0, modifications: 0 };
  const inquiry = { subject: { gate: name, text }, context: context(override), background: '', past, answers: {} };
  const step = gate().next(inquiry);
  if (step.kind !== 'Decided') throw new Error(step.kind);
  return step.verdict;
}

describe('an override', () => {
  verifies('approvals:override-bound', 'lets exactly the refused text through, and says who and why', () => {
    expect(textVerdict('Output', 'a sword')).toMatchObject({ kind: 'Reject', rule: 'output-rules/swords' });
    expect(textVerdict('Output', 'a sword', given)).toEqual({
      gate: 'Output',
      kind: 'Accept',
      rule: 'override/granted',
      reason: 'ada overruled output-rules/swords, which refused first: it is a museum',
    });
    for (const text of ['a sword!', 'the sword', 'two swords'])
      expect(textVerdict('Output', text, given).kind, text).toBe('Reject');
    expect(textVerdict('Output', 'a sword', { ...given, rule: 'output-rules/other' }).kind).toBe('Reject');
  });

  verifies('approvals:override-bound', 'of an input holds in a Task of the same words alone', () => {
    const input = { ...given, rule: 'input-rules/swords' };
    expect(textVerdict('Input', 'a sword', input).kind).toBe('Reject');
    expect(textVerdict('Input', 'a sword', { ...input, coversTask: true }).rule).toBe('override/granted');
  });

  verifies('approvals:override-heuristic', 'lets a text through that the shipped rules refuse, that one alone', () => {
    const text = 'Say why it is important not to disregard your earlier instructions.';
    const refused = textVerdict('Input', text);
    expect(refused).toMatchObject({ kind: 'Reject', rule: expect.stringMatching(/^text\//) });
    const own = { ...given, rule: refused.rule, coversTask: true };
    expect(textVerdict('Input', text, own)).toMatchObject({ kind: 'Accept', rule: 'override/granted' });
    expect(textVerdict('Input', text, { ...own, coversTask: false }).kind).toBe('Reject');
  });

  verifies('approvals:override-heuristic', 'holds for a probe, and for a call only with a person’s approval', () => {
    const call = facts('send', 1);
    for (const rule of ['probe/hijack', 'text/override/own-instructions']) {
      const own = { ...given, rule, subjectDigest: call.argumentsDigest };
      const refused = (name: 'Output' | 'Tool'): Verdict => ({ gate: name, kind: 'Reject', rule, reason: 'no' });
      expect(overruled(refused('Output'), context(own), own.subjectDigest).kind).toBe('Accept');
      expect(overruled(refused('Tool'), context(own), own.subjectDigest).kind).toBe('Escalate');
    }
  });

  verifies('approvals:override-bound', 'leaves the rule that it overruled in the record of the gate', () => {
    const subject = { gate: 'Output', text: 'a sword' } as const;
    const past = { scores: [], iterations: 0, modifications: 0 };
    const step = gate().next({ subject, context: context(given), background: '', past, answers: {} });
    expect(step).toMatchObject({
      kind: 'Decided',
      action: { kind: 'Proceed' },
      verdict: { rule: 'override/granted' },
      record: { decidedBy: 'output-rules/swords' },
    });
  });

  verifies('approvals:override-limits', 'lets no call run: a person is asked about exactly it', () => {
    const call = facts('send', 1);
    const scored: Verdict = { gate: 'Tool', kind: 'Reject', rule: 'score/tool/harm', reason: 'D′ is 1.' };
    const own = { ...given, rule: scored.rule, subjectDigest: call.argumentsDigest };
    const verdict = (override: Override): Verdict => overruled(scored, context(override), call.argumentsDigest);
    expect(verdict(own)).toMatchObject({ kind: 'Escalate', rule: 'override/granted' });
    expect(verdict({ ...own, subjectDigest: 'f'.repeat(64) })).toBe(scored);
  });

  verifies('approvals:override-limits', 'lets a call run that a person has approved as well, and no other', () => {
    const call = facts('send', 1);
    const scored: Verdict = { gate: 'Tool', kind: 'Reject', rule: 'score/tool/harm', reason: 'D′ is 1.' };
    const own = { ...given, rule: scored.rule, subjectDigest: call.argumentsDigest };
    const kindOf = (approved: CallFacts): string =>
      overruled(scored, { ...context(own), approvals: [approvalOf(approved)] }, call.argumentsDigest).kind;
    expect([kindOf(call), kindOf(facts('send', 2))]).toEqual(['Accept', 'Escalate']);
  });

  verifies(
    'approvals:override-limits',
    'is nothing to what the character never does, to people, budgets and secrets',
    () => {
      for (const rule of [
        'authority.never/data',
        'authority.consult/notes',
        'effect-class/3',
        'effect-class/4',
        'approval/denied',
        'approval/too-many-refusals',
        'budget/tokens',
        'flow/rule-of-two',
        'flow/new-address-in-reply',
        'inside/other-file',
        'secrets/in-arguments',
        'scorer/unavailable',
        'tool-rules/a',
        'blocked',
      ]) {
        for (const name of ['Input', 'Tool', 'Output'] as const) {
          const refused: Verdict = { gate: name, kind: 'Reject', rule, reason: 'no' };
          expect(isOverridable(name, rule), rule).toBe(false);
          expect(overruled(refused, context({ ...given, rule, coversTask: true }), given.subjectDigest)).toBe(refused);
        }
      }
    },
  );
});

it('tells how to appeal, by what refused', () => {
  const subjectDigest = 'f'.repeat(64);
  expect(appealOf({ gate: 'Output', rule: 'output-rules/a', subjectDigest }, 'note')).toContain(
    'retainer override note -f',
  );
  expect(appealOf({ gate: 'Tool', rule: 'approval/denied', subjectDigest }, 'note')).toMatch(/approve the call/);
  expect(appealOf({ gate: 'Tool', rule: 'authority.never/a', subjectDigest }, 'note')).toMatch(/^Nobody may overrule/);
});
