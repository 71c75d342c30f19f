/** The types of the observer: what it sees of a cycle, what it finds over several cycles, and its interventions. */
import { z } from 'zod';
import { driftKinds, JudgedOnce } from '../calculus/drift.ts';
import { gateNames, verdictKinds } from '../verdict.ts';

const GateDecision = z.object({
  gate: z.enum(gateNames),
  verdict: z.enum(verdictKinds),
  /** D′, 0 to 1; absent if nothing was scored. */
  score: z.number().exactOptional(),
});
export type GateDecision = Readonly<z.infer<typeof GateDecision>>;

export const Observation = z.object({
  cycleId: z.string(),
  /** End of the cycle, milliseconds since 1970. */
  atMs: z.number(),
  decisions: z.array(GateDecision).readonly(),
  /** Judgements of the calculus, in order. */
  judged: z.array(JudgedOnce).readonly(),
  /** Input and output together. */
  tokens: z.number(),
  toolCalls: z.number(),
});
export type Observation = Readonly<z.infer<typeof Observation>>;

/** In the order of the published table, followed by the kinds of `driftOf`. Source: springdrift 1, 2. */
export const detectors = [
  'Rate',
  'CumulativeRisk',
  'RepeatedRejections',
  'RepeatedModifications',
  'FalsePositives',
  ...driftKinds,
] as const;
export type Detector = (typeof detectors)[number];

/** The consequences for later cycles. */
export const interventions = ['None', 'Caution', 'Tighten', 'Cooldown', 'Escalate'] as const;
export type Intervention = (typeof interventions)[number];

/** `spec.gates.meta` of the Agent. */
export interface ObserverSettings {
  readonly enabled: boolean;
  /** Number of cycles that the observer remembers. */
  readonly window: number;
  readonly cyclesPerMinute: number;
  /** Above 0, at most 1. */
  readonly tightenFactor: number;
  /** Lower limit of the factor. No threshold falls below the lower of the two floors, so a smaller factor has no effect. */
  readonly factorMin: number;
  readonly halfLifeMs: number;
  readonly cooldownMs: number;
}
