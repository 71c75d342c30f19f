/**
 * The sandbox of an agent that is an ordinary user: no control group, no change of owner, the same isolation. Also the
 * place for what needs another process around the agent: descriptors that it inherited by accident.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SandboxRequest, SandboxResult } from '@retainer/agent-pod/ports/sandbox-run';
import { verifies } from '../verifies.ts';
import { canary, megabyte, ordinaryLimits } from './sandbox-fixture.ts';
import { createBubblewrapSandbox } from '@retainer/agent-pod/sandbox/local/bubblewrap-sandbox';

const isRoot = process.getuid?.() === 0;
/** Nobody's; an ordinary user that tests itself stays who he is. */
const uid = isRoot ? 23_456 : (process.getuid?.() ?? 0);
/** High enough for Node to have no use for it. */
const strayDescriptor = 25;

let base: string;
let workspace: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'retainer-user-'));
  await chmod(base, 0o755);
  workspace = join(base, 'workspace');
  for (const directory of [workspace, join(base, 'sandbox')]) {
    await mkdir(directory);
    if (isRoot) await chown(directory, uid, uid);
  }
  await writeFile(join(base, 'secret.txt'), canary);
});
afterAll(() => rm(base, { recursive: true }));

/** An agent that can be killed: the child process, and what it will have printed. */
function startAgent(
  input: AsUserInput,
  secret: number,
): { readonly child: ChildProcess; readonly output: Promise<string> } {
  const stdio = Array.from({ length: strayDescriptor + 1 }, (_, index) =>
    index < 3 ? 'pipe' : index === strayDescriptor ? secret : 'ignore',
  );
  const script = join(import.meta.dirname, 'sandbox-as-user.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio });
  const text: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => text.push(chunk));
  child.stdin?.end(JSON.stringify(input));
  return { child, output: once(child, 'close').then(() => Buffer.concat(text).toString('utf8')) };
}

interface AsUserOutput {
  readonly uid: number;
  readonly probe: unknown;
  readonly results: readonly SandboxResult[];
}

async function runAsUser(requests: readonly Partial<SandboxRequest>[]): Promise<AsUserOutput> {
  const secret = await open(join(base, 'secret.txt'), 'r');
  const common = {
    language: 'bash',
    script: 'true',
    stdin: '',
    workspaceDirectory: workspace,
    readOnlyPaths: [],
    limits: ordinaryLimits,
  } as const;
  const input: AsUserInput = {
    ...{ uid, resultDirectory: join(base, 'sandbox') },
    requests: requests.map((request) => ({ ...common, idempotencyKey: JSON.stringify(request), ...request })),
  };
  const text = await startAgent(input, secret.fd).output;
  await secret.close();
  expect(text).toMatch(/^\{"uid":.*\}\n$/);
  const output: unknown = JSON.parse(text);
  return output as AsUserOutput;
}

