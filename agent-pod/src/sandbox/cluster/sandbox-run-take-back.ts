/**
 * Applies a run's changes to the workspace. The archive comes from untrusted code.
 *
 * I1  Nothing changes before the whole archive is here and valid.
 * I2  Directories are opened without following links, and files are placed through the open directory. So no name leads out of
 *     the workspace, even if somebody renames directories meanwhile.
 * I3  Nothing in or above a read-only path changes, and only what was sent to the sandbox is removed.
 * I4  Idempotent: after a crash the same archive can be applied again. What it added was kept before the first change, since
 *     afterwards nobody can tell what is new.
 * I5  What others changed since it was sent stays as they left it.
 */
import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdtemp, open, readFile, readlink, realpath, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { FrameDecoder, isCarriedLinkText, type FramePart } from '@retainer/contract/wire/frames';
import type { FrameHeader } from '@retainer/contract/wire/runner';
import type { SandboxChanges } from '../../ports/sandbox-run.ts';
import { applyChange, type WorkspaceChange } from '../apply-change.ts';
import { LISTED_FILES_MAX, LISTED_REFUSALS_MAX } from '../listed.ts';
import { ProtectedPaths } from '../protected-paths.ts';
import { addedTo, takeRoom, type RunRoom } from '../run-room.ts';
import { fileMark } from './sandbox-run-archive.ts';

export interface TakeBackPlan {
  readonly workspaceDirectory: string;
  /** Stay as they are: read-only, or in the workspace without having been sent. */
  readonly protectedPaths: readonly string[];
  readonly sentPaths: readonly string[];
  /** Their marks when they were sent. Absent: nobody else changes the workspace. */
  readonly sentMarks: readonly string[] | undefined;
  /** Exists and is private to the agent; best on the workspace's volume. */
  readonly stagingDirectory: string;
  readonly room: RunRoom;
  /** What an earlier attempt decided, before it changed anything. Absent: there was none. */
  readonly decided?: Decided | undefined;
  /** Called before the first change. Absent: nobody tries again. */
  readonly onDecided?: (decided: Decided) => Promise<void>;
}

/** What an archive adds to the room of its run. */
export interface Decided {
  readonly added: NonNullable<SandboxChanges['added']>;
  /** Paths for which there was no room. */
  readonly leftOut: readonly string[];
}

