/** `npm run live`: twelve everyday tasks, graded by code and not by what the run says of itself. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayRun } from '@retainer/agent-pod/review/replay-run';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { playLive, type Played } from '../../bench/live/play.ts';
import { falselyAccepted, liveTable } from '../../bench/live/table.ts';
import { grade, liveTasks } from '../../bench/live/tasks.ts';
import { seeds } from '../../bench/live/workspace.ts';
import { scripted } from '../support/agents.ts';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { keepGoldenRun } from '../support/keep-golden-run.ts';
import { honestScript, lyingScript, toldLies } from '../support/live-scripts.ts';
import { startMessagesServer } from '../support/messages-server.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { weakly, weakWays } from '../support/weak-model.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

const PARALLEL = 4;
const DONE = 0;
/** Of a task that comes to nothing: the perceiver, two attempts, and the planner. */
const CALLS_MAX = 15;
const names = liveTasks.map(({ name }) => name);

async function played(name: string, script: string): Promise<readonly Played[]> {
  return playLive({
    model: await scripted(script),
    models: { capable: 'scripted', fast: 'scripted' },
    dataDirectory: join(root.path, name),
    parallel: PARALLEL,
    secrets: [],
  });
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
}

function live(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(repositoryRoot, 'bench/live.ts'), ...args], {
    cwd: repositoryRoot,
    env: { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout }));
  });
}

describe('twelve tasks with an honest script', () => {
  let rows: readonly Played[];
  beforeAll(async () => void (rows = await played('honest', honestScript)));

  it('are all graded right, ten of them accepted, and the record replays', () => {
    expect(rows.map(({ task }) => task.name)).toEqual(names);
    expect(rows.filter((it) => !it.isRight || !it.replays)).toEqual([]);
    expect(rows.filter((it) => !it.isAccepted).map(({ task, outcome }) => [task.name, outcome])).toEqual([
      ['forbidden-change', 'Refused'],
      ['missing-file', 'Abandoned'],
    ]);
    expect(liveTable(rows).at(-1)).toMatch(/^all +10\/12 +12\/12 .* 12\/12 +0 falsely accepted$/);
  });

  it('leave a record that can be handed in: packed, told, without the machine, and it replays', async () => {
    const golden = join(root.path, 'golden');
    await keepGoldenRun(join(root.path, 'honest'), join(golden, 'live'));
    const stories = (await readdir(join(golden, 'live'))).filter((it) => it.startsWith('explain-'));
    expect(stories).toEqual(names.map((it) => `explain-${it}.txt`).toSorted());
    const reader = await openRecords(await unpackGoldenRun('live', join(root.path, 'unpacked'), golden));
    for (const { runId } of rows)
      expect(await replayRun(reader, runId)).toMatchObject({ value: { isByteEqual: true } });
  });
});

describe('twelve tasks with a script that lies, and a validator that says yes', () => {
  it('are graded wrong wherever a lie was accepted, and wherever the work was not done', async () => {
    const rows = await played('lying', lyingScript);
    expect(rows.filter((it) => it.isAccepted && it.isRight)).toEqual([]);
    // What cannot be done is right where the lie was found out: these two may be.
    const wrong = rows.filter((it) => !it.isRight).map(({ task }) => task.name);
    const doable = liveTasks.filter(({ kind }) => kind !== 'Refusal' && kind !== 'Impossible');
    expect(wrong).toEqual(expect.arrayContaining(doable.map(({ name }) => name)));
    expect(falselyAccepted(rows).every(({ fault }) => fault !== '')).toBe(true);
    expect(rows.every((it) => it.replays)).toBe(true);
  });

  it.each(liveTasks)('$name: the lie alone, accepted in an untouched workspace, is wrong', (task) => {
    const lie = toldLies.find((it) => task.intent.includes(it.task));
    expect(lie).toBeDefined();
    const world = { outcome: 'Accepted', text: lie?.answer ?? '', file: (path: string) => seeds[path] };
    expect(grade(task, world)).toMatchObject({ isAccepted: true, isRight: false, fault: expect.stringMatching(/\w/) });
  });
});

describe('npm run live', () => {
  it('says without a key what it would do, and asks nothing', async () => {
    const { code, stdout } = await live([]);
    expect(code).toBe(DONE);
    for (const name of names) expect(stdout).toContain(name);
    expect(stdout).toContain('Nothing was asked');
  });

  it('ends within its bounds with a weak model behind any server, accepts nothing, and tells why', async () => {
    const weak = await startMessagesServer(weakly);
    const data = join(root.path, 'weak');
    const args = ['--base-url', weak.url, '--model', 'small-local-1', '--data', data, '--parallel', String(PARALLEL)];
    const { code, stdout } = await live(args);
    await weak.close();
    expect(new Set(weak.received.map(({ body }) => body['model']))).toEqual(new Set(['small-local-1']));
    expect(code).toBe(DONE);
    expect(stdout).toMatch(/^all +0\/12 +\d+\/12 .* 12\/12 +0 falsely accepted$/m);
    expect(Object.keys(weakWays)).toEqual(names);
    for (const [name, { says }] of Object.entries(weakWays)) expect(stdout).toContain(`\n${name}: ${says} `);
    expect(weak.received.length).toBeLessThanOrEqual(names.length * CALLS_MAX);
  });
});
