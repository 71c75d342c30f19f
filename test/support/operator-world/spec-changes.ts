/** Every way to change a spec by one leaf, made from the schema of its kind: the changes of Acto. Pure. */
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import type { KindName } from '@retainer/contract/api/names';
import { isRecord, type Json } from '../fake-api-server/json.ts';

export const MANNERS = ['valid', 'boundary', 'empty', 'wrong', 'removed'] as const;
export type Manner = (typeof MANNERS)[number];

export interface Leaf {
  readonly kind: KindName;
  /** Member names from the spec on; `0` is the first item of a list, `key` an entry of a map. */
  readonly path: readonly string[];
  readonly schema: StructuralSchema;
}

/** Every leaf of a kind's spec, in the order of its schema. */
export function leavesOf(kind: KindName): readonly Leaf[] {
  const spec = structuralSchema(KIND_DEFINITIONS[kind]).properties?.['spec'];
  return spec === undefined ? [] : leavesBelow(kind, spec, []);
}

function leavesBelow(kind: KindName, schema: StructuralSchema, path: readonly string[]): readonly Leaf[] {
  const { properties, items, additionalProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0)
    return Object.entries(properties).flatMap(([name, member]) => leavesBelow(kind, member, [...path, name]));
  if (items !== undefined) return leavesBelow(kind, items, [...path, '0']);
  if (additionalProperties !== undefined) return leavesBelow(kind, additionalProperties, [...path, 'key']);
  return [{ kind, path, schema }];
}

/** Texts of the forms that our fields take, the plainest first. */
const TEXTS = [
  'other',
  'a',
  'Other',
  '90s',
  '2h',
  '3Gi',
  '200m',
  '1.2.3',
  'https://other.example.org',
  'other.example.org',
  'someone@example.org',
  `sha256:${'1'.repeat(64)}`,
  '2031-01-01T00:00:00Z',
  'other/**',
  '08:30',
  '0 3 * * *',
  'Europe/Berlin',
  `${'B'.repeat(43)}=`,
] as const;

function textFor({
  enum: words,
  pattern,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: StructuralSchema): string {
  if (words !== undefined) return String(words.at(-1));
  const fits = (text: string): boolean =>
    text.length >= minLength && text.length <= maxLength && (pattern === undefined || new RegExp(pattern).test(text));
  return TEXTS.find(fits) ?? TEXTS[0];
}

function longestText(schema: StructuralSchema): string {
  const { enum: words, maxLength = 64 } = schema;
  if (words !== undefined) return String(words[0]);
  const text = textFor(schema);
  const longer = text + 'a'.repeat(Math.max(0, Math.min(maxLength, 4096) - text.length));
  return schema.pattern === undefined || new RegExp(schema.pattern).test(longer) ? longer : text;
}

type ValueMaker = (schema: StructuralSchema) => unknown;

const NUMBERS: Readonly<Record<Manner, ValueMaker>> = {
  valid: ({ minimum = 0, maximum }) => Math.min(maximum ?? minimum + 2, minimum + 2),
  boundary: ({ minimum = 0, maximum }) => maximum ?? minimum,
  empty: () => 0,
  wrong: () => 'not that',
  removed: () => undefined,
};

const BOOLEANS: Readonly<Record<Manner, ValueMaker>> = {
  valid: (schema) => schema.default !== true,
  boundary: (schema) => schema.default ?? false,
  empty: () => ({}),
  wrong: () => 'not that',
  removed: () => undefined,
};

const STRINGS: Readonly<Record<Manner, ValueMaker>> = {
  valid: textFor,
  boundary: longestText,
  empty: () => '',
  wrong: () => 42,
  removed: () => undefined,
};

/** Of anything that the schema says nothing about. */
const OBJECTS: Readonly<Record<Manner, ValueMaker>> = {
  valid: () => ({}),
  boundary: () => ({}),
  empty: () => ({}),
  wrong: () => 'not that',
  removed: () => undefined,
};

function valueFor({ schema }: Leaf, manner: Manner): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return NUMBERS[manner](schema);
    case 'boolean':
      return BOOLEANS[manner](schema);
    case 'string':
      return STRINGS[manner](schema);
    default:
      return OBJECTS[manner](schema);
  }
}

/** The spec with one leaf changed; what stands on the way to it is made where it is missing. */
export function changedSpec(spec: Json, leaf: Leaf, manner: Manner): Json {
  const schema = structuralSchema(KIND_DEFINITIONS[leaf.kind]).properties?.['spec'];
  return changedAt(spec, leaf.path, { schema, value: valueFor(leaf, manner) }) as Json;
}

interface NewValue {
  readonly schema: StructuralSchema | undefined;
  readonly value: unknown;
}

function changedAt(at: unknown, path: readonly string[], { schema, value }: NewValue): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (schema?.items === undefined) return changedMember(at, { step, rest }, { schema, value });
  const [first, ...others] = Array.isArray(at) ? (at as readonly unknown[]) : [];
  const changed = changedAt(first ?? requiredOf(schema.items), rest, { schema: schema.items, value });
  return changed === undefined ? others : [changed, ...others];
}

function changedMember(
  at: unknown,
  { step, rest }: { readonly step: string; readonly rest: readonly string[] },
  { schema, value }: NewValue,
): unknown {
  const object = isRecord(at) ? at : ((requiredOf(schema) ?? {}) as Json);
  const member = schema?.properties?.[step] ?? schema?.additionalProperties;
  const changed = changedAt(object[step], rest, { schema: member, value });
  const { [step]: _old, ...others } = object;
  return changed === undefined ? others : { ...others, [step]: changed };
}

/** The least that an object of this schema must have. */
function requiredOf(schema: StructuralSchema | undefined): unknown {
  if (schema?.properties === undefined) return undefined;
  const { properties, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, leastOf(properties[name])]));
}

function leastOf(schema: StructuralSchema | undefined): unknown {
  switch (schema?.type) {
    case 'object':
      return requiredOf(schema) ?? {};
    case 'array':
      return (schema.minItems ?? 0) > 0 ? [leastOf(schema.items)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    default:
      return textFor(schema ?? {});
  }
}
