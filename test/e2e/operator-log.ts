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

/** Namespaces of `World.namespace`. */
const TEST_NAMESPACE = /\be2e-[a-z-]+-[a-z0-9]{5}\b/g;

/**
 * Lines of level warn and above that nobody expects; a line that is no JSON is one of them. Files run side by side: a line that names
 * only namespaces of others is theirs.
 */
export function unexpectedLines(
  log: string,
  { namespaces, expected }: { readonly namespaces: readonly string[]; readonly expected: readonly RegExp[] },
): readonly string[] {
  const known = [...ALLOWED, ...expected];
  const isOfOthers = (line: string): boolean => {
    const named = line.match(TEST_NAMESPACE) ?? [];
    return named.length > 0 && !named.some((it) => namespaces.includes(it));
  };
  return log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .filter((line) => isFault(line) && !isOfOthers(line) && !known.some((pattern) => pattern.test(line)));
}

function isFault(line: string): boolean {
  try {
    return LEVELS.has(String((JSON.parse(line) as { readonly level?: unknown }).level));
  } catch {
    return true;
  }
}
