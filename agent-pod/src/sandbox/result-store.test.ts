import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { SandboxResult } from '../ports/sandbox-run.ts';
import { ResultStore, RESULT_RETENTION_MS } from './result-store.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'retainer-results-'));
});
afterEach(() => rm(directory, { recursive: true }));

const result: SandboxResult = {
  end: 'Exited',
  exitCode: 0,
  stdout: 'out \u001b[0m',
  stderr: '',
  droppedBytes: 3,
  durationMs: 12.5,
};

describe('ResultStore', () => {
  verifies(
    'sandbox:runs-once-per-key',
    'finds a result by its key after a restart, whatever the key holds',
    async () => {
      const key = '../../etc/passwd\n\0 key';
      await new ResultStore(directory).write(key, { ...result, reason: 'why' });
      expect(await new ResultStore(directory).read(key)).toEqual({ ...result, reason: 'why' });
      expect(await readdir(directory)).toHaveLength(1);
    },
  );

  it('keeps every part of a result', async () => {
    const changes = {
      files: [{ path: 'a', sizeBytes: 1, sha256: 'f' }],
      ...{ gone: ['b'], refused: ['c'], conflicts: ['d'], unlisted: 1, leftOutFiles: 2, leftOutBytes: 3 },
      added: { files: 4, bytes: 5, scratch: ['.cache'] },
    };
    const whole: Required<SandboxResult> = { ...result, reason: 'why', changes };
    await new ResultStore(directory).write('key', whole);
    expect(await new ResultStore(directory).read('key')).toEqual(whole);
  });

  it('keeps no secret that a script printed', async () => {
    const store = new ResultStore(directory, (text) => text.replaceAll('hunter2', '[secret]'));
    await store.write('a', { ...result, stdout: 'hunter2', stderr: 'x hunter2' });
    expect(await store.read('a')).toMatchObject({ stdout: '[secret]', stderr: 'x [secret]' });
  });

  it('knows nothing of other keys, nor of a directory that does not exist', async () => {
    const store = new ResultStore(join(directory, 'later'));
    expect(await store.read('a')).toBeUndefined();
    await store.write('a', result);
    expect(await store.read('b')).toBeUndefined();
  });

  it.each(['', '{', '{"idempotencyKey":"a"}', '{"idempotencyKey":"b","result":null}'])(
    'takes a damaged file (%j) for an unknown result',
    async (text) => {
      const store = new ResultStore(directory);
      await store.write('a', result);
      const [name = ''] = await readdir(directory);
      await writeFile(join(directory, name), text);
      expect(await store.read('a')).toBeUndefined();
    },
  );

  it('sweeps old results and unfinished files only', async () => {
    const store = new ResultStore(directory);
    await store.write('old', result);
    const [name = ''] = await readdir(directory);
    await utimes(join(directory, name), 1, 1);
    await store.write('new', result);
    await writeFile(join(directory, 'x.tmp'), 'half');
    await store.sweep(RESULT_RETENTION_MS + 2000);
    expect(await store.read('old')).toBeUndefined();
    expect(await store.read('new')).toEqual(result);
    expect(await readdir(directory)).toHaveLength(1);
  });
});
