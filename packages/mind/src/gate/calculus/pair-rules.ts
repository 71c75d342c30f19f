/**
 * Resolves a pair of a user's norm and a system's norm: eight rules in order; the first that holds fires.
 *
 * I1  Exactly one rule fires for every pair: the last three cover the remaining comparisons of levels and operators. An
 *     exhaustive test over all pairs of all schemes proves it.
 * I2  Strengthening the system's norm never lowers the severity. Strengthening an active norm of the user (possible, not
 *     indifferent) never raises it. An exhaustive test proves it.
 *
 * Source: springdrift 1. Futility and indifference look at the user's norm alone: the published counts need that, though the
 * paper says "a proposition".
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { Norm } from './norm.ts';

export type Severity = 'NoConflict' | 'Coordinate' | 'Superordinate' | 'Absolute';

/** 1 is not used. Source: springdrift 1. */
export const SEVERITY_ORDINALS: Readonly<Record<Severity, number>> = {
  NoConflict: 0,
  Coordinate: 2,
  Superordinate: 3,
  Absolute: 4,
};

export type Outcome = 'Inert' | 'SystemWins' | 'UserDominates' | 'Coordinate';

interface Rule {
  readonly id: string;
  /** One letter for tables. */
  readonly letter: string;
  /** The condition, in words. */
  readonly when: string;
  readonly holds: (user: Norm, system: Norm) => boolean;
  readonly severity: Severity;
  readonly outcome: Outcome;
}

export const PAIR_RULES = [
  {
    id: 'axiom-6.6-futility',
    letter: 'f',
    when: 'the user’s norm is impossible',
    holds: (user) => user.modality === 'Impossible',
    severity: 'NoConflict',
    outcome: 'Inert',
  },
  {
    id: 'axiom-6.7-indifference',
    letter: 'i',
    when: 'the user’s norm is indifferent',
    holds: (user) => user.operator === 'Indifferent',
    severity: 'NoConflict',
    outcome: 'Inert',
  },
  {
    id: 'axiom-6.2-absolute-prohibition',
    letter: 'A',
    when: 'the system’s norm is EthicalMoral and Required',
    holds: (_user, system) => system.level === 'EthicalMoral' && system.operator === 'Required',
    severity: 'Absolute',
    outcome: 'SystemWins',
  },
  {
    id: 'axiom-6.3-moral-priority',
    letter: 'S',
    when: 'the system’s level is higher',
    holds: (user, system) => system.ordinal > user.ordinal,
    severity: 'Superordinate',
    outcome: 'SystemWins',
  },
  {
    id: 'user-level-dominant',
    letter: 'u',
    when: 'the user’s level is higher',
    holds: (user, system) => system.ordinal < user.ordinal,
    severity: 'NoConflict',
    outcome: 'UserDominates',
  },
  {
    id: 'axiom-6.4-moral-rank',
    letter: 'R',
    when: 'same level, the system’s operator is stronger',
    holds: (user, system) => system.ordinal === user.ordinal && system.rank > user.rank,
    severity: 'Superordinate',
    outcome: 'SystemWins',
  },
  {
    id: 'equal-weight-coordinate',
    letter: '=',
    when: 'same level, same operator',
    holds: (user, system) => system.ordinal === user.ordinal && system.rank === user.rank,
    severity: 'Coordinate',
    outcome: 'Coordinate',
  },
  {
    id: 'user-operator-dominant',
    letter: 'o',
    when: 'same level, the user’s operator is stronger',
    holds: (user, system) => system.ordinal === user.ordinal && system.rank < user.rank,
    severity: 'NoConflict',
    outcome: 'UserDominates',
  },
] as const satisfies readonly Rule[];

export type PairRule = (typeof PAIR_RULES)[number];
export type PairRuleId = PairRule['id'];

/** The rule that fires. Both norms belong to one scheme. */
export function resolvePair(user: Norm, system: Norm): PairRule {
  const fired = PAIR_RULES.find((rule) => rule.holds(user, system));
  invariant(fired !== undefined, 'levels and operators are totally ordered');
  return fired;
}
