/**
 * The structured answers of models, read as JSON or as XML, whichever came, because not every server keeps to the form that was asked
 * for.
 */
import type { AnswerKind } from '@retainer/contract/api/roles';
import { answers, readAnswer, type Answer, type AnswerOf } from '@retainer/mind/request/answers';
import { parseXml, STRUCTURED_CHARS_MAX, type Fault } from './parse-xml.ts';
import { looksLikeJson, readJson } from './read-json.ts';
import { wholeJson } from './whole-json.ts';

/** A model corrects the first faults first; more only cost tokens. */
const RENDERED_FAULTS_MAX = 10;
const FAULT_MESSAGE_CHARS_MAX = 300;

export type Structured<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** What was mended, one sentence each; absent: nothing. */
      readonly mended?: readonly string[];
    }
  /** The correction sent to the model. */
  | { readonly ok: false; readonly error: string };

/** The value of an answer, or the faults of the answer with a correct piece of one. */
export async function parseStructured<K extends AnswerKind>(kind: K, text: string): Promise<Structured<AnswerOf<K>>> {
  const answer = answers[kind];
  const parsed = isJson(text, answer.name) ? parseJson(answer, text) : await parseAsXml(answer, text);
  return parsed as Structured<AnswerOf<K>>;
}

export type ParseStructured = typeof parseStructured;

function isJson(text: string, root: string): boolean {
  return looksLikeJson(text) || (!text.includes(`<${root}`) && readJson(text) !== undefined);
}

async function parseAsXml(answer: Answer, text: string): Promise<Structured<unknown>> {
  const parsed = await parseXml(answer, text);
  return parsed.ok ? parsed : corrected(parsed.error, correctPiece(answer, parsed.error));
}

/** The piece of the example that a fault is about: the element that it names first, else all of it. */
function correctPiece({ name, layout, examples }: Answer, faults: readonly Fault[]): string {
  const said = faults.map(({ message }) => message).join('\n');
  const elements = Object.keys(layout.elements).filter((it) => it !== name);
  const about = elements.find((it) => new RegExp(`\\b${it}\\b`).test(said));
  const example = examples.map(({ xml }) => xml).join('\n');
  const piece = about === undefined ? undefined : new RegExp(`<${about}[\\s>][\\s\\S]*?</${about}>`).exec(example)?.[0];
  return piece ?? example;
}

function parseJson(answer: Answer, text: string): Structured<unknown> {
  const read = text.length > STRUCTURED_CHARS_MAX ? undefined : readJson(text);
  const wrong = (messages: readonly string[]): Structured<unknown> => {
    const faults = messages.map((message) => ({ line: 0, column: 0, message }));
    return corrected(faults, answer.examples.map(({ json }) => JSON.stringify(json)).join('\n'));
  };
  if (text.length > STRUCTURED_CHARS_MAX)
    return wrong([`the answer is ${text.length} characters long; at most ${STRUCTURED_CHARS_MAX} are allowed`]);
  if (read === undefined) return wrong(['this is no JSON object, or not exactly one']);
  const whole = wholeJson(read.value);
  if (!whole.ok) return wrong([whole.error]);
  const parsed = readAnswer(answer, whole.value);
  if (!parsed.ok) return wrong(parsed.error.map(({ path, message }) => `${path.join('.')}: ${message}`));
  return { ...parsed, ...(read.mended.length === 0 ? {} : { mended: read.mended }) };
}

function corrected(faults: readonly Fault[], piece: string): { readonly ok: false; readonly error: string } {
  return { ok: false, error: `${renderFaults(faults)}\nA correct piece looks like this:\n${piece}` };
}

export function renderFaults(faults: readonly Fault[]): string {
  const shown = faults.slice(0, RENDERED_FAULTS_MAX).map(({ line, column, message }) => {
    const place = line === 0 ? '' : `line ${line}${column === 0 ? '' : `, column ${column}`}: `;
    return `- ${place}${cut(message, FAULT_MESSAGE_CHARS_MAX)}`;
  });
  const more = faults.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}
