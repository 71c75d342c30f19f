/** What came of one tool call. */
import type { Label } from '../gate/provenance/label.ts';

/** The record of one file that a call wrote below the workspace. */
export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export type ToolStatus = 'Ok' | 'Error' | 'TimedOut' | 'Cancelled' | 'Unknown';

/** The structured evidence of one call: what is journalled, and what a validator judges on. */
export interface ToolOutcome {
  readonly status: ToolStatus;
  /** What the model sees: the head and the tail of the output, and where the rest is. */
  readonly text: string;
  readonly exitCode?: number;
  /** The full output, where `text` is not all of it. */
  readonly artifactId?: string;
  readonly outputBytes: number;
  readonly outputSha256: string;
  readonly files: readonly WrittenFile[];
  readonly durationMs: number;
  /** Where the tool knows it better than the table of labels. */
  readonly label?: Label;
}
