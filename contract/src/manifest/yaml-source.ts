/**
 * Parses YAML text into JSON values with their line numbers, as kubectl reads it.
 *
 * Source: kubectl 1.32, `annotate --local` for every row of `yaml-source.test.ts`; Kubernetes, apimachinery util/yaml/decoder.go.
 */
import { LineCounter, isMap, isScalar, isSeq, parseAllDocuments, type Document } from 'yaml';
import { err, ok, type Result } from '../std/result.ts';
import { parseJson } from '../std/parse-json.ts';
import { isRecord, type ValuePath } from './cel-rules.ts';
import type { ManifestError } from './manifest-error.ts';
import { YAML_DEPTH_MAX, yamlValue, type YamlFault } from './yaml-value.ts';

/** Longest text: an object on the API server is at most about 1.5 MiB, and a file may hold several. */
export const MANIFEST_TEXT_LENGTH_MAX = 8_388_608;
export const MANIFEST_DOCUMENTS_MAX = 1000;

/** One document or an item of a list, with the line numbers of its parts. */
export interface YamlSource {
  readonly file: string;
  /** Its node in the YAML tree. */
  readonly root: unknown;
  /** The line of a character of the tree's text. 1 is the first line. */
  readonly lineAt: (index: number) => number;
  /** As JSON without null members, as on the API server. */
  readonly value: unknown;
}

/** All documents of a text except empty ones, or the errors of its YAML. */
export function readYaml(text: string, file: string): Result<readonly YamlSource[], readonly ManifestError[]> {
  const faultAt = (line: number, { found, allowed }: Omit<YamlFault, 'at'>): ManifestError => ({
    ...{ file, line, object: '', path: '' },
    ...{ found, allowed },
  });
  if (text.length > MANIFEST_TEXT_LENGTH_MAX) {
    const allowed = `at most ${MANIFEST_TEXT_LENGTH_MAX} in one file`;
    return err([faultAt(1, { found: `${text.length} characters`, allowed })]);
  }
  const plain = plainText(text);
  const odd = oddPlace(plain);
  if (odd !== undefined) return err([faultAt(plain.slice(0, odd.at).split('\n').length, odd)]);
  const documents = textsOf(plain).map(documentsOf);
  const count = documents.reduce((sum, it) => sum + it.values.length, 0);
  if (count > MANIFEST_DOCUMENTS_MAX)
    return err([faultAt(1, { found: `${count} documents`, allowed: `at most ${MANIFEST_DOCUMENTS_MAX} in one file` })]);
  const errors: ManifestError[] = [];
  const sources: YamlSource[] = [];
  for (const { values, lineAt } of documents)
    for (const { root, value } of values) {
      if (!value.ok) errors.push(...value.error.map((it) => faultAt(lineAt(it.at), it)));
      else if (value.value !== undefined) sources.push({ file, root, lineAt, value: value.value });
    }
  return errors.length > 0 ? err(errors) : ok(sources);
}

/** The items of a list, each a source of its own. @param value  of the list, at `items` */
export function itemsOf(source: YamlSource, items: readonly unknown[]): readonly YamlSource[] {
  const list = childOf(source.root, 'items')?.node;
  return items.map((value, index) => ({ ...source, value, root: childOf(list, index)?.node ?? source.root }));
}

/** Without the mark of its encoding; every line ends as YAML says. Each character keeps its place but for the mark. */
function plainText(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/\r(?!\n)/g, '\n');
}

