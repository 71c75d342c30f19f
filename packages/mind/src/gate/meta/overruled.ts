/**
 * Finds refusals that people called wrong: a principal overruled one and the gate then accepted the same subject, or a person
 * reported it.
 *
 * Source: springdrift 2 (false positives). Differs: a granted override counts, too.
 */
import { z } from 'zod';
import { gateNames, type GateName, type Override } from '../verdict.ts';
import type { CalledWrong } from './detect.ts';

const PastRefusal = z.object({
  runId: z.string(),
  cycleId: z.string(),
  gate: z.enum(gateNames),
  rule: z.string(),
  /** Digest of the refused subject; absent if the record has none. */
  subjectDigest: z.string().exactOptional(),
  isWrong: z.literal(true).exactOptional(),
});
export type PastRefusal = Readonly<z.infer<typeof PastRefusal>>;

/** What identifies a refusal of a cycle. */
export type RefusalId = Omit<PastRefusal, 'runId' | 'isWrong'>;

interface Refusing {
  readonly gate: GateName;
  readonly rule: string;
  readonly argumentsDigest?: string;
  readonly record?: { readonly subjectDigest: string };
}

export function refusalOf(cycleId: string, { gate, rule, argumentsDigest, record }: Refusing): RefusalId {
  const subjectDigest = argumentsDigest ?? record?.subjectDigest;
  return { cycleId, gate, rule, ...(subjectDigest === undefined ? {} : { subjectDigest }) };
}

/** For a cache. */
export const OverruledState = z.object({ refusals: z.array(PastRefusal) });
export type OverruledState = z.infer<typeof OverruledState>;

/** Number of newest refusals that are searched for one that was called wrong. */
const REFUSALS_KEPT = 500;

export class Overruled {
  #refusals: readonly PastRefusal[] = [];

  get state(): OverruledState {
    return { refusals: [...this.#refusals] };
  }

  /** Rejections called wrong, by run. */
  get wrong(): CalledWrong {
    const counts = new Map<string, number>();
    for (const { runId, isWrong } of this.#refusals)
      if (isWrong === true) counts.set(runId, (counts.get(runId) ?? 0) + 1);
    return counts;
  }

  restore({ refusals }: OverruledState): void {
    this.#refusals = refusals;
  }

  refused(refusal: PastRefusal): void {
    this.#refusals = [...this.#refusals, refusal].slice(-REFUSALS_KEPT);
  }

  /** The input gate reads a Task's words in other cycles than the overriding one, so for input the newest refusal is meant. */
  granted({ rule, subjectDigest, coversTask }: Pick<Override, 'rule' | 'subjectDigest' | 'coversTask'>): void {
    this.#mark((it) => it.rule === rule && (it.gate === 'Input' ? coversTask : it.subjectDigest === subjectDigest));
  }

  /** A person reported it. A refusal that is no longer kept counts no more. */
  reported({ cycleId, gate, rule, subjectDigest }: RefusalId): void {
    this.#mark(
      (it) => it.cycleId === cycleId && it.gate === gate && it.rule === rule && it.subjectDigest === subjectDigest,
    );
  }

  #mark(isMeant: (refusal: PastRefusal) => boolean): void {
    const at = this.#refusals.findLastIndex(isMeant);
    const meant = this.#refusals[at];
    if (meant !== undefined) this.#refusals = this.#refusals.with(at, { ...meant, isWrong: true });
  }
}
