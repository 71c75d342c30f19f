/**
 * The files that a run may change because it made them.
 *
 * I1  An approval makes nothing free: what a person let a call replace, the next call asks about again. A file that an approved
 *     call made anew is the run's own.
 */
import type { ToolFacts } from '../tool-facts.ts';

/** A call that ran, as far as its files are concerned. */
interface WritingCall {
  readonly approvalId?: string;
  /** It replaced something that existed before. */
  readonly replaces?: true;
}

/** Nobody knows which files of a program were there before it wrote them. */
export function makesFilesOwn({ approvalId, replaces }: WritingCall, { writes }: ToolFacts): boolean {
  return approvalId === undefined || (replaces !== true && writes !== 'Anything');
}
