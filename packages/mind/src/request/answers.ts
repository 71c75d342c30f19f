/**
 * The structured answers of models. One zod definition each is all there is: the schema that a provider enforces, the XSD, the form
 * that a model is shown and the reading of what it wrote are derived from it.
 *
 * An answer contains no internal id, and none is trusted: it names criteria by number, and calls by the ids that it was shown.
 *
 * I1  The form of an answer is read by its definition once its gaps are filled, in JSON and in XML alike; a test reads all of them. As
 *     it is shown, it is no answer.
 *
 * Source: springdrift 14; artoo A.4 (no ids). Differs: a schema of the provider precedes XML where the model takes one.
 */
import type { AnswerKind } from '@retainer/contract/api/roles';
import type { Json } from '@retainer/contract/std/canonical-json';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { GAP } from './answer-texts.ts';
import type { AnswerAs, AnswerForm } from './model-request.ts';
import { AbandonReport } from './answers/abandon-report.ts';
import { AttemptVerdicts } from './answers/attempt-verdicts.ts';
import { CallForecasts } from './answers/call-forecasts.ts';
import { Forecasts } from './answers/forecasts.ts';
import { answerSchema, formsOf, shapeOf, strictSchema, type AnswerSchema } from './answer-schema.ts';
import { layoutOf, xmlOf, xsdOf, type XmlLayout } from './answer-xml.ts';
import { Merge } from './answers/merge.ts';
import { Plan } from './answers/plan.ts';
import { Reading } from './answers/reading.ts';
import { Reflection } from './answers/reflection.ts';
import { Perception } from './answers/task-spec.ts';

const definitions = {
  TaskSpec: Perception,
  Plan,
  AttemptVerdicts,
  Merge,
  AbandonReport,
  Reflection,
  Forecasts,
  CallForecasts,
  Reading,
} as const satisfies Readonly<Record<AnswerKind, z.ZodType>>;

export type AnswerOf<K extends AnswerKind> = z.infer<(typeof definitions)[K]>;

export interface Answer {
  /** For models: the root of the XML, the name of the schema. */
  readonly name: string;
  /** Reads an answer in JSON. An object, because providers hold only objects to a schema. */
  readonly json: z.ZodObject;
  /** The value in it that is read; absent: all of it. */
  readonly within?: string;
  readonly schema: AnswerSchema;
  readonly xsd: string;
  readonly layout: XmlLayout;
  readonly shape: z.ZodType;
  /** As models are shown them, with gaps: one, or one for each of several kinds of answer. */
  readonly forms: readonly { readonly json: Json; readonly xml: string }[];
  /** Strict JSON Schema. */
  readonly strict: Json;
}

function answerOf(definition: z.ZodType): Answer {
  const { element: name = '' } = answerSchema(definition);
  const isObject = definition instanceof z.ZodObject;
  const json = isObject ? definition : z.object({ [name]: definition });
  const schema = answerSchema(json);
  return {
    name,
    json,
    ...(isObject ? {} : { within: name }),
    schema,
    xsd: xsdOf(name, schema),
    layout: layoutOf(name, schema),
    shape: shapeOf(definition),
    forms: formsOf(schema).map((it) => ({ json: it, xml: xmlOf(name, schema, it) })),
    strict: strictSchema(json),
  };
}

export const answers = Object.fromEntries(
  Object.entries(definitions).map(([kind, definition]) => [kind, answerOf(definition)]),
) as Readonly<Record<AnswerKind, Answer>>;

export interface AnswerFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** @param value  in JSON, or of valid XML */
export function readAnswer({ json, within }: Answer, value: unknown): Result<unknown, readonly AnswerFault[]> {
  const read = json.safeParse(value);
  if (!read.success) return err(read.error.issues);
  return ok(within === undefined ? read.data : read.data[within]);
}

/**
 * An answer out of the record, which holds it as it was read. No bound is checked again: a decider relies on none.
 *
 * @returns undefined for anything else
 */
export function recordedAnswer<K extends AnswerKind>(kind: K, value: unknown): AnswerOf<K> | undefined {
  return answers[kind].shape.safeParse(value).data as AnswerOf<K> | undefined;
}

/** What the provider holds the answer to; undefined for XML, which only its text asks for. */
export function answerAs(kind: AnswerKind, form: AnswerForm): AnswerAs | undefined {
  const { name, strict } = answers[kind];
  return form === 'Xml' ? undefined : { form, name, schema: strict };
}

const INTRODUCTIONS: Readonly<Record<AnswerForm, string>> = {
  Schema: 'Answer with one JSON object of this form and nothing else',
  Tool: 'Answer with one call of the tool that takes your answer. Its input has this form',
  Xml: 'Answer with XML of this form and nothing else',
};

const FILLED = `Write your own words in place of each ${GAP}.`;

const ESCAPES = 'In the texts write &amp; for & and &lt; for <.';

/** The end of a role's duties: how to answer. */
export function answerForm(kind: AnswerKind, form: AnswerForm): string {
  const { forms } = answers[kind];
  const shown = forms.map(({ json, xml }) => (form === 'Xml' ? xml : JSON.stringify(json)));
  const only = forms.length > 1 ? ', only one of these' : '';
  return [
    `${INTRODUCTIONS[form]}${only}:`,
    shown.join('\n\nor\n\n'),
    form === 'Xml' ? `${FILLED} ${ESCAPES}` : FILLED,
  ].join('\n\n');
}

/** How to answer a gate, in XML. @param form  in JSON; absent: the usual one */
export function gateForm(kind: AnswerKind, form?: Json): string {
  const { name, schema, forms } = answers[kind];
  const shown = form === undefined ? forms[0]?.xml : xmlOf(name, schema, form);
  return `${INTRODUCTIONS.Xml}:\n\n${shown}\n\n${FILLED}`;
}
