/** The form of an answer as an honest model fills it. */
import type { AnswerKind } from '@retainer/contract/api/roles';
import type { Json } from '@retainer/contract/std/canonical-json';
import type { AnswerSchema } from '@retainer/mind/request/answer-schema';
import { GAP } from '@retainer/mind/request/answer-texts';
import { xmlOf } from '@retainer/mind/request/answer-xml';
import { answers } from '@retainer/mind/request/answers';

export interface FilledForm {
  readonly json: Json;
  readonly xml: string;
}

/** @param words  in place of each gap that takes any words */
export function filledForms(kind: AnswerKind, words = 'One sentence.'): readonly FilledForm[] {
  const { name, schema, forms } = answers[kind];
  return forms.map((form) => {
    const json = filled(schema, form.json, words);
    return { json, xml: xmlOf(name, schema, json) };
  });
}

export function filledForm(kind: AnswerKind, words?: string): FilledForm {
  const [first] = filledForms(kind, words);
  if (first === undefined) throw new Error(`${kind} has no form`);
  return first;
}

/** The answer with one place left open. @param path  as `gapsIn` gives it */
export function withGap(value: Json, path: readonly PropertyKey[]): Json {
  const [first, ...rest] = path;
  if (first === undefined) return GAP;
  if (Array.isArray(value)) return value.map((it, at) => (at === first ? withGap(it, rest) : it));
  const members = value as Readonly<Record<string, Json>>;
  return { ...members, [first]: withGap(members[String(first)] ?? '', rest) };
}

/** Bounds that no schema knows: a value of a reading is of its type. */
const OF_TYPE: Readonly<Record<string, string>> = {
  Number: '152',
  Date: '2015-12-31',
  Url: 'https://example.org/data',
  Text: 'Seattle',
};

function filled(schema: AnswerSchema, form: Json, words: string): Json {
  const { oneOf, properties, items } = schema;
  if (oneOf !== undefined) return filled(oneOf.find((one) => isOf(one, form)) ?? {}, form, words);
  if (Array.isArray(form)) return form.map((it) => filled(items ?? {}, it, words));
  if (form !== null && typeof form === 'object') {
    const members = Object.entries(form).map(([name, it]) => [name, filled(properties?.[name] ?? {}, it, words)]);
    const all = Object.fromEntries(members) as Record<string, Json>;
    const { type } = all;
    return 'quote' in all && typeof type === 'string' ? { ...all, value: OF_TYPE[type] ?? words } : all;
  }
  return form === GAP ? scalar(schema, words) : form;
}

function scalar({ type, enum: choices, pattern }: AnswerSchema & { readonly pattern?: string }, words: string): Json {
  if (choices !== undefined) return choices[0] ?? words;
  if (type === 'boolean') return true;
  if (type === 'integer') return 0;
  return pattern === undefined ? words : 'one_word';
}

function isOf({ properties = {} }: AnswerSchema, form: Json): boolean {
  const members = form as Readonly<Record<string, Json>>;
  return Object.entries(properties).every(([name, it]) => it.const === undefined || members[name] === it.const);
}
