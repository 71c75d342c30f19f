/** The agent's sandbox against real runners and an API server in this process: whole life, refusals, crashes, hostile files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { SandboxResult, WorkspaceTurn } from '@retainer/agent-pod/ports/sandbox-run';
import { WorkspaceTurns } from '@retainer/agent-pod/loop/workspace-turns';
import { sha256Hex } from '@retainer/contract/std/hash';
import { systemClock } from '@retainer/contract/std/system-clock';
import { resources } from '@retainer/kube/resources';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../support/fake-api-server/fake-kube-client.ts';
import { olderRunner, type OlderRunner } from '../support/older-runner.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { sandboxAgent, sandboxRequest, type SandboxAgentOptions } from '../support/sandbox-agent.ts';
import { SandboxOperator, type SandboxOperatorOptions } from '../support/sandbox-operator.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

/** Between two looks at what other processes do: whoever looks at every turn keeps a processor from them. */
const LOOK_MS = 20;

let directory: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let operator: SandboxOperator;
let client: ReturnType<typeof fakeKubeClient>;
let workspace: string;
const never = new AbortController().signal;

beforeEach(async () => {
  directory = temporaryDirectory();
  workspace = join(directory.path, 'workspace');
  mkdirSync(workspace);
  server = await startFakeApiServer();
  client = fakeKubeClient(server, { user: 'ada' });
});
afterEach(async () => {
  await operator.stop();
  client.close();
  await server.stop();
  await directory.remove();
});

function begin(options: Partial<SandboxOperatorOptions> = {}, agent: Partial<SandboxAgentOptions> = {}): SandboxPort {
  operator = new SandboxOperator({ server, directory: directory.path, ...options });
  operator.start();
  return sandboxAgent({ client, directory: join(directory.path, 'own'), ...agent });
}

const read = (name: string): string => readFileSync(join(workspace, name), 'utf8');
const left = (): readonly unknown[] => server.list(resources.sandboxRuns);
const intents = (): readonly string[] => readdirSync(join(directory.path, 'own', 'intents'));
const agentWrites = (): readonly string[] =>
  server.audit
    .filter(({ user, isChange }) => user === 'ada' && isChange)
    .map(({ verb, resource }) => `${verb} ${resource}`);

/** Nothing of a run is left, neither on the API server nor on the volume. */
async function untilCleared(): Promise<void> {
  await expect.poll(() => [...left(), ...intents()], { interval: LOOK_MS }).toEqual([]);
}

describe('a run in a pod', () => {
  for (const isWarm of [false, true])
    verifies(
      'sandbox-runner:agent-runs-code',
      `takes the workspace there and back, ${isWarm ? 'warm' : 'cold'}`,
      async () => {
        const sandbox = begin({ isWarm });
        mkdirSync(join(workspace, 'sub'));
        writeFileSync(join(workspace, 'in.txt'), 'hello\n');
        writeFileSync(join(workspace, 'gone.txt'), 'x');
        writeFileSync(join(workspace, 'sub', 'tool'), '#!/bin/sh\necho tool\n');
        chmodSync(join(workspace, 'sub', 'tool'), 0o755);
        const script = 'cat in.txt; cat; ./sub/tool; rm gone.txt; mkdir -p a/b; echo new > a/b/c; echo err >&2; exit 3';
        const result = await sandbox.run(sandboxRequest(workspace, script, { stdin: 'input\n' }), never);
        expect(result).toMatchObject({
          end: 'Exited',
          exitCode: 3,
          stdout: 'hello\ninput\ntool\n',
          stderr: 'err\n',
          droppedBytes: 0,
        });
        expect(result.reason).toBeUndefined();
        expect([read('a/b/c'), existsSync(join(workspace, 'gone.txt')), read('in.txt')]).toEqual([
          'new\n',
          false,
          'hello\n',
        ]);
        expect(await sandbox.lookup('call-1')).toEqual(result);
        expect(await sandbox.run(sandboxRequest(workspace, 'echo again'), never)).toEqual(result);
        expect([left(), intents(), operator.count]).toEqual([[], [], 1]);
        // Nothing of the code is in what the API server was told, nor in who may read the agent's key.
        expect(JSON.stringify(server.audit)).not.toContain('in.txt');
      },
    );

  it('cuts output between characters, and counts what it dropped', async () => {
    const sandbox = begin();
    const script =
      'printf "%s" "$(head -c 200000 /dev/zero | tr "\\0" x)äöü"; yes ä | tr -d "\\n" | head -c 100001 >&2';
    const result = await sandbox.run(sandboxRequest(workspace, script), never);
    expect(result.stdout).toBe('x'.repeat(65_536));
    expect(result.stderr).toBe('ä'.repeat(32_768));
    expect(result.droppedBytes).toBe(200_006 - 65_536 + 100_001 - 65_536);
  });

  it('is killed at its time, and when its caller gives up', async () => {
    const sandbox = begin();
    const timed = await sandbox.run(sandboxRequest(workspace, 'echo a; sleep 60', { timeoutMs: 1000 }), never);
    expect(timed).toMatchObject({ end: 'TimedOut', exitCode: 137, stdout: 'a\n' });
    const stop = new AbortController();
    const run = sandbox.run(sandboxRequest(workspace, 'sleep 60', { idempotencyKey: 'call-2' }), stop.signal);
    const script = join(operator.directoryOf(1), 'tmp', '.script', 'main.sh');
    await expect.poll(() => existsSync(script), { interval: LOOK_MS }).toBe(true);
    stop.abort();
    expect(await run).toMatchObject({ end: 'Killed', reason: 'the run was cancelled' });
    await untilCleared();
  });

  for (const isWarm of [false, true])
    verifies('sandbox-runner:few-writes', `costs its agent one write, ${isWarm ? 'warm' : 'cold'}`, async () => {
      const sandbox = begin({ isWarm });
      expect(await sandbox.run(sandboxRequest(workspace, 'echo well'), never)).toMatchObject({ stdout: 'well\n' });
      await untilCleared();
      expect(agentWrites()).toEqual(['create sandboxruns']);
    });

  verifies('sandbox-runner:few-writes', 'is deleted by its agent where the operator does not', async () => {
    // A second of the test is a minute.
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * 60 };
    const sandbox = begin({ leavesReleased: true }, { clock });
    await sandbox.run(sandboxRequest(workspace, 'echo well'), never);
    expect(left()).toHaveLength(1);
    await untilCleared();
    expect(agentWrites()).toEqual(['create sandboxruns', 'delete sandboxruns']);
  });
});

