/**
 * What a pass over memory wants: changes, each with its reason. A pass is pure: it reads states, and says what should be written.
 *
 * I1  Nothing is deleted. A change is a record that takes something out of use, or that stands for it from then on.
 * I2  A pass over the result of a whole dream at the same moment wants nothing more.
 * I3  A pass pauses between its steps, so that who drives it can let other work go on. It may look at states that are a few
 *     milliseconds old then: folds take a change of what is gone as none.
 */
import type { z } from 'zod';
import type { Sliced } from '../../gate/text/pace.ts';
import type { caseKinds, Cases } from '../../parts/cases/cases.ts';
import type { factKinds, Facts } from '../../parts/facts/facts.ts';
import type { MegramIndex, megramKinds } from '../../parts/megrams/megrams.ts';
import type { threadKinds, Threads } from '../../parts/threads/threads.ts';

interface Kinds {
  readonly megram: typeof megramKinds;
  readonly case: typeof caseKinds;
  readonly thread: typeof threadKinds;
  readonly fact: typeof factKinds;
}

type CommandOf<S extends keyof Kinds, K extends keyof Kinds[S]> = K extends keyof Kinds[S]
  ? {
      readonly store: S;
      readonly kind: K;
      readonly payload: Kinds[S][K] extends z.ZodType ? z.infer<Kinds[S][K]> : never;
    }
  : never;

/** What the Dreamer may write; the table of writers names the same. */
export type TendCommand =
  | CommandOf<
      'megram',
      'MegramWritten' | 'MegramPromoted' | 'MegramDoubted' | 'MegramConsolidated' | 'MegramDemoted' | 'MegramForgotten'
    >
  | CommandOf<'case', 'CaseMerged' | 'CasePruned'>
  | CommandOf<'thread', 'ThreadNamed' | 'ThreadDormant'>
  | CommandOf<'fact', 'FactSuperseded'>;

/** What a model may put better than code. If nobody is asked, the commands have code's own words. */
export interface Wording {
  /** Of what it stands for: equal for the same sources. */
  readonly subject: string;
  readonly form: 'Advice' | 'Warning' | 'Name';
  /** What it is about. */
  readonly about: string;
  /** Newest first. Believed: no word of a stranger. */
  readonly texts: readonly string[];
  /** A word that the answer must name, so that it is about the same thing. */
  readonly names?: string;
}

export interface Change {
  /** A sentence without names: changes of one reason are counted together. */
  readonly reason: string;
  /** In this order. A crash may keep only the first ones; the same pass then wants the rest. */
  readonly commands: readonly TendCommand[];
  readonly wording?: Wording;
}

/** The states that passes read. */
export interface Tended {
  readonly megrams: MegramIndex;
  readonly cases: Cases;
  readonly threads: Threads;
  readonly facts: Facts;
}

export interface TendSettings {
  /** Cases that are at least so alike are merged, 0 to 1. */
  readonly caseDedupSimilarity: number;
}

/** @param nowMs  milliseconds since 1970; equal for all passes of a dream */
export type Pass = (known: Tended, nowMs: number, settings: TendSettings) => Sliced<readonly Change[]>;

/** Ids in one record: a line of some 50 kB at most. */
const IDS_MAX = 500;

/** Ids in lists that a record can hold. */
export function* inRecords(ids: readonly string[]): Generator<string[], void, undefined> {
  for (let start = 0; start < ids.length; start += IDS_MAX) yield ids.slice(start, start + IDS_MAX);
}
