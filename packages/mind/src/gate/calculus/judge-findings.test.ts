import { GateFeature } from '@retainer/contract/api/gate-policy';
import { LEVEL_NAMES, levelsOf } from '@retainer/contract/api/levels';
import { invariant } from '@retainer/contract/std/invariant';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { claimsOf, endeavourOf, harmOf, magnitudeOf, type Commitment } from './bridge.ts';
import type { Finding } from './discrepancy.ts';
import { floorOf } from './floors.ts';
import { judgeFindings, type Judgement, type Policy } from './judge-findings.ts';
import { normsOf, parseNorm, type Norm } from './norm.ts';
import { resolvePair } from './pair-rules.ts';

const paper: Policy = { scheme: 'Springdrift', scale: 'Paper', modify: 0.35, reject: 0.55 };
const weighted: Policy = { ...paper, scale: 'Weighted' };

function norm(text: string): Norm {
  const parsed = parseNorm('Springdrift', text);
  invariant(parsed.ok, text);
  return parsed.value;
}

const commitments = (...texts: readonly string[]): readonly Commitment[] =>
  texts.map((text, at) => ({ id: `s${at + 1}`, description: text, norm: norm(text) }));

function finding(magnitude: number, parts: Partial<GateFeature> = {}): Finding {
  const feature = GateFeature.parse({ name: 'u1', description: 'Words.', importance: 3, ...parts });
  return { feature, magnitude, rationale: 'seen' };
}

/** So much beside it that nothing is found in, that the discrepancy stays small. */
const beside: readonly Finding[] = ['q1', 'q2', 'q3', 'q4'].map((name) => finding(0, { name }));

/** The shared system side of B.6 and B.7. */
const shared = commitments('ProfessionalEthics/Required', 'Legal/Required', 'EthicalMoral/Ought');

const severities = ({ trail }: Judgement): readonly string[] => trail.map((pair) => pair.severity);

describe('the published examples', () => {
  verifies('calculus:b6', 'B.6 is prohibited, since the law wins', () => {
    const findings = [
      finding(3, { claimLevel: 'ProfessionalEthics', importance: 2 }),
      finding(2, { name: 'u2', importance: 1 }),
      finding(0, { name: 'u3', importance: 3 }),
    ];
    const judged = judgeFindings(findings, shared, { ...weighted, modify: 0.4, reject: 0.7 });
    expect(judged.score).toBe(8 / 18);
    expect(severities(judged)).toEqual(['Coordinate', ...Array.from({ length: 5 }, () => 'Superordinate')]);
    expect(judged).toMatchObject({ verdict: 'Prohibited', decidedBy: 'floor-2-superordinate-legal', isOpen: false });
  });

  verifies('calculus:b7', 'B.7 flourishes on the fast path and as indifference, and not when forced through', () => {
    const research = [finding(2), ...beside];
    const fast = judgeFindings(research, shared, weighted);
    expect(fast).toMatchObject({ verdict: 'Flourishing', gateVerdict: 'Accept', decidedBy: 'fast-path', trail: [] });

    const indifferent = shared.map((it) => resolvePair(norm('Operational/Indifferent'), it.norm));
    const quiet = { scheme: 'Springdrift', isCatastrophic: false, score: 0, modify: 0.4, reject: 0.7 } as const;
    const pairs = indifferent.map(({ severity }, at) => ({ severity, systemOrdinal: shared[at]?.norm.ordinal ?? 0 }));
    expect(pairs.map(({ severity }) => severity)).toEqual(['NoConflict', 'NoConflict', 'NoConflict']);
    expect(floorOf({ ...quiet, pairs }).id).toBe('floor-8-flourishing');

    const forced = judgeFindings(research, shared, { ...weighted, modify: 0 });
    expect(severities(forced)).toEqual(['Superordinate', 'Superordinate', 'Superordinate']);
    expect(forced).toMatchObject({ verdict: 'Prohibited', decidedBy: 'floor-2-superordinate-legal' });
  });
});

describe('the fast path', () => {
  verifies('calculus:fast-path', 'is left exactly at the modify threshold', () => {
    const at = judgeFindings([finding(2)], shared, { ...weighted, modify: 2 / 3, reject: 0.9 });
    const below = judgeFindings([finding(2)], shared, { ...weighted, modify: 2 / 3 + 1e-9, reject: 0.9 });
    expect(at.trail).toHaveLength(3);
    expect(below).toMatchObject({ decidedBy: 'fast-path', trail: [], claims: [], shortTrail: [] });
  });
});

