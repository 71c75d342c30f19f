/** State of one archiving. A projection of its events; never stored. */
import type { ArchiveEventOf } from './event.ts';

export interface ArchiveState {
  readonly opened: ArchiveEventOf<'ArchiveOpened'>;
  /** The number of the deciders that decide it now. */
  readonly deciders: number;
  /** The call under way. */
  readonly pending?: ArchiveEventOf<'ArchiveAsked'>;
  /** Calls so far, answered or not. */
  readonly asked: number;
  /** Answers that no process heard. */
  readonly lost: number;
  /** What was thought of the run, in plain text. */
  readonly reflection?: string;
  /** Answers of the second step that have not its form, oldest first. */
  readonly malformed: readonly { readonly text: string; readonly faults: string }[];
  readonly hasBegun: boolean;
  readonly concluded?: ArchiveEventOf<'ArchiveConcluded'>;
  readonly isClosed: boolean;
}
