/**
 * The workspace as an archive for a sandbox: regular files and symbolic links, without following any.
 *
 * It is read twice, for the digest and for sending, which avoids a copy. If a file changes in between, the runner refuses the
 * archive and the caller tries again.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { lstat, open, opendir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { frameHeaderBytes, isCarriedLinkText, isCarriedPath, PATH_DEPTH_MAX } from '@retainer/contract/wire/frames';
import { RUNNER_ARCHIVE_BYTES_MAX, RUNNER_FILES_MAX, type FrameHeader } from '@retainer/contract/wire/runner';
import { ProtectedPaths } from '../protected-paths.ts';
import type { SandboxRequest } from '../../ports/sandbox-run.ts';
import { SandboxRefusal } from '../sandbox-refusal.ts';

const OWNER_EXECUTES = 0o100;
const CHUNK_BYTES = 65_536;

export interface WorkspaceArchive {
  readonly digest: string;
  readonly paths: readonly string[];
  /** What `fileMark` tells of each path. */
  readonly marks: readonly string[];
  /** What is not in it, and stays: the script does not see it, or it is neither a file nor a link that an archive carries. */
  readonly hiddenPaths: readonly string[];
  readonly hasLinks: boolean;
  /** Equal bytes each time, unless a file changes. */
  readonly bytes: () => AsyncGenerator<Uint8Array>;
}

type Asked = Pick<SandboxRequest, 'workspaceDirectory' | 'readOnlyPaths' | 'shownPaths'>;

/**
 * @param carriesLinks  false: the runner is older than links, so the script sees none
 * @throws SandboxRefusal  the workspace exceeds one archive
 */
export async function workspaceArchive(asked: Asked, carriesLinks = true): Promise<WorkspaceArchive> {
  const { workspaceDirectory } = asked;
  const gathered = await gather(asked, carriesLinks);
  const { marks, hiddenPaths, texts, skippedEntries } = gathered;
  const headers: readonly FrameHeader[] = [...gathered.headers, { type: 'End', sizeBytes: 0, skippedEntries }];
  const bytes = (): AsyncGenerator<Uint8Array> => archiveBytes(workspaceDirectory, headers, texts);
  const hash = createHash('sha256');
  for await (const chunk of bytes()) hash.update(chunk);
  const paths = gathered.headers.map(({ path }) => path);
  const digest = `sha256:${hash.digest('hex')}`;
  return { digest, paths, marks, hiddenPaths, hasLinks: texts.size > 0, bytes };
}

type EntryHeader = Exclude<FrameHeader, { type: 'End' }>;

interface Gathered {
  readonly headers: readonly EntryHeader[];
  /** Of links, by path. */
  readonly texts: ReadonlyMap<string, Buffer>;
  readonly marks: readonly string[];
  readonly hiddenPaths: readonly string[];
  readonly skippedEntries: number;
}

async function gather(
  { workspaceDirectory, readOnlyPaths, shownPaths }: Asked,
  carriesLinks: boolean,
): Promise<Gathered> {
  const readOnly = new ProtectedPaths(readOnlyPaths);
  const shown = shownPaths === undefined ? undefined : new Set(shownPaths);
  const headers: EntryHeader[] = [];
  const texts = new Map<string, Buffer>();
  const marks: string[] = [];
  const hiddenPaths: string[] = [];
  let skippedEntries = 0;
  let sizeBytes = 0;
  for await (const entry of walk(workspaceDirectory)) {
    const { path, facts } = entry;
    if (!isCarriedPath(path)) {
      skippedEntries += 1;
      continue;
    }
    const isShown = shown?.has(path) !== false;
    const text = isShown && carriesLinks ? await textOf(workspaceDirectory, entry) : undefined;
    const header = isShown ? headerOf(entry, text, readOnly) : undefined;
    if (header === undefined) {
      hiddenPaths.push(path);
      skippedEntries += Number(isShown);
      continue;
    }
    sizeBytes += facts.size;
    headers.push(header);
    if (text !== undefined) texts.set(path, text);
    marks.push(fileMark(facts));
    refuseIfTooLarge(headers.length, sizeBytes);
  }
  return { headers, texts, marks, hiddenPaths, skippedEntries };
}

/** Undefined: no archive carries it. */
function headerOf({ path, facts }: Entry, text: Buffer | undefined, readOnly: ProtectedPaths): EntryHeader | undefined {
  if (text !== undefined) return { type: 'Link', path, sizeBytes: text.length };
  if (!facts.isFile()) return undefined;
  const isExecutable = (facts.mode & OWNER_EXECUTES) !== 0;
  return { type: 'File', path, sizeBytes: facts.size, isExecutable, isReadOnly: readOnly.has(path) };
}

function refuseIfTooLarge(files: number, sizeBytes: number): void {
  if (files > RUNNER_FILES_MAX || sizeBytes > RUNNER_ARCHIVE_BYTES_MAX)
    throw new SandboxRefusal(
      `the workspace holds more than ${RUNNER_FILES_MAX} files or ${RUNNER_ARCHIVE_BYTES_MAX} bytes, ` +
        'which is more than a sandbox takes: remove what is not needed',
    );
}

/** Of a link; undefined where it has gone, or no archive carries it. */
async function textOf(root: string, { path, facts }: Entry): Promise<Buffer | undefined> {
  if (!facts.isSymbolicLink()) return undefined;
  const text = await readlink(join(root, path), { encoding: 'buffer' }).catch(() => undefined);
  return text !== undefined && isUtf8(text) && isCarriedLinkText(text.toString()) ? text : undefined;
}

interface Entry {
  readonly path: string;
  readonly facts: Stats;
}

/** Equal as long as nobody changes the file: every write, and every file that takes its place, has another. */
export function fileMark({ ino, size, ctimeMs }: Stats): string {
  return `${ino} ${size} ${ctimeMs}`;
}

/** All entries but directories, up to the depth of an archive. */
async function* walk(root: string): AsyncGenerator<Entry> {
  const pending: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 1 }];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const opened = await opendir(join(root, directory.path)).catch(() => undefined);
    if (opened === undefined) continue;
    for await (const { name } of opened) {
      const path = directory.path === '' ? name : `${directory.path}/${name}`;
      const facts = await lstat(join(root, path)).catch(() => undefined);
      if (facts === undefined) continue;
      if (!facts.isDirectory()) yield { path, facts };
      else if (directory.depth < PATH_DEPTH_MAX) pending.push({ path, depth: directory.depth + 1 });
    }
  }
}

async function* archiveBytes(
  root: string,
  headers: readonly FrameHeader[],
  texts: ReadonlyMap<string, Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (const header of headers) {
    yield frameHeaderBytes(header);
    if (header.type === 'Link') yield texts.get(header.path) ?? new Uint8Array(header.sizeBytes);
    if (header.type === 'File') yield* contentOf(join(root, header.path), header.sizeBytes);
  }
}

/** Exactly `sizeBytes` bytes. Pads a file that became shorter with zeros; the digest reveals it. */
async function* contentOf(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  try {
    for (let at = 0; at < sizeBytes;) {
      const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, sizeBytes - at));
      const read = await file?.read(buffer, 0, buffer.length, at);
      const length = read === undefined || read.bytesRead === 0 ? buffer.length : read.bytesRead;
      yield buffer.subarray(0, length);
      at += length;
    }
  } finally {
    await file?.close();
  }
}
