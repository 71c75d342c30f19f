/**
 * Structured output: validates a model's XML against an XSD and turns it into a typed value.
 *
 * I1  No silent repair: an invalid answer is refused with all its faults, for the model to read, unless {@link mendXml} can mend its
 *     form; what was mended is named. One code fence and the XML declaration around the XML are removed without a word.
 * I2  Document types are refused, so only XML's five entities exist, and nothing is loaded.
 * I3  A repeatable element is a list, however often it occurs.
 * I4  Every parsed document is disposed, because the garbage collector does not free the parser's memory.
 *
 * The parser (WebAssembly) is loaded at the first use, and each XSD compiled once.
 *
 * Source: springdrift 14. Differs: schemas are compiled once and stay in memory; lists of one element stay lists.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type * as LibXml from 'libxml2-wasm';
import type { z } from 'zod';
import { mendXml, type XmlLayout } from './mend-xml.ts';

/** Longer answers are refused unread. UTF-16 code units; above the 128,000 tokens that a model may write. */
export const STRUCTURED_CHARS_MAX = 512 * 1024;

/** A model corrects the first faults first; more only cost tokens. */
const RENDERED_FAULTS_MAX = 10;
const FAULT_MESSAGE_CHARS_MAX = 300;

/** One element as plain data: attributes and child elements by name, children always as lists. */
export interface XmlData {
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Readonly<Record<string, readonly XmlData[]>>;
  /** All text within, children included, trimmed. */
  readonly text: string;
}

export interface StructuredSchema<T> {
  /** Name of the root element. */
  readonly name: string;
  readonly xsd: string;
  readonly layout: XmlLayout;
  /** A valid document; a piece of it shows a model what was wrong. */
  readonly example: string;
  /** From the root element of a valid document. */
  readonly extract: z.ZodType<T, unknown>;
}

/** A fault of an answer; lines and columns count from 1, 0 if unknown. */
export interface Fault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A typed value, or all faults of the answer. */
export type Parsed<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** What was mended, one sentence each; absent: nothing. */
      readonly mended?: readonly string[];
    }
  | { readonly ok: false; readonly error: readonly Fault[] };

export interface XmlValidator {
  parse<T>(schema: StructuredSchema<T>, text: string): Parsed<T>;
}

let loading: Promise<XmlValidator> | undefined;

/** Loads the parser once per process. */
export function loadXmlValidator(): Promise<XmlValidator> {
  loading ??= import('libxml2-wasm').then(xmlValidator);
  return loading;
}

/** The typed value of a model's answer, or all its faults. */
export async function parseStructured<T>(schema: StructuredSchema<T>, text: string): Promise<Parsed<T>> {
  return (await loadXmlValidator()).parse(schema, text);
}

/** The piece of the example that a fault is about: the element that it names first, else all of it. */
export function correctPiece({ name, layout, example }: StructuredSchema<unknown>, faults: readonly Fault[]): string {
  const said = faults.map(({ message }) => message).join('\n');
  const elements = Object.keys(layout).filter((it) => it !== name);
  const about = elements.find((it) => new RegExp(`\\b${it}\\b`).test(said));
  const piece = about === undefined ? undefined : new RegExp(`<${about}[\\s>][\\s\\S]*?</${about}>`).exec(example)?.[0];
  return piece ?? example;
}