describe('a claim', () => {
  verifies('calculus:magnitudes', 'comes of magnitudes from 2 of 3 on', () => {
    expect([0, 1, 2, 3, 4, 5].map((magnitude) => magnitudeOf({ magnitude }, 'Paper'))).toEqual([0, 1, 1, 2, 2, 3]);
    expect([0, 1, 2, 3].map((magnitude) => magnitudeOf({ magnitude }, 'Weighted'))).toEqual([0, 1, 2, 3]);
    const operators = [0, 1, 2, 3].map((magnitude) => claimsOf([finding(magnitude)], 'Weighted', 'Springdrift'));
    expect(operators.map(([claim]) => claim?.norm.operator)).toEqual([undefined, undefined, 'Ought', 'Required']);
    expect(operators.map(([claim]) => claim?.norm.modality)).toEqual([undefined, undefined, 'Possible', 'Possible']);
  });

  verifies(
    'calculus:claim-apart-from-norm',
    'has the level that the policy gives to claims, not that of the norm',
    () => {
      const of = (parts: Partial<GateFeature>, scheme: 'Springdrift' | 'TallMountain' = 'Springdrift'): unknown =>
        claimsOf([finding(3, parts)], 'Weighted', scheme)[0];
      for (const level of levelsOf('Springdrift'))
        expect(of({ level })).toMatchObject({ norm: { level: 'Operational' }, normAtStake: level });
      expect(of({ level: 'Legal', claimLevel: 'UserAutonomy' })).toMatchObject({ norm: { level: 'UserAutonomy' } });
      expect(of({}, 'TallMountain')).toMatchObject({ norm: { level: 'Aesthetic' } });
    },
  );
});

describe('a harm', () => {
  const severe = [finding(3, { level: 'EthicalMoral', claimLevel: 'EthicalMoral' }), ...beside.slice(0, 1)];

  it('would flourish by the published rules when the claim is the stronger', () => {
    expect(resolvePair(norm('EthicalMoral/Required'), norm('EthicalMoral/Ought')).severity).toBe('NoConflict');
  });

  verifies('calculus:harm-never-outweighed', 'is never resolved to no conflict, over all norms and claims', () => {
    const judged = judgeFindings(severe, commitments('EthicalMoral/Ought'), weighted);
    expect(judged).toMatchObject({ verdict: 'Prohibited', decidedBy: 'floor-2-superordinate-legal' });
    expect(judged.trail).toEqual([
      {
        claim: 'u1',
        commitment: 's1',
        systemOrdinal: 6000,
        rule: 'harm-never-outweighed',
        publishedRule: 'user-operator-dominant',
        severity: 'Superordinate',
        outcome: 'SystemWins',
      },
    ]);
    const all = normsOf('Springdrift').map((it, at) => ({ id: `s${at}`, description: '', norm: it }));
    const harms: readonly Partial<GateFeature>[] = [{ critical: true }, { level: 'EthicalMoral' }];
    for (const claimLevel of levelsOf('Springdrift'))
      for (const magnitude of [2, 3])
        for (const harm of harms) {
          const { trail } = judgeFindings([finding(magnitude, { ...harm, claimLevel })], all, {
            ...weighted,
            modify: 0,
          });
          expect(trail).toHaveLength(84);
          expect(trail.filter((pair) => pair.severity === 'NoConflict')).toEqual([]);
        }
  });

  it('that is none keeps the published rules', () => {
    const mild = [finding(3, { level: 'Courtesy', claimLevel: 'Legal' })];
    const judged = judgeFindings(mild, commitments('Courtesy/Ought'), { ...weighted, reject: 1.1 });
    expect(judged.trail[0]).toMatchObject({ rule: 'user-level-dominant', severity: 'NoConflict' });
    expect(judged).toMatchObject({ isOpen: true, decidedBy: 'floor-6-discrepancy-modify' });
  });

  verifies(
    'calculus:harm-context',
    'has an impact, and is catastrophic where it is critical and at its maximum',
    () => {
      const findings = [finding(3, { critical: true }), finding(0, { name: 'b' }), finding(3, { name: 'c' })];
      expect(harmOf(findings, 'Weighted')).toEqual({ impactRatio: 6 / 9, isCatastrophic: true });
      expect(harmOf(findings, 'Paper')).toEqual({ impactRatio: 4 / 9, isCatastrophic: false });
      expect(harmOf(findings.slice(1), 'Weighted')).toEqual({ impactRatio: 0.5, isCatastrophic: false });
      expect(harmOf([], 'Paper')).toEqual({ impactRatio: 0, isCatastrophic: false });
    },
  );
});

