/** The outcome of one tool call. */
import type { Label } from '../gate/provenance/label.ts';

export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export type ToolStatus = 'Ok' | 'Error' | 'TimedOut' | 'Cancelled' | 'Unknown';

/** The structured evidence of one call. The journal keeps it, and validators judge by it. */
export interface ToolOutcome {
  readonly status: ToolStatus;
  /** What the model sees: the head and the tail of the output, and where the rest is. */
  readonly text: string;
  readonly exitCode?: number;
  /** No sandbox ran its program to an end. */
  readonly sandboxFailed?: true;
  /** The full output, when `text` holds only a part. */
  readonly artifactId?: string;
  readonly outputBytes: number;
  readonly outputSha256: string;
  readonly files: readonly WrittenFile[];
  /** Files and links that it removed, at most as many as it lists written ones. Absent: nobody looked, or it can remove none. */
  readonly gone?: readonly string[];
  /** Paths of symbolic links that the call made or changed. Absent: none. */
  readonly links?: readonly string[];
  readonly durationMs: number;
  /** Present when the tool knows it better than the table of labels. */
  readonly label?: Label;
  /** JSON pointers to the parts of `text` that others wrote; the tool vouches for all other parts. */
  readonly othersAt?: readonly string[];
}
