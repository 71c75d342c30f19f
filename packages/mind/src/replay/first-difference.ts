/** Finds the first difference between two JSON values, member names in order. Pure. */
import { canonicalJson } from '@retainer/contract/std/canonical-json';

export interface Difference {
  /** `payload.request.messages[2].content[0].text`; empty when the whole values differ in kind. */
  readonly path: string;
  /** Canonical JSON; `NOTHING` where one side ends. */
  readonly recorded: string;
  readonly decided: string;
}

const NOTHING = 'nothing';

/** @returns undefined when both have the same canonical JSON */
export function firstDifference(recorded: unknown, decided: unknown, path = ''): Difference | undefined {
  const texts = { recorded: textOf(recorded), decided: textOf(decided) };
  if (texts.recorded === texts.decided) return undefined;
  if (Array.isArray(recorded) && Array.isArray(decided)) {
    const length = Math.max(recorded.length, decided.length);
    for (let index = 0; index < length; index += 1) {
      const found = firstDifference(recorded[index], decided[index], `${path}[${index}]`);
      if (found !== undefined) return found;
    }
  }
  if (isMembers(recorded) && isMembers(decided)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(decided)])].toSorted();
    for (const key of keys) {
      const found = firstDifference(recorded[key], decided[key], path === '' ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
  }
  return { path, ...texts };
}

function textOf(value: unknown): string {
  return value === undefined ? NOTHING : canonicalJson(value);
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