describe('the operator', () => {
  it.each([
    { name: 'refuses', type: 'Failed', reason: 'QuotaExceeded', message: 'raise the quota', expected: 'QuotaExceeded' },
    {
      name: 'lets it wait for ever',
      type: 'Scheduled',
      reason: 'NetworkPolicyNotEnforced',
      message: 'no',
      expected: 'cannot be started now',
    },
  ])('$name, and the refusal says why', async ({ type, reason, message, expected }) => {
    const condition = { type, status: 'True', reason, message, lastTransitionTime: '2030-01-01T00:00:00Z' };
    const sandbox = begin({ status: () => ({ conditions: [condition] }) }, { startTimeoutMs: 500 });
    await expect(sandbox.run(sandboxRequest(workspace, 'true'), never)).rejects.toThrow(expected);
    expect([left(), intents(), await sandbox.lookup('call-1')]).toEqual([[], [], undefined]);
  });

  verifies('sandbox-runner:api-server-away', 'may be away while code runs, and delays what begins', async () => {
    const sandbox = begin();
    let refused = 0;
    const off = server.faults.onRequest(({ user }) => {
      if (user !== 'ada' || refused > 2) return undefined;
      refused += 1;
      return { type: 'Refuse', status: 503, reason: 'ServiceUnavailable' };
    });
    const run = sandbox.run(sandboxRequest(workspace, 'until [ -e go ]; do sleep 0.05; done; echo done'), never);
    const place = join(operator.directoryOf(0), 'tmp', '.script', 'main.sh');
    await expect.poll(() => existsSync(place), { interval: LOOK_MS }).toBe(true);
    off();
    const away = server.faults.onRequest(({ user }) => (user === 'ada' ? { type: 'Drop' } : undefined));
    writeFileSync(join(operator.directoryOf(0), 'workspace', 'go'), '');
    expect(await run).toMatchObject({ end: 'Exited', exitCode: 0, stdout: 'done\n' });
    // Its object could not be deleted; the next start does it.
    expect([left().length, intents().length]).toEqual([1, 1]);
    away();
    await sandboxAgent({ client, directory: join(directory.path, 'own') }).probe();
    await expect.poll(intents, { interval: LOOK_MS }).toEqual([]);
    expect(left()).toEqual([]);
  });

  it('is asked for nothing when the API server stays away, and the run is refused', async () => {
    const sandbox = begin({}, { startTimeoutMs: 400 });
    server.faults.onRequest(({ user }) => (user === 'ada' ? { type: 'Drop' } : undefined));
    await expect(sandbox.run(sandboxRequest(workspace, 'true'), never)).rejects.toThrow(
      'the API server does not answer',
    );
    expect(operator.count).toBe(0);
  });

  it('says what ended a pod that is gone', async () => {
    const sandbox = begin();
    const run = sandbox.run(sandboxRequest(workspace, 'echo begun; sleep 60'), never);
    const place = join(operator.directoryOf(0), 'tmp', '.script', 'main.sh');
    await expect.poll(() => existsSync(place), { interval: LOOK_MS }).toBe(true);
    const [object] = server.list(resources.sandboxRuns);
    if (object === undefined) throw new Error('no SandboxRun');
    const condition = {
      type: 'Failed',
      status: 'True',
      reason: 'OutOfMemory',
      message: 'x',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    };
    server.putStatus(resources.sandboxRuns, { ...object, status: { conditions: [condition] } });
    await operator.killRunners();
    expect(await run).toMatchObject({ end: 'Killed', exitCode: 137 });
  });

  it('is proved by a dry run, and needs a sandbox namespace', async () => {
    const sandbox = begin();
    expect(await sandbox.probe()).toMatchObject({ ok: true, value: { languages: ['bash', 'javascript'] } });
    expect(left()).toEqual([]);
    const off = server.faults.onRequest(() => ({ type: 'Refuse', status: 403, reason: 'Forbidden' }));
    expect(await sandbox.probe()).toMatchObject({ ok: false });
    off();
    server.faults.onRequest(() => ({ type: 'Drop' }));
    expect(await sandbox.probe()).toMatchObject({ ok: true });
    const none = sandboxAgent({ client, directory: directory.path, sandboxNamespace: undefined });
    expect(await none.probe()).toMatchObject({ ok: false });
  });
});

