/**
 * The structures of answers, by the name in a cycle's spec: read as JSON or as XML, whichever came, because not every server keeps
 * to the form that was asked for.
 */
import { answerRows } from '@retainer/mind/assemble/answer-forms';
import type { AnswerKind } from '@retainer/contract/api/roles';
import { abandonReport } from './abandon-report.ts';
import { attemptVerdicts } from './attempt-verdicts.ts';
import { callForecasts, forecasts } from './forecasts.ts';
import { merge } from './merge.ts';
import { plan } from './plan.ts';
import { looksLikeJson, readJson } from './read-json.ts';
import { reading } from './reading.ts';
import { reflection } from './reflection.ts';
import {
  correctPiece,
  parseStructured,
  renderFaults,
  STRUCTURED_CHARS_MAX,
  type Parsed,
  type StructuredSchema,
} from './structured.ts';
import { taskSpec } from './task-spec.ts';

export const structuredKinds = {
  TaskSpec: taskSpec,
  Plan: plan,
  AttemptVerdicts: attemptVerdicts,
  Merge: merge,
  AbandonReport: abandonReport,
  Reflection: reflection,
  Forecasts: forecasts,
  CallForecasts: callForecasts,
  Reading: reading,
} as const satisfies Readonly<Record<string, StructuredSchema<unknown>>>;

export type StructuredKind = keyof typeof structuredKinds;

export type ParsedKind =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** What was mended, one sentence each; absent: nothing. */
      readonly mended?: readonly string[];
    }
  /** The correction sent to the model. */
  | { readonly ok: false; readonly error: string };

/** The value of an answer, or the faults of the answer with a correct piece of one. */
export async function parseStructuredKind(kind: StructuredKind, text: string): Promise<ParsedKind> {
  const schema = structuredKinds[kind];
  if (isRole(kind) && isJson(text, schema.name)) return parseJsonKind(kind, text);
  const parsed: Parsed<unknown> = await parseStructured<unknown>(schema, text);
  if (parsed.ok) return parsed;
  return { ok: false, error: corrected(renderFaults(parsed.error), correctPiece(schema, parsed.error)) };
}

function isRole(kind: StructuredKind): kind is AnswerKind {
  return kind in answerRows;
}

function isJson(text: string, root: string): boolean {
  return looksLikeJson(text) || (!text.includes(`<${root}`) && readJson(text) !== undefined);
}

function parseJsonKind(kind: AnswerKind, text: string): ParsedKind {
  const { json, within, examples } = answerRows[kind];
  const wrong = (faults: string): ParsedKind => {
    return { ok: false, error: corrected(faults, examples.map((it) => JSON.stringify(it.json)).join('\n')) };
  };
  if (text.length > STRUCTURED_CHARS_MAX)
    return wrong(`- the answer is ${text.length} characters long; at most ${STRUCTURED_CHARS_MAX} are allowed`);
  const read = readJson(text);
  if (read === undefined) return wrong('- this is no JSON object, or not exactly one');
  const parsed = json.safeParse(read.value);
  if (!parsed.success)
    return wrong(
      renderFaults(
        parsed.error.issues.map(({ path, message }) => ({
          line: 0,
          column: 0,
          message: `${path.join('.')}: ${message}`,
        })),
      ),
    );
  const value = within === undefined ? parsed.data : parsed.data[within];
  return { ok: true, value, ...(read.mended.length === 0 ? {} : { mended: read.mended }) };
}

function corrected(faults: string, piece: string): string {
  return `${faults}\nA correct piece looks like this:\n${piece}`;
}
