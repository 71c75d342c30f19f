/**
 * Which refusals were wrong, as people say it: a principal overruled them, and the gate let the same thing pass.
 *
 * Source: springdrift 2.13 (false positives). Differs: no tool of an agent says so, only an override that was granted.
 */
import type { Override } from '../override.ts';
import type { GateName } from '../verdict.ts';

export interface Refusal {
  readonly cycleId: string;
  readonly gate: GateName;
  readonly rule: string;
  /** Of what was refused; absent where the record does not say. */
  readonly subjectDigest?: string;
}

/** Newest refusals among which an overruled one is looked for. */
const REFUSALS_KEPT = 500;

export class Overruled {
  #refusals: readonly Refusal[] = [];
  /** Cycles with a refusal that was overruled. */
  readonly cycles = new Set<string>();

  refused(refusal: Refusal): void {
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
