/**
 * The state of a store at one moment, so that an opening verifies only the rest. A cache: any checkpoint may be deleted at any
 * time.
 *
 * A checkpoint describes only lines that were synced before it was written. So damage before that place happened later, and
 * such a store is never cut.
 *
 * Source: reliability-security 1.
 */
import { sha256Hex } from '@retainer/contract/std/hash';
import { z } from 'zod';
import { storeNamePattern } from './codec.ts';
import type { FileSystem } from './file-system.ts';
import type { ScanStart } from './scan-store.ts';
import { readWhole, replaceFile } from './write-file.ts';

const count = z.int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const Checkpoint = z.object({
  segment: z.string(),
  state: z.object({
    nextSeq: count,
    lastHash: hash,
    expectedPrev: hash,
    epoch: count,
    order: z.int(),
    endBytes: count,
    line: count,
    groupFromBytes: count,
    sealed: z.boolean(),
    content: z.object({
      count,
      firstSeq: count,
      lastSeq: z.int(),
      lastHash: hash,
      minTime: z.string(),
      maxTime: z.string(),
      frontier: z.array(hash),
    }),
  }),
});

/** Checkpoints are a few hundred bytes; a larger file is not one. */
const CHECKPOINT_BYTES_MAX = 64 * 1024;

function checkpointPath(directory: string, store: string): string {
  return `${directory}/checkpoints/${store}.json`;
}

export async function writeCheckpoint(
  fileSystem: FileSystem,
  place: { readonly directory: string; readonly store: string },
  start: ScanStart,
): Promise<void> {
  const body = JSON.stringify(start);
  const path = checkpointPath(place.directory, place.store);
  await replaceFile(fileSystem, path, Buffer.from(`${body}\n${sha256Hex(body)}\n`));
}

/** Undefined when there is no checkpoint that can be trusted. */
export async function readCheckpoint(
  fileSystem: FileSystem,
  directory: string,
  store: string,
): Promise<ScanStart | undefined> {
  const path = checkpointPath(directory, store);
  const sizeBytes = await fileSystem.sizeBytes(path);
  if (sizeBytes === undefined || sizeBytes > CHECKPOINT_BYTES_MAX) return undefined;
  const [body = '', digest] = (await readWhole(fileSystem, path)).toString('utf8').split('\n');
  if (sha256Hex(body) !== digest) return undefined;
  const parsed = Checkpoint.safeParse(JSON.parse(body));
  return parsed.success ? parsed.data : undefined;
}

/** Stores with a checkpoint that can be trusted. */
export async function checkpointedStores(fileSystem: FileSystem, directory: string): Promise<readonly string[]> {
  const names = await fileSystem.list(`${directory}/checkpoints`);
  const stores: string[] = [];
  for (const name of names) {
    const store = name.slice(0, -'.json'.length);
    if (name.endsWith('.json') && storeNamePattern.test(store) && (await readCheckpoint(fileSystem, directory, store)))
      stores.push(store);
  }
  return stores;
}
