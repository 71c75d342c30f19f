/**
 * Finds refusals that people called wrong: a principal overruled one, and the gate then accepted the same subject.
 *
 * Source: springdrift 2 (false positives). Differs: no tool of an agent reports false positives, only a granted override.
 */
import type { Override } from '../verdict.ts';
import { z } from 'zod';
import { gateNames } from '../verdict.ts';

const PastRefusal = z.object({
  cycleId: z.string(),
  gate: z.enum(gateNames),
  rule: z.string(),
  /** Digest of the refused subject; absent if the record has none. */
  subjectDigest: z.string().exactOptional(),
});
export type PastRefusal = Readonly<z.infer<typeof PastRefusal>>;

/** For a cache. */
export const OverruledState = z.object({ refusals: z.array(PastRefusal), cycles: z.array(z.string()) });
export type OverruledState = z.infer<typeof OverruledState>;

/** Number of newest refusals that are searched for an overruled one. */
const REFUSALS_KEPT = 500;

export class Overruled {
  #refusals: readonly PastRefusal[] = [];
  /** Cycles with an overruled refusal. */
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

  /** The input gate reads a Task's words in other cycles than the overriding one, so for input the newest refusal is meant. */
  granted({ rule, subjectDigest, coversTask }: Pick<Override, 'rule' | 'subjectDigest' | 'coversTask'>): void {
    const meant = this.#refusals.findLast(
      (it) => it.rule === rule && (it.gate === 'Input' ? coversTask : it.subjectDigest === subjectDigest),
    );
    if (meant !== undefined) this.cycles.add(meant.cycleId);
  }
}
