/**
 * A copy of the part of a workspace that a program sees. The program works on it; the workspace is out of its reach.
 *
 * I1  Only one run has a view at a time. Between two runs it holds nothing but copies that are equal to the workspace's files, so
 *     filling it again copies only what differs.
 * I2  What the program left in a view is never followed: neither a link nor a directory that became one.
 */
import { constants, chmodSync, closeSync, copyFileSync, lchownSync, openSync, readlinkSync } from 'node:fs';
import { lstatSync, rmSync, symlinkSync, utimesSync, type Stats } from 'node:fs';
import { chmod, chown, copyFile, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryCursor, isMissing, placeIn } from './directory-cursor.ts';
import { entryOf, scanEntry, scanTree, Turns, type ScannedEntry } from './scan-tree.ts';

/** A larger file is copied while the process does other work. */
const COPIED_AT_ONCE_BYTES = 4 * 1024 * 1024;

interface Copy {
  readonly kind: ScannedEntry['kind'];
  /** Fingerprints of the original and of the copy. */
  readonly source: string;
  readonly copy: string;
}

export type ViewChange =
  | { readonly type: 'Made'; readonly entry: ScannedEntry }
  | { readonly type: 'Removed'; readonly path: string; readonly isDirectory: boolean };

export interface ViewChanges {
  readonly changes: readonly ViewChange[];
  /** Nothing was too deep, unreadable or neither file, directory nor link. */
  readonly isWhole: boolean;
}

export class View {
  readonly directory: string;
  readonly #ownerId: number | undefined;
  readonly #copies = new Map<string, Copy>();

  private constructor(directory: string, ownerId: number | undefined) {
    this.directory = directory;
    this.#ownerId = ownerId;
  }

  /** @param ownerId  user and group of all that is in it; undefined: the process's own */
  static async create(parent: string, ownerId: number | undefined): Promise<View> {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const directory = await mkdtemp(join(parent, 'view-'));
    await chmod(directory, 0o755);
    if (ownerId !== undefined) await chown(directory, ownerId, ownerId);
    return new View(directory, ownerId);
  }

  /** @param shown  files, links and directories of the workspace; undefined: all */
  async fill(workspace: string, shown: readonly string[] | undefined): Promise<void> {
    const paths = shown ?? (await scanTree(workspace)).entries.map(({ path }) => path);
    this.#forgetAllBut(paths);
    const onMade = (path: string): void => this.#note(path, 'Directory', '', '');
    const [from, to] = [
      new DirectoryCursor(workspace),
      new DirectoryCursor(this.directory, { ...this.#own(), onMade }),
    ];
    const turns = new Turns();
    try {
      for (const path of paths.toSorted()) {
        await this.#bring(from, to, path);
        await turns.pass();
      }
    } finally {
      from.close();
      to.close();
    }
  }

  /** What the program did to it. */
  async changes(): Promise<ViewChanges> {
    const { entries, isWhole } = await scanTree(this.directory);
    const made = entries.filter((it) => it.kind !== 'Other' && !this.#isCopy(it));
    const present = new Map(entries.map((it) => [it.path, it.kind]));
    const removed = [...this.#copies].flatMap(([path, { kind }]): readonly ViewChange[] => {
      return present.get(path) === kind ? [] : [{ type: 'Removed', path, isDirectory: kind === 'Directory' }];
    });
    const changes = [...removed, ...made.map((entry): ViewChange => ({ type: 'Made', entry }))];
    return { changes, isWhole: isWhole && entries.every(({ kind }) => kind !== 'Other') };
  }

  /** After the workspace took this change: view and workspace are equal there. */
  settle(workspace: string, change: ViewChange): void {
    if (change.type === 'Removed') this.#copies.delete(change.path);
    else {
      const { path, kind, fingerprint } = change.entry;
      this.#note(path, kind, scanEntry(workspace, path)?.fingerprint ?? '', fingerprint);
    }
  }

  #isCopy({ path, kind, fingerprint }: ScannedEntry): boolean {
    const known = this.#copies.get(path);
    return known?.kind === kind && (kind === 'Directory' || known.copy === fingerprint);
  }

  #own(): { readonly ownerId: number | undefined } {
    return { ownerId: this.#ownerId };
  }

  #note(path: string, kind: Copy['kind'], source: string, copy: string): void {
    this.#copies.set(path, { kind, source, copy });
  }