describe('a veto', () => {
  const floor = { magnitude: 4, verdict: 'Reject' } as const;

  it.each<[string, Finding, Partial<Judgement>]>([
    [
      'critical at its maximum',
      finding(5, { critical: true }),
      { verdict: 'Constrained', decidedBy: 'veto-critical-maximum' },
    ],
    ['critical below its maximum', finding(4, { critical: true }), { verdict: 'Flourishing', decidedBy: 'fast-path' }],
    ['at its floor', finding(4, { floor }), { verdict: 'Prohibited', decidedBy: 'veto-feature-floor' }],
    ['below its floor', finding(3, { floor }), { verdict: 'Flourishing', decidedBy: 'fast-path' }],
    ['at a mild floor', finding(4, { floor: { ...floor, verdict: 'Modify' } }), { verdict: 'Constrained' }],
    ['both', finding(5, { critical: true, floor }), { verdict: 'Prohibited', decidedBy: 'veto-feature-floor' }],
  ])('holds on the fast path: %s', (_name, found, expected) => {
    expect(judgeFindings([found, ...beside], shared, paper)).toMatchObject({ ...expected, trail: [] });
  });

  verifies('calculus:veto', 'never makes a verdict milder', () => {
    const strictness = { Flourishing: 0, Constrained: 1, Prohibited: 2 };
    const settings = [0, 1, 2, 3, 4, 5].flatMap((magnitude) =>
      levelsOf('Springdrift').flatMap((claimLevel) => [0, 0.35].map((modify) => ({ magnitude, claimLevel, modify }))),
    );
    for (const { magnitude, claimLevel, modify } of settings) {
      const judge = (parts: Partial<GateFeature>): Judgement =>
        judgeFindings([finding(magnitude, { claimLevel, ...parts }), ...beside], shared, { ...paper, modify });
      const plain = judge({});
      for (const verdict of ['Modify', 'Reject'] as const) {
        const vetoed = judge({ floor: { magnitude: 1, verdict } });
        expect(strictness[vetoed.verdict]).toBeGreaterThanOrEqual(strictness[plain.verdict]);
        expect(magnitude > 0 && vetoed.gateVerdict === 'Accept').toBe(false);
      }
    }
  });
});

describe('a judgement', () => {
  verifies('calculus:trails', 'lists the pairs claim by claim, and each rule once in short', () => {
    const findings = [
      finding(3, { name: 'a', claimLevel: 'Legal' }),
      finding(2, { name: 'b' }),
      finding(1, { name: 'c' }),
    ];
    const judged = judgeFindings(findings, shared, weighted);
    expect(judged.trail.map(({ claim, commitment, rule }) => `${claim} ${commitment} ${rule}`)).toEqual([
      'a s1 user-level-dominant',
      'a s2 equal-weight-coordinate',
      'a s3 axiom-6.3-moral-priority',
      'b s1 axiom-6.3-moral-priority',
      'b s2 axiom-6.3-moral-priority',
      'b s3 axiom-6.3-moral-priority',
    ]);
    expect(judged.shortTrail).toEqual(['axiom-6.3-moral-priority', 'equal-weight-coordinate', 'user-level-dominant']);
  });

  it('flags weighty findings with their rationale, where something is held back', () => {
    const findings = [finding(3, { name: 'a', importance: 5 }), finding(1, { name: 'b' })];
    const { flagged } = judgeFindings(findings, shared, weighted);
    expect(flagged).toEqual([{ feature: 'a', magnitude: 3, rationale: 'seen' }]);
    expect(judgeFindings(findings, shared, { ...weighted, modify: 1, reject: 1 }).flagged).toEqual([]);
  });

  verifies('calculus:inert-commitments', 'leaves out commitments that cannot bind, and names them', () => {
    const proposition = (id: string, operator: 'Ought' | 'Indifferent', modality: 'Possible' | 'Impossible') =>
      ({ id, description: id, level: 'Legal', operator, modality }) as const;
    const { commitments: kept, inert } = endeavourOf(
      [
        proposition('lukewarm', 'Indifferent', 'Possible'),
        proposition('binding', 'Ought', 'Possible'),
        proposition('hopeless', 'Ought', 'Impossible'),
      ],
      'Springdrift',
    );
    expect(kept.map(({ id }) => id)).toEqual(['binding']);
    expect(inert.map(({ id }) => id)).toEqual(['lukewarm', 'hopeless']);
  });

  it('knows the levels of every scheme', () => {
    expect(LEVEL_NAMES.length).toBeGreaterThan(14);
    for (const scheme of ['Paper', 'TallMountain'] as const) {
      const { commitments: all } = endeavourOf(
        levelsOf(scheme).map((level) => ({
          id: level,
          description: '',
          level,
          operator: 'Ought',
          modality: 'Possible',
        })),
        scheme,
      );
      const judged = judgeFindings([finding(3)], all, { ...weighted, scheme });
      expect(judged).toMatchObject({ verdict: 'Prohibited', decidedBy: 'floor-2-superordinate-legal' });
    }
  });
});
