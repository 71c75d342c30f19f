/**
 * The files and links in the work directory that the code added, changed or removed, as an archive.
 *
 * Only regular files and links go out, and no link is followed. All processes of the run are dead by now, so nothing changes between
 * listing and reading; a file that changes nevertheless is cut or filled up to the size in its header.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { frameHeaderBytes, isCarriedLinkText, isCarriedPath, PATH_DEPTH_MAX } from '@retainer/contract/wire/frames';
import { RUNNER_ARCHIVE_BYTES_MAX, RUNNER_FILES_MAX, type FrameHeader } from '@retainer/contract/wire/runner';
import type { Fault } from './fault.ts';
import { fingerprintOf, type ReceivedFile, type ReceivedFiles } from './files-in.ts';
import { walkTree, type TreeEntry } from './file-tree.ts';

const OWNER_EXECUTES = 0o100;
const CHUNK_BYTES = 65_536;
/** Of `stat`. */
const BLOCK_BYTES = 512;
/**
 * Share of the scratch space that must stay free for the next run, which begins with all returned files. Otherwise code that
 * fills everything could never run again, not even to delete files. The same holds for a file that the kernel cut off at the
 * limit.
 */
const FREE_SHARE = 1 / 16;

interface Sought {
  readonly workDirectory: string;
  readonly received: ReceivedFiles;
  /** The claimant takes links back. */
  readonly takesLinks: boolean;
}

/** In sending order, `End` last. @param scratchBytes  an error where less than {@link FREE_SHARE} of it would stay free */
export async function changedFiles(
  sought: Sought,
  scratchBytes: number,
): Promise<Result<readonly FrameHeader[], Fault>> {
  const { workDirectory, received } = sought;
  const changed: FrameHeader[] = [];
  const standing = new Set<string>();
  let skippedEntries = 0;
  let bytes = 0;
  let heldBytes = 0;
  const heldBytesMax = Math.floor(scratchBytes * (1 - FREE_SHARE));
  for await (const entry of walkTree(workDirectory, PATH_DEPTH_MAX)) {
    heldBytes += heldBy(entry);
    if (heldBytes > heldBytesMax)
      return tooLarge(`more than ${heldBytesMax} bytes of files, and the next run needs room`);
    if (entry.facts.isDirectory()) continue;
    const header = await headerOf(entry, sought);
    if (header === undefined) {
      skippedEntries += 1;
      continue;
    }
    standing.add(entry.path);
    if (!(await isChanged(workDirectory, entry, received.get(entry.path)))) continue;
    changed.push(header);
    bytes += header.sizeBytes;
    if (changed.length > RUNNER_FILES_MAX) return tooLarge(`more than ${RUNNER_FILES_MAX} new or changed files`);
    if (bytes > RUNNER_ARCHIVE_BYTES_MAX)
      return tooLarge(`more than ${RUNNER_ARCHIVE_BYTES_MAX} bytes in new or changed files`);
  }
  const removed = [...received.keys()].filter((path) => !standing.has(path));
  if (removed.length + changed.length > RUNNER_FILES_MAX)
    return tooLarge(`more than ${RUNNER_FILES_MAX} changed and removed files`);
  const removals = removed.map((path) => ({ type: 'Removed', path, sizeBytes: 0 }) as const);
  return ok([...removals, ...changed, { type: 'End', sizeBytes: 0, skippedEntries }]);
}

/** Undefined: no archive carries it. */
async function headerOf(
  { path, facts }: TreeEntry,
  { workDirectory, takesLinks }: Sought,
): Promise<FrameHeader | undefined> {
  if (!isCarriedPath(path)) return undefined;
  if (facts.isFile()) {
    const isExecutable = (facts.mode & OWNER_EXECUTES) !== 0;
    return { type: 'File', path, sizeBytes: facts.size, isExecutable, isReadOnly: false };
  }
  if (!facts.isSymbolicLink() || !takesLinks) return undefined;
  const text = await textOf(join(workDirectory, path));
  const isUtf8Text = isUtf8(text) && isCarriedLinkText(text.toString());
  return isUtf8Text ? { type: 'Link', path, sizeBytes: text.length } : undefined;
}

function textOf(place: string): Promise<Buffer> {
  return readlink(place, { encoding: 'buffer' });
}

/** Bytes of the file after transport, which fills the holes of a sparse file. */
function heldBy({ facts }: TreeEntry): number {
  return Math.max(facts.blocks * BLOCK_BYTES, facts.isFile() ? facts.size : 0);
}

export async function* archiveOf(workDirectory: string, headers: readonly FrameHeader[]): AsyncGenerator<Uint8Array> {
  for (const header of headers) {
    yield frameHeaderBytes(header);
    if (header.type === 'File') yield* contentOf(join(workDirectory, header.path), header.sizeBytes);
    if (header.type === 'Link') yield await textOf(join(workDirectory, header.path));
  }
}

async function isChanged(
  workDirectory: string,
  { path, facts }: TreeEntry,
  before: ReceivedFile | undefined,
): Promise<boolean> {
  if (before === undefined || before.isLink !== facts.isSymbolicLink()) return true;
  if (fingerprintOf(facts) === before.fingerprint) return false;
  if (before.isLink) return sha256Hex(await textOf(join(workDirectory, path))) !== before.digest;
  if (((facts.mode & OWNER_EXECUTES) !== 0) !== before.isExecutable) return true;
  if (facts.size > RUNNER_ARCHIVE_BYTES_MAX) return true;
  const hash = createHash('sha256');
  for await (const chunk of contentOf(join(workDirectory, path), facts.size)) hash.update(chunk);
  return hash.digest('hex') !== before.digest;
}

/** Exactly this many bytes, with zeros if the file has fewer. */
async function* contentOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  // Opening a pipe in place of a file would wait for its writer forever.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    for (let at = 0; at < sizeBytes;) {
      const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, sizeBytes - at));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      const length = bytesRead === 0 ? buffer.length : bytesRead;
      yield buffer.subarray(0, length);
      at += length;
    }
  } finally {
    await file.close();
  }
}

function tooLarge(message: string): { readonly ok: false; readonly error: Fault } {
  return err({ status: 413, reason: 'ArchiveTooLarge', message });
}