/** On an error, the end of a sentence, the workspace is unchanged. Rejects when the connection or the disk fails. */
export async function takeBack(
  archive: AsyncIterable<Uint8Array>,
  plan: TakeBackPlan,
): Promise<Result<SandboxChanges, string>> {
  const staging = await mkdtemp(join(plan.stagingDirectory, 'take-back-'));
  try {
    const staged = await stage(archive, staging);
    return staged.ok ? ok(await applyAll(staged.value, plan)) : staged;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

type Begun = Exclude<FrameHeader, { type: 'End' }> & { readonly source: string };
/** `text`: of a link. */
type Change = Begun & { readonly sha256: string; readonly text: Buffer };

async function stage(
  archive: AsyncIterable<Uint8Array>,
  directory: string,
): Promise<Result<readonly Change[], string>> {
  const decoder = new FrameDecoder();
  const staging = new Staging(directory);
  try {
    for await (const chunk of archive) {
      const parts = decoder.push(chunk);
      if (!parts.ok) return err(parts.error.message);
      for (const part of parts.value) await staging.take(part);
    }
  } finally {
    await staging.finishFile();
  }
  const finished = decoder.finish();
  return finished.ok ? ok(staging.changes) : err(finished.error.message);
}

/** Stores the files of one archive under numbers. */
class Staging {
  readonly #directory: string;
  readonly #changes: Change[] = [];
  #file: FileHandle | undefined;
  #hash: Hash = createHash('sha256');
  #text: readonly Uint8Array[] = [];
  #begun: Begun | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  async take(part: FramePart): Promise<void> {
    if (part.type === 'Content') {
      this.#hash.update(part.bytes);
      // A view of bytes that the next chunk may overwrite.
      if (this.#begun?.type === 'Link') this.#text = [...this.#text, Uint8Array.from(part.bytes)];
      return this.#file?.writeFile(part.bytes);
    }
    await this.finishFile();
    if (part.header.type === 'End') return undefined;
    const source = join(this.#directory, String(this.#changes.length));
    if (part.header.type === 'File') this.#file = await open(source, 'wx', 0o600);
    this.#begun = { ...part.header, source };
    return undefined;
  }

  async finishFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    const text = Buffer.concat(this.#text);
    if (this.#begun !== undefined) this.#changes.push({ ...this.#begun, text, sha256: this.#hash.digest('hex') });
    this.#begun = undefined;
    this.#text = [];
    this.#hash = createHash('sha256');
    await file?.sync();
    await file?.close();
  }
}

async function applyAll(changes: readonly Change[], plan: TakeBackPlan): Promise<SandboxChanges> {
  const root = await realpath(plan.workspaceDirectory);
  const place: Place = {
    ...{ root, room: plan.room, protectedPaths: new ProtectedPaths(plan.protectedPaths) },
    sent: new Map(plan.sentPaths.map((path, at) => [path, plan.sentMarks?.[at]])),
    isShared: plan.sentMarks !== undefined,
    leftOut: plan.decided && new Set(plan.decided.leftOut),
  };
  const came: Record<CameOf, Change[]> = { Applied: [], Refused: [], Conflict: [], LeftOut: [] };
  // Removals first, because they make room.
  const ordered = [
    ...changes.filter(({ type }) => type === 'Removed'),
    ...changes.filter(({ type }) => type !== 'Removed'),
  ];
  const due: Change[] = [];
  for (const change of ordered) {
    const decision = await decide(change, place);
    (decision === 'Due' ? due : came[decision]).push(change);
  }
  const added = plan.decided?.added ?? addedTo(plan.room).added;
  const leftOut = came.LeftOut.map(({ path }) => path);
  if (added !== undefined && plan.decided === undefined) await plan.onDecided?.({ added, leftOut });
  for (const change of due)
    came[(await applyChange(root, changeOf(change, place))) ? 'Applied' : 'Refused'].push(change);
  return { ...toldOf(came), ...(added === undefined ? {} : { added }) };
}

function toldOf(came: Readonly<Record<CameOf, readonly Change[]>>): SandboxChanges {
  const written = (type: 'File' | 'Link'): SandboxChanges['files'] =>
    came.Applied.filter((it) => it.type === type).map(({ path, sizeBytes, sha256 }) => ({ path, sizeBytes, sha256 }));
  const [files, links] = [written('File'), written('Link')];
  const gone = came.Applied.filter(({ type }) => type === 'Removed');
  const pathsOf = (of: readonly Change[], max: number): string[] => of.slice(0, max).map(({ path }) => path);
  const conflicts = pathsOf(came.Conflict, LISTED_REFUSALS_MAX);
  const beyond = (of: readonly unknown[]): number => Math.max(0, of.length - LISTED_FILES_MAX);
  return {
    files: files.slice(0, LISTED_FILES_MAX),
    ...(links.length === 0 ? {} : { links: links.slice(0, LISTED_FILES_MAX) }),
    gone: pathsOf(gone, LISTED_FILES_MAX),
    refused: pathsOf(came.Refused, LISTED_REFUSALS_MAX),
    ...(conflicts.length === 0 ? {} : { conflicts }),
    unlisted: beyond(files) + beyond(links),
    leftOutFiles: came.LeftOut.length,
    leftOutBytes: came.LeftOut.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** What came of one change. */
type CameOf = 'Applied' | 'Refused' | 'Conflict' | 'LeftOut';

interface Place {
  readonly root: string;
  readonly room: RunRoom;
  readonly protectedPaths: ProtectedPaths;
  /** What was sent, with its mark where others change the workspace, too. */
  readonly sent: ReadonlyMap<string, string | undefined>;
  readonly isShared: boolean;
  /** As an earlier attempt decided. */
  readonly leftOut: ReadonlySet<string> | undefined;
}

async function decide(change: Change, place: Place): Promise<Exclude<CameOf, 'Applied'> | 'Due'> {
  const { root, room, protectedPaths, sent, isShared, leftOut } = place;
  const { type, path, sizeBytes, text } = change;
  if (protectedPaths.wouldChange(path) || (type === 'Removed' && !sent.has(path))) return 'Refused';
  if (type === 'Link' && !(isUtf8(text) && isCarriedLinkText(text.toString()))) return 'Refused';
  if (isShared && (await isOthers(root, change, sent.get(path)))) return 'Conflict';
  if (type === 'Removed') return 'Due';
  const hasRoom = leftOut === undefined ? takeRoom(room, root, path, sizeBytes) : !leftOut.has(path);
  return hasRoom ? 'Due' : 'LeftOut';
}

/** A file takes the place of a link only where the script saw the link. */
function changeOf(change: Change, { sent }: Pick<Place, 'sent'>): WorkspaceChange {
  const { path } = change;
  switch (change.type) {
    case 'File':
      return { ...change, ...(sent.has(path) ? { overLink: true } : {}) };
    case 'Link':
      return { type: 'Link', path, target: change.text.toString() };
    case 'Removed':
      return change;
  }
}

/**
 * Whether somebody else changed what stands there. What equals the change is ours: an earlier attempt placed it. Directories and
 * special files are left to `applyChange`.
 *
 * @param mark  when it was sent; undefined: nothing stood there
 */
async function isOthers(root: string, { type, path, sha256 }: Change, mark: string | undefined): Promise<boolean> {
  const target = join(root, path);
  const parent = await realpath(dirname(target)).catch(() => undefined);
  const now = parent === dirname(target) ? await lstat(target).catch(() => undefined) : undefined;
  if (now === undefined) return type !== 'Removed' && mark !== undefined;
  const kind = kindOf(now);
  if (kind === undefined || fileMark(now) === mark) return false;
  if (type === 'Removed' || type !== kind) return true;
  const content = kind === 'Link' ? await readlink(target, { encoding: 'buffer' }) : await readFile(target);
  return sha256Hex(content) !== sha256;
}

function kindOf(facts: Stats): 'File' | 'Link' | undefined {
  if (facts.isFile()) return 'File';
  return facts.isSymbolicLink() ? 'Link' : undefined;
}
