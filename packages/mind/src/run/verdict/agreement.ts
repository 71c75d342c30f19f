/**
 * Whether two attempts at one subtask came to the same result. What an attempt came to is what its output and the files that it wrote
 * state, without what people or earlier work had told it.
 *
 * I1  The calls of the other attempt show all of it. Where the two state different things, this is not enough: a file that both read
 *     shows any of its figures.
 * I2  A file is the same with the same digest, or where the texts of both are in the record and state the same.
 * I3  An attempt that looked at what an earlier one had left came to nothing by itself.
 *
 * Source: arXiv 2203.11171 (self-consistency of chains of thought). Differs: no majority of many samples, but two that agree, and what
 * their calls show counts, not their words alone.
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { sourcesOf } from './claim-sources.ts';
import { accountOf, statedBeside } from './fabrication.ts';
import { holdsApart } from './shown-spellings.ts';
import { claimsOf } from './unsupported.ts';

export interface Work {
  readonly output: string;
  readonly calls: readonly ToolCallRecord[];
}

export interface Surroundings {
  /** The task's words, and what was handed on to whoever works. */
  readonly given: readonly string[];
  readonly known: KnownTools;
}

/** How things are computed, not what came of it. */
const PROGRAM = /\.(?:awk|c|cpp|go|java|js|mjs|php|pl|py|r|rb|rs|sh|bash|sql|ts)$/i;

/** Most results of one attempt in a sentence. */
const TOLD_RESULTS_MAX = 3;

/** Whether it came to anything that another attempt could come to. */
export function hasResults(work: Work, surroundings: Surroundings): boolean {
  return resultsIn(work, surroundings).length > 0 || filesOf(work, surroundings).some((it) => it.text === undefined);
}

/** Whether the other attempt came to all that this one came to. */
export function isConfirmed(own: Work, other: Work, surroundings: Surroundings): boolean {
  const results = resultsIn(own, surroundings);
  const isSame = (): boolean => areSameResults(own, other, surroundings);
  return areSameFiles(own, other, surroundings) && (results.length === 0 || isSame());
}

/** Whether a later attempt looked at what an earlier one had left: a file, before it wrote this file itself, or a memory. */
export function hasLookedAt(later: Work, earlier: Work, known: KnownTools): boolean {
  const paths = new Set(earlier.calls.flatMap((it) => it.files.map(({ path }) => path)));
  const hasRead = [...paths].some((path) => {
    const written = later.calls.findIndex((it) => it.files.some((file) => file.path === path));
    const before = later.calls.slice(0, written < 0 ? undefined : written);
    return before.some((it) => it.status === 'Ok' && names(it, path));
  });
  return hasRead || (earlier.calls.some((it) => remembers(it, known)) && later.calls.some((it) => recalls(it, known)));
}

function remembers({ tool, status }: ToolCallRecord, known: KnownTools): boolean {
  const { effectClass, writes, runsCode } = known.factsOf(tool);
  return status === 'Ok' && effectClass > 0 && writes === 'Nothing' && !runsCode;
}

function recalls({ tool, status }: ToolCallRecord, known: KnownTools): boolean {
  return status === 'Ok' && known.factsOf(tool).output.source === 'Memory';
}

/** For people and for who works on it again, without a full stop. @param works  at least two, oldest first */
export function differenceText(works: readonly Work[], surroundings: Surroundings): string {
  const told = works.map((work) => {
    const others = works.filter((it) => it !== work).flatMap((it) => saidBy(it, surroundings));
    return toldResults(work, others, surroundings);
  });
  const times = works.length === 2 ? 'twice' : `${works.length} times`;
  if (new Set(told).size === 1) return `worked out ${times}, and the calls of one attempt alone show ${told[0] ?? ''}`;
  return `worked out ${times}, with different results: ${told.slice(0, -1).join(', ')} and ${told.at(-1) ?? ''}`;
}

/** What no other attempt states, or else what it states. */
function toldResults(work: Work, others: readonly string[], surroundings: Surroundings): string {
  const all = resultsIn(work, surroundings);
  const stated = new Set(saidBy(work, surroundings).flatMap((it) => statedBeside(it, others)));
  const own = all.filter((it) => stated.has(it));
  const told = (own.length === 0 ? all : own).slice(0, TOLD_RESULTS_MAX);
  const files = filesOf(work, surroundings).map(({ path, sha256 }) => `${path} (sha256 ${sha256.slice(0, 8)}…)`);
  return told.length > 0 ? told.join(', ') : (files[0] ?? 'nothing that can be compared');
}

