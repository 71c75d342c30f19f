/**
 * The files that `-f` names, and their texts.
 *
 * I1  As kubectl: a named file is read whatever it is called, a directory gives its own `*.yaml`, `*.yml` and `*.json` files, and `-`
 *     is standard input.
 * I2  Nothing that stands in a directory keeps its reader: only files are read there. A named pipe is read to its end, within a time.
 * I3  What cannot be read is a fault with its file; nothing is thrown.
 */
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MANIFEST_TEXT_LENGTH_MAX } from '@retainer/contract/manifest/yaml-source';
import { err, ok, type Result } from '@retainer/contract/std/result';

export interface ManifestFile {
  /** For messages. */
  readonly name: string;
  readonly text: string;
  /** It was not named itself, but its directory. */
  readonly isFound: boolean;
}

export interface FileFault {
  readonly file: string;
  readonly found: string;
  readonly allowed: string;
}

const standardInput: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0']);

export function isStandardInput(path: string): boolean {
  return standardInput.has(path);
}

const manifestName = /\.(ya?ml|json)$/;
/** Emacs leaves a link that leads nowhere beside a file that it edits. */
const lockName = /^\.#/;

/** UTF-8 has at most three bytes for a unit of a text. */
const BYTES_MAX = 3 * MANIFEST_TEXT_LENGTH_MAX;
const CHUNK_BYTES = 65_536;
const PIPE_LOOK_MS = 20;

/** For the writer of a named pipe to open it: a shell starts both sides at once. */
const WRITER_MS_MAX = 5_000;
/** Time for the program before a pipe, such as `kustomize build`. */
const PIPE_MS_MAX = 60_000;
/** An editor replaces a file between the list of a directory and its reading; not again and again. */
const LISTS_MAX = 3;

export async function readManifestFiles(paths: readonly string[]): Promise<readonly Result<ManifestFile, FileFault>[]> {
  const files: Result<ManifestFile, FileFault>[] = [];
  const read = new Set<string>();
  for (const path of paths)
    for (const file of await filesAt(path)) {
      const name = file.ok ? file.value.name : file.error.file;
      // A file that its directory and itself name is one file.
      const place = await realpath(name).catch(() => undefined);
      if (place !== undefined && read.has(place)) continue;
      if (place !== undefined) read.add(place);
      files.push(file);
    }
  return files;
}

/** Whether it can be read again after a change. */
export async function isWatchable(path: string): Promise<boolean> {
  if (isStandardInput(path)) return false;
  const found = await stat(path).catch(() => undefined);
  return found === undefined || found.isFile() || found.isDirectory();
}

async function filesAt(path: string): Promise<readonly Result<ManifestFile, FileFault>[]> {
  if (isStandardInput(path)) return [await textOf('standard input', false, readInput)];
  const found = await attempt(() => stat(path));
  if (!found.ok) return [fault(path, describe(found.error), 'a manifest file or a directory of them')];
  if (!found.value.isDirectory()) return [await textOf(path, false, () => readFile(path))];
  for (let lists = 1; ; lists += 1) {
    const files = await filesIn(path);
    if (files !== undefined || lists === LISTS_MAX) return files ?? [fault(path, 'files that come and go', 'files')];
  }
}

/** @returns undefined if a file has gone since the directory was listed */
async function filesIn(directory: string): Promise<readonly Result<ManifestFile, FileFault>[] | undefined> {
  const listed = await attempt(() => readdir(directory));
  if (!listed.ok) return [fault(directory, describe(listed.error), 'a directory that can be read')];
  const names = listed.value.filter((name) => manifestName.test(name)).toSorted();
  const files: Result<ManifestFile, FileFault>[] = [];
  for (const path of names.map((name) => join(directory, name))) {
    const found = await attempt(() => stat(path));
    if (found.ok && found.value.isFile()) files.push(await textOf(path, true, () => readFile(path)));
    if (found.ok || (await isLock(path))) continue;
    if (await isGone(path)) return undefined;
    files.push(fault(path, describe(found.error), 'a file that can be read'));
  }
  return files.length === 0 ? [fault(directory, 'a directory without manifests', 'at least one manifest file')] : files;
}

async function isGone(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) === undefined;
}

async function isLock(path: string): Promise<boolean> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  return isLink && lockName.test(path.slice(path.lastIndexOf('/') + 1));
}

async function textOf(
  name: string,
  isFound: boolean,
  read: () => Promise<Buffer>,
): Promise<Result<ManifestFile, FileFault>> {
  const bytes = await attempt(read);
  if (!bytes.ok) return fault(name, describe(bytes.error), 'a file that can be read');
  if (bytes.value.length > BYTES_MAX) return fault(name, `more than ${BYTES_MAX} bytes`, 'a manifest');
  const text = await attempt(() => Promise.resolve(new TextDecoder('utf-8', { fatal: true }).decode(bytes.value)));
  return text.ok ? ok({ name, text: text.value, isFound }) : fault(name, 'bytes that are no text in UTF-8', 'UTF-8');
}

/** Opening a pipe would wait for its writer for ever. */
async function readFile(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await readOpened(handle);
  } finally {
    await handle.close();
  }
}

async function readOpened(handle: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for (let waitedMs = 0; waitedMs < PIPE_MS_MAX;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = await attempt(() => handle.read(chunk, 0, CHUNK_BYTES, null));
    if (!read.ok) {
      if (codeOf(read.error) !== 'EAGAIN') throw read.error;
      await sleep(PIPE_LOOK_MS);
      waitedMs += PIPE_LOOK_MS;
      continue;
    }
    const { bytesRead } = read.value;
    // A pipe that no writer has opened yet ends at once, too.
    if (bytesRead === 0 && sizeBytes === 0 && waitedMs < WRITER_MS_MAX && (await handle.stat()).isFIFO()) {
      await sleep(PIPE_LOOK_MS);
      waitedMs += PIPE_LOOK_MS;
      continue;
    }
    chunks.push(chunk.subarray(0, bytesRead));
    sizeBytes += bytesRead;
    if (bytesRead === 0 || sizeBytes > BYTES_MAX) return Buffer.concat(chunks);
  }
  throw new Error(`a pipe that did not end within ${PIPE_MS_MAX / 1000} s`);
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of process.stdin) {
    const bytes = chunk as Buffer;
    chunks.push(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes > BYTES_MAX) break;
  }
  return Buffer.concat(chunks);
}

async function attempt<T>(work: () => Promise<T>): Promise<Result<T, unknown>> {
  try {
    return ok(await work());
  } catch (error) {
    return err(error);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'no such file or directory',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'links that lead in a circle',
  EISDIR: 'a directory',
  ENXIO: 'a socket or a device that is not there',
};

function describe(error: unknown): string {
  return words[codeOf(error) ?? ''] ?? (error instanceof Error ? error.message : String(error));
}

function fault(file: string, found: string, allowed: string): { readonly ok: false; readonly error: FileFault } {
  return err({ file, found, allowed });
}
