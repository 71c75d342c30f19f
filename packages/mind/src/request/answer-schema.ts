/**
 * What the forms of an answer are derived from: the JSON Schema of its zod definition, with the marks of `.meta()`.
 *
 * Source: Messages API (structured outputs).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { z } from 'zod';

export interface AnswerSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly required?: readonly string[];
  readonly items?: AnswerSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly default?: Json;
  /** Objects that one member tells apart. */
  readonly oneOf?: readonly AnswerSchema[];

  /** What the form has here; absent: what follows from the parts. A member of which nothing follows is left out. */
  readonly shown?: Json;
  /** Name of the XML element; absent: the member's. */
  readonly element?: string;
  /** Where XML has it; absent: an attribute for a number, one of several words, or yes and no; else an element. */
  readonly place?: 'Attribute' | 'Content' | 'Element';
  /** The form in XML has it on one line. */
  readonly isOneLine?: true;
}

/** As a model writes it: what has a default may be left out. */
export function answerSchema(schema: z.ZodType): AnswerSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as AnswerSchema;
}

/** The shape of an answer that was read before: nothing but the types of its members, and the members that it must have. */
export function shapeOf(schema: z.ZodType): z.ZodType {
  return shape(z.toJSONSchema(schema, { io: 'output' }) as AnswerSchema);
}

function shape({
  type,
  oneOf,
  properties,
  required = [],
  items,
  enum: words,
  const: constant,
}: AnswerSchema): z.ZodType {
  if (oneOf !== undefined) return z.union(oneOf.map(shape));
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, it]) => [
      name,
      required.includes(name) ? shape(it) : shape(it).exactOptional(),
    ]);
    return z.object(Object.fromEntries(members));
  }
  if (items !== undefined) return z.array(shape(items));
  if (constant !== undefined) return z.literal(constant);
  if (words !== undefined) return z.enum(words);
  if (type === 'boolean') return z.boolean();
  return type === 'integer' ? z.number() : z.string();
}

/**
 * The keywords that a provider's grammar expresses. It refuses a schema with others; whoever reads the answer checks the bounds.
 *
 * Source: Messages API (structured outputs, limitations of JSON Schema).
 */
const GRAMMAR: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'oneOf',
]);

/** The schema to which a provider holds an answer: every member required but for those that may be absent, no other members, no bounds. */
export function strictSchema(schema: z.ZodType): Json {
  return strict(z.toJSONSchema(schema, { io: 'output' }) as Json);
}

function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => GRAMMAR.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key === 'oneOf' ? 'anyOf' : key, within(key, value)]));
}

/** The names of members are no keywords. */
function within(key: string, value: Json): Json {
  if (key !== 'properties' || typeof value !== 'object' || value === null) return strict(value);
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, strict(schema)]));
}

/** One form, or one for each of several objects; the last of them first, because it is the fullest. */
export function formsOf(schema: AnswerSchema): readonly Json[] {
  const { properties = {} } = schema;
  const [several] = Object.entries(properties).filter(([, it]) => it.oneOf !== undefined);
  if (several === undefined) return [formOf(schema) ?? {}];
  const [name, { oneOf = [] }] = several;
  return oneOf.map((one) => ({ [name]: formOf(one) ?? {} })).toReversed();
}

function formOf(schema: AnswerSchema): Json | undefined {
  const { shown, properties, items } = schema;
  if (shown !== undefined) return shown;
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, it]) => [name, formOf(it)] as const);
    return Object.fromEntries(members.flatMap(([name, it]) => (it === undefined ? [] : [[name, it]])));
  }
  if (items === undefined) return schema.const ?? schema.default ?? schema.enum?.[0];
  const item = formOf(items);
  return item === undefined ? undefined : [item];
}
