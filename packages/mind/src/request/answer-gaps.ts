/**
 * An answer beside its definition: what is asked for and missing or left open, and the answer itself with a gap in each of these places.
 * A model that is shown its own answer with the gaps fills them.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { plain } from '@retainer/contract/std/said-once';
import type { AnswerSchema } from './answer-schema.ts';
import type { AnswerFault } from './answers.ts';
import { GAP, isGap } from './answer-texts.ts';

export interface Gapped {
  /** Without what nobody asked for. */
  readonly value: Json;
  readonly gaps: readonly AnswerFault[];
}

/** Characters of a text that is an answer although it stands in the duties, too: two or three words may. */
const COPIED_CHARACTERS_MIN = 24;

const COPIED = 'repeats what you were told to write there; write your own words';
const MISSING = 'is missing';
const OPEN = `is left open; write your own words in place of ${GAP}`;

/**
 * @param value  of an answer, as far as it is one
 * @param duties  what the model was told about its answer, by the program alone
 * @returns undefined: nothing of it could be recognised
 */
export function gapsIn(schema: AnswerSchema, value: unknown, duties: string): Gapped | undefined {
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  const gaps: AnswerFault[] = [];
  const filled = new Walk(gaps, plain(duties)).filled(schema, value, []);
  return filled === undefined ? undefined : { value: filled, gaps };
}

class Walk {
  readonly #gaps: AnswerFault[];
  readonly #duties: string;

  constructor(gaps: AnswerFault[], duties: string) {
    this.#gaps = gaps;
    this.#duties = duties;
  }

  /** @returns undefined: nobody can tell which of several it should be */
  filled(schema: AnswerSchema, value: unknown, path: readonly PropertyKey[]): Json | undefined {
    const { oneOf, properties, items } = schema;
    if (oneOf !== undefined) {
      const meant = oneOf.find((one) => isOf(one, value));
      return meant === undefined ? undefined : this.filled(meant, value, path);
    }
    if (properties !== undefined) return this.#object(schema, isObject(value) ? value : {}, path);
    if (items !== undefined) return this.#list(schema, Array.isArray(value) ? value : [], path);
    return this.#scalar(schema, value, path);
  }

  #object(
    { properties = {}, required = [] }: AnswerSchema,
    value: Readonly<Record<string, unknown>>,
    path: readonly PropertyKey[],
  ): Json | undefined {
    const members = Object.entries(properties)
      .filter(([name]) => value[name] !== undefined || required.includes(name))
      .map(([name, schema]) => [name, this.filled(schema, value[name], [...path, name])] as const);
    if (members.some(([, it]) => it === undefined)) return undefined;
    return Object.fromEntries(members) as Json;
  }

  #list({ items = {}, minItems = 0 }: AnswerSchema, value: readonly unknown[], path: readonly PropertyKey[]): Json {
    const wanted = value.length === 0 && minItems > 0 ? [undefined] : value;
    return wanted.flatMap((it, at) => this.filled(items, it, [...path, at]) ?? []);
  }

  #scalar(schema: AnswerSchema, value: unknown, path: readonly PropertyKey[]): Json {
    if (schema.const !== undefined) return schema.const;
    const fault = faultOf(schema, value) ?? (this.#isCopied(schema, value) ? COPIED : undefined);
    if (fault === undefined) return value as Json;
    this.#gaps.push({ path, message: fault });
    return GAP;
  }

  /** Weak models copy the line that says what belongs there. */
  #isCopied({ enum: words }: AnswerSchema, value: unknown): boolean {
    if (typeof value !== 'string' || words !== undefined) return false;
    const text = plain(value);
    return text.length >= COPIED_CHARACTERS_MIN && this.#duties.includes(text);
  }
}

function faultOf({ type, enum: words }: AnswerSchema, value: unknown): string | undefined {
  if (value === undefined) return MISSING;
  const wanted = wantedOf(type, words);
  if (wanted !== undefined) return wanted.holds(value) ? undefined : `must be ${wanted.said}, not ${shown(value)}`;
  if (typeof value !== 'string' || value.trim() === '') return MISSING;
  return isGap(value) ? OPEN : undefined;
}

function wantedOf(
  type: AnswerSchema['type'],
  words: AnswerSchema['enum'],
): { readonly said: string; readonly holds: (value: unknown) => boolean } | undefined {
  if (words !== undefined)
    return { said: `one of ${words.join(', ')}`, holds: (value) => words.some((it) => it === value) };
  if (type === 'integer') return { said: 'a whole number', holds: Number.isInteger };
  return type === 'boolean' ? { said: 'true or false', holds: (value) => typeof value === 'boolean' } : undefined;
}

/** Characters of what stands in place of a number or a choice. */
const SHOWN_CHARACTERS = 40;

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, SHOWN_CHARACTERS) ?? 'this';
}

/** By its constants. */
function isOf({ properties = {} }: AnswerSchema, value: unknown): boolean {
  return Object.entries(properties).every(
    ([name, it]) => it.const === undefined || (isObject(value) && value[name] === it.const),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
