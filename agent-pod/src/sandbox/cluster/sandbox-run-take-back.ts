/**
 * Applies a run's changes to the workspace. The archive comes from untrusted code.
 *
 * I1  Nothing changes before the whole archive is here and valid.
 * I2  Directories are opened without following links, and files are placed through the open directory. So no name leads out of
 *     the workspace, even if somebody renames directories meanwhile.
 * I3  Nothing in or above a read-only path changes, and only files sent to the sandbox are removed.
 * I4  Idempotent: after a crash the same archive can be applied again.
 */
import { createHash, type Hash } from 'node:crypto';
import { mkdtemp, open, realpath, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { FrameDecoder, type FramePart } from '@retainer/contract/wire/frames';
import type { FrameHeader } from '@retainer/contract/wire/runner';
import type { SandboxChanges } from '../../ports/sandbox-run.ts';
import { applyChange } from '../apply-change.ts';
import { LISTED_FILES_MAX, LISTED_REFUSALS_MAX } from '../listed.ts';
import { ProtectedPaths } from '../protected-paths.ts';

export interface TakeBackPlan {
  readonly workspaceDirectory: string;
  /** Stay as they are: read-only, or in the workspace without having been sent. */
  readonly protectedPaths: readonly string[];
  readonly sentPaths: readonly string[];
  /** Exists and is private to the agent; best on the workspace's volume. */
  readonly stagingDirectory: string;
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
type Change = Begun & { readonly sha256: string };

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
    if (this.#begun !== undefined) this.#changes.push({ ...this.#begun, sha256: this.#hash.digest('hex') });
    this.#begun = undefined;
    this.#hash = createHash('sha256');
    await file?.sync();
    await file?.close();
  }
}

async function applyAll(changes: readonly Change[], plan: TakeBackPlan): Promise<SandboxChanges> {
  const root = await realpath(plan.workspaceDirectory);
  const sent = new Set(plan.sentPaths);
  const protectedPaths = new ProtectedPaths(plan.protectedPaths);
  const [files, gone, refused]: [SandboxChanges['files'][number][], string[], string[]] = [[], [], []];
  // Removals first, because they make room.
  const ordered = [
    ...changes.filter(({ type }) => type === 'Removed'),
    ...changes.filter(({ type }) => type === 'File'),
  ];
  for (const change of ordered) {
    const { path, sizeBytes, sha256 } = change;
    const isAllowed = !protectedPaths.wouldChange(path) && (change.type === 'File' || sent.has(path));
    if (!isAllowed || !(await applyChange(root, change))) refused.push(path);
    else if (change.type === 'Removed') gone.push(path);
    else files.push({ path, sizeBytes, sha256 });
  }
  return {
    files: files.slice(0, LISTED_FILES_MAX),
    gone: gone.slice(0, LISTED_FILES_MAX),
    refused: refused.slice(0, LISTED_REFUSALS_MAX),
    unlisted: Math.max(0, files.length - LISTED_FILES_MAX),
    ...{ leftOutFiles: 0, leftOutBytes: 0 },
  };
}
