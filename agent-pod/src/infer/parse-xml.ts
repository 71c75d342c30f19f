/**
 * Validates a model's XML against the XSD of an answer, and reads it by the answer's definition.
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
import { readAnswer, type Answer } from '@retainer/mind/request/answers';
import { placeIn, valueIn, type XmlData } from '@retainer/mind/request/answer-xml';
import type * as LibXml from 'libxml2-wasm';
import { mendXml } from './mend-xml.ts';

/** Longer answers are refused unread. UTF-16 code units; above the 128,000 tokens that a model may write. */
export const STRUCTURED_CHARS_MAX = 512 * 1024;

/** A fault of an answer; lines and columns count from 1, 0 if unknown. */
export interface Fault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** What an answer says, or all its faults. */
export type Parsed =
  | {
      readonly ok: true;
      /** As the definition of the answer reads it. */
      readonly value: unknown;
      /** As it was written, without what the definition adds. */
      readonly written: unknown;
      /** What was mended, one sentence each; absent: nothing. */
      readonly mended?: readonly string[];
    }
  | {
      readonly ok: false;
      readonly error: readonly Fault[];
      /** As much of it as can be read; absent: nothing. */
      readonly written?: unknown;
    };

type Parse = (answer: Answer, text: string) => Parsed;

let loading: Promise<Parse> | undefined;

/** Loads the parser once per process. */
export async function parseXml(answer: Answer, text: string): Promise<Parsed> {
  loading ??= import('libxml2-wasm').then(parserWith);
  return (await loading)(answer, text);
}

interface Parser {
  readonly lib: typeof LibXml;
  readonly validator: LibXml.XsdValidator;
  readonly answer: Answer;
}

function parserWith(lib: typeof LibXml): Parse {
  const validators = new WeakMap<Answer, LibXml.XsdValidator>();
  return (answer, text) => {
    const validator = validators.get(answer) ?? compiled(lib, answer.xsd);
    validators.set(answer, validator);
    return parse({ lib, validator, answer }, text);
  };
}

function compiled(lib: typeof LibXml, xsd: string): LibXml.XsdValidator {
  const document = lib.XmlDocument.fromString(xsd);
  try {
    return lib.XsdValidator.fromDoc(document);
  } finally {
    document.dispose();
  }
}

/** As it is, else mended. Faults of what was mended have no place, because the model wrote other lines. */
function parse(parser: Parser, text: string): Parsed {
  const strict = parseStrictly(parser, text);
  if (strict.ok || text.length > STRUCTURED_CHARS_MAX) return strict;
  const { name: root, layout, forms } = parser.answer;
  const mended = mendXml(text, { root, layout, isOneOfSeveral: forms.length > 1 });
  if (mended === undefined) return strict;
  const parsed = parseStrictly(parser, mended.xml);
  if (parsed.ok) return { ...parsed, mended: mended.mended };
  return { ...parsed, error: parsed.error.map(({ message }) => fault(message)) };
}

function parseStrictly(parser: Parser, text: string): Parsed {
  const { answer } = parser;
  const unwrapped = unwrap(text, answer.name);
  if (!unwrapped.ok) return unwrapped;
  const { xml, linesBefore } = unwrapped.value;
  const { data, faults } = readDocument(parser, xml);
  const written = data === undefined ? {} : { written: valueIn(answer.schema, data) };
  if (faults.length > 0) {
    return { ...err(faults.map((it) => (it.line === 0 ? it : { ...it, line: it.line + linesBefore }))), ...written };
  }
  const read = readAnswer(answer, written.written);
  if (read.ok) return { ...read, written: written.written };
  return { ...err(read.error.map((it) => fault(`${placeIn(answer.schema, it.path)}: ${it.message}`))), ...written };
}

interface ReadDocument {
  /** Absent: it is no XML, or another answer's. */
  readonly data?: XmlData;
  /** Empty: the XSD takes it. */
  readonly faults: readonly Fault[];
}

function readDocument({ lib, validator, answer }: Parser, xml: string): ReadDocument {
  const { XML_PARSE_NONET, XML_PARSE_NO_XXE, XML_PARSE_NOCDATA } = lib.ParseOption;
  let document: LibXml.XmlDocument | undefined;
  let data: XmlData | undefined;
  try {
    document = lib.XmlDocument.fromString(xml, {
      option: XML_PARSE_NONET | XML_PARSE_NO_XXE | XML_PARSE_NOCDATA,
    });
    if (document.dtd !== null) return { faults: [fault('a document type (<!DOCTYPE …>) is not allowed')] };
    if (document.root.name === answer.name) data = dataOf(lib, document.root);
    validator.validate(document);
    return { ...(data === undefined ? {} : { data }), faults: [] };
  } catch (error) {
    // The library's own errors are faults of the document; others are bugs.
    if (error instanceof lib.XmlLibError) return { ...(data === undefined ? {} : { data }), faults: faultsOf(error) };
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

/** Of what is no XML. */
const SHOWN_CHARS = 40;

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
      fault(
        `this is no XML: it begins with ${JSON.stringify(xml.slice(0, SHOWN_CHARS))}; answer with the element <${root}> alone`,
      ),
    ]);
  const before = text.slice(0, start + bodyStart + bodyMargin) + body.trim().slice(0, body.trim().length - xml.length);
  return ok({ xml, linesBefore: before.split('\n').length - 1 });
}

function fault(message: string): Fault {
  return { line: 0, column: 0, message };
}
