/**
 * The records in a tool's result: the values that no stranger can write, each as a text. A result is a list of fields, and each
 * field has an origin of its own: who reads a calendar reads ids and times that the calendar gives, and descriptions that anybody wrote.
 *
 * I1  A part counts only if the tool vouches for it: by the name of its member, or because its outcome names others' parts and not
 *     this one. A result that was cut, or is no JSON though others wrote a part of it, has no records.
 *
 * Source: reliability-security 4 (labels on every value).
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolOutputFacts } from '../tool-facts.ts';

/** @param othersAt  JSON pointers to what others wrote; the empty one means everything */
export function recordsIn(
  text: string,
  { records }: Pick<ToolOutputFacts, 'records'>,
  othersAt: readonly string[] = [],
): readonly string[] {
  if (records === undefined) return [];
  const parsed = parseJson(text);
  if (parsed === undefined) return records === 'All' && othersAt.length === 0 ? [text] : [];
  const places = placesIn(parsed, { pointer: '', member: undefined });
  const isVouchedFor = ({ pointer, member }: At): boolean =>
    records === 'All' || (member !== undefined && records.includes(member) && pointer !== '');
  const isOthers = ({ pointer }: At): boolean => othersAt.some((it) => pointer === it || pointer.startsWith(`${it}/`));
  return places.filter((it) => isVouchedFor(it) && !isOthers(it)).map((it) => it.text);
}

/** Every text and number of a value, as a text. */
export function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

interface At {
  readonly pointer: string;
  /** The innermost member whose name is no index. */
  readonly member: string | undefined;
}

function placesIn(value: unknown, at: At): readonly (At & { readonly text: string })[] {
  if (typeof value === 'string' || typeof value === 'number') return [{ ...at, text: String(value) }];
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, member]) => {
    const pointer = `${at.pointer}/${escaped(key)}`;
    // A key may be a value: an address in a list of permissions. It has the name of the member that holds it.
    const keyed = isList ? [] : [{ pointer, member: at.member, text: key }];
    return [...keyed, ...placesIn(member, { pointer, member: isList ? at.member : key })];
  });
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
