/**
 * A program's log for its operators, one line each: names, counts, reasons and kinds of errors, never a prompt, an output or a
 * secret.
 */

/** The same in all programs, the least urgent first. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: LogLevel;
  /** Constant, so that a search finds every line of its kind; values are fields of their own. */
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;
