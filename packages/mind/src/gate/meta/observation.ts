/** The words of the observer: what it sees of a cycle, what it finds over several, and what it does about it. */
import { z } from 'zod';
import { driftKinds, JudgedOnce } from '../calculus/drift.ts';
import { gateNames, verdictKinds } from '../verdict.ts';

const GateDecision = z.object({
  gate: z.enum(gateNames),
  verdict: z.enum(verdictKinds),
  /** D′, 0 to 1; absent where nothing was scored. */
  score: z.number().exactOptional(),
});
export type GateDecision = Readonly<z.infer<typeof GateDecision>>;

/** What the gates did in one cycle that ended. */
export const Observation = z.object({
  cycleId: z.string(),
  /** Of its end, milliseconds since 1970. */
  atMs: z.number(),
  decisions: z.array(GateDecision).readonly(),
  /** Of the calculus, in their order. */
  judged: z.array(JudgedOnce).readonly(),
  /** Input and output together. */
  tokens: z.number(),
  toolCalls: z.number(),
});
export type Observation = Readonly<z.infer<typeof Observation>>;

/** In the order of the published table, and what `driftOf` finds. Source: springdrift 1, 2. */
export const detectors = [
  'Rate',
  'CumulativeRisk',
  'RepeatedRejections',
  'RepeatedModifications',
  'FalsePositives',
  ...driftKinds,
] as const;
export type Detector = (typeof detectors)[number];

/** What is done about the next cycles. */
export const interventions = ['None', 'Caution', 'Tighten', 'Cooldown', 'Escalate'] as const;
export type Intervention = (typeof interventions)[number];

/** `spec.gates.meta` of the Agent. */
export interface ObserverSettings {
  readonly enabled: boolean;
  /** Cycles that are remembered. */
  readonly window: number;
  readonly cyclesPerMinute: number;
  /** Above 0, at most 1. */
  readonly tightenFactor: number;
  /** No threshold is tightened below the lower of the two floors, so a smaller factor would do nothing. */
  readonly factorMin: number;
  readonly halfLifeMs: number;
  readonly cooldownMs: number;
}
