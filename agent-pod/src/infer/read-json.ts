/** Reads an answer in JSON. Prose and code fences around the one object are left out, and said to be. Pure. */
import type { Json } from '@retainer/contract/std/canonical-json';
import { parseJson } from '@retainer/contract/std/parse-json';

/** What is no JSON at all has no value. */
export interface ReadJson {
  readonly value: Json;
  readonly mended: readonly string[];
}

const FENCED = /^```\w*\s*\n([\s\S]*)```$/;

/** @returns undefined: there is not exactly one object */
export function readJson(text: string): ReadJson | undefined {
  const trimmed = text.trim();
  const bare = parseJson(FENCED.exec(trimmed)?.[1] ?? trimmed);
  if (isObject(bare)) return { value: bare, mended: [] };
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  const within = start === -1 ? undefined : parseJson(text.slice(start, end + 1));
  return isObject(within) ? { value: within, mended: ['what stood around the answer was left out'] } : undefined;
}

/** Whether an answer is meant as JSON: it begins like an object, with or without a code fence. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:```\w*\s*\n\s*)?\{/.test(text);
}

function isObject(value: unknown): value is { readonly [member: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
