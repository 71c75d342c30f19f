/**
 * Row 23 of the goal table, the part of using up: time, memory, processes, disk and output. Each abuse must end at its
 * limit, within five seconds after its deadline, and leave the machine as it was. Times are printed, not asserted,
 * except that every deadline's grace is kept.
 */
import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBubblewrapSandbox } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';
import { cgroupPlaces } from '@retainer/agent-pod/sandbox/local/cgroup-place';
import type { SandboxResult } from '@retainer/agent-pod/ports/sandbox-run';
import { verifies } from '../verifies.ts';
import { megabyte, openFixture, ordinaryLimits, type Fixture, type RunOptions } from './sandbox-fixture.ts';

const growth = { sizeBytes: 64 * megabyte, files: 2000 };
/** Row 23 allows 5 s for what outlives its deadline; a busy machine adds the rest. */
const graceMs = 20_000;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture({ workspaceGrowth: growth });
});
afterAll(() => fixture.close());

/** Processes of the host that see this test's workspace mounted: what a sandbox of it left. */
async function strangers(): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const mounts = await readFile(`/proc/${id}/mountinfo`, 'utf8').catch(() => '');
      return mounts.includes(basename(fixture.base))
        ? [await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => id)]
        : [];
    }),
  );
  return found.flat();
}

/** Control groups of this process. */
async function leftGroups(): Promise<readonly string[]> {
  const places = cgroupPlaces(
    await readFile('/proc/self/mountinfo', 'utf8'),
    await readFile('/proc/self/cgroup', 'utf8'),
  );
  const names = await Promise.all(places.map(({ directory }) => readdir(directory).catch(() => [])));
  return names.flat().filter((name) => name.startsWith(`retainer-sandbox-${String(process.pid)}-`));
}

async function expectNothingLeft(): Promise<void> {
  // No process of the host, this one among them, has any of the sandbox's mounts.
  expect(await strangers()).toEqual([]);
  expect(await leftGroups()).toEqual([]);
  const own = join(fixture.base, 'results');
  expect((await readdir(own)).toSorted()).toEqual(['results', 'views']);
  // Views that are ready for the next script hold nothing but copies of the workspace.
  const before = new Set(await readdir(fixture.workspace));
  for (const view of await readdir(join(own, 'views')))
    expect((await readdir(join(own, 'views', view))).filter((name) => !before.has(name))).toEqual([]);
  expect(await readdir(fixture.outside)).toEqual(['secret.txt']);
}

interface Abuse {
  readonly name: string;
  readonly language?: 'bash' | 'javascript';
  readonly script: string;
  readonly options?: RunOptions;
  readonly expected: Partial<SandboxResult> | { readonly reason: unknown };
}

const short = { limits: { timeoutMs: 700 } } as const;
/** Long enough to reach the limit of processes on a busy machine; the script never ends by itself. */
const untilFull = { limits: { timeoutMs: 6000 } } as const;
const byTime = { end: 'TimedOut', exitCode: 137 } as const;
const byMemory = { end: 'Killed', exitCode: 137, reason: expect.stringContaining('memory limit') } as const;

