/**
 * The agent's runs in sandbox pods, one file each: enough to find a run after a crash, and to prove to its runner that the
 * agent is the claimant.
 *
 * I1  A file is whole or absent, and on disk before the objects of its run are created.
 * I2  It holds a private key, so only the agent's user can read it, and it is never inside a workspace.
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
  /** Of the run. Absent: what the script adds is bounded alone. */
  runId: z.string().exactOptional(),
  /** By earlier scripts of the run, when this one was asked for. Absent: nobody counted. */
  added: z.strictObject({ files: z.number(), bytes: z.number() }).exactOptional(),
  readOnlyPaths: z.array(z.string()),
  limits: Limits,
  /** Whether code may have begun. Written before the request to run. */
  mayHaveRun: z.boolean(),
  /** Files and links sent to the sandbox; only these may be removed. */
  sentPaths: z.array(z.string()),
  /** What tells whether each of them was changed meanwhile, in the same order. Absent: changes of others are not seen. */
  sentMarks: z.array(z.string()).exactOptional(),
  /** Files of the workspace that were not sent. Absent: none. */
  hiddenPaths: z.array(z.string()).exactOptional(),
  /** Files whose changes are not taken. Absent: none. */
  keptPaths: z.array(z.string()).exactOptional(),
  /** High part of the sequences; increases with every connection to the runner. */
  epoch: z.int().min(0),
  /** What its files add to the workspace, written before the first of them comes. Absent: none has come yet. */
  decided: z
    .strictObject({
      added: z.strictObject({ files: z.number(), bytes: z.number(), scratch: z.array(z.string()) }),
      leftOut: z.array(z.string()),
    })
    .exactOptional(),
  /** Only the object remains to be deleted. */
  isFinished: z.boolean(),
  /** Of code that serves ports. */
  ports: z.array(z.strictObject({ name: z.string(), port: z.int() })).exactOptional(),
  /** Time of the request to run, milliseconds since 1970. The deadline of served code counts from here. */
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

  /** Undefined for an unknown key or an invalid file. */
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
    // Missing or damaged: the run is unknown, and the caller flags it.
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
