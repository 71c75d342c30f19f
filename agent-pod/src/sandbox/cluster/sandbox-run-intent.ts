/**
 * What the agent has begun in sandbox pods, one file each: enough to find a run again after a crash, and to prove to its
 * runner that it is the claimant.
 *
 * I1  A file is whole or absent, and on the disk before anything is created because of it.
 * I2  It holds a private key: only the agent's own user can read it, and it is never inside a workspace.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { z } from 'zod';

const Limits = z.strictObject({
  timeoutMs: z.number(),
  memoryBytes: z.number(),
  processes: z.number(),
  outputBytes: z.number(),
  fileBytes: z.number(),
});

const SandboxRunIntent = z.strictObject({
  idempotencyKey: z.string(),
  /** Of the SandboxRun. */
  name: z.string(),
  /** PKCS8, base64. */
  privateKey: z.string(),
  /** 32 bytes, base64. */
  publicKey: z.string(),
  workspaceDirectory: z.string(),
  readOnlyPaths: z.array(z.string()),
  limits: Limits,
  /** Whether code may have begun: written before the runner is told to. */
  mayHaveRun: z.boolean(),
  /** Files that went in, so that only those can be removed. */
  sentPaths: z.array(z.string()),
  /** One more for every process that speaks to the runner: the high part of its sequences. */
  epoch: z.int().min(0),
  /** Nothing but the object itself is left to clear away. */
  isFinished: z.boolean(),
  /** Of code that keeps ports open. */
  ports: z.array(z.strictObject({ name: z.string(), port: z.int() })).exactOptional(),
  /** When the runner was told to run, milliseconds since 1970: code that keeps ports open has its deadline from here. */
  startedAtMs: z.number().exactOptional(),
});
export type SandboxRunIntent = z.infer<typeof SandboxRunIntent>;

export class SandboxRunIntents {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(intent: SandboxRunIntent): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const temporary = join(this.#directory, `${randomUUID()}.tmp`);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(intent));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.#path(intent.idempotencyKey));
    const directory = await open(this.#directory, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }

  /** Undefined for an unknown key, and for a file that is no intent. */
  async read(idempotencyKey: string): Promise<SandboxRunIntent | undefined> {
    const intent = await readIntent(this.#path(idempotencyKey));
    return intent?.idempotencyKey === idempotencyKey ? intent : undefined;
  }

  async remove(idempotencyKey: string): Promise<void> {
    await rm(this.#path(idempotencyKey), { force: true });
  }

  async list(): Promise<readonly SandboxRunIntent[]> {
    const names = await readdir(this.#directory).catch(() => []);
    const found = await Promise.all(
      names.filter((name) => name.endsWith('.json')).map((name) => readIntent(join(this.#directory, name))),
    );
    return found.filter((intent) => intent !== undefined);
  }

  #path(idempotencyKey: string): string {
    return join(this.#directory, `${sha256Hex(idempotencyKey)}.json`);
  }
}

async function readIntent(path: string): Promise<SandboxRunIntent | undefined> {
  try {
    const parsed = SandboxRunIntent.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Missing or damaged: a run that nobody knows of, which its caller flags.
    return undefined;
  }
}

/** Bytes of an Ed25519 key at the end of its SubjectPublicKeyInfo. Source: RFC 8410. */
const PUBLIC_KEY_BYTES = 32;

export function newKeyPair(): Pick<SandboxRunIntent, 'privateKey' | 'publicKey'> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  return {
    privateKey: privateKey.toString('base64'),
    publicKey: publicKey.subarray(-PUBLIC_KEY_BYTES).toString('base64'),
  };
}
