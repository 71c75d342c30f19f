/**
 * Describes the effect of a call to the person who decides on it. Pure; uses only the recorded arguments.
 *
 * I1  Every argument is shown with visible bounds: two calls with different arguments never read the same.
 * I2  No character of an argument drives a terminal, changes the direction of reading, or imitates a line of the agent.
 * I3  The recipient, host, path or amount comes first. A model's description of the call is not included.
 *
 * Source: reliability-security 4 (the exact effect, rendered by us).
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import { canonicalJson, type Json } from '@retainer/contract/std/canonical-json';
import { printable, printableLines } from '@retainer/contract/std/printable';
import type { NamedFiles } from './standing.ts';
import { LETTER_LOOK_ALIKES } from './text/look-alikes.ts';
import type { ToolFacts, ToolVerb } from './tool-facts.ts';

export interface Effect {
  /** One line: the verb, the target, and the amount. */
  readonly line: string;
  /** The longer arguments, line by line. */
  readonly details: readonly string[];
}

/** Characters of a text shown to a person. A longer text says how much is omitted; the line contains its digest. */
export const SHOWN_CHARACTERS_MAX = 16_384;

/** Characters of a value within the line; a longer value is shown below. */
const LINE_VALUE_CHARACTERS_MAX = 300;

/** Hexadecimal digits of a digest, by which a person compares two texts. */
const SHOWN_DIGEST_LENGTH = 16;

/** Look-alike letters that are named for each value. */
const LOOK_ALIKES_SHOWN_MAX = 4;

/** Arguments that name the recipient, the target and the cost. They come first, in this order. */
const telling = ['to', 'cc', 'bcc', 'recipient', 'recipients', 'host', 'url', 'path', 'amount', 'currency', 'subject'];

/** What a decision covers beside the arguments. */
export interface Covered {
  /** Number of equal calls; absent: one. */
  readonly calls?: number;
  /** SHA-256 of what stands where the call acts; absent when nothing does. */
  readonly standing?: string;
  /** Files that the call names. */
  readonly named?: NamedFiles;
}

/** Named files in the line; the details have all of them. */
const LINE_FILES_MAX = 3;

/** @param input  as recorded */
export function renderEffect(
  { name: tool, verb }: Pick<ToolFacts, 'name' | 'verb'>,
  input: Json,
  { calls = 1, standing, named }: Covered = {},
): Effect {
  const members = isRecord(input) ? input : { arguments: input };
  const object = verb?.object === undefined ? undefined : members[verb.object];
  const others = Object.entries(members).filter(([name]) => name !== verb?.object || typeof object !== 'string');
  const shown = others.toSorted(byTelling).map(([name, value]) => member(name, value, name === verb?.text));
  const times = calls === 1 ? '' : `${calls} times the same: `;
  const now = standing === undefined ? undefined : `there now: ${thereNow(standing, named)}`;
  const clauses = [verb?.note, now, ...shown.map((it) => it.line)].filter((it) => it !== undefined);
  return {
    line: times + [headline(tool, verb, object), ...clauses].join(', '),
    details: [...namedDetails(named), ...shown.flatMap((it) => it.details)],
  };
}

/** A file beside its digest; with more than one thing, also the digest of all of it. */
function thereNow(standing: string, named: NamedFiles | undefined): string {
  if (named === undefined) return shortDigest(standing);
  const { shown, more = 0, replaces } = named;
  const files = shown.slice(0, LINE_FILES_MAX).map((it) => `${lineValue(it.path)} ${shortDigest(it.sha256)}`);
  const left = shown.length - files.length + more;
  if (left === 0 && files.length === 1 && replaces === undefined) return files.join();
  const others = left === 0 ? [] : [`${left} more`];
  return `${[...files, ...others].join(', ')}, all of it ${shortDigest(standing)}`;
}

function namedDetails(named: NamedFiles | undefined): readonly string[] {
  if (named === undefined || (named.shown.length <= LINE_FILES_MAX && named.more === undefined)) return [];
  const { shown, more } = named;
  const rows = shown.map(({ path, sha256 }) => `| ${lineValue(path)} ${shortDigest(sha256)}`);
  const others = more === undefined ? [] : [`| ${more} more that it names, or that these name`];
  return ['there now:', ...rows, ...others];
}

function headline(tool: string, words: ToolVerb | undefined, object: Json | undefined): string {
  if (words === undefined) return `calls ${printable(tool)}`;
  if (typeof object !== 'string') return words.verb;
  return `${words.verb} ${words.object === 'url' ? address(object) : lineValue(object)}`;
}

