/**
 * The results of finished runs, by idempotency key, one file each.
 *
 * I1  A file is whole or absent: before a result is returned, its file is synced and renamed and the directory synced.
 * I2  The directory is never inside a workspace, so no script can write a result (kept by the adapter).
 *
 * Source: design 5 (effects carry idempotency keys; an unknown result is flagged, never silently repeated).
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { parseJson } from '@retainer/contract/std/parse-json';
import { z } from 'zod';
import type { SandboxResult } from '../ports/sandbox-run.ts';

const StoredResult = z.strictObject({
  idempotencyKey: z.string(),
  result: z.strictObject({
    end: z.enum(['Exited', 'TimedOut', 'Killed']),
    exitCode: z.int(),
    stdout: z.string(),
    stderr: z.string(),
    droppedBytes: z.int().min(0),
    durationMs: z.number().min(0),
    reason: z.string().exactOptional(),
    changes: z
      .strictObject({
        files: z.array(z.strictObject({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })),
        gone: z.array(z.string()),
        refused: z.array(z.string()),
        conflicts: z.array(z.string()).exactOptional(),
        unlisted: z.number(),
        leftOutFiles: z.number(),
        leftOutBytes: z.number(),
        added: z.strictObject({ files: z.number(), bytes: z.number(), scratch: z.array(z.string()) }).exactOptional(),
      })
      .exactOptional(),
  }) satisfies z.ZodType<SandboxResult>,
});

/** The journal takes a result within seconds; a month covers an agent that is shut down before. */
export const RESULT_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

export class ResultStore {
  readonly #directory: string;
  readonly #redact: (text: string) => string;

  /** @param redact  removes secrets from the output before it is stored */
  constructor(directory: string, redact: (text: string) => string = (text) => text) {
    this.#directory = directory;
    this.#redact = redact;
  }

  async write(idempotencyKey: string, result: SandboxResult): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = join(this.#directory, `${randomUUID()}.tmp`);
    const kept = { ...result, stdout: this.#redact(result.stdout), stderr: this.#redact(result.stderr) };
    await writeSynced(temporary, JSON.stringify({ idempotencyKey, result: kept }));
    await rename(temporary, this.#path(idempotencyKey));
    await syncDirectory(this.#directory);
  }

  /** Undefined for an unknown key, and for a file that is not a result: the caller then flags the run as unknown. */
  async read(idempotencyKey: string): Promise<SandboxResult | undefined> {
    const text = await readFile(this.#path(idempotencyKey), 'utf8').catch(undefinedWhenMissing);
    if (text === undefined) return undefined;
    const stored = StoredResult.safeParse(parseJson(text));
    return stored.success && stored.data.idempotencyKey === idempotencyKey ? stored.data.result : undefined;
  }

  /** Deletes results older than {@link RESULT_RETENTION_MS} and unfinished files of an earlier process. */
  async sweep(nowMs: number): Promise<void> {
    const names = await readdir(this.#directory).catch(undefinedWhenMissing);
    for (const name of names ?? []) {
      const path = join(this.#directory, name);
      const facts = await stat(path).catch(undefinedWhenMissing);
      const isOld = facts !== undefined && facts.mtimeMs < nowMs - RESULT_RETENTION_MS;
      if (isOld || name.endsWith('.tmp')) await rm(path, { force: true });
    }
  }

  #path(idempotencyKey: string): string {
    return join(this.#directory, `${sha256Hex(idempotencyKey)}.json`);
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function undefinedWhenMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
