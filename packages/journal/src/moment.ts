/**
 * What a journal holds at one moment, for a copy of it. Reads only, also while a writer is at work.
 *
 * I1  A copy of these bytes is what a power loss at that moment could have left, so a verification and an opening accept it: files
 *     end with a whole line; a checkpoint is older than its store; what one store says of the others is on the disk.
 * I2  Blobs are listed after the records that refer to them were measured ({@link blobsOf}), because a blob is written first.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { FileSystem } from './file-system.ts';
import type { Head } from './journal.ts';
import { decodeLine, hashIn, parseHead } from './codec.ts';
import { LINE_BYTES_MAX } from './limits.ts';
import { readFully } from './line-reader.ts';
import { storesOnDisk } from './open-reader.ts';
import { realFileSystem } from './real-file-system.ts';
import { segmentFile, sortedSegments } from './segment.ts';
import { ownFirst } from './stores.ts';
import { readWhole } from './write-file.ts';

/** Paths are relative to the journal's directory. */
export interface JournalMoment {
  /** Files that are replaced as a whole. */
  readonly checkpoints: readonly { readonly path: string; readonly bytes: Buffer }[];
  /** Segments, and copies of what was cut or repaired: they only grow. */
  readonly grown: readonly { readonly path: string; readonly sizeBytes: number }[];
  /** One for each store that has a record, by name. */
  readonly heads: readonly Head[];
}

/** Directories with copies that a recovery or a repair left: each is written once. */
const COPIES = ['recovered', 'damaged'];

const SHORT_TAIL_BYTES = 64 * 1024;
/** A footer, the line before it, and a line under way. */
const LONG_TAIL_BYTES = 2 * (LINE_BYTES_MAX + 1) + SHORT_TAIL_BYTES;

/** @throws the file system's own error; one of a file that went away meanwhile means: look again */
export async function momentOf(directory: string, fileSystem: FileSystem = realFileSystem): Promise<JournalMoment> {
  const checkpoints = await readCheckpoints(fileSystem, directory);
  const grown: { path: string; sizeBytes: number }[] = [];
  const heads: Head[] = [];
  for (const store of ownFirst(await storesOnDisk(fileSystem, directory))) {
    const segments = sortedSegments(await fileSystem.list(`${directory}/${store}`)).map((name) => segmentFile(name));
    const files = [];
    for (const segment of segments) files.push(await measure(fileSystem, directory, `${store}/${segment}`));
    const end = await endOf(fileSystem, directory, files);
    grown.push(...end.files);
    if (end.head !== undefined) heads.push(end.head);
  }
  for (const name of COPIES)
    for (const file of await fileSystem.list(`${directory}/${name}`))
      if (!file.endsWith('.tmp')) grown.push(await measure(fileSystem, directory, `${name}/${file}`));
  return { checkpoints, grown, heads: heads.toSorted((a, b) => (a.store < b.store ? -1 : 1)) };
}

/** Paths of all blobs, relative to the journal's directory. */
export async function blobsOf(directory: string, fileSystem: FileSystem = realFileSystem): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of await fileSystem.list(`${directory}/blobs`))
    for (const file of await fileSystem.list(`${directory}/blobs/${folder}`))
      if (file.endsWith('.gz')) found.push(`blobs/${folder}/${file}`);
  return found;
}

async function readCheckpoints(fileSystem: FileSystem, directory: string): Promise<JournalMoment['checkpoints']> {
  const names = (await fileSystem.list(`${directory}/checkpoints`)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name) => ({
      path: `checkpoints/${name}`,
      bytes: await readWhole(fileSystem, `${directory}/checkpoints/${name}`),
    })),
  );
}

interface Measured {
  readonly path: string;
  readonly sizeBytes: number;
}

async function measure(fileSystem: FileSystem, directory: string, path: string): Promise<Measured> {
  return { path, sizeBytes: (await fileSystem.sizeBytes(`${directory}/${path}`)) ?? 0 };
}

interface StoreEnd {
  readonly files: readonly Measured[];
  readonly head: Head | undefined;
}

