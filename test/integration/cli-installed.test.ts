/** The command line where the repository is not: installed as in the image, in a namespace in which nobody sees the repository. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';
import { installProgram } from '../support/installed-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { OPEN_MANIFESTS } from '../support/worst-case/open-manifests.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const file = join(root.path, 'open.yaml');
let program = '';

beforeAll(() => {
  program = installProgram(join(root.path, 'app'));
  writeFileSync(file, OPEN_MANIFESTS);
}, 60_000);

afterAll(() => root.remove());

/** An empty directory stands over the repository, for this program and its children alone. */
const HIDING = ['sh', '-c', 'mount -t tmpfs none "$0" && exec "$@"', repositoryRoot];
const MAPPED = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];

function withoutRepository(
  ...command: readonly string[]
): Promise<{ readonly code: number | null; readonly told: string; readonly stdout: string }> {
  const child = spawn('unshare', [...MAPPED, '--mount', '--', ...HIDING, ...command], {
    cwd: root.path,
    env: { PATH: process.env['PATH'], HOME: root.path, TMPDIR: tmpdir(), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, told: stderr, stdout }));
  });
}

describe('the installed command line, without the repository', () => {
  it('sees nothing of it', async () => {
    expect(existsSync(join(repositoryRoot, 'package.json'))).toBe(true);
    expect(await withoutRepository('ls', '-A', repositoryRoot)).toEqual({ code: 0, told: '', stdout: '' });
  });

  verifies('worst-case:own-installed', 'plays attacks on the manifests of a file', async () => {
    const flags = ['-f', file, '--goal', 'TamperFile', '--channel', 'File'];
    const { code, told, stdout } = await withoutRepository(process.execPath, program, 'gate', 'attack', ...flags);
    expect(stdout, told).toMatch(/^ {2}effect {5}OtherFile: plans\/roadmap\.md$/m);
    expect(stdout).toMatch(/^1 of 1 attack got through$/m);
    expect(code).toBe(11);
  });
});
