/**
 * The potentials of memory: how much experience there is with something, and whether it was good.
 *
 * Stored numbers never change; each reading weighs them by age.
 *
 * Source: artoo A.11 (potentials, thresholds), A.9, C (one decay).
 */
import { Megram, type Potentials } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { Readers } from '../../gate/provenance/label.ts';

const MILLISECONDS_PER_DAY = 86_400_000;

/** Experience with less attention is ignored. Source: artoo A.11. */
const ATTENTION_MIN = 0.5;

/** A decision beyond this, in either direction, is advice; up to it, a warning. Source: artoo A.11. */
const DECISION_EDGE = 0.2;

/** Tolerance of each comparison; sums of decimal fractions deviate by less. Source: artoo A.9. */
const TOLERANCE = 1e-9;

/** Strength of a rule, regardless of the megrams that it was merged from. Source: artoo A.11. */
const RULE_STRENGTH = 1;

/** A megram and its changes since it was written. */
export const StoredMegram = Megram.extend({
  /** Nothing untrusted had been read by the run that taught it. */
  isTrusted: z.boolean(),
  /** Who may read what the run had read; absent: the owner. */
  readers: Readers.exactOptional(),
  /** When it ceased to be a rule; milliseconds since 1970. */
  demotedAtMs: z.number().exactOptional(),
  /** Of a lesson: what it is about. */
  tags: z.array(z.string()).exactOptional(),
  /** The rule that it was merged into, which now counts instead. */
  consolidatedInto: z.string().exactOptional(),
});
export type StoredMegram = Readonly<z.infer<typeof StoredMegram>>;

/**
 * The part of 1 that remains after a time.
 *
 * @param ageMs  a negative age, after a clock was set back, counts as 0
 * @param k      per day; 0 never fades
 */
export function decay(ageMs: number, k: number): number {
  return Math.exp((-k * Math.max(0, ageMs)) / MILLISECONDS_PER_DAY);
}

/** The start of a megram's decay, in milliseconds since 1970; the same in all calculations. Source: artoo A.11. */
export function decayOriginMs(megram: StoredMegram): number {
  return Math.max(megram.createdAtMs, megram.lastRecalledAtMs ?? 0, megram.demotedAtMs ?? 0);
}

/** Whether a megram itself counts. Immutable megrams do not, nor do those merged into a rule. Source: artoo A.11. */
export function isCounted({ level, consolidatedInto }: StoredMegram): boolean {
  return level !== 'T' && consolidatedInto === undefined;
}

/** Attention Σ|f|·e^(−kt) and decision Σ σ·f·e^(−kt) over the megrams that count, t in days. */
export function potentialsOf(megrams: readonly StoredMegram[], nowMs: number): Potentials {
  let attention = 0;
  let decision = 0;
  for (const megram of megrams.filter(isCounted)) {
    const strength = megram.level === 'C' ? RULE_STRENGTH : megram.f;
    const left = strength * decay(nowMs - decayOriginMs(megram), megram.k);
    attention += Math.abs(left);
    decision += megram.sigma * left;
  }
  return { attention, decision, action: actionOf(attention, decision) };
}

/** The potentials of several spaces together. */
export function addPotentials(all: readonly Potentials[]): Potentials {
  const attention = all.reduce((sum, it) => sum + it.attention, 0);
  const decision = all.reduce((sum, it) => sum + it.decision, 0);
  return { attention, decision, action: actionOf(attention, decision) };
}

/** The potentials of experience that counts only in part. Source: artoo A.11. */
export function scalePotentials({ attention, decision }: Potentials, ratio: number): Potentials {
  return addPotentials([{ attention: attention * ratio, decision: decision * ratio, action: 'Ignore' }]);
}

/** An attention of exactly 0.5 counts; a decision of exactly ±0.2 is not advice yet. Source: artoo A.11. */
function actionOf(attention: number, decision: number): Potentials['action'] {
  if (attention < ATTENTION_MIN - TOLERANCE) return 'Ignore';
  if (decision > DECISION_EDGE + TOLERANCE) return 'Exploit';
  if (decision < -DECISION_EDGE - TOLERANCE) return 'Avoid';
  return 'Caution';
}