function member(name: string, value: Json, isText: boolean): Effect {
  if (isText && Array.isArray(value)) return listOf(memberName(name), value);
  if (typeof value !== 'string' || (!isText && fitsLine(value)))
    return { line: `${memberName(name)} ${lineValue(value)}`, details: [] };
  return { line: sizeOf(memberName(name), value), details: [`${memberName(name)}:`, ...shownLines(value)] };
}

/** Each element of a list in its own lines, member by member, within one limit for all texts together. */
function listOf(name: string, list: readonly Json[]): Effect {
  const elements = list.map((it) => Object.entries(isRecord(it) ? it : { value: it }));
  const charactersMax = Math.floor(SHOWN_CHARACTERS_MAX / Math.max(1, elements.flat().length));
  const details = elements.flatMap((members, index) =>
    members.flatMap(([part, value]) => {
      const title = `${name} ${index + 1}, ${memberName(part)}`;
      if (typeof value !== 'string') return [`${title}: ${lineValue(value)}`];
      return [`${title}:`, ...shownLines(value, charactersMax)];
    }),
  );
  return { line: `${name} of ${list.length} (${digestOf(canonicalJson(list))})`, details };
}

/** The effect as one text of at most `charactersMax` characters: the line, then the head and tail of the details. */
export function effectText(effect: Effect, charactersMax: number): string {
  const leftOut = (count: number): string => `[… ${count} characters are not shown here …]`;
  const line = headAndTail(effect.line, Math.floor(charactersMax / 2), leftOut);
  const left = charactersMax - line.length - leftOut(SHOWN_CHARACTERS_MAX).length - '\n\n\n'.length;
  const details = effect.details.join('\n');
  return details === '' || left <= 0 ? line : `${line}\n${headAndTail(details, left, leftOut)}`;
}

function isRecord(input: Json): input is { readonly [name: string]: Json } {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

function byTelling([a]: readonly [string, Json], [b]: readonly [string, Json]): number {
  const rank = (name: string): number => {
    const place = telling.indexOf(name);
    return place === -1 ? telling.length : place;
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

/** A name that is not a plain word could pose as a value. */
function memberName(name: string): string {
  return /^\w+$/.test(name) ? name : lineValue(name);
}

function fitsLine(text: string): boolean {
  return text.length <= LINE_VALUE_CHARACTERS_MAX && !text.includes('\n');
}

/** As JSON, so that the closing quotation mark ends the value. */
function lineValue(value: Json): string {
  const text = printable(JSON.stringify(value));
  const isWhole = text.length <= LINE_VALUE_CHARACTERS_MAX;
  const shown = isWhole
    ? text
    : `${headAndTail(text, LINE_VALUE_CHARACTERS_MAX).replaceAll('\n', ' ')} (${digestOf(text)})`;
  return shown + lookAlikes(text);
}

/** Adds the host that is actually contacted, because the text before it can imitate another one. */
function address(url: string): string {
  return URL.canParse(url) ? `${lineValue(url)}, host ${lineValue(new URL(url).host)}` : lineValue(url);
}

/** Names letters that look like others, because the eye cannot tell them apart. */
function lookAlikes(text: string): string {
  const found = [...new Set(text.toLowerCase())].filter((letter) => LETTER_LOOK_ALIKES.has(letter));
  if (found.length === 0) return '';
  const named = found.slice(0, LOOK_ALIKES_SHOWN_MAX).map((letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `U+${code} looks like ${LETTER_LOOK_ALIKES.get(letter)}`;
  });
  return ` (CAREFUL: ${named.join(', ')})`;
}

function sizeOf(name: string, text: string): string {
  const lines = text === '' ? 0 : text.split('\n').length;
  return `${name} of ${new TextEncoder().encode(text).length} bytes in ${lines} line${lines === 1 ? '' : 's'} (${digestOf(text)})`;
}

function digestOf(text: string): string {
  return shortDigest(sha256Hex(text));
}

function shortDigest(sha256: string): string {
  return `sha256 ${sha256.slice(0, SHOWN_DIGEST_LENGTH)}`;
}

function shownLines(text: string, charactersMax = SHOWN_CHARACTERS_MAX): readonly string[] {
  return printableLines(headAndTail(text, charactersMax)).map((line) => `| ${line}`);
}
