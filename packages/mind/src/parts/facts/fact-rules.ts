/**
 * How sure a fact is, which of two values holds, and who sees it. Stored numbers never change; each reading weighs them by age.
 *
 * Source: springdrift 4 (facts, synthesis guard, conflicts), 17 (M1); artoo C (one decay).
 * Differs: what a conclusion rests on must be cited, and a call of the cycle must have brought it; that memory was read is not enough.
 * The newest value holds, whatever was surer before, unless nobody saw it: a stale 0.9 does not beat a fresh 0.8.
 */

const DAY_MS = 86_400_000;

/** Days after which half of the confidence is left, where the Agent names no other. Source: springdrift 4. */
export const FACT_HALF_LIFE_DAYS = 30;

/** What nobody showed is at most as sure as its contrary. Source: springdrift 4. */
const UNSHOWN_CONFIDENCE_MAX = 0.5;

export const FACT_SCOPES = ['Persistent', 'Run', 'Cycle'] as const;

/** `OperatorProvided`: a person said it. `Unknown`: nothing shows it. */
export const DERIVATIONS = ['DirectObservation', 'Synthesis', 'OperatorProvided', 'Unknown'] as const;
export type Derivation = (typeof DERIVATIONS)[number];

/** How sure a fact is that was written without a number: seen, concluded, said by a person, unknown. Source: springdrift 4 (0.5). */
const CONFIDENCE: Readonly<Record<Derivation, number>> = {
  DirectObservation: 0.9,
  Synthesis: 0.7,
  OperatorProvided: 1,
  Unknown: UNSHOWN_CONFIDENCE_MAX,
};

/** The part of a fact that the rules weigh. */
export interface Weighed {
  readonly confidence: number;
  readonly derivation: Derivation;
  /** Milliseconds since 1970. */
  readonly writtenAtMs: number;
}

/** What a writer says of its own fact. */
export interface Claim {
  readonly derivation: Exclude<Derivation, 'OperatorProvided'>;
  /** 0 to 1; absent: as sure as its derivation. */
  readonly confidence?: number;
  /** Paths, addresses or names of what it rests on. */
  readonly evidence: readonly string[];
}

/** @param ageMs  a negative age, after a clock was set back, counts as 0. @returns c · 2^(−t/h) */
export function confidenceNow(confidence: number, ageMs: number, halfLifeDays: number): number {
  return confidence * 2 ** (-Math.max(0, ageMs) / DAY_MS / halfLifeDays);
}

/** The claim as it may be recorded: without evidence that the cycle brought, nobody knows whether it is so. */
export function guarded(claim: Claim, isShown: (evidence: string) => boolean): Required<Claim> {
  const evidence = claim.evidence.filter(isShown);
  const derivation = evidence.length === 0 ? 'Unknown' : claim.derivation;
  const confidence = claim.confidence ?? CONFIDENCE[claim.derivation];
  return {
    derivation,
    confidence: derivation === 'Unknown' ? Math.min(confidence, UNSHOWN_CONFIDENCE_MAX) : confidence,
    evidence,
  };
}

/** Whether a newer value takes the place of an older one of the same key. */
export function replaces(older: Weighed, newer: Weighed, halfLifeDays: number): boolean {
  if (newer.derivation === 'OperatorProvided') return true;
  if (older.derivation === 'OperatorProvided') return false;
  if (newer.derivation === 'DirectObservation') return true;
  const left = confidenceNow(older.confidence, newer.writtenAtMs - older.writtenAtMs, halfLifeDays);
  return newer.confidence >= left;
}

/** Why one of two values holds. */
export const SETTLEMENTS = ['PersonSaid', 'SeenLater', 'AsSure', 'Surer'] as const;

/** @param kept  the value that holds by `replaces` */
export function settlementOf(kept: Weighed, lost: Weighed): (typeof SETTLEMENTS)[number] {
  if (kept.derivation === 'OperatorProvided') return 'PersonSaid';
  if (kept.writtenAtMs < lost.writtenAtMs) return 'Surer';
  return kept.derivation === 'DirectObservation' ? 'SeenLater' : 'AsSure';
}
