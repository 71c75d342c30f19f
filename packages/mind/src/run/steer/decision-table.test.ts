import { AgentControl } from '@retainer/contract/api/agent-control';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { cellOf, DECISION_TABLE, directiveOf, signsOf, trendOf } from './decision-table.ts';
import type { TableDirective } from './decision-table.ts';

const { thresholds } = AgentControl.parse({});

/** Source: artoo A.9. */
const tolerance = 1e-9;

/** As the source prints it: gradient, D, P, Ω. */
const printed = `
 1 -  near env   left  Success
 2 -  near logic left  Success
 3 -  near env   spent Abandon
 4 -  near logic spent Abandon
 5 -  far  env   left  Refine
 6 -  far  logic left  ChangeApproach
 7 -  far  env   spent Abandon
 8 -  far  logic spent Abandon
 9 0  near env   left  Success
10 0  near logic left  Success
11 0  near env   spent Abandon
12 0  near logic spent Abandon
13 0  far  env   left  ChangePath
14 0  far  logic left  BreakSymmetry
15 0  far  env   spent Abandon
16 0  far  logic spent Abandon
17 +  near env   left  Success
18 +  near logic left  Success
19 +  near env   spent Abandon
20 +  near logic spent Abandon
21 +  far  env   left  Refine
22 +  far  logic left  ChangeApproach
23 +  far  env   spent Abandon
24 +  far  logic spent Abandon`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/))
  .map(([cell, sign, near, blame, budget, directive]) => ({
    cell: Number(cell),
    trend: sign === '-' ? 'Improving' : sign === '+' ? 'Worsening' : 'Plateau',
    isNear: near === 'near',
    isLogical: blame === 'logic',
    isSpent: budget === 'spent',
    directive,
  }));

describe('the table', () => {
  verifies('steer:decision-table', 'is the printed one, and the cascade says the same in all 24 cells', () => {
    expect(DECISION_TABLE).toEqual(printed);
    expect(DECISION_TABLE).toHaveLength(24);
    for (const { cell, directive, ...signs } of DECISION_TABLE) {
      expect([cellOf(signs), directiveOf(signs)]).toEqual([cell, directive]);
    }
  });

  it('has the counted number of cells for each directive', () => {
    const count = (directive: TableDirective): number =>
      DECISION_TABLE.filter((it) => it.directive === directive).length;
    expect([count('Abandon'), count('Success'), count('BreakSymmetry')]).toEqual([12, 6, 1]);
    expect([count('ChangePath'), count('ChangeApproach'), count('Refine')]).toEqual([1, 2, 2]);
  });

  verifies('steer:urgency-selects-nothing', 'the mirrored sign has the same directive', () => {
    const by = (trend: string): readonly TableDirective[] =>
      DECISION_TABLE.filter((it) => it.trend === trend).map((it) => it.directive);
    expect(by('Improving')).toEqual(by('Worsening'));
  });
});

const far = { d: 1, p: 0, omega: 0, gradient: 0 };
const next = 2 * tolerance;

describe('a value on its threshold', () => {
  it.each<readonly [string, Partial<typeof far>, TableDirective]>([
    ['D = δ is a success', { d: 0.3 }, 'Success'],
    ['D just above δ is none', { d: 0.3 + next }, 'ChangePath'],
    ['P = ρ is environmental', { p: 0.5 }, 'ChangePath'],
    ['P just above ρ is logical', { p: 0.5 + next }, 'BreakSymmetry'],
    ['Ω = θ is spent', { omega: 0.8 }, 'Abandon'],
    ['Ω just below θ is not', { omega: 0.8 - next }, 'ChangePath'],
    ['∇L = ε is a signal', { gradient: 0.1 }, 'Refine'],
    ['∇L = −ε is a signal', { gradient: -0.1 }, 'Refine'],
    ['|∇L| just below ε is none', { gradient: 0.1 - next }, 'ChangePath'],
    ['nor just above −ε', { gradient: next - 0.1 }, 'ChangePath'],
    ['a signal and logical', { gradient: 0.1, p: 1 }, 'ChangeApproach'],
    ['spent goes before near', { d: 0, omega: 0.8 }, 'Abandon'],
    ['the float trap is spent', { omega: 0.6 * (4 / 3) }, 'Abandon'],
  ])('%s', (_, change, directive) => {
    expect(directiveOf(signsOf({ ...far, ...change }, thresholds))).toBe(directive);
  });

  verifies('steer:threshold-tolerance', 'decides the same within the tolerance on all four thresholds', () => {
    const noise = fc.double({ min: -0.9 * tolerance, max: 0.9 * tolerance, noNaN: true });
    fc.assert(
      fc.property(noise, noise, noise, noise, (a, b, c, e) => {
        const exact = signsOf({ d: 0.3, p: 0.5, omega: 0.8, gradient: -0.1 }, thresholds);
        expect(signsOf({ d: 0.3 + a, p: 0.5 + b, omega: 0.8 + c, gradient: -0.1 + e }, thresholds)).toEqual(exact);
      }),
    );
  });
});

verifies('steer:abandon-when-spent', 'for any other numbers', () => {
  const any = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(any, any, fc.double({ min: 0.8, max: 1, noNaN: true }), any, (d, p, omega, gradient) => {
      expect(directiveOf(signsOf({ d, p, omega, gradient: gradient * 2 - 1 }, thresholds))).toBe('Abandon');
    }),
  );
});

verifies('steer:success-when-near', 'for any P and gradient', () => {
  const any = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(any, any, any, any, (d, p, omega, gradient) => {
      const signs = signsOf({ d: d * 0.3, p, omega: omega * 0.79, gradient: gradient * 2 - 1 }, thresholds);
      expect(directiveOf(signs)).toBe('Success');
    }),
  );
});

it('has no trend where nothing changed, even where every change is a signal', () => {
  expect(trendOf(0, 0)).toBe('Plateau');
  expect(trendOf(tolerance / 2, 0)).toBe('Plateau');
  expect([trendOf(-0.01, 0), trendOf(0.01, 0)]).toEqual(['Improving', 'Worsening']);
});
