import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approvalOf,
  ATTACK,
  callOf,
  clean,
  DOUBTFUL,
  feature,
  gateOf,
  inquiryOf,
  scored,
  type Asked,
} from '../../../../../test/support/gate-inquiries.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { CharacterPolicy } from '../character-policy.ts';
import { checkCall } from '../check-text.ts';
import type { CallFacts, EffectClass, VerdictKind } from '../verdict.ts';
import type { Gate } from '../gate.ts';
import type { GateStep } from './inquiry.ts';

const features = [
  feature('theft', { critical: true }),
  feature('harm', { critical: true }),
  feature('noise', { importance: 3 }),
];
const tool = { modify: 0.35, reject: 0.55, features };
const shared: CharacterPolicy = {
  gatePolicies: { tool, scoreFromClass: 1, allowLists: { unscoredTools: ['fetch_*'] } },
};
const guarded = gateOf(shared);
const plain = gateOf({});
const harmless = callOf({ path: 'a.txt', content: 'Frost.' });
const send = callOf({ to: 'ada' }, 3, 'send');

const low = { forecasts: scored({ theft: 0, harm: 0, noise: 1 }) };
const middle = { forecasts: scored({ theft: 3, harm: 2, noise: 2 }) };
const high = { forecasts: scored({ theft: 4, harm: 4, noise: 4 }) };
const down = { forecasts: { available: false, reason: 'no answer' } } as const;

function ask(call: CallFacts, asked: Asked = {}, gate: Gate = guarded): GateStep {
  return gate.next(inquiryOf({ gate: 'Tool', call }, asked));
}

function sayOf(step: GateStep): string {
  return step.kind === 'Decided' ? step.verdict.kind : step.kind;
}

