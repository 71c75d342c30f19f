/**
 * Everything below a directory, without following a link, each directory before its content.
 *
 * Synchronous calls in short turns: ten thousand entries take 50 ms, where a promise for each takes a second.
 */
import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';

export interface ScannedEntry {
  /** Relative to the root of the scan. */
  readonly path: string;
  readonly kind: 'File' | 'Directory' | 'Link' | 'Other';
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
  /** Differs whenever the bytes may be others: nobody can set the time of change. */
  readonly fingerprint: string;
}

export interface Scan {
  readonly entries: readonly ScannedEntry[];
  /** Nothing was too deep or unreadable. */
  readonly isWhole: boolean;
}

/** Holds for an archive of a sandbox, too: what is deeper cannot be carried. */
const DEPTH_MAX = 64;
/** The loop of the process waits no longer than this for a scan. */
const TURN_MS = 5;
const OWNER_OPENS = 0o700;
const OWNER_EXECUTES = 0o100;

/** Lets others have their turn when one's own has lasted long enough. */
export class Turns {
  #sinceMs = performance.now();

  async pass(): Promise<void> {
    if (performance.now() - this.#sinceMs < TURN_MS) return;
    await turn();
    this.#sinceMs = performance.now();
  }
}

export async function scanTree(root: string): Promise<Scan> {
  const entries: ScannedEntry[] = [];
  const turns = new Turns();
  let isWhole = true;
  const pending = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const names = directory.split('/').length > DEPTH_MAX ? undefined : namesIn(join(root, directory));
    if (names === undefined) isWhole = false;
    for (const name of names?.toSorted() ?? []) {
      const entry = scanEntry(root, directory === '' ? name : `${directory}/${name}`);
      if (entry !== undefined) entries.push(entry);
      if (entry?.kind === 'Directory') pending.push(entry.path);
      await turns.pass();
    }
  }
  return { entries, isWhole };
}

function namesIn(directory: string): readonly string[] | undefined {
  try {
    return readdirSync(directory);
  } catch {
    return namesAfterOpening(directory);
  }
}

/** A program may close a directory to its own user, who may be the agent's. */
function namesAfterOpening(directory: string): readonly string[] | undefined {
  try {
    if (!lstatSync(directory).isDirectory()) return undefined;
    chmodSync(directory, OWNER_OPENS);
    return readdirSync(directory);
  } catch {
    return undefined;
  }
}

/** Undefined if it has gone meanwhile. */
export function scanEntry(root: string, path: string): ScannedEntry | undefined {
  try {
    return entryOf(path, lstatSync(join(root, path)));
  } catch {
    return undefined;
  }
}

export function entryOf(path: string, facts: Stats): ScannedEntry {
  const { size, mode } = facts;
  const isExecutable = (mode & OWNER_EXECUTES) !== 0;
  return { path, kind: kindOf(facts), sizeBytes: size, isExecutable, fingerprint: fingerprintOf(facts) };
}

function kindOf(facts: Stats): ScannedEntry['kind'] {
  if (facts.isFile()) return 'File';
  if (facts.isDirectory()) return 'Directory';
  return facts.isSymbolicLink() ? 'Link' : 'Other';
}

function fingerprintOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}
