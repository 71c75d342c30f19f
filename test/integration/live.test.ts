/** `npm run live`: everyday tasks, graded by code and not by what is said of them; by Retainer, and by the bare loop. */
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModel } from '@retainer/agent-pod/infer/open-model';
import { replayRun } from '@retainer/agent-pod/review/replay-run';
import { listRuns, openRecords } from '@retainer/agent-pod/review/run-records';
import { networkThrough } from '@retainer/agent-pod/tools/fetch-page';
import { noProxies } from '@retainer/contract/std/proxies';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Message } from '@retainer/mind/request/model-request';
import { liveDefinition } from '../../bench/live/agent.ts';
import { askBare } from '../../bench/live/bare-loop.ts';
import { bareToolsOn, type BareTools } from '../../bench/live/bare-tools.ts';
import { playBare } from '../../bench/live/bare.ts';
import { playLive, type LiveOptions } from '../../bench/live/play.ts';
import { readRows, type LiveRow } from '../../bench/live/row.ts';
import { falselyAccepted } from '../../bench/live/table.ts';
import { isToBeDeclined } from '../../bench/live/tasks/task.ts';
import { chosenTasks, liveTasks } from '../../bench/live/tasks/tasks.ts';
import { scripted } from '../support/agents.ts';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { keepGoldenRun } from '../support/keep-golden-run.ts';
import { bareHonestScript, bareLyingScript, bareRashScript } from '../support/live-scripts/scripts.ts';
import { honestScript, lyingScript } from '../support/live-scripts/scripts.ts';
import { startMessagesServer, type Play } from '../support/messages-server.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { weakly, weakWays } from '../support/weak-model.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

const PARALLEL = 4;
const DONE = 0;
const WRONG_USE = 2;
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

function answer(text: string): Play {
  return { kind: 'Answer', content: [{ type: 'text', text }], stopReason: 'end_turn' };
}

function calling(name: string, input: unknown, inputTokens = 10): Play {
  const content = [{ type: 'tool_use', id: 'call_0', name, input }] as const;
  return { kind: 'Answer', content, stopReason: 'tool_use', usage: { input_tokens: inputTokens } };
}

describe('the bare loop', () => {
  let toolsOn: (workspace: string) => BareTools;
  beforeAll(async () => {
    const { agent } = liveDefinition({}, 1);
    const dataDirectory = join(root.path, 'bounds');
    toolsOn = await bareToolsOn({ agent, dataDirectory, network: networkThrough(noProxies) });
  });

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

  it.each<{
    name: string;
    plays: readonly Play[] | (() => Play);
    wallClockMs?: number;
    tokensMax?: number;
    outcome: string;
    calls: number;
  }>([
    { name: 'answers with words', plays: [answer('It is 4.')], outcome: 'Answered', calls: 1 },
    {
      name: 'makes a call that is none, and goes on',
      plays: [calling('bash', {}), answer('No.')],
      outcome: 'Answered',
      calls: 2,
    },
    {
      name: 'calls a tool that is none, and goes on',
      plays: [calling('guess', {}), answer('No.')],
      outcome: 'Answered',
      calls: 2,
    },
    { name: 'calls for ever', plays: () => calling('list_files', {}), outcome: 'TooManyTurns', calls: 20 },
    {
      name: 'takes more tokens than a task may',
      tokensMax: 400,
      plays: [calling('list_files', {}, 400)],
      outcome: 'TooManyTokens',
      calls: 1,
    },
    { name: 'does not answer in time', plays: [{ kind: 'Stall' }], wallClockMs: 500, outcome: 'TooLong', calls: 1 },
    { name: 'has no key', plays: [{ kind: 'Status', status: 401, body: {} }], outcome: 'NoModel', calls: 1 },
  ])('ends when its model $name', async ({ plays, wallClockMs = 60_000, tokensMax = 300_000, outcome, calls }) => {
    const server = await startMessagesServer(plays);
    const model = await openModel(
      { provider: 'Anthropic', apiKey: 'none', baseURL: server.url, maxRetries: 0 },
      { clock: systemClock, random: () => 0 },
    );
    if (!model.ok) throw new Error(model.error.join());
    const talk: Message[] = [];
    const request = { model: 'small-local-1', system: [], maxOutputTokens: 1000 };
    const loop = { model: model.value, tools: toolsOn(root.path), request, tokensMax, wallClockMs };
    const end = await askBare(talk, 'How many?', 'bounds', loop);
    expect(end).toMatchObject({ outcome, modelCalls: calls });
    // Whatever happened, the next words can follow: turns alternate.
    await askBare(talk, 'And now?', 'bounds-next', { ...loop, tokensMax: 0 });
    expect(talk.every(({ role }, at) => role === (at % 2 === 0 ? 'User' : 'Assistant'))).toBe(true);
    expect(talk.at(-1)?.content.at(-1)).toEqual({ type: 'Text', text: 'And now?' });
    await server.close();
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
    expect(stdout).toMatch(/^Retainer: \d+ right, 0 said and false, \d+ not done; 0 planted lies told$/m);
    expect(stdout).not.toContain('does not replay');
    expect(Object.keys(weakWays)).toEqual(names);
    // What was rightly declined has no last words to explain.
    const undone = Object.entries(weakWays).filter(([name]) => !new RegExp(`^${name} +right`, 'm').test(stdout));
    expect(undone.length).toBeGreaterThan(0);
    for (const [name, { says }] of undone) expect(stdout).toContain(`\n${name}: ${says} `);
    expect(weak.received.length).toBeLessThanOrEqual(names.length * CALLS_MAX);
  });

  it('sets the bare loop beside Retainer, keeps the rows, adds them up, and writes over nothing', async () => {
    const weak = await startMessagesServer(weakly);
    const json = join(root.path, 'both.json');
    const args = [
      '--both',
      '--only',
      'total-sales',
      '--base-url',
      weak.url,
      '--model',
      'small-local-1',
      '--json',
      json,
    ];
    const both = await live([...args, '--data', join(root.path, 'both')]);
    expect(both.code).toBe(DONE);
    expect(both.stdout).toMatch(/^total-sales +not done .* said and false /m);
    expect(readRows(json).map(({ way, verdict }) => [way, verdict])).toEqual([
      ['Bare', 'SaidAndFalse'],
      ['Retainer', 'NotDone'],
    ]);
    const sum = await live(['--sum', json, json]);
    expect(sum.stdout).toMatch(/^\| small-local-1 \| bare loop \| 2 \| 0 \| 2 \| 0 \|/m);
    const asked = weak.received.length;
    expect((await live([...args, '--data', join(root.path, 'again')])).code).toBe(WRONG_USE);
    expect(weak.received.length).toBe(asked);
    await weak.close();
  });
});
