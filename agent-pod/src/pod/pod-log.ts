/** One line of JSON for each change of state. Holds no user text: names, counts, reasons and kinds of errors. */
import type { Clock } from '@retainer/contract/std/clock';

export interface LogLine {
  readonly level: 'error' | 'warn' | 'info';
  readonly message: string;
  readonly [field: string]: unknown;
}

export type Log = (line: LogLine) => void;

export function createLog(clock: Clock, write: (text: string) => void): Log {
  return (line) => write(`${JSON.stringify({ time: new Date(clock.nowMs()).toISOString(), ...line })}\n`);
}

/** The kind of an error, without its message. */
export function errorKind(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** Kind and place of an error, without its message: that may quote what a person or a model wrote. */
export function errorPlace(error: unknown): { readonly error: string; readonly at: readonly string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] };
  const { code } = error as NodeJS.ErrnoException;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const name = code === undefined ? error.name : `${error.name} ${code}`;
  return { error: name, at: frames.slice(0, 8).map((line) => line.trim()) };
}
