/** Makes JSON of a model whole, arguments of a call or an answer, or says why nobody can take it. Pure. */
import type { Json } from '@retainer/contract/std/canonical-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { wellFormed } from '@retainer/contract/std/well-formed';

/** Deepest nesting. No tool takes more than a few levels; readers of JSON that call themselves fail at some thousands. */
const DEPTH_MAX = 64;

/** Most values, lists and objects included. Each costs every reader some work; tools take long texts, not long lists. */
const VALUES_MAX = 10_000;

/** Longest texts together, UTF-16 code units. The longest answer of 128,000 tokens has about 450,000. */
const CHARS_MAX = 1024 * 1024;

/**
 * A value that the record, the gate, the tool and the next request read alike: texts are well formed, and `-0` is `0`.
 *
 * @returns the identical value if nothing changed; or why it cannot be taken, for the model
 */
export function wholeJson(input: Json): Result<Json, string> {
  const fault = faultOf(input);
  if (fault !== undefined) return err(fault);
  const whole = mended(input);
  return whole === undefined ? err('two of its members have the same name') : ok(whole);
}

/** Keeps its own list of what is open, because a nesting that exceeds the limit would exceed the stack as well. */
function faultOf(input: Json): string | undefined {
  const open: { readonly value: Json; readonly depth: number }[] = [{ value: input, depth: 1 }];
  let values = 0;
  let chars = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    values += 1;
    if (typeof value === 'number' && !isExact(value)) return unkept(value);
    if (typeof value === 'string') chars += value.length;
    if (typeof value === 'object' && value !== null) {
      if (depth > DEPTH_MAX) return `it is nested deeper than ${DEPTH_MAX} levels`;
      const members = Object.values<Json>(value);
      if (values + open.length + members.length > VALUES_MAX) return `it holds more than ${VALUES_MAX} values`;
      if (!Array.isArray(value)) chars += Object.keys(value).reduce((sum, key) => sum + key.length, 0);
      for (const member of members) open.push({ value: member, depth: depth + 1 });
    }
    if (chars > CHARS_MAX) return `it is longer than ${CHARS_MAX} characters`;
  }
  return undefined;
}

/** Whether the number is the one that was sent: a larger whole number was rounded when it was read. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function unkept(value: number): string {
  const what = Number.isFinite(value) ? 'a whole number' : 'a number';
  return `${what} in it is too large to be kept exactly: send it as a text`;
}

/** @returns undefined where two members of an object would have one name */
function mended(value: Json): Json | undefined {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value as { readonly [key: string]: Json });
  const whole: [string, Json][] = [];
  for (const [key, member] of members) {
    const next = mended(member);
    if (next === undefined) return undefined;
    whole.push([Array.isArray(value) ? key : wellFormed(key), next]);
  }
  if (whole.every(([key, member], at) => key === members[at]?.[0] && Object.is(member, members[at]?.[1]))) return value;
  if (Array.isArray(value)) return whole.map(([, member]) => member);
  // Members are defined, not assigned, so that one may be called __proto__.
  return new Set(whole.map(([key]) => key)).size < whole.length ? undefined : Object.fromEntries(whole);
}