const abuses: readonly Abuse[] = [
  { name: 'an endless loop', script: 'while :; do :; done', options: short, expected: byTime },
  {
    name: 'an endless loop in JavaScript',
    language: 'javascript',
    script: 'for (;;);',
    options: short,
    expected: byTime,
  },
  { name: 'sleep past the deadline', script: 'sleep 1000', options: short, expected: byTime },
  {
    name: 'deaf to every signal',
    script: "trap '' TERM INT HUP QUIT PIPE; while :; do sleep 1; done",
    options: short,
    expected: byTime,
  },
  { name: 'stopped by its own signal', script: 'kill -STOP $$', options: short, expected: byTime },
  {
    name: 'a fork bomb',
    script: 'bomb() { bomb | bomb & }; bomb; sleep 1000',
    options: untilFull,
    expected: { ...byTime, reason: expect.stringContaining('64 processes') },
  },
  {
    name: 'a fork bomb of detached processes',
    script: 'while :; do setsid sleep 1000 & done',
    options: untilFull,
    expected: { ...byTime, reason: expect.stringContaining('64 processes') },
  },
  {
    name: 'a memory balloon',
    language: 'javascript',
    script: 'const held = []; for (;;) held.push(Buffer.alloc(1e7, 1));',
    expected: byMemory,
  },
  {
    name: 'a memory balloon in many processes',
    script: 'for i in 1 2 3 4 5 6 7 8; do (x=$(head -c 60000000 /dev/zero | tr "\\0" x); sleep 9) & done; wait',
    expected: byMemory,
  },
  {
    name: 'a JavaScript heap that is full, as an error of its own',
    language: 'javascript',
    script: 'const held = []; for (;;) held.push({ held: [...held.slice(0, 50)] });',
    options: { limits: { timeoutMs: 30_000 } },
    expected: { exitCode: 134 },
  },
  {
    name: 'a full /tmp',
    script: 'for i in 1 2 3 4; do head -c 60000000 /dev/zero > /tmp/$i || exit 9; done',
    expected: { end: 'Exited', exitCode: 9 },
  },
  {
    name: 'a full /dev/shm',
    script: 'head -c 66000000 /dev/zero > /dev/shm/x; head -c 66000000 /dev/zero > /dev/shm/y',
    expected: { end: 'Exited', exitCode: 1 },
  },
  {
    name: 'one endless file',
    script: 'exec head -c 100000000000 /dev/zero > big',
    options: { limits: { fileBytes: 5 * megabyte } },
    expected: { end: 'Killed', exitCode: 153, reason: expect.stringContaining('one file') },
  },
  {
    name: 'many large files',
    script: 'for i in $(seq 1000); do head -c 20000000 /dev/zero > flood.$i; done',
    expected: { end: 'Killed', reason: expect.stringContaining('bytes added') },
  },
  {
    name: 'deleted files that are still open',
    script:
      'for i in $(seq 3 200); do eval "exec $((i+10))> hidden"; rm hidden; head -c 20000000 /dev/zero >&$((i+10)); done; sleep 1000',
    expected: { end: 'Killed', reason: expect.stringContaining('bytes added') },
  },
  {
    name: 'a flood of small files',
    language: 'javascript',
    script: "for (let i = 0; ; i += 1) require('fs').writeFileSync('small.' + i, '');",
    expected: { end: 'Killed', reason: expect.stringContaining('files added') },
  },
  {
    name: 'a bomb of compressed zeros',
    script: 'head -c 100000000 /dev/zero | gzip > bomb.gz; exec gunzip bomb.gz',
    options: { limits: { timeoutMs: 20_000, fileBytes: 10 * megabyte } },
    expected: { exitCode: 153 },
  },
  { name: 'a failing script', script: 'exit 42', expected: { end: 'Exited', exitCode: 42 } },
  { name: 'a script that kills itself', script: 'kill -9 $$', expected: { end: 'Exited', exitCode: 137 } },
  {
    name: 'a daemon left behind',
    script: 'setsid bash -c "sleep 1000 & sleep 1000" >/dev/null 2>&1 & disown; exit 0',
    expected: { end: 'Exited', exitCode: 0 },
  },
  {
    name: 'a daemon that keeps the output open',
    script: '(setsid bash -c "sleep 1000 & sleep 1000" &) ; echo gone',
    expected: { end: 'Exited', stdout: 'gone\n' },
  },
];

describe('abuse', () => {
  for (const { name, language = 'bash', script, options = {}, expected } of abuses) {
    verifies('sandbox:contains-abuse', `is contained and leaves nothing behind: ${name}`, async () => {
      const startedMs = performance.now();
      const result = await fixture.run(language, script, options);
      const overMs = performance.now() - startedMs - (options.limits?.timeoutMs ?? ordinaryLimits.timeoutMs);
      await fixture.run('bash', 'rm -rf -- * .[!.]*');
      expect(result, `${result.stdout}${result.stderr}`.slice(0, 2000)).toMatchObject(expected);
      expect(overMs).toBeLessThan(graceMs);
      await expectNothingLeft();
    });
  }

  verifies('sandbox:output-is-data', 'keeps the head of 100 MB of output and counts the rest', async () => {
    const result = await fixture.run(
      'bash',
      'head -c 50000000 /dev/zero | tr "\\0" a; head -c 50000000 /dev/zero | tr "\\0" b >&2',
      { limits: { outputBytes: 1000, timeoutMs: 30_000 } },
    );
    expect(result).toMatchObject({ end: 'Exited', exitCode: 0, droppedBytes: 100_000_000 - 2000 });
    expect([result.stdout, result.stderr]).toEqual(['a'.repeat(1000), 'b'.repeat(1000)]);
  });

  verifies('sandbox:contains-abuse', 'ends an endless flood of output', async () => {
    const result = await fixture.run('bash', 'exec yes', { limits: { outputBytes: 1000, timeoutMs: 60_000 } });
    expect(result).toMatchObject({ end: 'Killed', reason: expect.stringContaining('bytes of output') });
    await expectNothingLeft();
  });

  verifies('sandbox:output-is-data', 'leaves terminal escapes and invalid bytes as data', async () => {
    const result = await fixture.run('bash', 'printf "\\033]0;owned\\007\\033[2J\\xff"; printf "\\033c" > /dev/stderr');
    expect(result).toMatchObject({ stdout: '\u001b]0;owned\u0007\u001b[2J\ufffd', stderr: '\u001bc', droppedBytes: 0 });
  });

  verifies('sandbox:contains-abuse', 'does not slow what else runs beyond its share', async () => {
    const controller = new AbortController();
    const burning = fixture.run('bash', 'for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait', {
      signal: controller.signal,
    });
    await expect.poll(strangers).not.toEqual([]);
    await expect.poll(leftGroups).not.toEqual([]);
    const others = await Promise.all([1, 2, 3].map(() => fixture.run('bash', 'echo still here')));
    expect(others.map(({ stdout }) => stdout)).toEqual(['still here\n', 'still here\n', 'still here\n']);
    controller.abort();
    expect(await burning).toMatchObject({ end: 'Killed', exitCode: 137, reason: 'the run was cancelled' });
    await expectNothingLeft();
  });
});

