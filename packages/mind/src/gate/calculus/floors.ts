/**
 * Derives one verdict from resolved pairs: eight floors in order; the first that holds decides.
 *
 * Level tests use the system's norm. They compare ordinals, so they hold in every scheme: 5000 is `Legal` everywhere, the band
 * from 3000 to 4500 reaches from `ProfessionalEthics` to `SafetyPhysical` in the default scheme.
 *
 * Source: springdrift 1, 0 (floor 2 as the code has it); design 7 (floors follow the scheme's ordinals).
 */
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
const MIDDLE_ORDINAL_MIN = 3000;
const MIDDLE_ORDINAL_MAX = 4500;

/** From this number on, Coordinate pairs are no accident. */
const COORDINATE_MIN = 2;

const hasSuperordinate = ({ pairs }: FloorQuestion, ordinalMin: number, ordinalMax: number): boolean =>
  pairs.some(
    (it) => it.severity === 'Superordinate' && ordinalMin <= it.systemOrdinal && it.systemOrdinal <= ordinalMax,
  );

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
    holds: (question) => hasSuperordinate(question, LEGAL_ORDINAL, Infinity),
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
    holds: (question) => question.isCatastrophic && hasSuperordinate(question, 0, Infinity),
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
    when: `a pair is Superordinate at level ${MIDDLE_ORDINAL_MIN} to ${MIDDLE_ORDINAL_MAX}`,
    verdict: 'Constrained',
    holds: (question) => hasSuperordinate(question, MIDDLE_ORDINAL_MIN, MIDDLE_ORDINAL_MAX),
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
