import { LEVEL_SCHEME_NAMES } from '@retainer/contract/api/levels';
import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { normsOf, parseNorm, renderNorm, type Norm } from './norm.ts';
import { PAIR_RULES, resolvePair, SEVERITY_ORDINALS } from './pair-rules.ts';
import { pairTable } from './pair-table.ts';

const norms = normsOf('Springdrift');

function norm(text: string): Norm {
  const parsed = parseNorm('Springdrift', text);
  invariant(parsed.ok, text);
  return parsed.value;
}

const severity = (user: Norm, system: Norm): number => SEVERITY_ORDINALS[resolvePair(user, system).severity];
const isActive = (user: Norm): boolean => user.modality === 'Possible' && user.operator !== 'Indifferent';

/** At least as strong in every respect. */
const isWeaker = (weak: Norm, strong: Norm): boolean =>
  weak.ordinal <= strong.ordinal &&
  weak.rank <= strong.rank &&
  (weak.modality === 'Impossible' || strong.modality === 'Possible');

/** Every two different norms of which the second is the stronger. */
const ordered = norms.flatMap((weak) =>
  norms.filter((strong) => weak !== strong && isWeaker(weak, strong)).map((strong) => ({ weak, strong })),
);

describe('a pair of norms', () => {
  it.each([
    ['Legal/Required/Impossible', 'EthicalMoral/Required', 'axiom-6.6-futility', 'NoConflict'],
    ['Legal/Indifferent/Impossible', 'EthicalMoral/Required', 'axiom-6.6-futility', 'NoConflict'],
    ['EthicalMoral/Indifferent', 'EthicalMoral/Required', 'axiom-6.7-indifference', 'NoConflict'],
    ['EthicalMoral/Required', 'EthicalMoral/Required', 'axiom-6.2-absolute-prohibition', 'Absolute'],
    ['Operational/Ought', 'EthicalMoral/Required/Impossible', 'axiom-6.2-absolute-prohibition', 'Absolute'],
    ['Legal/Required', 'EthicalMoral/Ought', 'axiom-6.3-moral-priority', 'Superordinate'],
    ['Operational/Required', 'Aesthetic/Indifferent/Impossible', 'axiom-6.3-moral-priority', 'Superordinate'],
    ['Legal/Ought', 'Courtesy/Required', 'user-level-dominant', 'NoConflict'],
    ['Legal/Ought', 'Legal/Required', 'axiom-6.4-moral-rank', 'Superordinate'],
    ['Legal/Ought', 'Legal/Ought', 'equal-weight-coordinate', 'Coordinate'],
    ['Legal/Required', 'Legal/Ought', 'user-operator-dominant', 'NoConflict'],
    ['Legal/Ought', 'Legal/Indifferent', 'user-operator-dominant', 'NoConflict'],
  ])('%s against %s: %s', (user, system, id, expected) => {
    expect(resolvePair(norm(user), norm(system))).toMatchObject({ id, severity: expected });
  });

  verifies('calculus:rule-order', 'is resolved by the first rule that holds, in the published order', () => {
    expect(PAIR_RULES.map(({ id }) => id)).toEqual([
      'axiom-6.6-futility',
      'axiom-6.7-indifference',
      'axiom-6.2-absolute-prohibition',
      'axiom-6.3-moral-priority',
      'user-level-dominant',
      'axiom-6.4-moral-rank',
      'equal-weight-coordinate',
      'user-operator-dominant',
    ]);
    for (const user of norms)
      for (const system of norms) {
        const holding = PAIR_RULES.filter((rule) => rule.holds(user, system));
        expect(resolvePair(user, system)).toBe(holding[0]);
      }
  });

  verifies('calculus:distribution', 'is distributed over rules and severities as published', () => {
    const { pairs, byRule, bySeverity } = pairTable('Springdrift');
    expect(pairs).toBe(7056);
    expect(Object.fromEntries(byRule.map((it) => [it.rule, it.pairs]))).toEqual({
      'axiom-6.6-futility': 3528,
      'axiom-6.7-indifference': 1176,
      'user-level-dominant': 1092,
      'axiom-6.3-moral-priority': 1040,
      'user-operator-dominant': 84,
      'axiom-6.2-absolute-prohibition': 56,
      'equal-weight-coordinate': 54,
      'axiom-6.4-moral-rank': 26,
    });
    expect(Object.fromEntries(bySeverity.map((it) => [it.severity, it.pairs]))).toEqual({
      NoConflict: 5880,
      Superordinate: 1066,
      Absolute: 56,
      Coordinate: 54,
    });
  });

  it('is distributed alike in the other scheme of 14 levels: names and ordinals do not matter', () => {
    expect(pairTable('TallMountain').byRule).toEqual(pairTable('Springdrift').byRule);
    expect(pairTable('Paper').pairs).toBe((11 * 6) ** 2);
  });
});

