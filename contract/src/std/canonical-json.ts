import { isDeepFrozen } from './frozen.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * The one text of a JSON value: members sorted by UTF-16 code units, no white space.
 *
 * Members that are `undefined` are left out, as in `JSON.stringify`. Numbers must be finite.
 *
 * Source: RFC 8785 (ECMAScript's own number and string forms are the canonical ones).
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`not a JSON number: ${value}`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`not a JSON value: ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
}

/**
 * Changes every text of a value, but no member names. `member` is the member that contains the text.
 *
 * @param settled  collects frozen objects in which nothing changed, and skips them from then on. The caller keeps it for one
 *   `change`, which must give the same text the same answer
 * @returns the identical value if nothing changed
 */
export function mapTexts(
  value: Json,
  change: (text: string, member?: string) => string,
  member?: string,
  settled?: WeakSet<object>,
): Json {
  if (typeof value === 'string') return change(value, member);
  if (value === null || typeof value !== 'object' || settled?.has(value) === true) return value;
  const isList = Array.isArray(value);
  const mapped = mapMembers(value, (inner, key) => mapTexts(inner, change, isList ? member : key, settled));
  // Not a list: the answer for its texts depends on the member that contains it.
  if (mapped === value && !isList && settled !== undefined && isDeepFrozen(value)) settled.add(value);
  return mapped;
}

/** Copies only on a change: almost every record has none. */
function mapMembers(value: Json & object, map: (inner: Json, key: string) => Json): Json {
  let copy: Json | undefined;
  const members = value as { readonly [key: string]: Json };
  for (const key of Object.keys(members)) {
    const inner = members[key];
    if (inner === undefined || !holdsText(inner)) continue;
    const changed = map(inner, key);
    if (changed === inner) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...members };
    // Defined, not assigned: a member may be called __proto__.
    Object.defineProperty(copy, key, { value: changed, enumerable: true, writable: true, configurable: true });
  }
  return copy ?? value;
}

function holdsText(value: Json): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}
