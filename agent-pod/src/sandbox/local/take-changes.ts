/**
 * Takes what a program changed in its view into the workspace.
 *
 * I1  First everything is copied beside the workspace, with a plan; then the result is kept; then the plan is carried out. So a
 *     call that was interrupted has either changed nothing, or its plan is carried out when the agent starts again.
 * I2  What a program may not change, or did not see, stays as it is, and its result says so.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, futimesSync, lstatSync, openSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@retainer/contract/std/parse-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { z } from 'zod';
import type { SandboxChanges } from '../../ports/sandbox-run.ts';
import { applyChange, type WorkspaceChange } from '../apply-change.ts';
import { LISTED_FILES_MAX, LISTED_REFUSALS_MAX } from '../listed.ts';
import type { ProtectedPaths } from '../protected-paths.ts';
import { addedTo, takeRoom, takeRoomForDirectory, type RunRoom } from '../run-room.ts';
import { DirectoryCursor, placeIn } from './directory-cursor.ts';
import { Turns, type ScannedEntry } from './scan-tree.ts';
import { splitPath, type View, type ViewChange } from './view.ts';

export const TAKE_PREFIX = 'take-';

const CHUNK_BYTES = 1024 * 1024;

export interface Taking {
  readonly view: View;
  /** Real path. */
  readonly workspace: string;
  readonly protectedPaths: ProtectedPaths;
  /** What the program saw; undefined: everything. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly room: RunRoom;
  /** The program and all that it saw. */
  readonly isTrusted: boolean;
}

const PlannedChange = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('File'), path: z.string(), source: z.string(), isExecutable: z.boolean() }),
  z.strictObject({ type: z.literal('Link'), path: z.string(), target: z.string() }),
  z.strictObject({ type: z.enum(['Directory', 'Removed', 'RemovedDirectory']), path: z.string() }),
]);

const Plan = z.strictObject({
  idempotencyKey: z.string(),
  workspace: z.string(),
  changes: z.array(PlannedChange),
});
type Plan = z.infer<typeof Plan>;

/** What a program changed, ready to be carried out. */
export interface Staged {
  readonly changes: SandboxChanges;
  /** @returns whether the view is equal to the workspace now */
  carryOut(): Promise<boolean>;
  /** Instead: the workspace stays as it is, after a restart, too. */
  drop(): Promise<void>;
}

/** @param directory  the sandbox's own */
export async function stageChanges(directory: string, key: string, taking: Taking): Promise<Staged> {
  const { changes, isWhole } = await taking.view.changes();
  const staging = join(directory, `${TAKE_PREFIX}${sha256Hex(key)}`);
  const work = new Staging(staging, taking);
  if (changes.length > 0) {
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
  }
  try {
    for (const change of inOrder(changes)) await work.take(change);
  } finally {
    work.close();
  }
  const plan = { idempotencyKey: key, workspace: taking.workspace, changes: [...work.planned] };
  if (changes.length > 0) await writePlan(staging, plan);
  return {
    changes: work.told,
    carryOut: async () => {
      const isCarriedOut = changes.length === 0 || (await carryOut(staging, plan));
      for (const change of work.taken) taking.view.settle(taking.workspace, change);
      return isWhole && isCarriedOut && work.isSettled;
    },
    drop: () => rm(staging, { recursive: true, force: true }),
  };
}

/** Removals first, the deepest first, because they make room. */
function inOrder(changes: readonly ViewChange[]): readonly ViewChange[] {
  const isRemoval = (change: ViewChange): boolean => change.type === 'Removed';
  const pathOf = (change: ViewChange): string => (change.type === 'Removed' ? change.path : change.entry.path);
  const sorted = changes.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  return [...sorted.filter(isRemoval).toReversed(), ...sorted.filter((it) => !isRemoval(it))];
}

