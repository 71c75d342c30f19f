/**
 * Deleted files that still take space because a process holds them open: no walk over a directory sees them.
 *
 * Every thread is examined, because each may have descriptors of its own and outlive the first thread of its process.
 * Descriptors that wait in a socket, and descriptors that change hands between two looks, go unseen. So the bound holds for
 * honest code and simple attacks.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { hasCode } from './file-tree.ts';
import { processIds } from './process-count.ts';

/** Of `stat`. */
export const BLOCK_BYTES = 512;
/** The kernel's errors for a process that nobody may inspect. */
const DENIED = ['EACCES', 'EPERM'];
const MAPPED = /^\S+ \S+ \S+ \S+ (\d+) +(\/.+) \(deleted\)$/;

export interface DeletedFiles {
  readonly bytes: number;
  /** Why the count is incomplete, in words; undefined if it is complete. */
  readonly uncounted: string | undefined;
}

/** @param linked  {@link fileKey} of every file that still has a name */
export async function deletedFiles(directories: readonly string[], linked: ReadonlySet<string>): Promise<DeletedFiles> {
  const look = new Look(directories);
  // A file that is mapped before and after the look at descriptors, but was not open then, is held only by its mapping.
  const before = await look.mapped();
  const bytes = await look.openBytes();
  const isHeldOnlyByMapping = (key: string): boolean => before.has(key) && !linked.has(key) && !look.isOpen(key);
  const suspects = [...before].filter(isHeldOnlyByMapping);
  const after = suspects.length === 0 ? before : await look.mapped();
  if (suspects.some((key) => after.has(key)))
    return { bytes, uncounted: 'a deleted file that is mapped but not open, so its size is unknown' };
  // A runner that is not the first process of a pod sees unrelated processes; root in a pod may have other users.
  const isDenied = look.isDenied && process.pid === 1 && process.getuid?.() !== 0;
  return { bytes, uncounted: isDenied ? 'a process that hides its files' : undefined };
}

export function fileKey({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

class Look {
  readonly #places: readonly { readonly prefix: string; readonly dev: number }[];
  readonly #devices: ReadonlySet<number>;
  readonly #open = new Map<string, number>();
  #isDenied = false;

  constructor(directories: readonly string[]) {
    this.#places = directories.map((path) => ({ prefix: `${path}/`, dev: statSync(path).dev }));
    this.#devices = new Set(this.#places.map(({ dev }) => dev));
  }

  get isDenied(): boolean {
    return this.#isDenied;
  }

  isOpen(key: string): boolean {
    return this.#open.has(key);
  }

  /** Deleted files of the directories that some process has mapped. */
  async mapped(): Promise<ReadonlySet<string>> {
    const keys = new Set<string>();
    for (const id of processIds()) {
      // Threads share one memory; the first may have ended.
      const text = this.#tasks(id).reduce(
        (found, task) => found || this.#read(task, () => readFileSync(`${task}/maps`, 'utf8'), ''),
        '',
      );
      for (const line of text.split('\n')) {
        const [, inode = '', path = ''] = MAPPED.exec(line) ?? [];
        const place = this.#places.find(({ prefix }) => path.startsWith(prefix));
        if (place !== undefined) keys.add(fileKey({ dev: place.dev, ino: Number(inode) }));
      }
      await turn();
    }
    return keys;
  }

  /** Bytes of deleted files that are open or being executed. */
  async openBytes(): Promise<number> {
    for (const task of processIds().flatMap((id) => this.#tasks(id))) {
      const names = this.#read(task, () => readdirSync(`${task}/fd`), []);
      for (const path of [`${task}/exe`, ...names.map((name) => `${task}/fd/${name}`)]) this.#lookAt(task, path);
      await turn();
    }
    return [...this.#open.values()].reduce((sum, size) => sum + size, 0);
  }

  #lookAt(task: string, path: string): void {
    const target = this.#read(task, () => readlinkSync(path), '');
    if (!target.startsWith('/') || !target.endsWith(' (deleted)')) return;
    const facts = this.#read(task, () => statSync(path), undefined);
    if (facts !== undefined && this.#devices.has(facts.dev)) this.#open.set(fileKey(facts), facts.blocks * BLOCK_BYTES);
  }

  #tasks(id: number): readonly string[] {
    return entriesOf(`/proc/${id}/task`).map((task) => `/proc/${id}/task/${task}`);
  }

  /** A task that has ended meanwhile holds nothing. */
  #read<T>(task: string, read: () => T, nothing: T): T {
    try {
      return read();
    } catch (error) {
      if (hasCode(error, DENIED) && !isEnding(task)) this.#isDenied = true;
      return nothing;
    }
  }
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Flag of a thread that has begun to end and opens nothing more. Source: Linux, `PF_EXITING`. */
const EXITING_FLAG = 4;
/** Position after the name, which may hold any characters. */
const FLAGS_FIELD = 6;

/** The kernel also denies access to a thread without memory: one that is ending. */
function isEnding(task: string): boolean {
  try {
    const text = readFileSync(`${task}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[FLAGS_FIELD]) & EXITING_FLAG) !== 0;
  } catch {
    return true;
  }
}