describe('files that come back', () => {
  verifies(
    'sandbox-runner:takes-back-safely',
    'change nothing read-only, nothing behind a link, and nothing outside',
    async () => {
      const sandbox = begin();
      const outside = join(directory.path, 'outside');
      mkdirSync(outside);
      writeFileSync(join(outside, 'kept'), 'kept');
      mkdirSync(join(workspace, 'data'));
      writeFileSync(join(workspace, 'data', 'rules'), 'rules');
      symlinkSync(outside, join(workspace, 'link'));
      symlinkSync(join(outside, 'kept'), join(workspace, 'file-link'));
      writeFileSync(join(workspace, 'was-file'), 'x');
      const script = [
        'chmod -R u+w data; echo forged > data/rules; echo new > data/new; rm -f sealed; echo x > sealed',
        'mkdir link; echo owned > link/kept; echo owned > file-link; rm was-file; mkdir was-file; echo in > was-file/in; echo ok > ok',
      ].join('\n');
      const shownPaths = ['data/rules', 'was-file'];
      const request = sandboxRequest(workspace, script, { readOnlyPaths: ['data', 'sealed/inner'], shownPaths });
      const result = await sandbox.run(request, never);
      expect(result).toMatchObject({ end: 'Exited', exitCode: 0 });
      const refused = ['data/new', 'data/rules', 'file-link', 'link/kept', 'sealed'];
      expect(result.changes?.refused.toSorted()).toEqual(refused);
      expect([read('data/rules'), await readdir(join(workspace, 'data'))]).toEqual(['rules', ['rules']]);
      expect([await readFile(join(outside, 'kept'), 'utf8'), await readdir(outside)]).toEqual(['kept', ['kept']]);
      expect([existsSync(join(workspace, 'sealed')), read('was-file/in'), read('ok')]).toEqual([false, 'in\n', 'ok\n']);
    },
  );

  verifies('provenance:links-labelled', 'carry links there and back, and what took the place of one', async () => {
    const sandbox = begin();
    for (const name of ['same', 'changed', 'to-file', 'to-directory', 'gone'])
      symlinkSync('target', join(workspace, name));
    writeFileSync(join(workspace, 'target'), 'target\n');
    writeFileSync(join(workspace, 'file'), 'file\n');
    symlinkSync('theirs', join(workspace, 'hidden'));
    const script = [
      'readlink same; cat changed; ls hidden 2>&1 | grep -c hidden:',
      'ln -sfn new changed; rm to-file gone to-directory file; echo x > to-file; mkdir to-directory; echo y > to-directory/in',
      'ln -s /etc/passwd file; mkdir sub; ln -s ../target sub/link; ln -s mine hidden; ln -s "$(printf "a\\nb")" odd',
    ].join('\n');
    const shownPaths = ['same', 'changed', 'to-file', 'to-directory', 'gone', 'target', 'file'];
    const { stdout, changes } = await sandbox.run(sandboxRequest(workspace, script, { shownPaths }), never);
    expect(stdout).toBe('target\ntarget\n0\n');
    const of = (path: string, text: string) => ({ path, sizeBytes: text.length, sha256: sha256Hex(text) });
    const links = [of('changed', 'new'), of('file', '/etc/passwd'), of('sub/link', '../target')];
    expect(changes?.links?.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(links);
    expect(changes?.files.map(({ path }) => path).toSorted()).toEqual(['to-directory/in', 'to-file']);
    expect([changes?.gone.toSorted(), changes?.refused]).toEqual([['gone', 'to-directory'], ['hidden']]);
    const found = (name: string): string => readlinkSync(join(workspace, name));
    expect(['same', 'changed', 'file', 'sub/link', 'hidden'].map(found)).toEqual([
      ...['target', 'new', '/etc/passwd', '../target', 'theirs'],
    ]);
    expect([read('to-file'), read('to-directory/in'), existsSync(join(workspace, 'odd'))]).toEqual([
      'x\n',
      'y\n',
      false,
    ]);
  });

  verifies('provenance:links-labelled', 'come without links from a runner that is older than they are', async () => {
    const older: OlderRunner[] = [];
    const before = async (port: number): Promise<number> => older[older.push(await olderRunner(port)) - 1]?.port ?? 0;
    const sandbox = begin({ before });
    writeFileSync(join(workspace, 'target'), 'target\n');
    symlinkSync('target', join(workspace, 'link'));
    const script = 'cat target; ls; echo forged > link';
    const result = await sandbox.run(sandboxRequest(workspace, script), never);
    expect(result.stdout).toBe('target\ntarget\n');
    expect(result.changes).toMatchObject({ files: [], refused: ['link'] });
    expect(readlinkSync(join(workspace, 'link'))).toBe('target');
    expect(older.map(({ refused }) => refused)).toEqual([1]);
    for (const { server: front } of older) front.close();
  });

  it('stay there when they are too many, and the result says so', async () => {
    const sandbox = begin({ scratchBytes: 2 ** 40 });
    const result = await sandbox.run(sandboxRequest(workspace, 'seq 20001 | xargs touch'), never);
    expect(result).toMatchObject({ exitCode: 0, reason: expect.stringContaining('did not come back') });
    expect(readdirSync(workspace)).toEqual([]);
  });
});

describe('two runs beside each other', () => {
  verifies('sandbox-runner:conflict', 'keep what the other changed meanwhile, and the result names it', async () => {
    const sandbox = begin({}, { besideMax: 2 });
    const turns = new WorkspaceTurns(systemClock, sandbox.besideMax ?? 1);
    writeFileSync(join(workspace, 'shared'), 'old');
    const runOf = async (runId: string, script: string, hidden: readonly string[] = []): Promise<SandboxResult> => {
      const results: SandboxResult[] = [];
      const lookAgain = (): Promise<{ shownPaths: string[]; keptPaths: string[] }> =>
        Promise.resolve({ shownPaths: readdirSync(workspace).filter((name) => !hidden.includes(name)), keptPaths: [] });
      await turns.take({ runId, runsCode: true }, async (turn) => {
        const request = sandboxRequest(workspace, script, { idempotencyKey: runId, runId, turn, lookAgain });
        results.push(await sandbox.run(request, never));
      });
      const [result] = results;
      if (result === undefined) throw new Error('no result');
      return result;
    };
    const slow = runOf('slow', 'until [ -e go ]; do sleep 0.05; done; echo slow > shared; echo slow > own');
    const place = join(operator.directoryOf(0), 'tmp', '.script', 'main.sh');
    await expect.poll(() => existsSync(place), { interval: LOOK_MS }).toBe(true);
    writeFileSync(join(workspace, 'hidden'), 'x');
    const quick = await runOf('quick', 'ls; echo quick > shared', ['hidden']);
    expect([quick.stdout, quick.changes?.conflicts, read('shared')]).toEqual(['shared\n', undefined, 'quick\n']);
    writeFileSync(join(operator.directoryOf(0), 'workspace', 'go'), '');
    expect((await slow).changes).toMatchObject({ conflicts: ['shared'], refused: [] });
    expect([read('shared'), read('own')]).toEqual(['quick\n', 'slow\n']);
  });
});

describe('an agent that is killed', () => {
  const entry = fileURLToPath(new URL('../support/sandbox-agent-main.ts', import.meta.url));
  const script = 'echo ran >> runs; until [ -e go ]; do sleep 0.05; done; cat runs; echo new > new';

  function agent(
    verb: 'run' | 'lookup',
    program = script,
  ): { kill: () => Promise<void>; result: Promise<SandboxResult | null> } {
    const own = join(directory.path, 'own');
    const args = ['--import', 'tsx', entry, verb, server.url, own, workspace, program];
    const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const exited = once(child, 'exit');
    const result = exited.then(() => (text === '' ? null : (JSON.parse(text) as SandboxResult | null)));
    return { result, kill: async () => void (child.kill('SIGKILL'), await exited) };
  }

  const pod = (...names: readonly string[]): string => join(operator.directoryOf(0), ...names);
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const isEnded = (): boolean => existsSync(pod('termination-log'));
  const go = (): void => writeFileSync(pod('workspace', 'go'), '');

  interface Step {
    readonly name: string;
    readonly until: () => Promise<void>;
    readonly ran: boolean;
    readonly leavesReleased?: boolean;
  }

  const steps: readonly Step[] = [
    {
      name: 'its intent is written',
      until: () => until(() => existsSync(join(directory.path, 'own', 'intents')) && intents().length > 0),
      ran: false,
    },
    { name: 'the object is created', until: () => until(() => left().length > 0), ran: false },
    { name: 'the code runs', until: () => until(() => existsSync(pod('workspace', 'runs'))), ran: true },
    {
      name: 'the code has ended',
      until: async () => {
        await until(() => existsSync(pod('workspace', 'runs')));
        go();
        await until(isEnded);
      },
      ran: true,
    },
    {
      name: 'its files are back',
      until: async () => {
        await until(() => existsSync(pod('workspace', 'runs')));
        go();
        await until(() => existsSync(join(workspace, 'new')));
      },
      ran: true,
    },
    {
      name: 'its result is kept and its object is not yet deleted',
      until: async () => {
        await until(() => existsSync(pod('workspace', 'runs')));
        go();
        await until(() => isEnded() && readFileSync(pod('termination-log'), 'utf8').includes('released'));
      },
      ran: true,
      leavesReleased: true,
    },
  ];

  for (const step of steps)
    verifies(
      'sandbox-runner:agent-crash',
      `after ${step.name} finds its run again, or knows that it is lost`,
      async () => {
        begin(step);
        const first = agent('run');
        await step.until();
        await first.kill();
        const second = agent('lookup');
        if (step.ran && !isEnded()) go();
        const result = await second.result;
        expect(operator.count).toBeLessThanOrEqual(1);
        if (step.ran) {
          expect(result).toMatchObject({ end: 'Exited', exitCode: 0, stdout: 'ran\n' });
          expect(read('new')).toBe('new\n');
        } else expect(result).toBeNull();
        await until(() => left().length === 0);
        expect(await agent('lookup').result).toEqual(result);
        if (existsSync(join(directory.path, 'own', 'intents')))
          for (const name of intents())
            expect(statSync(join(directory.path, 'own', 'intents', name)).mode & 0o077).toBe(0);
      },
    );

  verifies('sandbox:room-of-the-run', 'counts once what its program added, however far its files came', async () => {
    begin();
    const many =
      'mkdir .cache; for i in $(seq 3000); do echo x > .cache/$i; done; : > runs; until [ -e go ]; do sleep 0.05; done';
    const first = agent('run', many);
    await until(() => existsSync(pod('workspace', 'runs')));
    go();
    await until(() => existsSync(join(workspace, '.cache')));
    await first.kill();
    const { length } = readdirSync(join(workspace, '.cache'));
    const result = await agent('lookup', many).result;
    // 3,000 files, their directory, and the two beside it.
    const added = { files: 3003, bytes: 6000, scratch: ['.cache'] };
    expect([result?.changes?.added, result?.changes?.unlisted]).toEqual([added, 2002]);
    expect(readdirSync(join(workspace, '.cache')).length).toBe(3000);
    expect(length, 'it was killed in the middle').toBeLessThan(3000);
  });

  verifies('loop:restart-waits-for-none', 'leaves the workspace to others while it follows the run', async () => {
    const sandbox = begin();
    const first = agent('run');
    await until(() => existsSync(pod('workspace', 'runs')));
    await first.kill();
    const seen: string[] = [];
    const turn: WorkspaceTurn = {
      leave: (step) => step(),
      leaveInOrder: async (step) => {
        const following = step();
        go();
        const followed = await following;
        seen.push(`has ended: ${existsSync(join(workspace, 'new')) ? 'files are there' : 'no files yet'}`);
        return followed;
      },
    };
    const result = await sandbox.lookup('call-1', never, turn);
    expect([seen, result?.exitCode, read('new')]).toEqual([['has ended: no files yet'], 0, 'new\n']);
  });
});
