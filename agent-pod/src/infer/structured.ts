/**
 * The structured answers of models, read as JSON or as XML, whichever came, because not every server keeps to the form that was asked
 * for.
 */
import type { AnswerKind } from '@retainer/contract/api/roles';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { gapsIn, type Gapped } from '@retainer/mind/request/answer-gaps';
import { placeIn, xmlOf } from '@retainer/mind/request/answer-xml';
import { answers, readAnswer, type Answer, type AnswerFault, type AnswerOf } from '@retainer/mind/request/answers';
import { GAP } from '@retainer/mind/request/answer-texts';
import { parseXml, STRUCTURED_CHARS_MAX, type Fault, type Parsed } from './parse-xml.ts';
import { looksLikeJson, readJson } from './read-json.ts';
import { wholeJson } from './whole-json.ts';

/** A model corrects the first faults first; more only cost tokens. */
const RENDERED_FAULTS_MAX = 10;
const FAULT_MESSAGE_CHARS_MAX = 300;

/** Characters of its own answer that a model is shown again; the middle of a longer one is left out. */
const OWN_ANSWER_CHARS_MAX = 4000;

export type Structured<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** What was mended, one sentence each; absent: nothing. */
      readonly mended?: readonly string[];
    }
  /** The correction sent to the model. */
  | { readonly ok: false; readonly error: string };

/**
 * The value of an answer, or its faults for the model: with its own answer and the gaps in it, or else with the form of what is wrong.
 *
 * @param duties  what the program told the model about its answer: a text that repeats it is none; empty for a question that only
 *   asks for figures
 */
export async function parseStructured<K extends AnswerKind>(
  kind: K,
  text: string,
  duties: string,
): Promise<Structured<AnswerOf<K>>> {
  const answer = answers[kind];
  const isInJson = isJson(text, answer.name);
  const parsed = isInJson ? parseJson(answer, text) : await parseXml(answer, text);
  const gapped = gapsIn(answer.schema, parsed.written, duties);
  if (gapped !== undefined && gapped.gaps.length > 0) return withGaps(answer, isInJson, gapped);
  if (!parsed.ok) return corrected(parsed.error, formOf(answer, isInJson, parsed.error));
  const { value, mended = [] } = parsed;
  return { ok: true, value: value as AnswerOf<K>, ...(mended.length === 0 ? {} : { mended }) };
}

export type ParseStructured = typeof parseStructured;

function isJson(text: string, root: string): boolean {
  return looksLikeJson(text) || (!text.includes(`<${root}`) && readJson(text) !== undefined);
}
/** The piece of the form that a fault is about: the element that it names first, else all of it. */
function formOf({ name, layout, forms }: Answer, isInJson: boolean, faults: readonly Fault[]): string {
  if (isInJson) return forms.map(({ json }) => JSON.stringify(json)).join('\n');
  const said = faults.map(({ message }) => message).join('\n');
  const elements = Object.keys(layout.elements).filter((it) => it !== name);
  const about = elements.find((it) => new RegExp(`\\b${it}\\b`).test(said));
  const whole = forms.map(({ xml }) => xml).join('\n');
  const piece = about === undefined ? undefined : new RegExp(`<${about}[\\s>][\\s\\S]*?</${about}>`).exec(whole)?.[0];
  return piece ?? whole;
}

function parseJson(answer: Answer, text: string): Parsed {
  const read = text.length > STRUCTURED_CHARS_MAX ? undefined : readJson(text);
  const wrong = (...messages: readonly string[]): Parsed => ({ ok: false, error: messages.map(fault) });
  if (text.length > STRUCTURED_CHARS_MAX)
    return wrong(`the answer is ${text.length} characters long; at most ${STRUCTURED_CHARS_MAX} are allowed`);
  if (read === undefined) return wrong('this is no JSON object, or not exactly one');
  const whole = wholeJson(read.value);
  if (!whole.ok) return wrong(whole.error);
  const written = whole.value;
  const parsed = readAnswer(answer, written);
  if (parsed.ok) return { ...parsed, written, ...(read.mended.length === 0 ? {} : { mended: read.mended }) };
  return { ...wrong(...parsed.error.map(({ path, message }) => `${path.join('.')}: ${message}`)), written };
}

function withGaps(answer: Answer, isInJson: boolean, { value, gaps }: Gapped): Corrected {
  const own = isInJson ? JSON.stringify(value) : xmlOf(answer.name, answer.schema, value);
  const faults = gapFaults(answer, isInJson, gaps);
  return {
    ok: false,
    error: `${renderFaults(faults)}\nYour answer, with ${GAP} where your own words are missing:\n${headAndTail(own, OWN_ANSWER_CHARS_MAX)}\nWrite it again, whole, with your words in place of each ${GAP}.`,
  };
}

function gapFaults({ schema }: Answer, isInJson: boolean, gaps: readonly AnswerFault[]): readonly Fault[] {
  return gaps.map(({ path, message }) => fault(`${isInJson ? path.join('.') : placeIn(schema, path)}: ${message}`));
}

type Corrected = Extract<Structured<unknown>, { ok: false }>;

function corrected(faults: readonly Fault[], piece: string): Corrected {
  return { ok: false, error: `${renderFaults(faults)}\nIts form:\n${piece}` };
}

function fault(message: string): Fault {
  return { line: 0, column: 0, message };
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
