/** What upcasters have in common. They are total: old lines can never be changed, and a damaged one may hold anything. */
import type { Json } from '@retainer/contract/std/canonical-json';

/** Turns a payload of one version into the next one's. Pure and total. */
export type Upcast = (older: Json) => Json;

export type Fields = Readonly<Record<string, Json>>;

export function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** From the next version on, long parts may be places of what was said before. Nothing else differs. */
export const placesFrom: Upcast = (older) => older;

/** @returns the payload as `change` makes it; what is no object stays as it is */
export function changed(older: Json, change: (fields: Fields) => Json): Json {
  return isFields(older) ? change(older) : older;
}

/** The same fields with one of them changed, if it is there. */
export function withChanged(fields: Fields, name: string, change: Upcast): Fields {
  const value = fields[name];
  return value === undefined ? fields : { ...fields, [name]: change(value) };
}
