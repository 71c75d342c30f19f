/**
 * Watches the verdicts of the gates across runs, and delays or tightens later cycles. It never loosens a policy: a tightening
 * decays back to the policy, and no further.
 *
 * I1  All state is folded from the record of cycles, so a kill does not change it.
 * I2  The start of a cycle records the hold on it, so that a decision depends on nothing else.
 *
 * Source: springdrift 2 (with time windows, decay, cooldown as a state), 15.
 */
import { z } from 'zod';
import { driftKinds } from '../calculus/drift.ts';
import { detect, RATE_WINDOW_MS, type CalledWrong } from './detect.ts';
import { Observation, type CycleSeen, type Detector, type Intervention, type ObserverSettings } from './observation.ts';

/** Milliseconds for which observations are kept: 7 days. Source: springdrift 2 (`decay_days`). */
export const OBSERVED_MS = 7 * 86_400_000;

/** The factor on the thresholds at a moment in milliseconds since 1970. */
const Tightening = z.object({ factor: z.number(), atMs: z.number() });
export type Tightening = Readonly<z.infer<typeof Tightening>>;

/** The whole state of an observer, for a cache. */
export const ObserverState = z.object({
  observations: z.array(Observation),
  begins: z.array(z.number()),
  tightening: Tightening.exactOptional(),
  told: z.array(z.tuple([z.string(), z.number()])),
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

/** Decisions and judgements kept of one run: more than any detector looks at. */
const PARTS_MAX = 200;

/** Below this a tightening is over, because thresholds are shown with two digits. */
const NOTICEABLE = 0.005;

const CAUTION =
  'Many Tasks have begun in the last minute. Do what is asked in as few steps as it needs, and repeat none.';

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
  /** First ends of cycles of the runs that began within the last minute. */
  #begins: readonly number[] = [];
  #tightening: Tightening | undefined;
  /** False positives that were known when a person was last notified. */
  #told: CalledWrong = new Map();
  #cautionUntilMs = 0;
  #coolUntilMs = 0;

  constructor(settings: ObserverSettings) {
    this.#settings = settings;
  }

  /** Oldest first. */
  get observations(): readonly Observation[] {
    return this.#observations;
  }

  get state(): ObserverState {
    return {
      observations: [...this.#observations],
      begins: [...this.#begins],
      ...(this.#tightening === undefined ? {} : { tightening: this.#tightening }),
      told: [...this.#told],
      cautionUntilMs: this.#cautionUntilMs,
      coolUntilMs: this.#coolUntilMs,
    };
  }

  restore({ observations, begins, tightening, told, cautionUntilMs, coolUntilMs }: ObserverState): void {
    this.#observations = observations;
    this.#begins = begins;
    this.#tightening = tightening;
    this.#told = new Map(told);
    this.#cautionUntilMs = cautionUntilMs;
    this.#coolUntilMs = coolUntilMs;
  }

  /** Observes a finished cycle as a part of its run. */
  take(cycle: CycleSeen, wrong: CalledWrong = new Map()): Finding {
    const { cycleId, ...part } = cycle;
    const { atMs } = part;
    const { enabled, cyclesPerMinute } = this.#settings;
    const run = this.#join(part);
    const begunInMinute = this.#begins.length;
    const found = enabled
      ? detect({ observations: this.#observations, begunInMinute, cyclesPerMinute, wrong, told: this.#told })
      : [];
    if (found.includes('FalsePositives')) this.#told = new Map(wrong);
    const chosen = interventionFor(found);
    if (run.caused.includes(chosen)) return { cycleId, atMs, intervention: 'None', detectors: found };
    if (chosen !== 'None')
      this.#observations = this.#observations.with(-1, { ...run, caused: [...run.caused, chosen] });
    this.#intervene(chosen, found, atMs);
    return { cycleId, atMs, intervention: chosen, detectors: found };
  }

  /** @returns the run, which is the newest now */
  #join(cycle: Omit<Observation, 'caused'>): Observation {
    const { atMs } = cycle;
    const before = this.#observations.find((it) => it.runId === cycle.runId);
    const run = before === undefined ? { ...cycle, caused: [] } : joined(before, cycle);
    const others = this.#observations.filter((it) => it !== before && it.atMs > atMs - OBSERVED_MS);
    this.#observations = [...others, run].slice(-this.#settings.window);
    const begun = before === undefined ? [atMs] : [];
    this.#begins = [...this.#begins.filter((it) => it > atMs - RATE_WINDOW_MS && it <= atMs), ...begun];
    return run;
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

function joined(run: Observation, cycle: Omit<Observation, 'caused'>): Observation {
  return {
    ...run,
    atMs: cycle.atMs,
    decisions: [...run.decisions, ...cycle.decisions].slice(-PARTS_MAX),
    judged: [...run.judged, ...cycle.judged].slice(-PARTS_MAX),
    tokens: run.tokens + cycle.tokens,
    toolCalls: run.toolCalls + cycle.toolCalls,
  };
}
