/** The strict JSON Schema of a structure, in the part of the language that providers hold answers to. */
import type { Json } from '@retainer/contract/std/canonical-json';
import { z } from 'zod';

/**
 * Bounds that no grammar expresses. A provider refuses a schema with them; whoever reads the answer checks them.
 *
 * Source: Messages API (structured outputs, limitations of JSON Schema).
 */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  '$schema',
  'default',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
]);

/** Every member required but for those that may be absent, no other members, no bounds. */
export function strictSchema(schema: z.ZodType): Json {
  return strict(z.toJSONSchema(schema, { io: 'output' }) as Json);
}

function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => !UNSUPPORTED.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key === 'oneOf' ? 'anyOf' : key, within(key, value)]));
}

/** The names of members are no keywords. */
function within(key: string, value: Json): Json {
  if (key !== 'properties' || typeof value !== 'object' || value === null) return strict(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, strict(schema)]));
}