export function renderFaults(faults: readonly Fault[]): string {
  const shown = faults.slice(0, RENDERED_FAULTS_MAX).map(({ line, column, message }) => {
    const place = line === 0 ? '' : `line ${line}${column === 0 ? '' : `, column ${column}`}: `;
    return `- ${place}${cut(message, FAULT_MESSAGE_CHARS_MAX)}`;
  });
  const more = faults.length - shown.length;
  return [...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function xmlValidator(lib: typeof LibXml): XmlValidator {
  const compiled = new WeakMap<object, LibXml.XsdValidator>();
  const validatorOf = (schema: StructuredSchema<unknown>): LibXml.XsdValidator => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const xsd = lib.XmlDocument.fromString(schema.xsd);
    try {
      const validator = lib.XsdValidator.fromDoc(xsd);
      compiled.set(schema, validator);
      return validator;
    } finally {
      xsd.dispose();
    }
  };
  return { parse: (schema, text) => parse(lib, validatorOf(schema), { schema, text }) };
}

interface Answer<T> {
  readonly schema: StructuredSchema<T>;
  readonly text: string;
}

/** As it is, else mended. Faults of what was mended have no place, because the model wrote other lines. */
function parse<T>(lib: typeof LibXml, validator: LibXml.XsdValidator, answer: Answer<T>): Parsed<T> {
  const strict = parseStrictly(lib, validator, answer);
  if (strict.ok || answer.text.length > STRUCTURED_CHARS_MAX) return strict;
  const mended = mendXml(answer.text, answer.schema.name, answer.schema.layout);
  if (mended === undefined) return strict;
  const parsed = parseStrictly(lib, validator, { ...answer, text: mended.xml });
  if (parsed.ok) return { ...parsed, mended: mended.mended };
  return err(parsed.error.map(({ message }) => fault(message)));
}

function parseStrictly<T>(
  lib: typeof LibXml,
  validator: LibXml.XsdValidator,
  { schema, text }: Answer<T>,
): Result<T, readonly Fault[]> {
  const unwrapped = unwrap(text, schema.name);
  if (!unwrapped.ok) return unwrapped;
  const { xml, linesBefore } = unwrapped.value;
  const read = readDocument(lib, validator, xml);
  if (!read.ok) {
    return err(read.error.map((found) => (found.line === 0 ? found : { ...found, line: found.line + linesBefore })));
  }
  const value = schema.extract.safeParse(read.value);
  if (value.success) return ok(value.data);
  return err(value.error.issues.map(({ path, message }) => fault(`${path.join('.')}: ${message}`)));
}

function readDocument(
  lib: typeof LibXml,
  validator: LibXml.XsdValidator,
  xml: string,
): Result<XmlData, readonly Fault[]> {
  const { XML_PARSE_NONET, XML_PARSE_NO_XXE, XML_PARSE_NOCDATA } = lib.ParseOption;
  let document: LibXml.XmlDocument | undefined;
  try {
    document = lib.XmlDocument.fromString(xml, {
      option: XML_PARSE_NONET | XML_PARSE_NO_XXE | XML_PARSE_NOCDATA,
    });
    if (document.dtd !== null) return err([fault('a document type (<!DOCTYPE …>) is not allowed')]);
    validator.validate(document);
    return ok(dataOf(lib, document.root));
  } catch (error) {
    // The library's own errors are faults of the document; others are bugs.
    if (error instanceof lib.XmlLibError) return err(faultsOf(error));
    throw error;
  } finally {
    document?.dispose();
  }
}

function faultsOf(error: LibXml.XmlLibError): readonly Fault[] {
  const faults = error.details.map(({ line, col, message }) => ({ line, column: col, message: message.trim() }));
  return faults.length > 0 ? faults : [fault(error.message)];
}

function dataOf(lib: typeof LibXml, element: LibXml.XmlElement): XmlData {
  const children = new Map<string, XmlData[]>();
  for (let node = element.firstChild; node !== null; node = node.next) {
    if (!(node instanceof lib.XmlElement)) continue;
    const same = children.get(node.name);
    if (same === undefined) children.set(node.name, [dataOf(lib, node)]);
    else same.push(dataOf(lib, node));
  }
  return {
    attributes: Object.fromEntries(element.attrs.map(({ name, value }) => [name, value.trim()])),
    children: Object.fromEntries(children),
    text: element.content.trim(),
  };
}

const FENCE = '```';
const DECLARATION = /^<\?xml\s[^?]{0,200}\?>/;

/** The XML within an answer, and the number of lines before it. */
function unwrap(
  text: string,
  root: string,
): Result<{ readonly xml: string; readonly linesBefore: number }, readonly Fault[]> {
  if (text.length > STRUCTURED_CHARS_MAX)
    return err([fault(`the answer is ${text.length} characters long; at most ${STRUCTURED_CHARS_MAX} are allowed`)]);
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const isFenced = trimmed.startsWith(FENCE) && trimmed.endsWith(FENCE) && trimmed.includes('\n');
  const bodyStart = isFenced ? trimmed.indexOf('\n') + 1 : 0;
  const body = isFenced ? trimmed.slice(bodyStart, -FENCE.length) : trimmed;
  const bodyMargin = body.length - body.trimStart().length;
  const xml = body.trim().replace(DECLARATION, '').trimStart();
  if (!xml.startsWith('<'))
    return err([
      fault(`this is no XML: it begins with ${JSON.stringify(cut(xml, 40))}; answer with the element <${root}> alone`),
    ]);
  const before = text.slice(0, start + bodyStart + bodyMargin) + body.trim().slice(0, body.trim().length - xml.length);
  return ok({ xml, linesBefore: before.split('\n').length - 1 });
}

function fault(message: string): Fault {
  return { line: 0, column: 0, message };
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars)}…` : text;
}