/** One plan in the making. */
class Staging {
  readonly planned: WorkspaceChange[] = [];
  readonly taken: ViewChange[] = [];
  isSettled = true;
  readonly #directory: string;
  readonly #taking: Taking;
  readonly #workspace: DirectoryCursor;
  readonly #turns = new Turns();
  readonly #told = {
    files: [] as SandboxChanges['files'][number][],
    links: [] as SandboxChanges['files'][number][],
    gone: [] as string[],
    refused: [] as string[],
    unlisted: 0,
    leftOutFiles: 0,
    leftOutBytes: 0,
  };

  constructor(directory: string, taking: Taking) {
    this.#directory = directory;
    this.#taking = taking;
    this.#workspace = new DirectoryCursor(taking.workspace);
  }

  get told(): SandboxChanges {
    const { links, ...told } = this.#told;
    return { ...told, ...(links.length === 0 ? {} : { links }), ...addedTo(this.#taking.room) };
  }

  close(): void {
    this.#workspace.close();
  }

  async take(change: ViewChange): Promise<void> {
    const path = change.type === 'Removed' ? change.path : change.entry.path;
    const isTaken = this.#isAllowed(change, path) && (await this.#plan(change));
    if (isTaken) this.taken.push(change);
    else this.isSettled = false;
    await this.#turns.pass();
  }

  /** Directories alone hold nothing: nobody misses one that is refused. */
  #isAllowed(change: ViewChange, path: string): boolean {
    const { protectedPaths } = this.#taking;
    if (!protectedPaths.wouldChange(path) && !this.#isUnseen(change, path)) return true;
    const isDirectory = change.type === 'Removed' ? change.isDirectory : change.entry.kind === 'Directory';
    if (!isDirectory && this.#told.refused.length < LISTED_REFUSALS_MAX) this.#told.refused.push(path);
    return false;
  }

  /** Something stands there, or on the way, that the program did not see. */
  #isUnseen(change: ViewChange, path: string): boolean {
    const { shown } = this.#taking;
    if (change.type === 'Removed') return false;
    const { names, name } = splitPath(path);
    const directory = this.#workspace.at(names);
    if (directory.kind === 'Missing') return false;
    if (directory.kind !== 'Open') return !names.some((_, at) => shown?.has(names.slice(0, at + 1).join('/')) ?? true);
    if (shown === undefined || shown.has(path)) return false;
    const stands = lstatSync(placeIn(directory.descriptor, name), { throwIfNoEntry: false });
    if (stands === undefined) return false;
    return !stands.isDirectory() || change.entry.kind !== 'Directory';
  }

  async #plan(change: ViewChange): Promise<boolean> {
    const { room, isTrusted } = this.#taking;
    if (change.type === 'Removed') {
      room.made.delete(change.path);
      this.planned.push({ type: change.isDirectory ? 'RemovedDirectory' : 'Removed', path: change.path });
      if (!change.isDirectory && this.#told.gone.length < LISTED_FILES_MAX) this.#told.gone.push(change.path);
      return true;
    }
    const { entry } = change;
    const { path } = entry;
    if (!this.#hasRoom(entry)) return false;
    if (entry.kind === 'Directory') this.planned.push({ type: 'Directory', path });
    else if (entry.kind === 'Link') this.#planLink(path);
    else await this.#stageFile(entry);
    if (entry.kind === 'Directory') room.made.set(path, isTrusted);
    else room.made.delete(path);
    return true;
  }

  #planLink(path: string): void {
    const target = readlinkSync(join(this.#taking.view.directory, path));
    this.planned.push({ type: 'Link', path, target });
    this.#list('links', { path, sizeBytes: Buffer.byteLength(target), sha256: sha256Hex(target) });
  }

  #list(as: 'files' | 'links', written: SandboxChanges['files'][number]): void {
    if (this.#told[as].length < LISTED_FILES_MAX) this.#told[as].push(written);
    else this.#told.unlisted += 1;
  }

  #hasRoom({ path, kind, sizeBytes }: ScannedEntry): boolean {
    const { room, workspace } = this.#taking;
    if (kind === 'Directory') return takeRoomForDirectory(room, workspace, path);
    if (takeRoom(room, workspace, path, sizeBytes)) return true;
    this.#told.leftOutFiles += 1;
    this.#told.leftOutBytes += sizeBytes;
    return false;
  }

  async #stageFile({ path, isExecutable }: ScannedEntry): Promise<void> {
    const source = join(this.#directory, String(this.planned.length));
    const { sizeBytes, sha256 } = await copyHashed(join(this.#taking.view.directory, path), source, this.#turns);
    this.planned.push({ type: 'File', path, source, isExecutable });
    this.#list('files', { path, sizeBytes, sha256 });
  }
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function copyHashed(
  source: string,
  target: string,
  turns: Turns,
): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  const from = openSync(source, READ);
  const to = openSync(target, 'wx', 0o644);
  let sizeBytes = 0;
  try {
    const { atime, mtime, size } = lstatSync(source);
    const buffer = Buffer.alloc(Math.max(1, Math.min(CHUNK_BYTES, size)));
    for (;;) {
      const length = readSync(from, buffer, 0, buffer.length, sizeBytes);
      if (length === 0) break;
      hash.update(buffer.subarray(0, length));
      writeSync(to, buffer, 0, length);
      sizeBytes += length;
      await turns.pass();
    }
    futimesSync(to, atime, mtime);
  } finally {
    closeSync(from);
    closeSync(to);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

const PLAN_FILE = 'plan.json';

async function writePlan(staging: string, plan: Plan): Promise<void> {
  const temporary = join(staging, 'plan.tmp');
  await writeFile(temporary, JSON.stringify(plan), { mode: 0o600 });
  await rename(temporary, join(staging, PLAN_FILE));
}

/** @returns whether everything could be done */
async function carryOut(staging: string, { workspace, changes }: Plan): Promise<boolean> {
  let isWhole = true;
  for (const change of changes) isWhole = (await applyChange(workspace, change)) && isWhole;
  await rm(staging, { recursive: true, force: true });
  return isWhole;
}

/** A plan that an agent left when it was killed: carried out if its result was kept, else dropped. */
export async function finishTaking(staging: string, isKept: (key: string) => Promise<boolean>): Promise<void> {
  const text = await readFile(join(staging, PLAN_FILE), 'utf8').catch(() => 'null');
  const plan = Plan.safeParse(parseJson(text));
  if (plan.success && (await isKept(plan.data.idempotencyKey))) await carryOut(staging, plan.data);
  else await rm(staging, { recursive: true, force: true });
}
