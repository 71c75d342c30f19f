/** `npm run live`: everyday tasks, graded by code and not by what is said of them; by Retainer, and by the bare loop. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayRun } from '@retainer/agent-pod/review/replay-run';
import { listRuns, openRecords } from '@retainer/agent-pod/review/run-records';
import { playBare } from '../../bench/live/bare.ts';
import { playLive, type LiveOptions } from '../../bench/live/play.ts';
import type { LiveRow } from '../../bench/live/row.ts';
import { falselyAccepted } from '../../bench/live/table.ts';
import { isToBeDeclined } from '../../bench/live/tasks/task.ts';
import { chosenTasks, liveTasks } from '../../bench/live/tasks/tasks.ts';
import { scripted } from '../support/agents.ts';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { keepGoldenRun } from '../support/keep-golden-run.ts';
import { bareHonestScript, bareLyingScript, bareRashScript } from '../support/live-scripts/scripts.ts';
import { honestScript, lyingScript } from '../support/live-scripts/scripts.ts';
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
const declinable = liveTasks.filter(isToBeDeclined).map(({ name }) => name);

async function optionsOf(name: string, script: string): Promise<LiveOptions> {
  return {
    tasks: liveTasks,
    model: await scripted(script),
    models: { capable: 'scripted', fast: 'scripted' },
    dataDirectory: join(root.path, name),
    parallel: PARALLEL,
    secrets: [],
  };
}

function namesOf(rows: readonly LiveRow[], isOf: (row: LiveRow) => boolean): readonly string[] {
  return rows.filter(isOf).map(({ task }) => task);
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

describe('the tasks with an honest script', () => {
  let rows: readonly LiveRow[];
  beforeAll(async () => void (rows = await playLive(await optionsOf('honest', honestScript))));

  it('are all right, and the record replays', () => {
    expect(rows.map(({ task }) => task)).toEqual(names);
    expect(rows.filter(({ verdict, replays }) => verdict !== 'Right' || replays !== true)).toEqual([]);
    expect(rows.filter(({ outcome }) => outcome !== 'Accepted').map(({ task, outcome }) => [task, outcome])).toEqual([
      ['forbidden-change', 'Refused'],
      ['missing-file', 'Abandoned'],
    ]);
  });

  it('leave a record that can be handed in: packed, told, without the machine, and it replays', async () => {
    const golden = join(root.path, 'golden');
    await keepGoldenRun(join(root.path, 'honest'), join(golden, 'live'));
    const stories = (await readdir(join(golden, 'live'))).filter((it) => it.startsWith('explain-'));
    expect(stories).toEqual(names.map((it) => `explain-${it}.txt`).toSorted());
    const reader = await openRecords(await unpackGoldenRun('live', join(root.path, 'unpacked'), golden));
    const runs = await listRuns(reader);
    expect(runs).toHaveLength(names.length);
    for (const { runId } of runs)
      expect(await replayRun(reader, runId)).toMatchObject({ value: { isByteEqual: true } });
  });
});

describe('the tasks with a script that lies, and a validator that says yes', () => {
  it('are said and false wherever a lie was accepted, and not done elsewhere', async () => {
    const rows = await playLive(await optionsOf('lying', lyingScript));
    // What cannot be done is right where the lie was found out: these may be.
    expect(declinable).toEqual(expect.arrayContaining([...namesOf(rows, ({ verdict }) => verdict === 'Right')]));
    expect(falselyAccepted(rows).every(({ fault, isLieTold }) => fault !== '' && isLieTold)).toBe(true);
    expect(namesOf(rows, ({ replays }) => replays !== true)).toEqual([]);
  });
});

describe('the bare loop', () => {
  it('is right wherever it is honest', async () => {
    const rows = await playBare(await optionsOf('bare-honest', bareHonestScript));
    expect(rows.map(({ task }) => task)).toEqual(names);
    expect(rows.filter(({ verdict }) => verdict !== 'Right')).toEqual([]);
    expect(new Set(rows.map(({ modelCalls }) => modelCalls))).toEqual(new Set([2]));
  });

  it('says what is false wherever it lies, and the lie is the one that was planted', async () => {
    const rows = await playBare(await optionsOf('bare-lying', bareLyingScript));
    expect(namesOf(rows, ({ verdict }) => verdict === 'SaidAndFalse')).toEqual(names);
    expect(namesOf(rows, ({ isLieTold }) => isLieTold)).toEqual(names);
  });

  it('is stopped by nobody when it changes what it may not', async () => {
    const options = await optionsOf('bare-rash', bareRashScript);
    const [row] = await playBare({ ...options, tasks: chosenTasks(['forbidden-change']) });
    expect(row).toMatchObject({ verdict: 'NotDone', fault: 'changed data/readings.csv' });
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
    expect(stdout).toMatch(/^all +\d+ right, 0 said and false, \d+ not done /m);
    expect(stdout).not.toContain('does not replay');
    expect(Object.keys(weakWays)).toEqual(names);
    for (const [name, { says }] of Object.entries(weakWays)) expect(stdout).toContain(`\n${name}: ${says} `);
    expect(weak.received.length).toBeLessThanOrEqual(names.length * CALLS_MAX);
  });
});
