/** What of an operator's log a test must explain. */
import type { LogLevel } from '../../contract/src/std/log.ts';

/** Said by an operator that is well: the API server or the machine was busy, or an object changed while it was looked at. */
const ALLOWED: readonly RegExp[] = [
  /object has been modified/,
  /the Lease could not be read or written/,
  /was not renewed within/,
  /only the cache does not know it yet/,
  /nothing came within \d+ ms/,
];

const LEVELS = new Set<string>(['warn', 'error'] satisfies LogLevel[]);

/** @returns lines of level warn and above that nobody expects; a line that is no JSON is one of them */
export function unexpectedLines(log: string, expected: readonly RegExp[]): readonly string[] {
  const known = [...ALLOWED, ...expected];
  return log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .filter((line) => isFault(line) && !known.some((pattern) => pattern.test(line)));
}

function isFault(line: string): boolean {
  try {
    return LEVELS.has(String((JSON.parse(line) as { readonly level?: unknown }).level));
  } catch {
    return true;
  }
}