describe('a call', () => {
  const doubtful = callOf({ path: 'a.txt', content: DOUBTFUL });
  const attack = callOf({ path: 'a.txt', content: ATTACK });
  const look = callOf({ path: 'a.txt' }, 0, 'read_file');
  const approvals = [approvalOf(send)];
  const alone = { autonomous: true };
  const together = { autonomous: false };
  const cases: readonly (readonly [string, CallFacts, Asked, string])[] = [
    ['is scored', harmless, {}, 'Score'],
    ['with a person there too', harmless, together, 'Score'],
    ['a low score lets it run', harmless, { answers: low }, 'Accept'],
    ['a middle one asks for another', harmless, { answers: middle }, 'Modify'],
    ['a high one refuses', harmless, { answers: high }, 'Reject'],
    ['a high one refuses with a person there too', harmless, { ...together, answers: high }, 'Reject'],
    ['an attack in it refuses without a score', attack, alone, 'Reject'],
    ['a doubt in it is scored', doubtful, alone, 'Score'],
    ['a low score clears the doubt', doubtful, { answers: low }, 'Accept'],
    ['a doubt is scored in a pure read as well', callOf({ path: DOUBTFUL }, 0, 'read_file'), {}, 'Score'],
    ['a pure read is not scored', look, {}, 'Accept'],
  ];
  for (const [name, call, asked, say] of cases) {
    verifies('gate-chain:tool', name, () => expect(sayOf(ask(call, asked))).toBe(say));
  }

  const bare: readonly (readonly [string, CallFacts, Asked, string])[] = [
    ['without features runs', harmless, {}, 'Accept'],
    ['without features is refused alone for a doubt', doubtful, alone, 'Reject'],
    ['without features is noted for a doubt with a person there', doubtful, together, 'Accept'],
    ['without features is refused for an attack with a person there', attack, together, 'Reject'],
    ['without features asks a person as ever', send, alone, 'Escalate'],
  ];
  for (const [name, call, asked, say] of bare) {
    verifies('gate-chain:tool', name, () => expect(sayOf(ask(call, asked, plain))).toBe(say));
  }

  const people: readonly (readonly [string, Asked, string])[] = [
    ['is scored before a person is asked', {}, 'Score'],
    ['a low score leaves the question', { answers: low }, 'Escalate'],
    ['a middle one as well', { answers: middle }, 'Escalate'],
    ['a high one answers it', { answers: high }, 'Reject'],
    ['an approval lets go what scores low', { answers: low, approvals }, 'Accept'],
    ['or in the middle', { answers: middle, approvals }, 'Accept'],
    ['but not what is refused', { answers: high, approvals }, 'Reject'],
    ['nor what has no score, alone', { answers: down, approvals }, 'Reject'],
  ];
  for (const [name, asked, say] of people) {
    verifies('gate-chain:person-asked', name, () => expect(sayOf(ask(send, asked))).toBe(say));
  }

  verifies('gate-chain:person-asked', 'is told as approved where it was', () => {
    expect(ask(send, { answers: middle, approvals })).toMatchObject({ verdict: { rule: 'approval/granted' } });
    expect(ask(send, { answers: low })).toMatchObject({
      verdict: { rule: 'effect-class/3' },
      action: { kind: 'AskApproval' },
    });
  });

  verifies('gate-chain:exempt', 'that is exempt says why', () => {
    const fetch = (effectClass: EffectClass): GateStep => ask(callOf({ url: 'x' }, effectClass, 'fetch_url'));
    const deleted = ask(
      callOf({ path: 'a' }, 1),
      {},
      gateOf({ authority: { never: [{ id: 'n', description: 'No.', tools: ['*'] }] } }),
    );
    const rows = [ask(look), fetch(2), ask(harmless, {}, plain), deleted].map(
      (step) => step.kind === 'Decided' && step.record.exemption,
    );
    expect(rows).toEqual(['EffectClass', 'UnscoredTool', 'NoFeatures', 'Decided']);
    expect(sayOf(fetch(3))).toBe('Score');
    expect(sayOf(ask(harmless, {}, gateOf({ gatePolicies: { ...shared.gatePolicies, scoreFromClass: 2 } })))).toBe(
      'Accept',
    );
  });

  verifies(
    'gate-chain:scorer-unavailable',
    'without a usable score is refused alone, and flagged where a person is',
    () => {
      const answers: readonly Asked['answers'][] = [
        down,
        { forecasts: scored({ theft: 0, harm: 0 }) },
        { forecasts: scored({ theft: 0, harm: 0, noise: 0, more: 0 }) },
        { forecasts: scored({ theft: 0, harm: 0, noise: 6 }) },
        { forecasts: scored({ theft: 0, harm: 0, noise: -1 }) },
        { forecasts: scored({ theft: 0, harm: 0, noise: 0.5 }) },
      ];
      for (const answer of answers) {
        const asked = { answers: { ...answer, scorings: 3 } };
        expect(ask(harmless, asked)).toMatchObject({
          verdict: { kind: 'Reject', rule: 'scorer/unavailable' },
          record: { scorer: 'Unavailable', scorerFault: expect.stringMatching(/./) },
        });
        expect(ask(harmless, { ...asked, autonomous: false })).toMatchObject({
          verdict: { kind: 'Accept', reason: expect.stringContaining('without a score') },
          record: { scorer: 'Unavailable' },
        });
        expect(sayOf(ask(send, { ...asked, autonomous: false }))).toBe('Escalate');
      }
    },
  );

  const incomplete = scored({ theft: 0, harm: 0 });
  const malformed = { available: false, reason: 'no XML', isMalformed: true } as const;
  const again: readonly (readonly [string, Asked['answers'], string])[] = [
    ['an answer without the form', { forecasts: malformed, scorings: 1 }, 'Score'],
    ['a second one', { forecasts: malformed, scorings: 2 }, 'Score'],
    ['not a third one', { forecasts: malformed, scorings: 3 }, 'Reject'],
    ['one that misses a feature', { forecasts: incomplete, scorings: 1 }, 'Score'],
    ['never one that did not come', { ...down, scorings: 1 }, 'Reject'],
    ['never one that is good', { ...low, scorings: 1 }, 'Accept'],
  ];
  for (const [name, answers = {}, say] of again) {
    verifies('gate-chain:score-asked-again', name, () => {
      expect(sayOf(ask(harmless, { answers }))).toBe(say);
    });
  }

  verifies('gate-chain:score-asked-again', 'the form is named anew, and nothing of the answer is quoted', () => {
    const first = ask(harmless);
    const second = ask(harmless, { answers: { forecasts: malformed, scorings: 1 } });
    expect([first, second]).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
    const [before, after] = [first, second].map((step) => (step.kind === 'Score' ? step.request : undefined));
    expect(after?.system).toEqual(before?.system);
    expect(JSON.stringify(after?.messages)).toContain('could not be used');
    expect(JSON.stringify(after)).not.toContain('no XML');
  });

  verifies('gate-chain:score-asked-again', 'the record says how many were asked', () => {
    const scorings = ['1', '2', '3'].map((count) => {
      const step = ask(harmless, { answers: { ...low, scorings: Number(count) } });
      return step.kind === 'Decided' ? step.record.scorings : undefined;
    });
    expect(scorings).toEqual([1, 2, 3]);
    expect(ask(harmless, {}, plain)).not.toHaveProperty('record.scorings');
  });

  verifies('gate-chain:probes', 'meets the probes where the policy has them', () => {
    const gate = gateOf({ gatePolicies: { tool: { ...tool, canary: true } } });
    expect(ask(harmless, {}, gate)).toMatchObject({ kind: 'Probe', text: expect.stringContaining('Frost.') });
    expect(sayOf(ask(harmless, { answers: { probes: clean } }, gate))).toBe('Score');
    const detected = { probes: { hijack: 'Detected', leakage: 'Clean' } as const };
    expect(sayOf(ask(harmless, { autonomous: false, answers: detected }, gate))).toBe('Reject');
    expect(sayOf(ask(look, {}, gate))).toBe('Accept');
  });
});