describe('the sandbox of an ordinary user', () => {
  verifies('sandbox:kernel-refuses', 'isolates in the same way, with no control group', async () => {
    const {
      uid: ranAs,
      probe,
      results,
    } = await runAsUser([
      { script: 'id -u; grep -E "^(CapEff|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t" | tr "\\n" " "' },
      {
        script: `cat ${base}/secret.txt /etc/shadow; ls /home /root; kill -9 ${String(process.pid)}; echo x > ${base}/new; unshare -U true && echo made; true`,
      },
      {
        script: 'echo x > notes.txt; mkdir -p data; echo x > data/new; mv data away; cat data/rows',
        readOnlyPaths: ['data'],
      },
    ]);
    expect(probe).toMatchObject({
      ok: true,
      value: { description: expect.stringMatching(/own user, no network, seccomp, resource limits$/) },
    });
    expect(ranAs).toBe(uid);
    expect(results.map(({ end }) => end)).toEqual(['Exited', 'Exited', 'Exited']);
    expect(results.map(({ stdout }) => stdout)).toEqual([
      '65533\nCapEff:0000000000000000 NoNewPrivs:1 Seccomp:2 ',
      '',
      '',
    ]);
    expect((await stat(join(workspace, 'notes.txt'))).uid).toBe(uid);
  });

  verifies('sandbox:contains-abuse', 'keeps memory, processes and time without a control group', async () => {
    const limits = { ...ordinaryLimits, memoryBytes: 128 * megabyte };
    const { results } = await runAsUser([
      { language: 'javascript', script: 'const held = []; for (;;) held.push(Buffer.alloc(1e7, 1));', limits },
      {
        script: 'for i in 1 2 3 4 5 6; do (x=$(head -c 40000000 /dev/zero | tr "\\0" x); sleep 9) & done; wait',
        limits,
      },
      { script: 'bomb() { bomb | bomb & }; bomb; sleep 1000', limits: { ...limits, timeoutMs: 1000 } },
      { script: 'while :; do :; done', limits: { ...limits, timeoutMs: 500 } },
      {
        script: 'for i in $(seq 100); do sleep 5 & done 2>/dev/null; jobs -p | wc -l',
        limits: { ...limits, processes: 16, timeoutMs: 5000 },
      },
    ]);
    expect(results[0]?.exitCode).not.toBe(0);
    expect(results[1]).toMatchObject({ end: 'Killed', reason: expect.stringContaining('memory limit') });
    expect(results[2]).toMatchObject({ end: 'TimedOut' });
    expect(results[3]).toMatchObject({ end: 'TimedOut' });
    expect(Number(results[4]?.stdout.trim() || 0)).toBeLessThan(16);
  });

  verifies(
    'sandbox:changes-nothing-outside',
    'gives no open file that its owner could open again for writing',
    async () => {
      const { results } = await runAsUser([
        { script: `exec 2>/dev/null; chmod 666 /dev/stdin; echo grown >> /dev/stdin && echo wrote; cat`, stdin: 'in' },
      ]);
      expect(results.map(({ stdout }) => stdout)).toEqual(['in']);
    },
  );

  verifies('sandbox:sees-nothing-outside', 'closes descriptors that the agent inherited by accident', async () => {
    const { results } = await runAsUser([
      { script: 'exec ls /proc/self/fd' },
      { script: `cat <&${String(strayDescriptor)}` },
    ]);
    expect(results.map(({ stdout }) => stdout)).toEqual(['0\n1\n2\n3\n', '']);
  });

  it('the same descriptor does reach a program that is started without the sandbox', async () => {
    const secret = await open(join(base, 'secret.txt'), 'r');
    const stdio = Array.from({ length: strayDescriptor + 1 }, (_, index) =>
      index === 1 ? 'pipe' : index === strayDescriptor ? secret.fd : 'ignore',
    );
    const inner = `require('child_process').spawn('cat', ['/proc/self/fd/${String(strayDescriptor)}'], { stdio: ['ignore', 1, 1] })`;
    const child = spawn(process.execPath, ['-e', inner], { stdio });
    const text: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => text.push(chunk));
    await once(child, 'close');
    await secret.close();
    expect(Buffer.concat(text).toString()).toBe(await readFile(join(base, 'secret.txt'), 'utf8'));
  });
});

describe('an agent that is killed', () => {
  verifies('sandbox:contains-abuse', 'takes its running script along, and the next one clears up', async () => {
    const secret = await open(join(base, 'secret.txt'), 'r');
    const beat = join(workspace, 'beat');
    const request: SandboxRequest = {
      ...{ idempotencyKey: 'killed', language: 'bash', stdin: '', workspaceDirectory: workspace, readOnlyPaths: [] },
      script: "trap '' TERM HUP INT; setsid bash -c 'while :; do echo x >> beat; sleep 0.02; done' & wait",
      limits: { ...ordinaryLimits, timeoutMs: 120_000 },
    };
    const resultDirectory = join(base, 'sandbox');
    const { child, output } = startAgent({ uid, resultDirectory, requests: [request] }, secret.fd);
    // The script writes into its view; the workspace is out of its reach.
    await expect.poll(() => heartbeats(resultDirectory)).toBeGreaterThan(0);
    const inside = await scriptProcesses();
    expect(inside.length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await output;
    await secret.close();
    await expect.poll(() => scriptProcesses()).toEqual([]);
    await runAsUser([{}]);
    expect(await stat(beat).catch(() => 'nothing was taken')).toBe('nothing was taken');
    expect(await heartbeats(resultDirectory)).toBe(0);
    expect((await readdir(resultDirectory)).toSorted()).toEqual(['results', 'views']);
  });
});

/** Bytes that the script has written, in all views. */
async function heartbeats(resultDirectory: string): Promise<number> {
  const views = join(resultDirectory, 'views');
  const names = await readdir(views).catch(() => []);
  const facts = await Promise.all(names.map((name) => stat(join(views, name, 'beat')).catch(() => ({ size: 0 }))));
  return facts.reduce((sum, { size }) => sum + size, 0);
}

/** Processes of the host that see this test's workspace mounted. */
async function scriptProcesses(): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const mounts = await Promise.all(ids.map((id) => readFile(`/proc/${id}/mountinfo`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => mounts[index]?.includes(basename(base)));
}

/**
 * Runs requests through the sandbox as an ordinary user: started by root, it gives up root before it touches the sandbox.
 *
 * Input: JSON on standard input. Output: one line of JSON, the probe and the results in order.
 */
interface AsUserInput {
  readonly uid: number;
  readonly resultDirectory: string;
  readonly requests: readonly SandboxRequest[];
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const input = JSON.parse(Buffer.concat(chunks).toString('utf8')) as AsUserInput;

if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(input.uid);
  process.setuid?.(input.uid);
}
const sandbox = createBubblewrapSandbox({ resultDirectory: input.resultDirectory });
const probe = await sandbox.probe();
const results = [];
if (probe.ok)
  for (const request of input.requests) results.push(await sandbox.run(request, new AbortController().signal));
process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), probe, results })}\n`);