/** The files of a store up to its last whole line, and its last record. */
async function endOf(fileSystem: FileSystem, directory: string, files: readonly Measured[]): Promise<StoreEnd> {
  const last = files.at(-1);
  if (last === undefined) return { files, head: undefined };
  const tail = await readTail(fileSystem, `${directory}/${last.path}`, last.sizeBytes);
  const before = files.slice(0, -1);
  if (tail.endBytes === 0) return endOf(fileSystem, directory, before);
  const whole = [...before, { path: last.path, sizeBytes: tail.endBytes }];
  const head = tail.head ?? (await endOf(fileSystem, directory, before)).head;
  return { files: whole, head };
}

interface Tail {
  /** After the last newline. */
  readonly endBytes: number;
  readonly head: Head | undefined;
}

async function readTail(fileSystem: FileSystem, path: string, sizeBytes: number): Promise<Tail> {
  const file = await fileSystem.open(path, 'read');
  try {
    const short = await tailIn(file, sizeBytes, SHORT_TAIL_BYTES);
    return short.head !== undefined || sizeBytes <= SHORT_TAIL_BYTES
      ? short
      : await tailIn(file, sizeBytes, LONG_TAIL_BYTES);
  } finally {
    await file.close();
  }
}

async function tailIn(file: Parameters<typeof readFully>[0], sizeBytes: number, wantBytes: number): Promise<Tail> {
  const from = Math.max(0, sizeBytes - wantBytes);
  const bytes = await readFully(file, from, sizeBytes - from);
  const end = bytes.lastIndexOf('\n') + 1;
  for (let stop = end; stop > 0;) {
    const start = stop < 2 ? 0 : bytes.lastIndexOf('\n', stop - 2) + 1;
    // Its beginning may lie before what was read.
    if (start === 0 && from > 0) break;
    const head = headOf(bytes.subarray(start, stop - 1));
    if (head !== undefined) return { endBytes: from + end, head };
    stop = start;
  }
  return { endBytes: end === 0 ? 0 : from + end, head: undefined };
}

/** Undefined for a footer. */
function headOf(line: Buffer): Head | undefined {
  const head = parseHead(line);
  if (head === undefined) return undefined;
  const { store, seq, epoch } = head;
  return { store, seq, hash: hashIn(line), epoch };
}

/** What a line tells of its record without its content. */
export interface RecordHead {
  readonly store: string;
  readonly seq: number;
  readonly order: number;
  readonly timeMs: number;
  readonly kind: string;
  readonly principal: string;
  readonly runId?: string;
}

/** The records among whole lines of a segment; their hashes are not checked. */
export function recordHeadsIn(bytes: Uint8Array): readonly RecordHead[] {
  return [...recordLinesIn(bytes)].flatMap(({ store, seq, order, timeMs, kind, whole }) => {
    const { principal, runId } = whole();
    if (principal === undefined) return [];
    return [{ store, seq, order, timeMs, kind, principal, ...(runId === undefined ? {} : { runId }) }];
  });
}

/** A record as a copy of its line has it. */
export interface RecordLine {
  readonly store: string;
  readonly seq: number;
  readonly order: number;
  readonly timeMs: number;
  readonly kind: string;
  /** Reads the whole line; empty if it is damaged. The payload is absent where it stands in a file of its own. */
  readonly whole: () => { readonly principal?: string; readonly runId?: string; readonly payload?: Json };
}

/** The records among whole lines of a segment, read no further than their heads; their hashes are not checked. */
export function* recordLinesIn(bytes: Uint8Array): Generator<RecordLine> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < all.length;) {
    const found = all.indexOf('\n', at);
    const end = found === -1 ? all.length : found;
    const line = all.subarray(at, end);
    at = end + 1;
    const head = parseHead(line);
    if (head === undefined) continue;
    const { store, seq, order, time, kind } = head;
    yield { store, seq, order, timeMs: Date.parse(time), kind, whole: () => wholeOf(line) };
  }
}

function wholeOf(line: Buffer): ReturnType<RecordLine['whole']> {
  const decoded = decodeLine(line);
  if (!decoded.ok) return {};
  const { record, content } = decoded.value;
  const { principal, runId } = record;
  const of = { principal, ...(runId === undefined ? {} : { runId }) };
  return 'payload' in content ? { ...of, payload: content.payload } : of;
}
