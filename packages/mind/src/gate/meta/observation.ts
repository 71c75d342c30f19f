/**
 * The types of the observer: what it sees of a run, what it finds over several runs, and its interventions.
 *
 * Source: springdrift 2. Differs: what is counted there as a cycle of the agent, the work on one request with everything that
 * helpers do for it, is a run here; a cycle of a role is a part of it.
 */
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

const seen = {
  /** In order; each text counts once, however often it was revised. */
  decisions: z.array(GateDecision).readonly(),
  /** Judgements of the calculus, in order; each text counts once. */
  judged: z.array(JudgedOnce).readonly(),
  /** Input and output together. */
  tokens: z.number(),
  toolCalls: z.number(),
};

/** What a cycle of a role came to. */
/** The consequences for later cycles. */
export const interventions = ['None', 'Caution', 'Tighten', 'Cooldown', 'Escalate'] as const;
export type Intervention = (typeof interventions)[number];

/** All cycles of a run so far. */
export const Observation = z.object({
  runId: z.string(),
  /** End of its newest cycle, milliseconds since 1970. */
  atMs: z.number(),
  ...seen,
  /** What the run has caused: each intervention once. */
  caused: z.array(z.enum(interventions)).readonly(),
});
export type Observation = Readonly<z.infer<typeof Observation>>;

/** What a cycle of a role came to; `atMs` is its end. */
export type CycleSeen = Omit<Observation, 'caused'> & { readonly cycleId: string };

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

/** `spec.gates.meta` of the Agent. */
export interface ObserverSettings {
  readonly enabled: boolean;
  /** Number of runs that the observer remembers. */
  readonly window: number;
  /** Runs; the published table calls them cycles. */
  readonly cyclesPerMinute: number;
  /** Above 0, at most 1. */
  readonly tightenFactor: number;
  /** Lower limit of the factor. No threshold falls below the lower of the two floors, so a smaller factor has no effect. */
  readonly factorMin: number;
  readonly halfLifeMs: number;
  readonly cooldownMs: number;
}
