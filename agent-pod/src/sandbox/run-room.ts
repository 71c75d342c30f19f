/** What the programs of each run may still add to the workspace. */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { forgetOldest } from '@retainer/contract/std/forget-oldest';
import { scratchPlace } from '@retainer/contract/wire/scratch-places';
import type { Added, SandboxChanges } from '../ports/sandbox-run.ts';

/** What the programs of one run may add, with links and directories: as much as a workspace holds that is still quick to work on. */
export const RUN_FILES_MAX = 10_000;
export const RUN_BYTES_MAX = 512 * 1024 * 1024;
/** Runs whose directories are remembered; the oldest is forgotten. */
const RUNS_MAX = 200;
/** Directories for scratch that one record lists; a program that makes more keeps them. */
const SCRATCH_MAX = 100;

/** What a run may still add to its workspace. */
export interface RunRoom {
  files: number;
  bytes: number;
  /**
   * Directories that its scripts made, each with whether the last of them was trusted. No record names them: nothing else tells those
   * of the run from a stranger's.
   */
  readonly made: Map<string, boolean>;
  /** What the present script has added. */
  added: { files: number; bytes: number; readonly scratch: Set<string>; readonly directories: Set<string> };
}

export function newRoom(): RunRoom {
  return { files: RUN_FILES_MAX, bytes: RUN_BYTES_MAX, made: new Map<string, boolean>(), added: nothingAdded() };
}

function nothingAdded(): RunRoom['added'] {
  return { files: 0, bytes: 0, scratch: new Set<string>(), directories: new Set<string>() };
}

/** Directories of the run that a script sees: a trusted one none whose name an untrusted one chose. */
export function madeFor({ made }: RunRoom, isTrusted: boolean): readonly string[] {
  return [...made].filter(([, isOfTrusted]) => isOfTrusted || !isTrusted).map(([path]) => path);
}

/**
 * Takes the room for a file or a link that comes to stand at `path`, and for the directories above it that are not there.
 *
 * @param workspace  its real path
 * @returns false: there is none left, and nothing was taken
 */
export function takeRoom(room: RunRoom, workspace: string, path: string, sizeBytes: number): boolean {
  const stands = standsAt(workspace, path);
  const bytes = Math.max(0, sizeBytes - (stands?.size ?? 0));
  return take(room, workspace, { path, bytes, files: stands === undefined ? 1 : 0, directories: above(path) });
}

/** As {@link takeRoom}, for a directory. */
export function takeRoomForDirectory(room: RunRoom, workspace: string, path: string): boolean {
  const within = `${path}/.`;
  return take(room, workspace, { path: within, bytes: 0, files: 0, directories: above(within) });
}

interface Taken {
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
  /** They have to be there. */
  readonly directories: readonly string[];
}

function take(room: RunRoom, workspace: string, { path, bytes, directories, ...taken }: Taken): boolean {
  const isNew = (directory: string): boolean =>
    !room.added.directories.has(directory) && standsAt(workspace, directory)?.isDirectory() !== true;
  const made = directories.filter(isNew);
  const files = taken.files + made.length;
  if (room.files < files || room.bytes < bytes) return false;
  room.files -= files;
  room.bytes -= bytes;
  room.added.files += files;
  room.added.bytes += bytes;
  for (const directory of made) room.added.directories.add(directory);
  noteScratch(room.added.scratch, workspace, path);
  return true;
}

function standsAt(workspace: string, path: string): Stats | undefined {
  try {
    return lstatSync(join(workspace, path), { throwIfNoEntry: false });
  } catch {
    // A file stands where a directory has to be.
    return undefined;
  }
}

function above(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Only one that was not there is the program's. */
function noteScratch(scratch: Set<string>, workspace: string, path: string): void {
  const place = scratchPlace(path);
  if (place === undefined || scratch.size >= SCRATCH_MAX || scratch.has(place)) return;
  if (standsAt(workspace, place) === undefined) scratch.add(place);
}

/** For the result of the script. */
export function addedTo({ added: { files, bytes, scratch } }: RunRoom): Pick<SandboxChanges, 'added'> {
  return files + bytes === 0 ? {} : { added: { files, bytes, scratch: [...scratch] } };
}

export class RunRooms {
  readonly #rooms = new Map<string, RunRoom>();

  /**
   * For one script.
   *
   * @param runId  undefined: a script that belongs to no run has a room of its own
   * @param added  by earlier scripts of the run, as the record has it: another process may have run them
   */
  of(runId: string | undefined, added: Added = { files: 0, bytes: 0 }): RunRoom {
    if (runId === undefined) return newRoom();
    const room = this.#rooms.get(runId) ?? newRoom();
    room.files = Math.min(room.files, Math.max(0, RUN_FILES_MAX - added.files));
    room.bytes = Math.min(room.bytes, Math.max(0, RUN_BYTES_MAX - added.bytes));
    room.added = nothingAdded();
    this.#rooms.delete(runId);
    this.#rooms.set(runId, room);
    forgetOldest(this.#rooms, RUNS_MAX);
    return room;
  }
}
