/**
 * Detects drift of verdicts: the same agent under the same norms is restrained more and more, or repeatedly by one axiom.
 *
 * Differs: the axioms of each verdict are kept (springdrift records none, so its third check can never fire), and the window is
 * data that can be folded from a record.
 *
 * Source: springdrift 1.
 */
import { z } from 'zod';
import { normativeVerdicts } from './floors.ts';

/** Length of the window, in verdicts. */
const WINDOW_LENGTH = 20;
/** Fewer verdicts prove nothing. */
const VERDICTS_MIN = 5;
const PROHIBITION_RATE_MAX = 0.15;
const CONSTRAINT_RATE_MAX = 0.4;
const AXIOM_RATE_MAX = 0.6;
/** Verdicts other than Flourishing that are required before an axiom counts as repeated. */
const RESTRAINED_MIN = 3;
const PROHIBITIONS_MIN = 2;
const OVER_RESTRICTION_RATE_MAX = 0.1;

export const JudgedOnce = z.object({
  verdict: z.enum(normativeVerdicts),
  /** The short trail: each rule once. */
  axioms: z.array(z.string()).readonly(),
});
export type JudgedOnce = Readonly<z.infer<typeof JudgedOnce>>;

export const driftKinds = ['HighProhibitionRate', 'HighConstraintRate', 'RepeatedAxiom', 'OverRestriction'] as const;
export type DriftKind = (typeof driftKinds)[number];

export interface Drift {
  readonly kind: DriftKind;
  /** Share of the verdicts in the window, 0 to 1; for `RepeatedAxiom`, of those other than Flourishing. */
  readonly rate: number;
  /** The limit that the rate exceeds. */
  readonly rateMax: number;
  /** Number of verdicts that the rate refers to. */
  readonly verdicts: number;
  readonly axiom?: string;
}

interface Counted {
  readonly all: number;
  readonly prohibited: number;
  readonly restrained: readonly JudgedOnce[];
}

type Check = (counted: Counted) => Drift | undefined;

/** In this order; the first signal found is returned. */
const checks: readonly Check[] = [
  ({ all, prohibited }) => above('HighProhibitionRate', prohibited, all, PROHIBITION_RATE_MAX),
  ({ all, restrained }) => above('HighConstraintRate', restrained.length, all, CONSTRAINT_RATE_MAX),
  repeatedAxiom,
  ({ all, prohibited }) =>
    prohibited < PROHIBITIONS_MIN ? undefined : above('OverRestriction', prohibited, all, OVER_RESTRICTION_RATE_MAX),
];

/** @param verdicts  oldest first; only the last 20 count. @returns undefined: no drift, or fewer than 5 verdicts */
export function driftOf(verdicts: readonly JudgedOnce[]): Drift | undefined {
  const window = verdicts.slice(-WINDOW_LENGTH);
  if (window.length < VERDICTS_MIN) return undefined;
  const counted: Counted = {
    all: window.length,
    prohibited: window.filter((it) => it.verdict === 'Prohibited').length,
    restrained: window.filter((it) => it.verdict !== 'Flourishing'),
  };
  for (const check of checks) {
    const drift = check(counted);
    if (drift !== undefined) return drift;
  }
  return undefined;
}

function above(kind: DriftKind, count: number, verdicts: number, rateMax: number): Drift | undefined {
  const rate = count / verdicts;
  return rate > rateMax ? { kind, rate, rateMax, verdicts } : undefined;
}

/** The most frequent axiom; among equals, the first by name. */
function repeatedAxiom({ restrained }: Counted): Drift | undefined {
  if (restrained.length < RESTRAINED_MIN) return undefined;
  const names = [...new Set(restrained.flatMap((it) => it.axioms))].toSorted();
  const count = (axiom: string): number => restrained.filter((it) => it.axioms.includes(axiom)).length;
  const axiom = names.toSorted((a, b) => count(b) - count(a))[0];
  if (axiom === undefined) return undefined;
  const drift = above('RepeatedAxiom', count(axiom), restrained.length, AXIOM_RATE_MAX);
  return drift === undefined ? undefined : { ...drift, axiom };
}
