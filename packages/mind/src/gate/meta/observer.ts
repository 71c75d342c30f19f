/**
 * Watches the verdicts of the gates across cycles, and delays or tightens later cycles. It never loosens a policy: a tightening
 * decays back to the policy, and no further.
 *
 * I1  All state is folded from the record of cycles, so a kill does not change it.
 * I2  The start of a cycle records the hold on it, so that a decision depends on nothing else.
 *
 * Source: springdrift 2 (with time windows, decay, cooldown as a state), 15.
 */
import { z } from 'zod';
import { driftKinds } from '../calculus/drift.ts';
import { detect, RATE_WINDOW_MS } from './detect.ts';
import { Observation, type Detector, type Intervention, type ObserverSettings } from './observation.ts';

/** Milliseconds for which observations are kept; older ones no longer describe the present. */
export const OBSERVED_MS = 86_400_000;

/** The factor on the thresholds at a moment in milliseconds since 1970. */
const Tightening = z.object({ factor: z.number(), atMs: z.number() });
export type Tightening = Readonly<z.infer<typeof Tightening>>;

/** The whole state of an observer, for a cache. */
export const ObserverState = z.object({
  observations: z.array(Observation),
  ends: z.array(z.number()),
  tightening: Tightening.exactOptional(),
  told: z.array(z.string()),
  cautionUntilMs: z.number(),
  coolUntilMs: z.number(),
});
export type ObserverState = z.infer<typeof ObserverState>;

/** The findings after a cycle, and the intervention. */
export interface Finding {
  readonly cycleId: string;
  readonly atMs: number;
  readonly intervention: Intervention;
  readonly detectors: readonly Detector[];
}

export interface Hold {
  /** Factor on the thresholds; absent: 1. */
  readonly tightening?: number;
  /** A line for the cycle's model. */
  readonly caution?: string;
}

/** Below this a tightening is over, because thresholds are shown with two digits. */
const NOTICEABLE = 0.005;

const CAUTION =
  'Many cycles have begun in the last minute. Do what is asked in as few steps as it needs, and repeat none.';

/** The first that holds applies. Source: springdrift 2. */
const choices: readonly (readonly [Intervention, (found: ReadonlySet<Detector>) => boolean])[] = [
  ['Escalate', (found) => driftKinds.some((kind) => found.has(kind))],
  ['Escalate', (found) => found.has('FalsePositives')],
  ['Escalate', (found) => found.has('Rate') && found.has('RepeatedRejections')],
  ['Cooldown', (found) => found.has('RepeatedRejections')],
  ['Tighten', (found) => found.has('CumulativeRisk') || found.has('RepeatedModifications')],
  ['Caution', (found) => found.has('Rate')],
];

export function interventionFor(found: readonly Detector[]): Intervention {
  return choices.find(([, holds]) => holds(new Set(found)))?.[0] ?? 'None';
}

/** 1 means no tightening. The distance to 1 halves with each half-life. */
export function factorAt(tightening: Tightening | undefined, nowMs: number, halfLifeMs: number): number {
  if (tightening === undefined) return 1;
  const sinceMs = Math.max(0, nowMs - tightening.atMs);
  const missing = (1 - tightening.factor) * 2 ** (-sinceMs / halfLifeMs);
  return missing < NOTICEABLE ? 1 : 1 - missing;
}

export class Observer {
  readonly #settings: ObserverSettings;
  /** Oldest first. */
  #observations: readonly Observation[] = [];
  #ends: readonly number[] = [];
  #tightening: Tightening | undefined;
  /** False positives that were known when a person was last notified. */
  #told: ReadonlySet<string> = new Set();
  #cautionUntilMs = 0;
  #coolUntilMs = 0;

  constructor(settings: ObserverSettings) {
    this.#settings = settings;
  }

  get state(): ObserverState {
    return {
      observations: [...this.#observations],
      ends: [...this.#ends],
      ...(this.#tightening === undefined ? {} : { tightening: this.#tightening }),
      told: [...this.#told],
      cautionUntilMs: this.#cautionUntilMs,
      coolUntilMs: this.#coolUntilMs,
    };
  }

  restore({ observations, ends, tightening, told, cautionUntilMs, coolUntilMs }: ObserverState): void {
    this.#observations = observations;
    this.#ends = ends;
    this.#tightening = tightening;
    this.#told = new Set(told);
    this.#cautionUntilMs = cautionUntilMs;
    this.#coolUntilMs = coolUntilMs;
  }

  /** Observes a finished cycle. @param falsePositives  cycles with a rejection that a person called wrong */
  take(observation: Observation, falsePositives: ReadonlySet<string> = new Set()): Finding {
    const { cycleId, atMs } = observation;
    const { enabled, window, cyclesPerMinute } = this.#settings;
    const isRecent = (it: { readonly atMs: number }): boolean => it.atMs > atMs - OBSERVED_MS;
    this.#observations = [...this.#observations.filter(isRecent), observation].slice(-window);
    this.#ends = [...this.#ends.filter((it) => it > atMs - RATE_WINDOW_MS && it <= atMs), atMs];
    const endedInMinute = this.#ends.length;
    const found = enabled
      ? detect({ observations: this.#observations, endedInMinute, cyclesPerMinute, falsePositives, told: this.#told })
      : [];
    if (found.includes('FalsePositives')) this.#told = new Set(falsePositives);
    const intervention = interventionFor(found);
    this.#intervene(intervention, found, atMs);
    return { cycleId, atMs, intervention, detectors: found };
  }

  /**
   * Adopts the recorded tightening of a cycle, if it is stricter. Needed if the observations behind it are older than the part of
   * the record that is read.
   */
  adopt(tightening: number, atMs: number): void {
    if (tightening < factorAt(this.#tightening, atMs, this.#settings.halfLifeMs))
      this.#tightening = { factor: tightening, atMs };
  }

  hold(nowMs: number): Hold {
    if (!this.#settings.enabled) return {};
    const factor = factorAt(this.#tightening, nowMs, this.#settings.halfLifeMs);
    return {
      ...(factor === 1 ? {} : { tightening: factor }),
      ...(nowMs < this.#cautionUntilMs ? { caution: CAUTION } : {}),
    };
  }

  /** No cycle begins before this moment, in milliseconds since 1970; undefined if one may begin now. */
  coolUntilMs(nowMs: number): number | undefined {
    // If the clock goes back, the cooldown must not last longer than intended.
    const isCool = nowMs < this.#coolUntilMs && this.#coolUntilMs - nowMs <= this.#settings.cooldownMs;
    return isCool ? this.#coolUntilMs : undefined;
  }

  #intervene(intervention: Intervention, found: readonly Detector[], atMs: number): void {
    const { tightenFactor, factorMin, halfLifeMs, cooldownMs } = this.#settings;
    if (intervention === 'Caution') this.#cautionUntilMs = atMs + RATE_WINDOW_MS;
    // An escalation for repeated rejections also causes a cooldown, because people do not react at once.
    if (found.includes('RepeatedRejections')) this.#coolUntilMs = atMs + cooldownMs;
    if (intervention !== 'Tighten') return;
    const factor = factorAt(this.#tightening, atMs, halfLifeMs) * tightenFactor;
    this.#tightening = { factor: Math.max(factorMin, factor), atMs };
  }
}
