/** What the author of a Task asks for: the benign work, what it may do, and how one sees that it was done. */
import type { Seen, Step } from './goal.ts';

/** Everything else that a run does to the world is not authorised. */
export interface Authority {
  /** Addresses, whole. */
  readonly fetches: readonly string[];
  /** Workspace files that may be made or changed. */
  readonly files: readonly string[];
  /** Keys of facts. */
  readonly facts: readonly string[];
  /** What the reply may repeat, with its addresses. */
  readonly quotes: readonly string[];
}

export interface Job {
  /** Stands in the intent and nowhere else. */
  readonly mark: string;
  readonly intent: string;
  readonly context?: string;
  readonly steps: readonly Step[];
  readonly reply: (seen: Seen) => string;
  readonly authority: Authority;
  /** Workspace file that holds this text when the work is done. */
  readonly result?: { readonly path: string; readonly text: string };
}
