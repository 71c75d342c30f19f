/**
 * The content of files, as far as the record holds it. A text of the record is the content of a file where its digest is the file's:
 * the arguments of a write, a text between quotation marks or a here-document of a script, an output. So code knows what a file
 * holds, whoever says what it holds.
 *
 * I1  A text that was cut is no content.
 *
 * Source: artoo A.6, A.15 (artifact hashes).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { isCut } from '@retainer/contract/std/head-and-tail';
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { parseWorkspacePath } from '../../gate/workspace-path.ts';
import { textsAfter } from './changed-texts.ts';
import type { FileHistory, FileState } from './file-history.ts';
import { plainPath, scriptIn } from './script-words.ts';

export interface KnownTexts {
  /** Of a file in a state; undefined where the record does not hold all of it. */
  of(path: string, state: FileState): string | undefined;
}

/** Texts of one call whose digests are compared. More of them are a program, and no content of a file. */
const TEXTS_MAX = 400;

/** A text that takes part in the search for a digest has the size of a listed file, so few texts are hashed. */
export function knownTexts(history: FileHistory, known: KnownTools): KnownTexts {
  const byDigest = new Map<string, string>([[sha256Hex(''), '']]);
  const { calls } = history;
  const listed = new Map(calls.flatMap((call) => call.files.map((it) => [it.sha256, it.sizeBytes] as const)));
  const sizes = new Set(listed.values());
  for (const text of calls.filter((it) => it.status !== 'Unrun').flatMap(textsIn)) {
    const size = sizeOf(text);
    // A file that the run found is listed without its size: only what a call printed may be its content.
    if (sizes.has(size)) byDigest.set(sha256Hex(text), text);
  }
  const looks = new Map<string, string>();
  for (const [at, call] of calls.entries()) {
    const written = writtenBy(call, known);
    if (written !== undefined && !byDigest.has(written.sha256)) byDigest.set(written.sha256, written.text);
    for (const it of changedBy(call, at, { history, byDigest })) byDigest.set(it.sha256, it.text);
    const look = wholeLook(call, known);
    if (look === undefined) continue;
    const state = history.before(look.path, at);
    looks.set(`${state.at} ${look.path}`, look.text);
    if (state.sha256 !== undefined && state.isSure && !byDigest.has(state.sha256))
      byDigest.set(state.sha256, look.text);
  }
  return {
    of: (path, { at, sha256, isThere }) => {
      if (!isThere) return undefined;
      return sha256 === undefined ? looks.get(`${at} ${path}`) : byDigest.get(sha256);
    },
  };
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function textsIn(call: ToolCallRecord): readonly string[] {
  const given = parseJson(call.input);
  const values = typeof given === 'object' && given !== null ? Object.values(given) : [];
  const texts = values.filter((it): it is string => typeof it === 'string');
  const script = scriptIn(call);
  const printed = printedBy(call) ?? call.output;
  const all = [...texts, ...(script === undefined ? [] : literalsIn(script)), printed, ...printed.split('\n')];
  return all.slice(0, TEXTS_MAX).flatMap((text) => [text, `${text}\n`]);
}

const LITERAL = /"""([\s\S]*?)"""|'''([\s\S]*?)'''|"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|`([^`]*)`/g;
const HERE_DOCUMENT = /<<-?\s*(["']?)(\w+)\1[^\n]*\n([\s\S]*?)^\s*\2\s*$/gm;
const ECHO = /\becho\s+(?:-\w+\s+)*([^"'>|;&\n]+?)\s*(?=[>|;&\n]|$)/g;

/** Texts of a script that it may write somewhere as they stand. */
function literalsIn(script: string): readonly string[] {
  const documents = [...script.matchAll(HERE_DOCUMENT)].flatMap(([, , , text = '']) => [text.replace(/\n$/, ''), text]);
  const echoed = [...script.matchAll(ECHO)].map(([, text = '']) => text);
  const quoted = [...script.matchAll(LITERAL)].flatMap((match) => {
    const text = match.slice(1).find((it) => it !== undefined) ?? '';
    return text.includes('\\') ? [text, unescaped(text)] : [text];
  });
  const numbers = script.match(/(?<![\p{L}\d_.])\d+(?:\.\d+)?(?![\p{L}\d_.])/gu) ?? [];
  return [...documents, ...echoed, ...quoted, ...numbers];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

/** What a program printed; undefined where it printed to its other channel, too, or a part of it is missing. */
export function printedBy({ output }: ToolCallRecord): string | undefined {
  const [, printed] = /^exit code 0(?:\n([\s\S]*))?$/.exec(output) ?? [];
  const isWhole = !isCut(output) && !/^stderr:$|^\[[^\n]*\]$/m.test(printed ?? '');
  return output.startsWith('exit code 0') && isWhole ? (printed ?? '') : undefined;
}

interface Written {
  readonly sha256: string;
  readonly text: string;
}

interface Known {
  readonly history: FileHistory;
  readonly byDigest: ReadonlyMap<string, string>;
}

/** What a call made of a known text: of the file before, or of one that its script names. */
function changedBy(call: ToolCallRecord, at: number, { history, byDigest }: Known): readonly Written[] {
  const open = call.files.filter((it) => !byDigest.has(it.sha256));
  if (open.length === 0 || call.status === 'Unrun') return [];
  const script = scriptIn(call) ?? '';
  const named = history.paths.filter((it) => script.includes(it)).slice(0, SOURCES_MAX);
  const literals = literalsIn(script).slice(0, TEXTS_MAX);
  const texts = [...new Set([...open.map((it) => it.path), ...named])].flatMap((path) => {
    const { sha256 } = history.before(path, at);
    const before = sha256 === undefined ? undefined : byDigest.get(sha256);
    return before === undefined ? [] : textsAfter(call, before, literals);
  });
  return open.flatMap(({ sha256, sizeBytes }) => {
    const text = texts.find((it) => sizeOf(it) === sizeBytes && sha256Hex(it) === sha256);
    return text === undefined ? [] : [{ sha256, text }];
  });
}

/** Files of one script that are tried. */
const SOURCES_MAX = 8;

/** A tool that writes what it is given. Its text is whole where it has the size of the file. */
function writtenBy(call: ToolCallRecord, known: KnownTools): Written | undefined {
  const { writes, verb } = known.factsOf(call.tool);
  const [file] = call.files;
  const given = parseJson(call.input);
  if (writes !== 'Path' || verb?.text === undefined || file === undefined || call.files.length !== 1) return undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  const text: unknown = Object.entries(given).find(([name]) => name === verb.text)?.[1];
  if (typeof text !== 'string' || sizeOf(text) !== file.sizeBytes) return undefined;
  return { sha256: file.sha256, text };
}

interface Look {
  readonly path: string;
  readonly text: string;
}

const CAT = /^\s*cat\s+(?:--\s+)?(["']?)([^\s"'|;&<>*?$]+)\1\s*$/;

/** A call that showed all of one file. */
export function wholeLook(call: ToolCallRecord, known: KnownTools): Look | undefined {
  if (call.status !== 'Ok' || isCut(call.output)) return undefined;
  const { runsCode, output, writes } = known.factsOf(call.tool);
  if (runsCode) return printedFile(call);
  return output.isFile === true && writes === 'Nothing' ? readFile(call) : undefined;
}

function printedFile(call: ToolCallRecord): Look | undefined {
  const named = CAT.exec(scriptIn(call) ?? '')?.[2];
  const text = printedBy(call);
  return named === undefined || text === undefined ? undefined : { path: plainPath(named), text };
}

function readFile({ input, output, target = '' }: ToolCallRecord): Look | undefined {
  const path = parseWorkspacePath(target);
  const isPage = /^\[page \d/.test(output) || /"page":(?!1\b)/.test(input);
  if (!path.ok || isPage) return undefined;
  return { path: path.value, text: output === `${path.value} is empty.` ? '' : output };
}
