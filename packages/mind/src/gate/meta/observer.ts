/**
 * Watches the verdicts of the gates across cycles, and slows or tightens what begins next. It never loosens a policy: what it
 * tightened goes back to the policy by itself, and no further.
 *
 * I1  Everything here is folded from the record of cycles: after a kill it is what it was before.
 * I2  What holds for a cycle is written into its start, so that a decision depends on nothing else.
 *
 * Source: springdrift 2 (with time windows, decay, cooldown as a state), 15.
 */
import { z } from 'zod';
import { driftKinds } from '../calculus/drift.ts';
import { detect, RATE_WINDOW_MS } from './detect.ts';
import { Observation, type Detector, type Intervention, type ObserverSettings } from './observation.ts';

/** Observations are kept for so long, milliseconds: what is older says nothing of now. */
export const OBSERVED_MS = 86_400_000;

/** What thresholds were multiplied by at a moment, milliseconds since 1970. */
const Tightening = z.object({ factor: z.number(), atMs: z.number() });
export type Tightening = Readonly<z.infer<typeof Tightening>>;

/** All that an observer remembers, for a cache. */
export const ObserverState = z.object({
  observations: z.array(Observation),
  ends: z.array(z.number()),
  tightening: Tightening.exactOptional(),
  told: z.array(z.string()),
  cautionUntilMs: z.number(),
  coolUntilMs: z.number(),
});
export type ObserverState = z.infer<typeof ObserverState>;

/** What was found after a cycle, and what is done about it. */
export interface Finding {
  readonly cycleId: string;
  readonly atMs: number;
  readonly intervention: Intervention;
  readonly detectors: readonly Detector[];
}

/** What holds for a cycle that begins. */
export interface Hold {
  /** What thresholds are multiplied by; absent: nothing. */
  readonly tightening?: number;
  /** A line for its model. */
  readonly caution?: string;
}

/** Below this a tightening is over: thresholds are told with two digits. */
const NOTICEABLE = 0.005;

const CAUTION =
  'Many cycles have begun in the last minute. Do what is asked in as few steps as it needs, and repeat none.';

/** By the first that holds. Source: springdrift 2. */
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

/** 1 is no tightening. Half of what is missing to 1 comes back with each half-life. */
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
  /** Cycles whose rejections were called wrong when a person was last asked. */
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

  /**
   * Takes a cycle that ended.
   *
   * @param falsePositives  cycles whose rejections a person called wrong
   */
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

  /** What was in force when a cycle began: the record's word, where observations are older than what is read of it. */
  adopt(tightening: number, atMs: number): void {
    if (tightening < factorAt(this.#tightening, atMs, this.#settings.halfLifeMs))
      this.#tightening = { factor: tightening, atMs };
  }

  /** What holds for a cycle that begins now. */
  hold(nowMs: number): Hold {
    if (!this.#settings.enabled) return {};
    const factor = factorAt(this.#tightening, nowMs, this.#settings.halfLifeMs);
    return {
      ...(factor === 1 ? {} : { tightening: factor }),
      ...(nowMs < this.#cautionUntilMs ? { caution: CAUTION } : {}),
    };
  }

  /** Until then no cycle begins, milliseconds since 1970; undefined where one may begin. */
  coolUntilMs(nowMs: number): number | undefined {
    // A clock that goes back must not hold up the work for longer than it was meant to.
    const isCool = nowMs < this.#coolUntilMs && this.#coolUntilMs - nowMs <= this.#settings.cooldownMs;
    return isCool ? this.#coolUntilMs : undefined;
  }

  #intervene(intervention: Intervention, found: readonly Detector[], atMs: number): void {
    const { tightenFactor, factorMin, halfLifeMs, cooldownMs } = this.#settings;
    if (intervention === 'Caution') this.#cautionUntilMs = atMs + RATE_WINDOW_MS;
    // What is escalated for its rejections is slowed as well: nobody looks at once.
    if (found.includes('RepeatedRejections')) this.#coolUntilMs = atMs + cooldownMs;
    if (intervention !== 'Tighten') return;
    const factor = factorAt(this.#tightening, atMs, halfLifeMs) * tightenFactor;
    this.#tightening = { factor: Math.max(factorMin, factor), atMs };
  }
}