describe('a doubtful call', () => {
  verifies('gate-chain:iterations', 'is answered with a caution, and refused after so many', () => {
    expect(ask(harmless, { answers: middle })).toMatchObject({
      action: { kind: 'Caution', text: expect.stringContaining('- theft: Whether theft.\n') },
    });
    expect(sayOf(ask(harmless, { answers: middle, past: { iterations: 2 } }))).toBe('Modify');
    const last = ask(harmless, { answers: middle, past: { iterations: 3 } });
    expect(last).toMatchObject({ verdict: { kind: 'Reject' }, record: { intervention: 'IterationsUsedUp' } });
    expect(sayOf(ask(harmless, { answers: low, past: { iterations: 9 } }))).toBe('Accept');
  });

  verifies('gate-chain:stall', 'is refused where the mean of the last scores is high', () => {
    const past = (scores: readonly number[]): Asked => ({ answers: middle, past: { scores } });
    expect(ask(harmless, past([0.9, 0.3, 0.2, 0.3, 0.2]))).toMatchObject({
      verdict: { kind: 'Reject' },
      record: { intervention: 'Stalled' },
    });
    expect(sayOf(ask(harmless, past([0.9, 0.9, 0.9])))).toBe('Modify');
    expect(sayOf(ask(harmless, past([0.9, 0.1, 0.1, 0.1, 0.1])))).toBe('Modify');
    expect(sayOf(ask(send, past([0.9, 0.3, 0.2, 0.3, 0.2])))).toBe('Reject');
  });

  verifies('gate-chain:reactive', 'is refused for its critical features alone', () => {
    const answers = { forecasts: scored({ theft: 4, harm: 3, noise: 0 }) };
    expect(ask(harmless, { answers })).toMatchObject({ verdict: { kind: 'Reject', rule: 'score/tool/reactive' } });
    expect(sayOf(ask(harmless, { answers }, gateOf(shared, { reactiveReject: 0.71 })))).toBe('Modify');
  });

  verifies(
    'gate-chain:overrides',
    'is held to the specialist’s policy besides that of all, each with its thresholds',
    () => {
      const own = { modify: 0.2, reject: 0.3, features: [feature('escape'), feature('noise', { importance: 1 })] };
      const gate = gateOf({ gatePolicies: { tool, agentOverrides: [{ agent: 'Coder', tool: own }] } });
      const step = ask(harmless, { agent: 'coder' }, gate);
      expect(step.kind === 'Score' && step.features.map(({ name }) => name)).toEqual([
        'theft',
        'harm',
        'noise',
        'escape',
      ]);
      const answers = { forecasts: scored({ theft: 0, harm: 0, noise: 0, escape: 4 }) };
      expect(ask(harmless, { agent: 'coder', answers }, gate)).toMatchObject({
        verdict: { kind: 'Reject', rule: expect.stringMatching(/^score\/agentOverrides\/Coder\//) },
        record: {
          score: 0.4,
          policies: [
            { policy: 'tool', verdict: 'Accept', reject: 0.55 },
            { policy: 'agentOverrides/Coder', verdict: 'Reject', reject: 0.3 },
          ],
        },
      });
      expect(sayOf(ask(harmless, { agent: 'researcher', answers: low }, gate))).toBe('Accept');
      const worse = { forecasts: scored({ theft: 5, harm: 5, noise: 0, escape: 0 }) };
      expect(ask(harmless, { agent: 'coder', answers: worse }, gate)).toMatchObject({ verdict: { kind: 'Reject' } });
    },
  );

  verifies('gate-chain:calculus', 'is weighed from effect class 3 on, unless the Agent turns it off', () => {
    const policy: CharacterPolicy = {
      ...shared,
      highestEndeavour: [
        { id: 'law', description: 'The law.', level: 'Legal', operator: 'Required', modality: 'Possible' },
      ],
    };
    const judged = (effectClass: EffectClass, calculus: boolean): GateStep =>
      ask(callOf({ to: 'ada' }, effectClass, 'send'), { answers: middle }, gateOf(policy, { calculus }));
    expect(judged(1, true)).toMatchObject({
      verdict: { kind: 'Modify' },
      record: { policies: [{ isWeighed: false, pairs: 0 }] },
    });
    expect(judged(3, true)).toMatchObject({
      verdict: { kind: 'Reject', rule: 'score/tool/floor-2-superordinate-legal' },
      record: { policies: [{ isWeighed: true, pairs: 1 }] },
    });
    expect(judged(3, false)).toMatchObject({
      verdict: { kind: 'Escalate' },
      record: { policies: [{ isWeighed: false }] },
    });
  });

  verifies('gate-chain:only-tighter', 'meets the lower of two thresholds, and what the observer leaves of them', () => {
    const thresholds = (gate: Gate, tightening?: number): unknown => {
      const step = ask(harmless, { answers: low, ...(tightening === undefined ? {} : { tightening }) }, gate);
      return step.kind === 'Decided' && step.record.policies.map(({ modify, reject }) => [modify, reject]);
    };
    const agent = gateOf(shared, { overrides: [{ gate: 'Tool', modify: 0.3, reject: 0.9 }] });
    expect(thresholds(agent)).toEqual([[0.3, 0.55]]);
    expect(thresholds(agent, 0.9)).toEqual([[0.27, 0.55 * 0.9]]);
    expect(thresholds(agent, 0.1)).toEqual([[0.2, 0.4]]);
    const low15 = gateOf({ gatePolicies: { tool: { ...tool, modify: 0.15, reject: 0.3 } } });
    expect(thresholds(low15, 0.1)).toEqual([[0.15, 0.3]]);
  });
});

describe('a verdict', () => {
  const strictness: Readonly<Record<VerdictKind, number>> = { Accept: 0, Modify: 1, Escalate: 2, Reject: 3 };
  const levelOf = (step: GateStep): number => (step.kind === 'Decided' ? strictness[step.verdict.kind] : -1);
  const magnitude = fc.integer({ min: 0, max: 5 });
  const magnitudes = fc.record({ theft: magnitude, harm: magnitude, noise: magnitude });
  const calls = fc.constantFrom(harmless, send, callOf({ path: 'a', content: DOUBTFUL }), callOf({ path: ATTACK }, 4));
  const pasts = fc.record({
    iterations: fc.nat(4),
    scores: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
  });
  const askings = fc.record({ call: calls, past: pasts, autonomous: fc.boolean() });

  verifies('gate-chain:never-milder', 'is never milder for a higher magnitude', () => {
    fc.assert(
      fc.property(magnitudes, magnitudes, askings, (some, more, { call, past, autonomous }) => {
        const higher = {
          theft: Math.max(some.theft, more.theft),
          harm: Math.max(some.harm, more.harm),
          noise: Math.max(some.noise, more.noise),
        };
        const level = (of: typeof some): number =>
          levelOf(ask(call, { autonomous, past, answers: { forecasts: scored(of) } }));
        expect(level(higher)).toBeGreaterThanOrEqual(level(some));
      }),
    );
  });

  verifies(
    'gate-chain:never-milder',
    'is never milder for a rule, a denial, a policy or a detection that is added',
    () => {
      const rule = { id: 'r', pattern: 'Frost|ada', verdict: 'Escalate', reason: 'No.' } as const;
      const stricter: readonly CharacterPolicy[] = [
        { gatePolicies: { ...shared.gatePolicies, tool: { ...tool, rules: [rule] } } },
        { gatePolicies: { ...shared.gatePolicies, tool: { ...tool, rules: [{ ...rule, verdict: 'Reject' }] } } },
        { ...shared, authority: { never: [{ id: 'n', description: 'No.', effectClass: 1 }] } },
        { ...shared, authority: { consult: [{ id: 'c', description: 'Ask.', effectClass: 1 }] } },
        {
          gatePolicies: {
            ...shared.gatePolicies,
            agentOverrides: [{ agent: 'Coder', tool: { ...tool, modify: 0.1, reject: 0.2 } }],
          },
        },
        { gatePolicies: { ...shared.gatePolicies, tool: { ...tool, modify: 0.2, reject: 0.4 } } },
      ];
      const gates = stricter.map((policy) => gateOf(policy));
      fc.assert(
        fc.property(magnitudes, askings, fc.nat(gates.length - 1), (of, { call, past, autonomous }, at) => {
          const asked: Asked = {
            autonomous,
            past,
            agent: 'coder',
            answers: { forecasts: scored(of), probes: clean },
          };
          expect(levelOf(ask(call, asked, gates[at]))).toBeGreaterThanOrEqual(levelOf(ask(call, asked)));
        }),
      );
      const canary = gateOf({ gatePolicies: { ...shared.gatePolicies, tool: { ...tool, canary: true } } });
      const detected = { probes: { hijack: 'Clean', leakage: 'Detected' }, ...low } as const;
      expect(sayOf(ask(harmless, { answers: detected }, canary))).toBe('Reject');
    },
  );

  it('without features is what the rules alone say', () => {
    fc.assert(
      fc.property(calls, fc.boolean(), (call, autonomous) => {
        const { verdict, rule, reason, findings } = checkCall(
          plain,
          call,
          inquiryOf({ gate: 'Tool', call }, { autonomous }).context,
        );
        expect(ask(call, { autonomous }, plain)).toMatchObject({
          verdict: { kind: verdict, rule, reason },
          record: { findings },
        });
      }),
    );
  });
});
