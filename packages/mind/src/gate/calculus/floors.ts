/**
 * Derives one verdict from resolved pairs: eight floors in order; the first that holds decides.
 *
 * Level tests use the system's norm and its ordinal. 5000 is `Legal` in every scheme; where the middle levels begin is a matter of
 * the scheme. They end below `Legal`: a higher commitment is never weaker than a lower one.
 *
 * Source: springdrift 1, 0 (floor 2 as the code has it); design 7 (floors follow the scheme's ordinals).
 */
import { levelOrdinal, LOWEST_MIDDLE_LEVEL, type LevelSchemeName } from '@retainer/contract/api/levels';
import { invariant } from '@retainer/contract/std/invariant';
import type { Severity } from './pair-rules.ts';

export const normativeVerdicts = ['Flourishing', 'Constrained', 'Prohibited'] as const;
export type NormativeVerdict = (typeof normativeVerdicts)[number];

export const GATE_VERDICTS = {
  Flourishing: 'Accept',
  Constrained: 'Modify',
  Prohibited: 'Reject',
} as const satisfies Readonly<Record<NormativeVerdict, string>>;

export interface FloorQuestion {
  readonly scheme: LevelSchemeName;
  readonly pairs: readonly { readonly severity: Severity; readonly systemOrdinal: number }[];
  /** A critical feature has its maximum magnitude. */
  readonly isCatastrophic: boolean;
  /** Discrepancy D′ and its thresholds, 0 to 1; reaching a threshold is enough. */
  readonly score: number;
  readonly modify: number;
  readonly reject: number;
}

interface Floor {
  readonly id: string;
  /** In words; levels are those of the system’s norm. */
  readonly when: string;
  readonly verdict: NormativeVerdict;
  readonly holds: (question: FloorQuestion) => boolean;
}

const LEGAL_ORDINAL = 5000;

/** From this number on, Coordinate pairs are no accident. */
const COORDINATE_MIN = 2;

const hasSuperordinate = ({ pairs }: FloorQuestion, ordinalMin: number): boolean =>
  pairs.some((it) => it.severity === 'Superordinate' && ordinalMin <= it.systemOrdinal);

function lowestMiddleOrdinal(scheme: LevelSchemeName): number {
  const ordinal = levelOrdinal(scheme, LOWEST_MIDDLE_LEVEL[scheme]);
  invariant(ordinal !== undefined, 'the level belongs to the scheme');
  return ordinal;
}

export const FLOORS = [
  {
    id: 'floor-1-absolute-prohibition',
    when: 'a pair is Absolute',
    verdict: 'Prohibited',
    holds: ({ pairs }) => pairs.some((it) => it.severity === 'Absolute'),
  },
  {
    id: 'floor-2-superordinate-legal',
    when: `a pair is Superordinate at level ${LEGAL_ORDINAL} (Legal) or higher`,
    verdict: 'Prohibited',
    holds: (question) => hasSuperordinate(question, LEGAL_ORDINAL),
  },
  {
    id: 'floor-3-discrepancy-reject',
    when: 'the discrepancy reaches the reject threshold',
    verdict: 'Prohibited',
    holds: ({ score, reject }) => score >= reject,
  },
  {
    id: 'floor-4-catastrophic-superordinate',
    when: 'catastrophic harm, and a pair is Superordinate',
    verdict: 'Constrained',
    holds: (question) => question.isCatastrophic && hasSuperordinate(question, 0),
  },
  {
    id: 'floor-5-multiple-coordinate',
    when: `${COORDINATE_MIN} pairs or more are Coordinate`,
    verdict: 'Constrained',
    holds: ({ pairs }) => pairs.filter((it) => it.severity === 'Coordinate').length >= COORDINATE_MIN,
  },
  {
    id: 'floor-6-discrepancy-modify',
    when: 'the discrepancy reaches the modify threshold',
    verdict: 'Constrained',
    holds: ({ score, modify }) => score >= modify,
  },
  {
    id: 'floor-7-middle-superordinate',
    when: 'a pair is Superordinate at professional ethics or higher',
    verdict: 'Constrained',
    holds: (question) => hasSuperordinate(question, lowestMiddleOrdinal(question.scheme)),
  },
  {
    id: 'floor-8-flourishing',
    when: 'no other floor holds',
    verdict: 'Flourishing',
    holds: () => true,
  },
] as const satisfies readonly Floor[];

export type FloorId = (typeof FLOORS)[number]['id'];

export function floorOf(question: FloorQuestion): (typeof FLOORS)[number] {
  const decisive = FLOORS.find((floor) => floor.holds(question));
  invariant(decisive !== undefined, 'the last floor always holds');
  return decisive;
}
