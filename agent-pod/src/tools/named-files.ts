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
import { compileGlob } from '@retainer/mind/gate/glob';
import { isPattern, pathWords, READ_UNASKED, spellingsOf } from '@retainer/mind/gate/path-words';
import type { NamedFiles } from '@retainer/mind/gate/standing';
import type { ToolFacts } from '@retainer/mind/gate/tool-facts';
import { parseWorkspacePath, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { FileDigests } from './file-digests.ts';
import { openWorkspaceFile } from './workspace-file.ts';
import { walkWorkspace, type WalkEntry } from './workspace-walk.ts';

/** Entries of the workspace among which names are looked for: as many as a program can see. */
const ENTRIES_MAX = 10_000;

/** Files whose bytes are hashed for one call. Further ones are known by size, times and inode, which every change changes. */
const HASHED_FILES_MAX = 1_000;

/** Bytes that are hashed of one file, some tenths of a second. */
const HASHED_BYTES_MAX = 64 * 1024 * 1024;

/** A longer file is no script that names others. */
const SCRIPT_BYTES_MAX = 64 * 1024;

/** Files that are searched for names of others. */
const SEARCHED_FILES_MAX = 64;

/** Directories in which names are looked for. */
const BASES_MAX = 16;

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

/** @returns each with its digest, what the call itself names first; empty where it names none */
export async function filesNamedBy(asked: Asked, place: Place): Promise<readonly NamedFile[]> {
  const texts = textsOf(asked);
  if (texts.length === 0) return [];
  const { entries } = await walkWorkspace(place.workspaceDirectory, WORKSPACE_ROOT, { entries: ENTRIES_MAX });
  const search = new NameSearch(entries, await linksAmong(entries, place));
  const { runsCode } = asked.facts;
  for (const text of texts) search.take(runsCode ? pathWords(text) : { words: [text], isCut: false }, runsCode);
  const direct = search.found.filter((it) => !asked.replaced.includes(it));
  const content = new Contents(place, search.entries);
  const all = runsCode ? await withNamesInside(direct, search, content) : direct;
  const files: NamedFile[] = [];
  for (const it of all) files.push({ path: it, sha256: await content.digestOf(it) });
  return files;
}

/** Where links lead, as paths of the workspace; those that lead out of it are left out. */
async function linksAmong(
  entries: readonly WalkEntry[],
  { workspaceDirectory }: Place,
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind !== 'Link') continue;
    const target = await readlink(path.join(workspaceDirectory, entry.path)).catch(() => undefined);
    if (target === undefined) continue;
    const at = placeOf(
      target.startsWith('/') ? target : path.posix.join(path.posix.dirname(entry.path), target),
      WORKSPACE_ROOT,
    );
    if (at !== undefined) links.set(entry.path.normalize('NFC'), at);
  }
  return links;
}

/** Links that one path may lead through. */
const LINKS_MAX = 8;

/** Names resolve to entries of the walk, in every directory that is named. */
class NameSearch {
  readonly entries = new Map<string, WalkEntry>();
  readonly #links: ReadonlyMap<string, string>;
  readonly #found = new Set<string>();
  readonly #bases: string[] = [WORKSPACE_ROOT];

  constructor(entries: readonly WalkEntry[], links: ReadonlyMap<string, string>) {
    this.#links = links;
    for (const entry of entries) this.entries.set(entry.path.normalize('NFC'), entry);
  }

