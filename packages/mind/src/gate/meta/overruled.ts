/**
 * Which refusals were wrong, as people say it: a principal overruled them, and the gate let the same thing pass.
 *
 * Source: springdrift 2 (false positives). Differs: no tool of an agent says so, only an override that was granted.
 */
import type { Override } from '../verdict.ts';
import { z } from 'zod';
import { gateNames } from '../verdict.ts';

const PastRefusal = z.object({
  cycleId: z.string(),
  gate: z.enum(gateNames),
  rule: z.string(),
  /** Of what was refused; absent where the record does not say. */
  subjectDigest: z.string().exactOptional(),
});
export type PastRefusal = Readonly<z.infer<typeof PastRefusal>>;

/** For a cache. */
export const OverruledState = z.object({ refusals: z.array(PastRefusal), cycles: z.array(z.string()) });
export type OverruledState = z.infer<typeof OverruledState>;

/** Newest refusals among which an overruled one is looked for. */
const REFUSALS_KEPT = 500;

export class Overruled {
  #refusals: readonly PastRefusal[] = [];
  /** Cycles with a refusal that was overruled. */
  readonly cycles = new Set<string>();

  get state(): OverruledState {
    return { refusals: [...this.#refusals], cycles: [...this.cycles] };
  }

  restore({ refusals, cycles }: OverruledState): void {
    this.#refusals = refusals;
    for (const cycleId of cycles) this.cycles.add(cycleId);
  }

  refused(refusal: PastRefusal): void {
    this.#refusals = [...this.#refusals, refusal].slice(-REFUSALS_KEPT);
    const kept = new Set(this.#refusals.map((it) => it.cycleId));
    for (const cycleId of this.cycles) if (!kept.has(cycleId)) this.cycles.delete(cycleId);
  }

  /** The words of a Task are read by other cycles than those of the one that overrules: there the newest refusal is meant. */
  granted({ rule, subjectDigest, coversTask }: Pick<Override, 'rule' | 'subjectDigest' | 'coversTask'>): void {
    const meant = this.#refusals.findLast(
      (it) => it.rule === rule && (it.gate === 'Input' ? coversTask : it.subjectDigest === subjectDigest),
    );
    if (meant !== undefined) this.cycles.add(meant.cycleId);
  }
}