/** What a file of text does not hold, and a separator with more on its line: kubectl refuses it, and another reader skips it. */
const odd = /[^\t\n\r\u0020-\u007E\u0085\u00A0-\uFFFD]|^---[ \t]*(?![\s#])./m;

function oddPlace(text: string): YamlFault | undefined {
  const at = text.search(odd);
  if (at < 0) return undefined;
  if (text.startsWith('---', at))
    return { found: 'more on the line of a separator', allowed: '--- on a line of its own', at };
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return { found: `the control character U+${code}`, allowed: 'text', at };
}

interface PlacedText {
  readonly text: string;
  readonly firstLine: number;
}

/** The objects of a JSON stream, which stand one after the other; else the text is one. */
function textsOf(text: string): readonly PlacedText[] {
  const whole = [{ text, firstLine: 1 }];
  if (!/^\s*\{/.test(text) || parseJson(text) !== undefined) return whole;
  const texts: PlacedText[] = [];
  let line = 1;
  for (const part of jsonObjects(text)) {
    if (part.trim() !== '' && parseJson(part) === undefined) return whole;
    if (part.trim() !== '') texts.push({ text: part, firstLine: line });
    line += part.split('\n').length - 1;
  }
  return texts;
}

/** Cuts a text behind each object at its top. Brackets in strings do not count. */
function jsonObjects(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{') depth += 1;
    if (token !== '}') continue;
    depth -= 1;
    if (depth > 0) continue;
    parts.push(text.slice(start, index + 1));
    start = index + 1;
  }
  return [...parts, text.slice(start)];
}

interface Documents {
  readonly values: readonly { readonly root: unknown; readonly value: Result<unknown, readonly YamlFault[]> }[];
  readonly lineAt: (index: number) => number;
}

/** Scalars are read as their text: what kubectl takes for a truth value or a number, YAML 1.2 does not. */
function documentsOf({ text, firstLine }: PlacedText): Documents {
  const lines = new LineCounter();
  const lineAt = (index: number): number => lines.linePos(index).line + firstLine - 1;
  try {
    const documents = [
      parseAllDocuments(text, { lineCounter: lines, schema: 'failsafe', resolveKnownTags: false, uniqueKeys: false }),
    ].flat();
    return { lineAt, values: documents.map((document) => ({ root: document.contents, value: valueOf(document) })) };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const fault = { found: 'YAML that is nested too deep', allowed: `at most ${YAML_DEPTH_MAX} levels`, at: 0 };
    return { lineAt: () => firstLine, values: [{ root: null, value: err([fault]) }] };
  }
}

function valueOf(document: Document.Parsed): Result<unknown, readonly YamlFault[]> {
  // What follows from it depends on how much of the stack was left.
  const [deep] = document.errors.filter(({ message }) => isTooDeep(message));
  if (deep !== undefined)
    return err([{ found: 'YAML that is nested too deep', allowed: 'well-formed YAML', at: deep.pos[0] }]);
  if (document.errors.length > 0)
    return err(
      document.errors.map(({ pos, message, code }) => ({
        found: message.split('\n')[0] ?? code,
        allowed: 'well-formed YAML',
        at: pos[0],
      })),
    );
  const value = yamlValue(document);
  return value.ok ? ok(withoutNulls(value.value)) : value;
}

/** The parser of the library calls itself for each level, and tells its own end as an error of the text. */
function isTooDeep(message: string): boolean {
  return message.startsWith('Maximum call stack');
}

function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map((item: unknown) => (item === null ? null : withoutNulls(item)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}

/** The line of the deepest part of `path` in the text, if possible of its key. 1 is the first line. */
export function lineOf({ root, lineAt }: YamlSource, path: ValuePath): number {
  let place: KeyedNode = { start: root, node: root };
  for (const step of path) {
    const next = childOf(place.node, step);
    if (next === undefined) break;
    place = next;
  }
  return lineAt(startOf(place.start));
}

function startOf(node: unknown): number {
  const range = (node as { readonly range?: readonly number[] | null } | null)?.range;
  return range?.[0] ?? 0;
}

/** A node of the YAML tree, and its key, with which its text begins. */
interface KeyedNode {
  readonly start: unknown;
  readonly node: unknown;
}

function childOf(node: unknown, step: string | number): KeyedNode | undefined {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(step)];
    return item === undefined ? undefined : { start: item, node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
  return pair === undefined ? undefined : { start: pair.key, node: pair.value };
}
