/**
 * Reads a text character by character as a person would see it, and reports the position of each character.
 *
 * I1  Positions never decrease. Every character of the text lies in a reported span or was invisible.
 * I2  Folding is idempotent.
 *
 * Source: springdrift 2; reliability-security 4.
 * Differs: springdrift folds ASCII only; here Unicode form NFKC, and accents of Latin, Greek and Cyrillic letters. Case stays:
 * some rules need it.
 */
import { MARKS_MAX } from './limits.ts';
import { LETTER_LOOK_ALIKES } from './look-alikes.ts';
import { isJoinedAt } from './normal-forms.ts';
import { Pace, type Sliced } from './pace.ts';

/**
 * `Letter`: letters, digits, marks, and signs that look like letters. `Invisible`: has no width on a screen, or is not a
 * character. `Sign`: all others.
 */
export type CharacterKind = 'Letter' | 'Space' | 'Line' | 'Invisible' | 'Sign';

/** Called for each visible character, or for a run of plain letters: its folded form, and its position in UTF-16 units. */
export type Sink = (kind: CharacterKind, folded: string, start: number, end: number) => void;

const ASCII_MAX = 0x7f;
/** The replacement character replaces invalid bytes, which must not cut a word. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\u2028\u2029\u2800\ufffd]$/u;
const SPACE = /^\p{Zs}$/u;
const LETTER = /^[\p{L}\p{N}\p{M}]/u;
/** Alphabets whose accents people omit in a hurry. */
const ACCENTED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
const MARKS = /\p{M}/gu;
const LINE_BREAKS: ReadonlySet<string> = new Set(['\n', '\r', '\u000b', '\f', '\u0085', '\u2028', '\u2029']);

export function* foldText(text: string, sink: Sink): Sliced<void> {
  const folded = new Map<string, Folded>();
  const pace = new Pace();
  let at = 0;
  while (at < text.length) {
    const end = endOfRun(text, at);
    if (end > at) sink('Letter', text.slice(at, end), at, end);
    const next = end > at ? end : foldOne(text, at, folded, sink);
    if (pace.isFull(next - at)) yield;
    at = next;
  }
}

/** End of the run of plain letters and digits. A letter with a mark does not belong to the run. */
function endOfRun(text: string, start: number): number {
  let end = start;
  while (end < text.length && isPlainLetter(text.charCodeAt(end))) end += 1;
  return end > start && isJoinedAt(text, end) ? end - 1 : end;
}

function isPlainLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}

/** Folds one character with its marks. @returns the start of the next character */
function foldOne(text: string, start: number, known: Map<string, Folded>, sink: Sink): number {
  const escaped = escapeAt(text, start);
  if (escaped !== undefined) return foldEscape(escaped, start, sink);
  const code = text.charCodeAt(start);
  if (code <= ASCII_MAX && !isPlainLetter(code) && !isJoinedAt(text, start + 1)) {
    sink(asciiKind(code), code === 0x09 ? ' ' : text.charAt(start), start, start + 1);
    return start + 1;
  }
  const { cluster, end } = clusterAt(text, start);
  let parts = known.get(cluster);
  if (parts === undefined) known.set(cluster, (parts = foldCluster(cluster)));
  for (const [kind, folded] of parts) sink(kind, folded, start, end);
  return end;
}

/** An escape that people and models read as the character itself: escapes of JSON, and spaces of HTML. */
interface Escape {
  readonly written: string;
  readonly character: string;
}

/** Two escapes of JSON may encode one character. */
const JSON_ESCAPE = /\\(?:[\\ntr]|u[0-9a-f]{4}(?:(?<=\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2})?)/iy;
const HTML_SPACE = /&(?:nbsp|ensp|emsp|thinsp|tab|newline|#0{0,4}(?:32|160|9|10|13)|#x0{0,4}(?:20|a0|9|a|d));/iy;
const HTML_INVISIBLE =
  /&(?:shy|zwnj|zwj|zerowidthspace|#0{0,4}(?:173|8203|8204|8205)|#x0{0,4}(?:ad|200b|200c|200d));/iy;

function escapeAt(text: string, start: number): Escape | undefined {
  const first = text.charAt(start);
  if (first === '\\') {
    const written = matchAt(JSON_ESCAPE, text, start);
    return written === undefined ? undefined : { written, character: unescaped(written) };
  }
  if (first !== '&') return undefined;
  const space = matchAt(HTML_SPACE, text, start);
  if (space !== undefined) return { written: space, character: ' ' };
  const invisible = matchAt(HTML_INVISIBLE, text, start);
  return invisible === undefined ? undefined : { written: invisible, character: '\u200b' };
}

function matchAt(sign: RegExp, text: string, start: number): string | undefined {
  sign.lastIndex = start;
  return sign.exec(text)?.[0];
}

function unescaped(written: string): string {
  if (!/^\\u/i.test(written)) return written === '\\\\' ? '\\' : '\n';
  const codes = written.match(/[0-9a-f]{4}/gi) ?? [];
  return String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16)));
}

/** An escaped line break does not break the line of the text. */
function foldEscape({ written, character }: Escape, start: number, sink: Sink): number {
  const end = start + written.length;
  for (const [kind, folded] of foldCluster(character)) sink(kind, kind === 'Line' ? ' ' : folded, start, end);
  return end;
}

function asciiKind(code: number): CharacterKind {
  if (code === 0x20 || code === 0x09) return 'Space';
  if (code >= 0x0a && code <= 0x0d) return 'Line';
  return code < 0x20 || code === ASCII_MAX ? 'Invisible' : 'Sign';
}

/** The folded form of one character with its marks. */
type Folded = readonly (readonly [kind: CharacterKind, folded: string])[];

function clusterAt(text: string, start: number): { readonly cluster: string; readonly end: number } {
  let cluster = characterAt(text, start);
  let end = start + cluster.length;
  if (INVISIBLE.test(cluster) || SPACE.test(cluster)) return { cluster, end };
  for (let marks = 0; isJoinedAt(text, end); marks += 1) {
    const mark = characterAt(text, end);
    if (INVISIBLE.test(mark)) break;
    if (marks < MARKS_MAX) cluster += mark;
    end += mark.length;
  }
  return { cluster, end };
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function foldCluster(cluster: string): Folded {
  if (LINE_BREAKS.has(cluster)) return [['Line', '\n']];
  if (INVISIBLE.test(cluster)) return [['Invisible', '']];
  if (SPACE.test(cluster)) return [['Space', ' ']];
  const composed = cluster.normalize('NFKC');
  const plain = ACCENTED.test(composed) ? composed.normalize('NFD').replace(MARKS, '').normalize('NFKC') : composed;
  return Array.from(plain, (character) => [kindOf(character), character] as const);
}

function kindOf(character: string): CharacterKind {
  if (LETTER.test(character) || LETTER_LOOK_ALIKES.has(character)) return 'Letter';
  return SPACE.test(character) ? 'Space' : 'Sign';
}
