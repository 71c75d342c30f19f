/**
 * The files of the workspace that a call names, with their digests: an approval of the call covers them.
 *
 * I1  Of a program, every word counts; of another tool, every argument that is a path as a whole, but no text that it writes or sends.
 * I2  A directory means everything in it, a glob what it matches, a file also the files that its own text names.
 * I3  The digest covers all of them, however many are shown. A file that appears or vanishes changes it.
 *
 * Source: reliability-security 4 (bind an approval to what it is about).
 */
import { readlink } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { isPattern, pathWords } from '@retainer/mind/gate/path-words';
import type { NamedFiles } from '@retainer/mind/gate/standing';
import type { ToolFacts } from '@retainer/mind/gate/tool-facts';
import { parseWorkspacePath, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { FileDigests } from './file-digests.ts';
import { linksAmong, NameSearch, WHOLE_WORKSPACE } from './name-search.ts';
import { isWorkspaceEntry, openWorkspaceFile } from './workspace-file.ts';
import { walkWorkspace, type WalkEntry } from './workspace-walk.ts';

/** Entries of the workspace among which names are looked for: as many as a program can see. */
const ENTRIES_MAX = 10_000;

/** Files whose bytes are hashed for one call. Further ones are known by size, times and inode, which every change changes. */
const HASHED_FILES_MAX = 1_000;

/** Bytes that are hashed for one call, of all files together: a second on a slow disk. A file that does not fit is known as above. */
const HASHED_BYTES_MAX = 64 * 1024 * 1024;

/** A longer file is no script that names others. */
const SCRIPT_BYTES_MAX = 64 * 1024;

/** Texts that are searched for names of others, some tenths of a second. With more, the whole workspace counts as named. */
const SEARCHED_FILES_MAX = 64;

type NamedFile = NamedFiles['shown'][number];

export interface Asked {
  readonly facts: Pick<ToolFacts, 'runsCode' | 'verb' | 'arguments'>;
  readonly input: unknown;
  /** Paths whose digest the tool gives itself. */
  readonly replaced: readonly string[];
}

export interface Place {
  readonly workspaceDirectory: string;
  readonly digests: FileDigests;
}

/** The texts in which names are looked for (I1). */
function textsOf({ facts, input }: Asked): readonly string[] {
  if (typeof input !== 'object' || input === null) return [];
  const members = Object.entries(input).filter(([name]) => facts.runsCode || isPathArgument(name, facts));
  return members.flatMap(([, value]) => leavesOf(value)).filter((text) => facts.runsCode || isPathLike(text));
}

function isPathArgument(name: string, { verb, arguments: roles }: Asked['facts']): boolean {
  const role = roles?.[name];
  return name !== verb?.text && role !== 'Content' && role !== 'Name';
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}

const isPathLike = (text: string): boolean =>
  !text.includes('\n') && !/^\w+:\/\//.test(text) && parseWorkspacePath(text).ok;

/** A walk takes as long as many writes: for a call that names one file, or none, there is none. */
async function textsWorthAWalk(asked: Asked, { workspaceDirectory }: Place): Promise<readonly string[]> {
  const texts = textsOf(asked);
  if (asked.facts.runsCode) return texts;
  const worth: string[] = [];
  for (const text of texts) {
    const parsed = parseWorkspacePath(text);
    if (!parsed.ok || asked.replaced.includes(parsed.value)) continue;
    if (isPattern(text) || (await isWorkspaceEntry(workspaceDirectory, parsed.value))) worth.push(text);
  }
  return worth;
}

/** @returns each with its digest, what the call itself names first; empty where it names none */
export async function filesNamedBy(asked: Asked, place: Place): Promise<readonly NamedFile[]> {
  const texts = await textsWorthAWalk(asked, place);
  if (texts.length === 0) return [];
  const { entries } = await walkWorkspace(place.workspaceDirectory, WORKSPACE_ROOT, { entries: ENTRIES_MAX });
  const search = new NameSearch(entries, await linksAmong(entries, place.workspaceDirectory));
  const { runsCode } = asked.facts;
  for (const text of texts) search.take(runsCode ? pathWords(text) : { words: [text], isCut: false }, runsCode);
  const direct = search.found.filter((it) => !asked.replaced.includes(it));
  const content = new Contents(place, search.entries);
  const all = runsCode ? await withNamesInside(direct, search, content) : direct;
  const files: NamedFile[] = [];
  for (const it of all) files.push({ path: it, sha256: await content.digestOf(it) });
  return files;
}

/** Also what the named files name, and what those name (I2). */
async function withNamesInside(
  direct: readonly string[],
  search: NameSearch,
  content: Contents,
): Promise<readonly string[]> {
  const all = new Set(direct);
  const pending = direct.filter((it) => !it.endsWith('/'));
  let searched = 0;
  for (let at = 0; at < pending.length && !all.has(WHOLE_WORKSPACE); at += 1) {
    const file = pending[at] ?? '';
    const text = await content.scriptAt(file);
    if (text === undefined) continue;
    searched += 1;
    const isTooMuch = searched > SEARCHED_FILES_MAX;
    const named = isTooMuch ? [WHOLE_WORKSPACE] : search.filesFrom(pathWords(text), path.posix.dirname(file));
    const others = [...new Set(named)].filter((other) => !all.has(other));
    for (const other of others) all.add(other);
    pending.push(...others);
  }
  return [...all];
}

class Contents {
  readonly #place: Place;
  readonly #entries: ReadonlyMap<string, WalkEntry>;
  /** What is in each directory. */
  readonly #inside = new Map<string, string[]>();
  /** Names overlap: a file is read once, whatever names it. */
  readonly #digests = new Map<string, string>();
  #hashedFiles = 0;
  #hashedBytes = 0;

  constructor(place: Place, entries: ReadonlyMap<string, WalkEntry>) {
    this.#place = place;
    this.#entries = entries;
    for (const entry of entries.keys()) {
      const directory = path.posix.dirname(entry);
      const inside = this.#inside.get(directory);
      if (inside === undefined) this.#inside.set(directory, [entry]);
      else inside.push(entry);
    }
  }

  /** @param name  a file, or a directory with a slash at its end */
  async digestOf(name: string): Promise<string> {
    const entry = name === WHOLE_WORKSPACE ? WORKSPACE_ROOT : name.replace(/\/$/, '');
    const known = this.#digests.get(entry);
    if (known !== undefined) return known;
    const digest = name.endsWith('/') ? await this.#digestOfDirectory(entry) : await this.#digestOfEntry(entry);
    this.#digests.set(entry, digest);
    return digest;
  }

  async #digestOfDirectory(directory: string): Promise<string> {
    const rows: (readonly [string, string])[] = [];
    for (const inside of this.#inside.get(directory) ?? []) {
      const name = this.#entries.get(inside)?.kind === 'Directory' ? `${inside}/` : inside;
      rows.push([name, await this.digestOf(name)]);
    }
    return sha256Hex(canonicalJson(rows));
  }

  /** @returns undefined where it is no text */
  async scriptAt(name: string): Promise<string | undefined> {
    const entry = this.#entries.get(name);
    if (entry?.kind !== 'File' || entry.sizeBytes > SCRIPT_BYTES_MAX) return undefined;
    const opened = await openWorkspaceFile(this.#place.workspaceDirectory, entry.path);
    if (!opened.ok) return undefined;
    try {
      const bytes = await opened.value.handle.readFile();
      return bytes.includes(0) ? undefined : bytes.toString();
    } finally {
      await opened.value.handle.close();
    }
  }

  async #digestOfEntry(name: string): Promise<string> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return '';
    const { workspaceDirectory, digests } = this.#place;
    const known = sha256Hex(canonicalJson({ ...entry.fingerprint }));
    const target =
      entry.kind === 'Link' ? await readlink(path.join(workspaceDirectory, entry.path)).catch(() => '') : '';
    if (this.#hashedBytes + entry.sizeBytes > HASHED_BYTES_MAX || this.#hashedFiles >= HASHED_FILES_MAX) return known;
    const opened = await openWorkspaceFile(workspaceDirectory, entry.path);
    if (!opened.ok) return sha256Hex(`${target}\n${opened.error}`);
    this.#hashedFiles += 1;
    this.#hashedBytes += opened.value.sizeBytes;
    try {
      const digest = await digests.of(entry.path, opened.value.handle);
      return target === '' ? digest : sha256Hex(`${target}\n${digest}`);
    } finally {
      await opened.value.handle.close();
    }
  }
}
