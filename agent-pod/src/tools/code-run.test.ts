import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sha256Hex } from '@retainer/contract/std/hash';
import { describe, expect, it } from 'vitest';
import { toolWorld } from '../../../test/support/tool-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { SandboxResult } from '../ports/sandbox-run.ts';
import { CODE_LIMITS } from './code-run.ts';
import { createRegistry } from '../parts/catalog.ts';

describe('code', () => {
  verifies('tools:no-sandbox-no-code', 'refuses with the hint where nothing isolates, and stays listed', async () => {
    const registry = createRegistry({
      sandboxLanguages: { reason: 'bubblewrap is missing.', fix: 'Type: apt-get install bubblewrap' },
    });
    const world = toolWorld({ registry });
    for (const [tool, input] of [
      ['bash', { script: 'ls' }],
      ['run_code', { language: 'python', script: '1' }],
    ] as const) {
      expect(registry.specs([tool])).toHaveLength(1);
      expect(await world.call(tool, input)).toMatchObject({
        status: 'Error',
        text: 'Code cannot run here: bubblewrap is missing. Type: apt-get install bubblewrap',
      });
    }
    expect(world.sandboxRequests).toEqual([]);
  });

  verifies('sensorium:place', 'says of a call that no sandbox ran its program, and of no other', async () => {
    const registry = createRegistry({ sandboxLanguages: ['bash'] });
    const marked = async (script: () => Promise<Partial<SandboxResult>>) => {
      const outcome = await toolWorld({ registry, script }).call('bash', { script: 'x' });
      return [outcome.status, outcome.sandboxFailed, outcome.exitCode];
    };
    expect(await marked(() => Promise.reject(new Error('no pod came')))).toEqual(['Error', true, undefined]);
    expect(await marked(() => Promise.resolve({ end: 'Exited', exitCode: 3 }))).toEqual(['Error', undefined, 3]);
    expect(await marked(() => Promise.resolve({ end: 'TimedOut', exitCode: 137 }))).toEqual([
      'TimedOut',
      undefined,
      137,
    ]);
    const none = createRegistry({ sandboxLanguages: { reason: 'bubblewrap is missing.', fix: 'Install it.' } });
    expect(await toolWorld({ registry: none }).call('bash', { script: 'x' })).toMatchObject({ sandboxFailed: true });
    const failed = await toolWorld({ registry, script: () => Promise.reject(new Error('no pod came')) }).call('bash', {
      script: 'x',
    });
    expect(failed.text).toBe('bash failed: no pod came');
  });

  it.each([
    ['512Mi', '512 MiB'],
    ['2Gi', '2 GiB'],
    ['1G', '1 GB'],
    ['1.5Gi', '1.5 GiB'],
    ['536870912', '536870912 bytes'],
  ])('tells how much memory it has: %s', (memory, told) => {
    const registry = createRegistry({ sandboxLanguages: ['bash'], code: { memory } });
    for (const { description } of registry.specs(['bash'])) expect(description).toContain(`seconds, ${told}.`);
  });

  it('offers the languages that are there and no others', async () => {
    const registry = createRegistry({ sandboxLanguages: ['javascript'] });
    expect(registry.parse('run_code', { language: 'python', script: 'x' })).toMatchObject({ ok: false });
    expect(await toolWorld({ registry }).call('bash', { script: 'ls' })).toMatchObject({
      status: 'Error',
      text: expect.stringContaining('no bash'),
    });
  });

  it('does not exist where the Agent has none', () => {
    const none = createRegistry({ sandboxLanguages: ['bash', 'python'], code: { enabled: false } });
    expect(none.names.filter((name) => name === 'bash' || name === 'run_code')).toEqual([]);
    expect(createRegistry({ sandboxLanguages: ['bash'], code: { languages: [] } }).has('run_code')).toBe(false);
    expect(none.parse('bash', { script: 'ls' })).toMatchObject({ ok: false });
  });

  it('comes in the languages that the Agent allows and the sandbox has', () => {
    const registry = createRegistry({
      sandboxLanguages: ['bash', 'python'],
      code: { languages: ['python', 'javascript'] },
    });
    expect(registry.has('bash')).toBe(false);
    expect(registry.parse('run_code', { language: 'python', script: 'x' })).toMatchObject({ ok: true });
    for (const language of ['bash', 'javascript'])
      expect(registry.parse('run_code', { language, script: 'x' }), language).toMatchObject({ ok: false });
    const isolated = createRegistry({ sandboxLanguages: { reason: 'a', fix: 'b' }, code: { languages: ['python'] } });
    expect(isolated.parse('run_code', { language: 'bash', script: 'x' })).toMatchObject({ ok: false });
  });

  it('runs within the limits of the Agent, and says so', async () => {
    const limits = { timeoutMs: 90_000, outputBytes: 4096, processes: 7 };
    const registry = createRegistry({ sandboxLanguages: ['bash'], code: { limits } });
    const world = toolWorld({ registry, script: () => Promise.resolve({ end: 'TimedOut', exitCode: 137 }) });
    expect(await world.call('bash', { script: 'x' })).toMatchObject({ text: 'timed out after 90 s' });
    expect(world.sandboxRequests).toMatchObject([{ limits: { ...CODE_LIMITS, ...limits } }]);
    expect(registry.tool('bash')?.timeoutMs).toBeGreaterThan(limits.timeoutMs);
    for (const { description } of registry.specs(['bash', 'run_code'])) expect(description).toContain('90 seconds');
  });

  it.each([
    [false, 'no network,'],
    [true, 'no network but the hosts that the Agent allows,'],
  ])('tells which hosts it reaches: %s', (reachesHosts, told) => {
    const registry = createRegistry({ sandboxLanguages: ['bash'], code: { reachesHosts } });
    for (const { description } of registry.specs(['bash', 'run_code'])) expect(description).toContain(told);
  });

  it('goes to the sandbox with the call as its key, limits, and the guarded paths', async () => {
    const policy = { authority: { never: [{ id: 'n', description: 'Sources stay.', paths: ['data/**'] }] } };
    const world = toolWorld({ policy });
    await world.call('run_code', { language: 'javascript', script: '1' });
    expect(world.sandboxRequests).toEqual([
      {
        idempotencyKey: 'call-1',
        language: 'javascript',
        script: '1',
        stdin: '',
        workspaceDirectory: world.workspace,
        ...{ readOnlyPaths: ['data'], keptPaths: [], shownPaths: [], runId: 'run-1', isTrusted: true },
        added: { files: 0, bytes: 0 },
        limits: CODE_LIMITS,
      },
    ]);
  });

  it.each([
    [{ stdout: 'a\n', stderr: 'b\n' }, 'Ok', 'exit code 0\na\nstderr:\nb'],
    [{ exitCode: 3, stderr: 'bad' }, 'Error', 'exit code 3\nstderr:\nbad'],
    [{ end: 'TimedOut', exitCode: 137, stdout: 'part' }, 'TimedOut', 'timed out after 60 s\npart'],
    [{ end: 'Killed', exitCode: 137, reason: 'out of memory' }, 'Error', 'exit code 137 (out of memory)'],
    [{ droppedBytes: 9 }, 'Ok', 'exit code 0\n[9 bytes of output were dropped: write long output to a file]'],
  ] as const)('tells how it ended: %j', async (result, status, text) => {
    const world = toolWorld({ script: () => Promise.resolve(result) });
    expect(await world.call('bash', { script: 'x' })).toMatchObject({ status, text });
  });

  verifies('tools:files-written-listed', 'lists what the script wrote and nothing else', async () => {
    const world = toolWorld({
      script: ({ workspaceDirectory: at }) => {
        writeFileSync(path.join(at, 'new.txt'), 'new');
        mkdirSync(path.join(at, 'deep'));
        writeFileSync(path.join(at, 'deep/empty'), '');
        writeFileSync(path.join(at, 'changed'), 'abcd');
        utimesSync(path.join(at, 'changed'), 1, 1);
        rmSync(path.join(at, 'gone'));
        symlinkSync('/etc/passwd', path.join(at, 'link'));
        return Promise.resolve({});
      },
    });
    for (const name of ['changed', 'kept', 'gone']) {
      writeFileSync(path.join(world.workspace, name), 'xyz');
      utimesSync(path.join(world.workspace, name), 1, 1);
    }
    const { files, gone } = await world.call('bash', { script: 'x' });
    expect(gone).toEqual(['gone']);
    expect(files).toEqual([
      { path: 'changed', sizeBytes: 4, sha256: sha256Hex('abcd') },
      { path: 'new.txt', sizeBytes: 3, sha256: sha256Hex('new') },
      { path: 'deep/empty', sizeBytes: 0, sha256: sha256Hex('') },
    ]);
  });

  it('lists a bounded number of files and says how many more there are', async () => {
    const world = toolWorld({
      script: ({ workspaceDirectory: at }) => {
        for (let n = 0; n < 130; n += 1) writeFileSync(path.join(at, `f${n}`), 'x');
        return Promise.resolve({});
      },
    });
    const outcome = await world.call('bash', { script: 'x' });
    expect(outcome.files).toHaveLength(100);
    expect(outcome.text).toContain('[30 more files were written and are not listed]');
  });
});
