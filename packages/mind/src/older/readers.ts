/**
 * Readers were one of three words; now they are a set. `Principal` was whoever gave the Task: the owner. `Agent` was nobody.
 *
 * A payload that has a set keeps it.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { OWNER } from '../gate/provenance/label.ts';
import { changed, withChanged, type Upcast } from './fields.ts';

function readersOfToday(older: Json): Json {
  if (older === 'Principal') return [OWNER];
  return older === 'Agent' ? [] : older;
}

/** Where a payload has readers: the names of members down to a label, or to `readers`; `*` is each element of a list. */
type Place = readonly string[];

/** @param labels  places of labels */
export function labelsAt(...labels: readonly Place[]): Upcast {
  return (older) => labels.reduce((payload, place) => at(payload, [...place, 'readers']), older);
}

/** Of a payload with readers and no label. */
export const ownReaders: Upcast = (older) => at(older, ['readers']);

function at(older: Json, [name, ...rest]: Place): Json {
  if (name === undefined) return readersOfToday(older);
  if (name === '*') return Array.isArray(older) ? older.map((it: Json) => at(it, rest)) : older;
  return changed(older, (fields) => withChanged(fields, name, (value) => at(value, rest)));
}