  #forgetAllBut(paths: readonly string[]): void {
    const above = new Set(paths.flatMap(parentsOf));
    const wanted = new Set(paths);
    const isWanted = (path: string, { kind }: Copy): boolean =>
      above.has(path) ? kind === 'Directory' : wanted.has(path);
    const gone = [...this.#copies].filter(([path, copy]) => !isWanted(path, copy)).map(([path]) => path);
    const cursor = new DirectoryCursor(this.directory);
    for (const path of gone.toSorted()) this.#remove(cursor, path);
    cursor.close();
  }

  #remove(cursor: DirectoryCursor, path: string): void {
    this.#copies.delete(path);
    const { names, name } = splitPath(path);
    const directory = cursor.at(names);
    // Its directory went before.
    if (directory.kind === 'Open') rmSync(placeIn(directory.descriptor, name), { recursive: true, force: true });
  }

  async #bring(from: DirectoryCursor, to: DirectoryCursor, path: string): Promise<void> {
    const original = originalAt(from, path);
    const known = this.#copies.get(path);
    if (known !== undefined && isStill(known, original?.entry)) return;
    const { names, name } = splitPath(path);
    const target = to.at(names);
    if (target.kind !== 'Open') return;
    const place = placeIn(target.descriptor, name);
    if (known !== undefined) rmSync(place, { recursive: true, force: true });
    this.#copies.delete(path);
    if (original?.entry.kind === 'Directory') to.at([...names, name]);
    else if (original !== undefined) await this.#copy(original, place).catch(unlessMissing);
  }

  async #copy({ place: source, facts, entry }: Original, place: string): Promise<void> {
    const { path, kind, isExecutable, fingerprint } = entry;
    if (kind === 'Link') symlinkSync(readlinkSync(source), place);
    else {
      await copyBytes(source, place, facts.size);
      chmodSync(place, isExecutable ? 0o755 : 0o644);
      utimesSync(place, facts.atime, facts.mtime);
    }
    if (this.#ownerId !== undefined) lchownSync(place, this.#ownerId, this.#ownerId);
    this.#note(path, kind, fingerprint, entryOf(path, lstatSync(place)).fingerprint);
  }
}

/** A file that goes while it is copied is not there. */
function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

interface Original {
  readonly place: string;
  readonly facts: Stats;
  readonly entry: ScannedEntry;
}

/** Undefined if it has gone, or is neither file, directory nor link. */
function originalAt(from: DirectoryCursor, path: string): Original | undefined {
  const { names, name } = splitPath(path);
  const directory = from.at(names);
  if (directory.kind !== 'Open') return undefined;
  const place = placeIn(directory.descriptor, name);
  const facts = lstatSync(place, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  const entry = entryOf(path, facts);
  return entry.kind === 'Other' ? undefined : { place, facts, entry };
}

const OPENED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const COPIED = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Copies the file that was opened, whatever takes its name meanwhile. */
async function copyBytes(source: string, place: string, sizeBytes: number): Promise<void> {
  const descriptor = openSync(source, OPENED);
  try {
    const opened = `/proc/self/fd/${descriptor}`;
    if (sizeBytes > COPIED_AT_ONCE_BYTES) await copyFile(opened, place, COPIED);
    else copyFileSync(opened, place, COPIED);
  } finally {
    closeSync(descriptor);
  }
}

function isStill(known: Copy, entry: ScannedEntry | undefined): boolean {
  return known.kind === entry?.kind && (known.kind === 'Directory' || known.source === entry.fingerprint);
}

export function splitPath(path: string): { readonly names: readonly string[]; readonly name: string } {
  const names = path.split('/');
  return { name: names.pop() ?? '', names };
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}