  /** Files before directories, each in the order of its place: what a command runs is seen first. */
  get found(): readonly string[] {
    const paths = [...this.#found];
    return [...paths.filter((it) => !it.endsWith('/')), ...paths.filter((it) => it.endsWith('/'))];
  }

  take({ words, isCut }: ReturnType<typeof pathWords>, isProgram: boolean): void {
    if (isCut) this.#found.add('./');
    const wanted = isProgram ? words.flatMap((word) => [word, ...(READ_UNASKED.get(word) ?? [])]) : words;
    // A directory that one word names is where the others may be.
    for (let known = 0; known < this.#bases.length; known += 1) {
      const base = this.#bases[known] ?? WORKSPACE_ROOT;
      for (const word of wanted)
        for (const spelling of isProgram ? spellingsOf(word) : [word]) this.#look(spelling, base);
    }
  }

  /** Files alone: what the text of a file names, beside it and where the call works. */
  filesFrom(words: readonly string[], beside: string): readonly string[] {
    const bases = [beside, ...this.#bases];
    return words.flatMap((word) =>
      spellingsOf(word).flatMap((spelling) =>
        bases.flatMap((base) => {
          const at = placeOf(spelling, base);
          return at !== undefined && this.entries.get(at)?.kind === 'File' ? [at] : [];
        }),
      ),
    );
  }

  #look(word: string, base: string): void {
    if (isPattern(word)) return this.#lookForMatches(word, base);
    const written = placeOf(word, base);
    const at = written === undefined ? undefined : this.#followed(written);
    if (at === undefined) return;
    if (at === WORKSPACE_ROOT) {
      if (base === WORKSPACE_ROOT) this.#found.add('./');
      return;
    }
    const entry = this.entries.get(at);
    if (entry === undefined) return;
    if (entry.kind !== 'Directory') return void this.#found.add(at);
    this.#found.add(`${at}/`);
    if (!this.#bases.includes(at) && this.#bases.length < BASES_MAX) this.#bases.push(at);
  }

  /** The place behind links, each of which is named as well: it may lead elsewhere later. */
  #followed(written: string): string {
    let at = written;
    for (let links = 0; links < LINKS_MAX; links += 1) {
      const link = [...parentsOf(at), at].find((it) => this.#links.has(it));
      const target = link === undefined ? undefined : this.#links.get(link);
      if (link === undefined || target === undefined) return at;
      this.#found.add(link);
      at = path.posix.join(target, at.slice(link.length));
    }
    return at;
  }

  #lookForMatches(word: string, base: string): void {
    const at = placeOf(word, base);
    const glob = at === undefined ? undefined : compileGlob(at);
    if (glob?.ok !== true) return;
    for (const [entryPath, { kind }] of this.entries)
      if (glob.value.names(entryPath)) this.#found.add(kind === 'Directory' ? `${entryPath}/` : entryPath);
  }
}

function parentsOf(file: string): readonly string[] {
  const parts = file.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

function placeOf(word: string, base: string): string | undefined {
  const isWhole = word.startsWith('/') || base === WORKSPACE_ROOT;
  const parsed = parseWorkspacePath(isWhole ? word : `${base}/${word}`);
  return parsed.ok ? parsed.value : undefined;
}

/** Also what the named files name, and what those name (I2). */
async function withNamesInside(
  direct: readonly string[],
  search: NameSearch,
  content: Contents,
): Promise<readonly string[]> {
  const all = new Set(direct);
  const pending = direct.filter((it) => !it.endsWith('/'));
  for (let searched = 0; searched < pending.length && searched < SEARCHED_FILES_MAX; searched += 1) {
    const file = pending[searched] ?? '';
    const text = await content.scriptAt(file);
    if (text === undefined) continue;
    for (const other of search.filesFrom(pathWords(text).words, path.posix.dirname(file))) {
      if (all.has(other)) continue;
      all.add(other);
      pending.push(other);
    }
  }
  return [...all];
}

class Contents {
  readonly #place: Place;
  readonly #entries: ReadonlyMap<string, WalkEntry>;
  #hashed = 0;

  constructor(place: Place, entries: ReadonlyMap<string, WalkEntry>) {
    this.#place = place;
    this.#entries = entries;
  }

  /** @param name  a file, or a directory with a slash at its end */
  async digestOf(name: string): Promise<string> {
    if (!name.endsWith('/')) return this.#digestOfEntry(name);
    const within = name === './' ? '' : name;
    const rows: (readonly [string, string])[] = [];
    for (const inside of this.#entries.keys())
      if (inside.startsWith(within)) rows.push([inside, await this.#digestOfEntry(inside)]);
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
    if (entry.kind === 'Directory') return 'directory';
    const known = sha256Hex(canonicalJson({ ...entry.fingerprint }));
    const target =
      entry.kind === 'Link' ? await readlink(path.join(workspaceDirectory, entry.path)).catch(() => '') : '';
    if (entry.sizeBytes > HASHED_BYTES_MAX || this.#hashed >= HASHED_FILES_MAX) return known;
    const opened = await openWorkspaceFile(workspaceDirectory, entry.path);
    if (!opened.ok) return sha256Hex(`${target}\n${opened.error}`);
    this.#hashed += 1;
    try {
      const digest = await digests.of(entry.path, opened.value.handle);
      return target === '' ? digest : sha256Hex(`${target}\n${digest}`);
    } finally {
      await opened.value.handle.close();
    }
  }
}
