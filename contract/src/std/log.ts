/**
 * A program's log for its operators: names, counts, reasons and kinds of errors, never a prompt, an output or a secret.
 */

/** The least urgent first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: LogLevel;
  /** Constant, so that a search finds every line of its kind; values go into other fields. */
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;