/** In its own words; what its own calls do not show is marked in its output, and needs nobody who confirms it. */
function resultsIn(work: Work, surroundings: Surroundings): readonly string[] {
  const { given } = surroundings;
  const { unsupported, remarks } = claimsOf(work.output, work.calls, given);
  const open = new Set([...unsupported, ...remarks].map((it) => it.text));
  const inOutput = statedBeside(work.output, given).filter((it) => !open.has(it));
  const inFiles = writtenTexts(work, surroundings).flatMap((it) => statedBeside(it, given));
  return [...new Set([...inOutput, ...inFiles])].filter((it) => !PROGRAM.test(it));
}

function areSameResults(own: Work, other: Work, surroundings: Surroundings): boolean {
  const { given } = surroundings;
  const results = resultsIn(own, surroundings);
  const texts = saidBy(own, surroundings);
  const toldAndWritten = { ...surroundings, given: [...given, ...writtenTexts(other, surroundings)] };
  const open = new Set(texts.flatMap((it) => [...unshown(it, other, toldAndWritten)]));
  if (results.some((it) => open.has(it))) return false;
  const beside = (text: string, others: readonly string[]): readonly string[] =>
    statedBeside(text, [...given, ...others]);
  const left = new Set(texts.flatMap((it) => beside(it, saidBy(other, surroundings))));
  const unshared = results.filter((it) => left.has(it));
  if (unshared.length === 0) return true;
  const theirs = resultsIn(other, surroundings);
  const printed = [...texts, ...sourcesOf(own.calls, []).outputs];
  const unprinted = new Set(saidBy(other, surroundings).flatMap((it) => beside(it, printed)));
  return unshared.length < results.length && !theirs.some((it) => unprinted.has(it));
}

/** What the calls do not show, nor give to be computed. */
function unshown(text: string, { calls }: Work, { given }: Surroundings): ReadonlySet<string> {
  const { unsupported, remarks } = accountOf(text, sourcesOf(calls, given));
  const open = [...unsupported, ...remarks.filter((it) => it.about === undefined)];
  return new Set(open.map((it) => it.text));
}

function saidBy(work: Work, surroundings: Surroundings): readonly string[] {
  return [work.output, ...writtenTexts(work, surroundings)];
}

interface WrittenFile {
  readonly path: string;
  readonly sha256: string;
  /** Absent: the record does not hold all of it. */
  readonly text: string | undefined;
}

/** Files that the task or the output names, as the attempt left them; programs only where the task names them. */
function filesOf({ output, calls }: Work, { given, known }: Surroundings): readonly WrittenFile[] {
  const newest = new Map<string, WrittenFile>();
  for (const call of calls.filter((it) => it.status === 'Ok'))
    for (const { path, sha256, sizeBytes } of call.files)
      newest.set(path, { path, sha256, text: writtenText(call, sizeBytes, known) });
  const isNamed = (path: string, texts: readonly string[]): boolean => texts.some((it) => namesPath(it, path));
  return [...newest.values()].filter(
    ({ path }) => isNamed(path, given) || (!PROGRAM.test(path) && isNamed(path, [output])),
  );
}

function writtenTexts(work: Work, surroundings: Surroundings): readonly string[] {
  return filesOf(work, surroundings).flatMap((it) => it.text ?? []);
}

/** Of a tool that writes what it is given; undefined where the record cut it. */
function writtenText({ tool, input }: ToolCallRecord, sizeBytes: number, known: KnownTools): string | undefined {
  const { writes, verb } = known.factsOf(tool);
  const given = parseJson(input);
  if (writes !== 'Path' || verb?.text === undefined || typeof given !== 'object' || given === null) return undefined;
  const text: unknown = Object.entries(given).find(([name]) => name === verb.text)?.[1];
  return typeof text === 'string' && new TextEncoder().encode(text).length === sizeBytes ? text : undefined;
}

function areSameFiles(own: Work, other: Work, surroundings: Surroundings): boolean {
  const theirs = filesOf(other, surroundings);
  return filesOf(own, surroundings).every((file) => {
    const same = theirs.find((it) => it.path === file.path);
    if (same === undefined) return false;
    return same.sha256 === file.sha256 || (same.text !== undefined && file.text !== undefined);
  });
}

function names({ input, target = '' }: ToolCallRecord, path: string): boolean {
  return namesPath(`${target}\n${input}`, path);
}

/** By its path, by its name alone, or by a pattern for all that is in its directory. */
function namesPath(text: string, path: string): boolean {
  const at = path.lastIndexOf('/');
  const name = path.slice(at + 1);
  const isAll = at > 0 && text.includes(`${path.slice(0, at)}/*`);
  return isAll || holdsApart(text.toLowerCase(), name.toLowerCase(), /[\p{L}\p{N}_.-]/u, /[\p{L}\p{N}_-]/u);
}