describe('a run', () => {
  verifies(
    'sandbox:contains-abuse',
    'that is cancelled before it starts never runs its script to the end',
    async () => {
      const result = await fixture.run('bash', 'sleep 1; echo x > ran', { signal: AbortSignal.abort() });
      expect(result).toMatchObject({ end: 'Killed', reason: 'the run was cancelled' });
      expect(await readdir(fixture.workspace)).toEqual([]);
    },
  );

  verifies(
    'sandbox:runs-once-per-key',
    'is found by its key and not repeated, at once or later, by this process or the next',
    async () => {
      const script = 'echo x >> count; cat count';
      const options = { idempotencyKey: 'once' };
      expect(await fixture.sandbox.lookup('once')).toBeUndefined();
      const [first, second] = await Promise.all([
        fixture.run('bash', script, options),
        fixture.run('bash', script, options),
      ]);
      expect(second).toEqual(first);
      expect(await fixture.run('bash', 'echo another', options)).toEqual(first);
      const next = createBubblewrapSandbox({ resultDirectory: join(fixture.base, 'results') });
      expect(await next.lookup('once')).toEqual(first);
      expect(await readFile(join(fixture.workspace, 'count'), 'utf8')).toBe('x\n');
    },
  );

  it('gets its standard input and reports its exit code', async () => {
    const result = await fixture.run('bash', 'cat; cat /dev/stdin; exit 7', { stdin: 'in\n' });
    expect(result).toMatchObject({ end: 'Exited', exitCode: 7, stdout: 'in\nin\n' });
  });

  it.each([
    {
      language: 'javascript',
      script: "import fs from 'node:fs'; console.log(await fs.promises.readFile('given', 'utf8'))",
    },
    { language: 'javascript', script: "console.log(require('node:fs').readFileSync('given', 'utf8'))" },
    { language: 'bash', script: 'cat given; echo' },
  ] as const)('runs $language in the workspace: $script', async ({ language, script }) => {
    await writeFile(join(fixture.workspace, 'given'), 'data');
    expect(await fixture.run(language, script)).toMatchObject({ exitCode: 0, stdout: 'data\n', stderr: '' });
  });

  it('costs little to start', async () => {
    const durations: number[] = [];
    for (let round = 0; round < 20; round += 1) durations.push((await fixture.run('bash', 'true')).durationMs);
    const sorted = durations.toSorted((a, b) => a - b);
    process.stdout.write(
      `sandbox start-up and end, 20 trivial runs: median ${sorted[10]?.toFixed(0) ?? ''} ms, fastest ${sorted[0]?.toFixed(0) ?? ''} ms\n`,
    );
    expect(sorted).toHaveLength(20);
  });
});

describe('without isolation', () => {
  verifies('sandbox:never-unisolated', 'nothing runs, and the remedy is named', async () => {
    const nowhere = createBubblewrapSandbox({
      resultDirectory: join(fixture.base, 'unused'),
      programDirectories: [join(tmpdir(), 'no-such-directory')],
    });
    const request = {
      idempotencyKey: 'k',
      language: 'bash',
      script: 'echo x > ran',
      stdin: '',
      workspaceDirectory: fixture.workspace,
      readOnlyPaths: [],
    } as const;
    const limits = { timeoutMs: 1000, memoryBytes: megabyte, processes: 8, outputBytes: 10, fileBytes: 10 };
    const run = (): Promise<SandboxResult> => nowhere.run({ ...request, limits }, new AbortController().signal);
    await expect(run()).rejects.toThrow(/no isolation has been proven/);
    const probe = await nowhere.probe();
    expect(probe).toMatchObject({
      ok: false,
      error: { reason: expect.stringContaining('bwrap'), fix: expect.stringContaining('bubblewrap') },
    });
    await expect(run()).rejects.toThrow(/no isolation has been proven/);
    await expect(stat(join(fixture.workspace, 'ran'))).rejects.toThrow(/ENOENT/);
  });
});