describe('over all pairs', () => {
  verifies('calculus:total-and-deterministic', 'exactly one rule fires, and again the same on fresh norms', () => {
    for (const scheme of LEVEL_SCHEME_NAMES) {
      const first = pairTable(scheme);
      const again = pairTable(scheme);
      expect(again).toEqual(first);
      expect(first.byRule.reduce((sum, it) => sum + it.pairs, 0)).toBe(first.norms.length ** 2);
      expect(first.bySeverity.reduce((sum, it) => sum + it.pairs, 0)).toBe(first.norms.length ** 2);
      const rulesFired = new Set(first.rows.flat().map((rule) => rule.id));
      expect(rulesFired.size).toBe(PAIR_RULES.length);
    }
    for (const user of norms.filter(isActive))
      for (const system of norms) {
        const structural = PAIR_RULES.slice(3).filter((rule) => rule.holds(user, system));
        expect(structural, `${renderNorm(user)} against ${renderNorm(system)}`).toHaveLength(1);
      }
  });

  verifies('calculus:monotone-in-system', 'a stronger norm of the system never lowers the severity', () => {
    let compared = 0;
    let lowered = 0;
    for (const user of norms)
      for (const { weak, strong } of ordered) {
        compared += 1;
        if (severity(user, strong) < severity(user, weak)) lowered += 1;
      }
    expect(compared).toBe(84 * ordered.length);
    expect(lowered).toBe(0);
    // 105 pairs of levels, 6 of operators and 3 of modalities are in order; 84 of them are of a norm with itself.
    expect(ordered).toHaveLength(105 * 6 * 3 - 84);
  });

  verifies('calculus:antitone-in-active-user', 'a stronger active norm of the user never raises the severity', () => {
    let raised = 0;
    let raisedAmongActive = 0;
    let loweredAmongActive = 0;
    for (const system of norms)
      for (const { weak, strong } of ordered) {
        const change = severity(strong, system) - severity(weak, system);
        if (change > 0) raised += 1;
        if (change > 0 && isActive(weak)) raisedAmongActive += 1;
        if (change < 0 && isActive(weak)) loweredAmongActive += 1;
        if (change > 0) expect(isActive(strong)).toBe(true);
      }
    expect({ raised, raisedAmongActive }).toEqual({ raised: 21_210, raisedAmongActive: 0 });
    expect(loweredAmongActive).toBeGreaterThan(0);
  });

  verifies('calculus:inert-user-only', 'norms of the system are weighed however weak they are', () => {
    const all = norms.flatMap((user) => norms.map((system) => ({ system, rule: resolvePair(user, system) })));
    const indifferent = all.filter((it) => it.system.operator === 'Indifferent');
    const impossible = all.filter((it) => it.system.modality === 'Impossible');
    expect(indifferent.filter((it) => it.rule.severity === 'Superordinate')).toHaveLength(364);
    expect(impossible.filter((it) => it.rule.severity !== 'NoConflict')).toHaveLength(588);
    const possible = impossible.map(({ system }): Norm => ({ ...system, modality: 'Possible' }));
    const users = norms.flatMap((user) => norms.filter((it) => it.modality === 'Impossible').map(() => user));
    expect(possible.map((system, at) => resolvePair(users[at] ?? system, system))).toEqual(
      impossible.map(({ rule }) => rule),
    );
  });
});
