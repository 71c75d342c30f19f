/** The words of the observer: what it sees of a cycle, what it finds over several, and what it does about it. */
import type { GateName, VerdictKind } from '../verdict.ts';

/** What the gates did in one cycle that ended. */
export interface Observation {
  readonly cycleId: string;
  /** Of its end, milliseconds since 1970. */
  readonly atMs: number;
  readonly decisions: readonly GateDecision[];
  /** Input and output together. */
  readonly tokens: number;
  readonly toolCalls: number;
}

export interface GateDecision {
  readonly gate: GateName;
  readonly verdict: VerdictKind;
  /** D′, 0 to 1; absent where nothing was scored. */
  readonly score?: number;
}

/** In the order of the published table. Source: springdrift 2.13. */
export const detectors = [
  'Rate',
  'CumulativeRisk',
  'RepeatedRejections',
  'RepeatedModifications',
  'FalsePositives',
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
