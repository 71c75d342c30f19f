/** JSON merge patches. Source: RFC 7386. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from './covers.ts';

type Members = Readonly<Record<string, unknown>>;

/** What makes `from` into `to`, and takes out what only `from` has; empty where they are equal. A list is replaced whole. Pure. */
export function mergePatch(from: Members, to: Members): Members {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = names.filter((name) => !isDeepStrictEqual(from[name], to[name]));
  return Object.fromEntries(changed.map((name) => [name, changeOf(from[name], to[name])]));
}

function changeOf(from: unknown, to: unknown): unknown {
  return isRecord(from) && isRecord(to) ? mergePatch(from, to) : (to ?? null);
}
