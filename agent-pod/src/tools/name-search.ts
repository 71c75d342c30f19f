/**
 * Resolves words to the entries of a workspace: the half of `named-files.ts` that reads no content.
 *
 * I1  Work is bounded: a word that ends like no entry is not looked up, and patterns are compared so often and no more. Where something
 *     is left out for that, the whole workspace counts as named.
 */
import { readlink } from 'node:fs/promises';
import path from 'node:path';
import { compileGlob } from '@retainer/mind/gate/glob';
import { ENDINGS, isPattern, READ_UNASKED, spellingsOf, type PathWords } from '@retainer/mind/gate/path-words';
import { parseWorkspacePath, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { WalkEntry } from './workspace-walk.ts';

/** The name of everything in the workspace; directories have a slash at their end. */
export const WHOLE_WORKSPACE = './';

/** Directories in which names are looked for. */
const BASES_MAX = 16;

/** Comparisons of a path with a pattern, some tenths of a second. */
const COMPARISONS_MAX = 200_000;

/** Links that one path may lead through. */
const LINKS_MAX = 8;

/** Where links lead, as paths of the workspace; those that lead out of it are left out. */
export async function linksAmong(
  entries: readonly WalkEntry[],
  workspaceDirectory: string,
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

interface Searching {
  /** Grows by each directory that a word names: there the others may be. */
  readonly bases: string[];
  readonly found: Set<string>;
}

export class NameSearch {
  readonly entries = new Map<string, WalkEntry>();
  readonly #links: ReadonlyMap<string, string>;
  /** Last parts of all paths, also without what a runtime puts behind a module. */
  readonly #names = new Set<string>();
  readonly #allPaths: string;
  readonly #ofCall: Searching = { bases: [WORKSPACE_ROOT], found: new Set() };
  #comparisonsLeft = COMPARISONS_MAX;

  constructor(entries: readonly WalkEntry[], links: ReadonlyMap<string, string>) {
    this.#links = links;
    for (const entry of entries) {
      const place = entry.path.normalize('NFC');
      this.entries.set(place, entry);
      const name = path.posix.basename(place);
      this.#names.add(name);
      for (const it of ENDINGS) if (name.endsWith(it)) this.#names.add(name.slice(0, -it.length));
    }
    this.#allPaths = [...this.entries.keys()].join('\n');
  }

  /** Files before directories, each in the order of its place: what a command runs is seen first. */
  get found(): readonly string[] {
    const paths = [...this.#ofCall.found];
    return [...paths.filter((it) => !it.endsWith('/')), ...paths.filter((it) => it.endsWith('/'))];
  }

  take(words: PathWords, isProgram: boolean): void {
    const searching = this.#ofCall;
    if (!isProgram) for (const word of words.words) this.#look(word, WORKSPACE_ROOT, searching);
    else if (!this.#search(words, searching)) searching.found.add(WHOLE_WORKSPACE);
  }

  /** What the text of a file names, beside it and where the call works: files and links alone, or the whole workspace. */
  filesFrom(words: PathWords, beside: string): readonly string[] {
    const found = new Set<string>();
    const isWhole = this.#search(words, { bases: [...new Set([beside, ...this.#ofCall.bases])], found });
    return isWhole ? [...found].filter((it) => !it.endsWith('/')) : [WHOLE_WORKSPACE];
  }

  /** @returns whether nothing was left out (I1) */
  #search({ words, isCut }: PathWords, searching: Searching): boolean {
    const wanted = words.flatMap((word) => [word, ...(READ_UNASKED.get(word) ?? [])]);
    for (const word of wanted) this.#addParent(word, searching);
    const spellings = wanted.filter((it) => this.#mayBe(it)).flatMap(spellingsOf);
    for (let known = 0; known < searching.bases.length; known += 1)
      for (const spelling of spellings) this.#look(spelling, searching.bases[known] ?? WORKSPACE_ROOT, searching);
    return !isCut && this.#comparisonsLeft > 0;
  }

  /** A glance that most words of a text do not stand up to. */
  #mayBe(word: string): boolean {
    const text = word.normalize('NFC');
    if (isPattern(text)) return plainPieces(text).every((it) => this.#allPaths.includes(it));
    const last =
      text
        .replace(/[/.]+$/, '')
        .split('/')
        .at(-1) ?? '';
    return (
      last === '' || this.#names.has(last) || this.#names.has(last.split('.').at(-1) ?? '') || last === 'workspace'
    );
  }

  #look(word: string, base: string, searching: Searching, links = 0): void {
    if (isPattern(word)) return this.#lookForMatches({ word, base }, searching, links);
    const written = placeOf(word, base);
    if (written === undefined) return;
    const at = this.#followed(written, searching);
    if (at === WORKSPACE_ROOT) {
      if (base === WORKSPACE_ROOT) searching.found.add(WHOLE_WORKSPACE);
      return;
    }
    const entry = this.entries.get(at);
    if (entry === undefined) return;
    searching.found.add(entry.kind === 'Directory' ? `${at}/` : at);
    if (entry.kind === 'Directory') addBase(at, searching);
  }

  /** A program may go to the directory of a file that is not there: `cd "$(dirname tools/x)"`. */
  #addParent(word: string, searching: Searching): void {
    const end = word.lastIndexOf('/');
    if (end <= 0 || !this.#mayBe(word.slice(0, end))) return;
    const written = placeOf(word.slice(0, end), WORKSPACE_ROOT);
    const at = written === undefined ? undefined : this.#followed(written, { ...searching, found: new Set() });
    if (at !== undefined && this.entries.get(at)?.kind === 'Directory') addBase(at, searching);
  }

  /** The place behind links, each of which is named as well: it may lead elsewhere later. */
  #followed(written: string, { found }: Searching): string {
    let at = written;
    for (let links = 0; links < LINKS_MAX; links += 1) {
      const link = [...parentsOf(at), at].find((it) => this.#links.has(it));
      const target = link === undefined ? undefined : this.#links.get(link);
      if (link === undefined || target === undefined) return at;
      found.add(link);
      at = path.posix.join(target, at.slice(link.length));
    }
    return at;
  }

  #lookForMatches(
    { word, base }: { readonly word: string; readonly base: string },
    searching: Searching,
    links: number,
  ): void {
    const at = placeOf(word, base);
    const glob = at === undefined ? undefined : compileGlob(at);
    if (at === undefined || glob?.ok !== true) return;
    if (links < LINKS_MAX) this.#lookBehindLinks(at.split('/'), searching, links);
    for (const [entryPath, { kind }] of this.entries) {
      if (!this.#mayCompare()) return;
      if (glob.value.names(entryPath)) searching.found.add(kind === 'Directory' ? `${entryPath}/` : entryPath);
    }
  }

  /** A pattern that goes through links means what is behind them. */
  #lookBehindLinks(parts: readonly string[], searching: Searching, links: number): void {
    for (const [link, target] of this.#links) {
      if (!this.#mayCompare()) return;
      const depth = link.split('/').length;
      const front = depth < parts.length ? compileGlob(parts.slice(0, depth).join('/')) : undefined;
      if (front?.ok !== true || !front.value.names(link)) continue;
      searching.found.add(link);
      this.#look(path.posix.join(target, ...parts.slice(depth)), WORKSPACE_ROOT, searching, links + 1);
    }
  }

  #mayCompare(): boolean {
    this.#comparisonsLeft -= 1;
    return this.#comparisonsLeft > 0;
  }
}

function addBase(directory: string, { bases }: Searching): void {
  if (!bases.includes(directory) && bases.length < BASES_MAX) bases.push(directory);
}

/** What of a pattern stands in each path that it matches. */
function plainPieces(pattern: string): readonly string[] {
  const parts = pattern.split('/').filter((it) => it !== '.' && it !== 'workspace');
  // A part before `..` need not be there.
  const lasting = parts.includes('..') ? parts.slice(-1) : parts;
  return lasting.flatMap((part) => part.split(/[*?]/)).filter((it) => it !== '');
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
