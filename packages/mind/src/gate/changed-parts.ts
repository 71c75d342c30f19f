/** Which parts of a character differ between two versions of it, for people. Pure. */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import { canonicalJson } from '@retainer/contract/std/canonical-json';

/** Named parts; a character that differs in more is another one. */
const PARTS_MAX = 32;

/** `persona`, `virtues/honest`, `authority.never/no-mail`, in the order of their names; the last says how many more there are. */
export function changedParts(from: CharacterSpec['spec'], to: CharacterSpec['spec']): readonly string[] {
  const parts = differences('', from, to).toSorted();
  return parts.length <= PARTS_MAX ? parts : [...parts.slice(0, PARTS_MAX), `and ${parts.length - PARTS_MAX} more`];
}

type Fields = Readonly<Record<string, unknown>>;

function differences(path: string, from: unknown, to: unknown): readonly string[] {
  if (canonicalJson(from ?? null) === canonicalJson(to ?? null)) return [];
  const [before, after] = [entriesOf(from), entriesOf(to)];
  if (before === undefined || after === undefined || path.includes('/')) return [path];
  const mark = Array.isArray(from) ? '/' : path === '' ? '' : '.';
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differences(`${path}${mark}${name}`, before[name], after[name]));
}

/** The members of an object, or of a list whose items have names; undefined for anything else. */
function entriesOf(value: unknown): Fields | undefined {
  if (!Array.isArray(value)) return isFields(value) ? value : undefined;
  const named = value.flatMap((item: unknown) => {
    const name = isFields(item) ? (item['id'] ?? item['name']) : undefined;
    return typeof name === 'string' ? [[name, item] as const] : [];
  });
  return named.length === value.length ? Object.fromEntries(named) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
