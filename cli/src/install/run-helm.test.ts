/** The helm of the PATH, as a real child process. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { findHelm, runHelm, type HelmRun } from './run-helm.ts';

const before = process.env['PATH'];
let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-helm-'));
  process.env['PATH'] = directory;
});
afterEach(async () => {
  process.env['PATH'] = before;
  await rm(directory, { recursive: true });
});

async function program(script: string): Promise<void> {
  await writeFile(join(directory, 'helm'), `#!/bin/sh\n${script}\n`);
  await chmod(join(directory, 'helm'), 0o755);
}

const notes: string[] = [];
const run = (): HelmRun => ({ onNote: (line) => notes.push(line), signal: new AbortController().signal });

describe('helm', () => {
  verifies('cli-cluster:install-without-helm', 'that is not there is said, with how to get it', async () => {
    expect(await findHelm(run())).toEqual({
      ok: false,
      error: expect.stringMatching(/helm is not on the PATH.*helm\.sh.*kubectl apply --server-side -k manifests\/base/),
    });
  });

  verifies('cli-cluster:install-without-helm', 'that is too old is said', async () => {
    await program('echo v3.12.0+gabc');
    expect(await findHelm(run())).toMatchObject({ ok: false, error: expect.stringContaining('3.12 is older') });
  });

  it('tells each line of standard error, and how it ended', async () => {
    await program('echo out; echo one >&2; printf two >&2; exit 3');
    notes.length = 0;
    expect(await runHelm([], run())).toEqual({ ok: true, value: { code: 3, stdout: 'out\n' } });
    expect(notes).toEqual(['one', 'two']);
  });

  it('is stopped with the command', async () => {
    await program('echo up >&2; exec /bin/sleep 60');
    const stop = new AbortController();
    const ended = await runHelm([], { onNote: () => stop.abort(), signal: stop.signal });
    expect(ended).toMatchObject({ ok: true, value: { code: 130 } });
  });
});
