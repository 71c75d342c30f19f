/** Parses YAML text into JSON values with their line numbers. */
import { LineCounter, isMap, isNode, isScalar, isSeq, parseAllDocuments, type Document } from 'yaml';
import { err, ok, type Result } from '../std/result.ts';
import { isRecord, type ValuePath } from './cel-rules.ts';
import type { ManifestError } from './manifest-error.ts';

/** Longest text: an object on the API server is at most about 1.5 MiB, and a file may hold several. */
export const MANIFEST_TEXT_LENGTH_MAX = 8_388_608;
export const MANIFEST_DOCUMENTS_MAX = 1000;

/** One document, with the line numbers of its parts. */
export interface YamlSource {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
  /** As JSON without null members, as on the API server. */
  readonly value: unknown;
}

/** All documents of a text except empty ones, or the errors of its YAML. */
export function readYaml(text: string, file: string): Result<readonly YamlSource[], readonly ManifestError[]> {
  const fault = (line: number, found: string, allowed: string): ManifestError => ({
    file,
    line,
    object: '',
    path: '',
    found,
    allowed,
  });
  if (text.length > MANIFEST_TEXT_LENGTH_MAX)
    return err([fault(1, `${text.length} characters`, `at most ${MANIFEST_TEXT_LENGTH_MAX} in one file`)]);
  const lines = new LineCounter();
  const documents: readonly Document[] = [parseAllDocuments(text, { lineCounter: lines })].flat();
  if (documents.length > MANIFEST_DOCUMENTS_MAX)
    return err([fault(1, `${documents.length} documents`, `at most ${MANIFEST_DOCUMENTS_MAX} in one file`)]);
  const broken = documents.flatMap((document) =>
    document.errors.map((error) =>
      fault(lines.linePos(error.pos[0]).line, error.message.split('\n')[0] ?? error.code, 'well-formed YAML'),
    ),
  );
  if (broken.length > 0) return err(broken);
  const sources: YamlSource[] = [];
  for (const document of documents) {
    const value = toJson(document);
    if (!value.ok) return err([fault(1, value.error, 'YAML without excessive aliases')]);
    if (value.value !== undefined) sources.push({ file, document, lines, value: value.value });
  }
  return ok(sources);
}

/** The document as JSON without nulls; undefined for an empty one. The YAML library throws on alias bombs only. */
function toJson(document: Document): Result<unknown, string> {
  try {
    return ok(withoutNulls(document.toJS()));
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : String(cause));
  }
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
export function lineOf({ document, lines }: YamlSource, path: ValuePath): number {
  let place: KeyedNode = { start: document.contents, node: document.contents };
  for (const step of path) {
    const next = childOf(place.node, step);
    if (next === undefined) break;
    place = next;
  }
  return lines.linePos(isNode(place.start) ? (place.start.range?.[0] ?? 0) : 0).line;
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
