/** A text that leaves by mail is judged by the override of Comms as well. */
import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect, it } from 'vitest';
import { feature, gateOf, inquiryOf, scored, type Asked } from '../../../../../test/support/gate-inquiries.ts';
import { shippedCharacter } from '../../../../../test/support/shipped-character.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { CharacterPolicy } from '../character-policy.ts';
import type { Decided } from '../chain/inquiry.ts';

const TEXT = 'The build ran on node-17 of the cluster, by the agent as it is configured.';

function judged(policy: CharacterPolicy, magnitudes: Readonly<Record<string, number>>, asked: Asked): Decided {
  const gate = gateOf(policy);
  const step = gate.next(inquiryOf({ gate: 'Output', text: TEXT }, asked));
  invariant(step.kind === 'Score', step.kind);
  const none = Object.fromEntries(step.features.map(({ name }) => [name, 0]));
  const known = Object.fromEntries(Object.entries(magnitudes).filter(([name]) => name in none));
  const decided = gate.next(
    inquiryOf({ gate: 'Output', text: TEXT }, { ...asked, answers: { forecasts: scored({ ...none, ...known }) } }),
  );
  invariant(decided.kind === 'Decided', decided.kind);
  return decided;
}

describe('a reply by mail', () => {
  const shipped = { ...shippedCharacter(), highestEndeavour: [] };
  const debugMail = { credential_exposure: 3, internal_url_exposure: 3, system_internals: 5, tone_appropriateness: 3 };

  verifies('mail-out:judged-as-comms', 'is refused by the shipped character where a Task may say the same text', () => {
    const task = judged(shipped, debugMail, {});
    const mail = judged(shipped, debugMail, { repliesAs: 'Comms' });
    expect([task.verdict.kind, mail.verdict.kind]).toEqual(['Accept', 'Reject']);
    expect(mail.verdict.rule).toMatch(/^score\/agentOverrides\/Comms\//);
    expect(mail.record.policies.map(({ policy, reject }) => [policy, reject])).toEqual([
      ['output', expect.any(Number)],
      ['agentOverrides/Comms', 0.5],
    ]);
    expect(task.record.policies.map(({ policy }) => policy)).toEqual(['output']);
  });

  verifies('mail-out:judged-as-comms', 'is refused from 0.50 on: 64 of 125 points, and accepted below 0.30', () => {
    const worksheet = [5, 5, 3, 5, 3].map((importance, at) => feature(`f${at}`, { importance }));
    const plain = { modify: 0.9, reject: 0.95, features: [feature('harm')] };
    const policy: CharacterPolicy = {
      gatePolicies: {
        output: plain,
        agentOverrides: [{ agent: 'Comms', tool: { modify: 0.3, reject: 0.5, features: worksheet } }],
      },
    };
    const of = (...magnitudes: readonly number[]): Readonly<Record<string, number>> =>
      Object.fromEntries(magnitudes.map((magnitude, at) => [`f${at}`, magnitude]));
    const kind = (magnitudes: Readonly<Record<string, number>>, asked: Asked): string =>
      judged(policy, magnitudes, asked).verdict.kind;
    expect(kind(of(5, 4, 3, 2, 0), { repliesAs: 'Comms' })).toBe('Reject');
    expect(kind(of(5, 4, 3, 2, 0), {})).toBe('Accept');
    expect(kind(of(5, 2, 0, 0, 0), { repliesAs: 'Comms' })).toBe('Accept');
    expect(kind(of(5, 4, 0, 0, 0), { repliesAs: 'comms' })).toBe('Modify');
  });

  it('is judged by no override of others, and what others judge is none of its', () => {
    const own = { modify: 0.3, reject: 0.5, features: [feature('f')] };
    const plain = { modify: 0.9, reject: 0.95, features: [feature('harm')] };
    const agentOverrides = ['Executor', 'Comms', 'Coder'].map((agent) => ({ agent, tool: own }));
    const policies = (asked: Asked): readonly string[] =>
      judged({ gatePolicies: { output: plain, agentOverrides } }, { f: 1 }, asked).record.policies.map(
        (it) => it.policy,
      );
    expect(policies({ repliesAs: 'Comms' })).toEqual(['output', 'agentOverrides/Comms']);
    expect(policies({ agent: 'comms' })).toEqual(['output']);
  });

  it('needs one meaning for a name at both gates', () => {
    const other = { modify: 0.3, reject: 0.5, features: [feature('harm', { description: 'Another thing.' })] };
    const output = { modify: 0.9, reject: 0.95, features: [feature('harm')] };
    expect(() => gateOf({ gatePolicies: { output, agentOverrides: [{ agent: 'Comms', tool: other }] } })).toThrow(
      'gatePolicies.agentOverrides/Comms.features/harm: the output gate has another feature of this name',
    );
  });
});
