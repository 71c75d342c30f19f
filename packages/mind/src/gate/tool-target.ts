/**
 * What a call is directed at, as one text: by it a failed target is blocked, remembered and compared.
 *
 * I1  Two spellings of a path, an address or a script have one target, as long as they are no longer than a target.
 * I2  The target of a call's recorded arguments is the recorded target, however long the arguments were.
 *
 * Source: artoo A.9 (blocked targets are taken from query, command, path), RES-10 (the record round-trips through this).
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { oneLine } from '../request/lines.ts';
import { parseWorkspacePath, WORKSPACE_ROOT } from './workspace-path.ts';

/** `Command`: another one may do the same thing. `Place`: another one is another thing. */
export type TargetKind = 'Command' | 'Place';

interface Row {
  readonly kind: TargetKind;
  /** The arguments that it is made of, the first of which must be there. */
  readonly members: readonly string[];
  /** From their texts, each bounded; undefined is an argument that is not given. */
  readonly target: (first: string, second: string | undefined) => string;
  /** Stands for the first argument where it is not given. */
  readonly absent?: string;
}

const command = (member: string): Row => ({ kind: 'Command', members: [member], target: oneLine });
const name = (member: string): Row => ({ kind: 'Place', members: [member], target: oneLine });
const path: Row = { kind: 'Place', members: ['path'], target: onePath };
const url: Row = { kind: 'Place', members: ['url'], target: oneAddress };
const search: Row = {
  kind: 'Place',
  members: ['pattern', 'path'],
  target: (pattern, place) => `${oneLine(pattern)} in ${onePath(place ?? WORKSPACE_ROOT)}`,
};

/** By name, every tool of the catalog. `request_approval` runs nothing, so it is directed at nothing. */
const rows: Readonly<Record<string, Row | undefined>> = {
  list_files: { ...path, absent: WORKSPACE_ROOT },
  read_file: path,
  write_file: path,
  search_files: search,
  bash: command('script'),
  run_code: command('script'),
  serve_code: command('script'),
  stop_serving: name('id'),
  memory_read: name('prefix'),
  memory_write: name('key'),
  fetch_url: url,
  request_approval: undefined,
};

/** For tools of other makers: the first of these whose argument is a text. Source: artoo A.9. */
const usual: readonly Row[] = [name('query'), command('command'), path, url, name('host'), command('script')];

/** Characters of one argument in a target. What is longer keeps its two ends, and a digest of the whole between them. */
export const TARGET_CHARACTERS_MAX = 800;

/** @returns undefined where the tool has no target, or the arguments name none */
export function targetOf(tool: string, input: Json): string | undefined {
  const row = rowOf(tool, input);
  if (row === undefined) return undefined;
  const [first, second] = row.members.map((member) => textAt(input, member));
  const start = first ?? row.absent;
  return start === undefined
    ? undefined
    : row.target(bounded(start), second === undefined ? undefined : bounded(second));
}

/** What kind of target a tool has. A tool that nobody knows has places: that excuses nothing. */
export function targetKindOf(tool: string): TargetKind {
  return (Object.hasOwn(rows, tool) ? rows[tool]?.kind : undefined) ?? 'Place';
}

/** Names of the tools that are known here. */
export const targetedTools: readonly string[] = Object.keys(rows);

/** The arguments that the target is made of, bounded: recorded like this, I2 holds for them. */
export function targetArguments(tool: string, input: Json): Readonly<Record<string, string>> {
  const texts = (rowOf(tool, input)?.members ?? []).flatMap((member) => {
    const text = textAt(input, member);
    return text === undefined ? [] : [[member, bounded(text)] as const];
  });
  return Object.fromEntries(texts);
}

function rowOf(tool: string, input: Json): Row | undefined {
  if (Object.hasOwn(rows, tool)) return rows[tool];
  return usual.find((row) => row.members.every((member) => textAt(input, member) !== undefined));
}

function textAt(input: Json, member: string): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, member)) return undefined;
  const value = (input as Readonly<Record<string, Json>>)[member];
  return typeof value === 'string' ? value : undefined;
}

const DIGEST_CHARACTERS = 16;

/** Twice is as once. */
function bounded(text: string): string {
  if (text.length <= TARGET_CHARACTERS_MAX) return text;
  const line = oneLine(text);
  if (line.length <= TARGET_CHARACTERS_MAX) return line;
  const mark = `…[sha256:${sha256Hex(line).slice(0, DIGEST_CHARACTERS)}]…`;
  const half = Math.floor((TARGET_CHARACTERS_MAX - mark.length) / 2);
  return `${line.slice(0, half)}${mark}${line.slice(-half)}`.replaceAll(/\p{Surrogate}/gu, '\ufffd').trim();
}

/** A path that is none stays as the model wrote it. */
function onePath(text: string): string {
  const parsed = parseWorkspacePath(text);
  return parsed.ok ? parsed.value : oneLine(text);
}

/** Without its fragment, which no server sees. */
function oneAddress(text: string): string {
  if (!URL.canParse(text)) return oneLine(text);
  const address = new URL(text);
  address.hash = '';
  return address.href;
}
