/**
 * What is added to a cycle when it begins, by whoever knows what holds at that moment. All of it is in the record of the start.
 *
 * I1  What is told stands behind the texts of the cycle's own spec, uncached, or where nobody knows the model in front of the first
 *     message: what a server keeps has the same bytes in every cycle.
 */
import type { Manifest } from '@retainer/mind/assemble/curator/curate';
import type { CycleSpec } from '@retainer/mind/cycle/event';
import type { Recalled } from '@retainer/mind/memory/recall/recalled';

export interface Contribution {
  /** What holds for the cycle. */
  readonly holds?: Pick<CycleSpec, 'tightening' | 'outputsHeld'>;
  /** What the model is told. */
  readonly told?: string;
  /** What the told text consists of. */
  readonly curated?: Manifest;
  /** What was asked of memory for it, and why each was found. */
  readonly recalled?: Recalled;
}

export interface Contributor {
  atStart(spec: CycleSpec, nowMs: number): Contribution | Promise<Contribution>;
}

export interface CycleStart {
  readonly spec: CycleSpec;
  /** Absent: no contributor curates. */
  readonly curated?: Manifest;
  /** Absent: no contributor asked memory. */
  readonly recalled?: Recalled;
}

/** The cycle as it may begin now. @param contributors  in the order in which the model is told */
export async function cycleStart(
  asked: CycleSpec,
  contributors: readonly Contributor[],
  nowMs: number,
): Promise<CycleStart> {
  return startWith(asked, await Promise.all(contributors.map(async (it) => it.atStart(asked, nowMs))));
}

export function startWith(asked: CycleSpec, contributions: readonly Contribution[]): CycleStart {
  const told = contributions.flatMap(({ told: text }) =>
    text === undefined ? [] : [{ text, cache: false, varies: true as const }],
  );
  const curated = contributions.flatMap((it) => it.curated ?? []);
  const recalled = contributions.find((it) => it.recalled !== undefined)?.recalled;
  const holds: CycleSpec = Object.assign({}, asked, ...contributions.map((it) => it.holds ?? {}));
  return {
    spec: told.length === 0 ? holds : { ...holds, system: [...asked.system, ...told] },
    ...(curated.length === 0 ? {} : { curated }),
    ...(recalled === undefined ? {} : { recalled }),
  };
}
