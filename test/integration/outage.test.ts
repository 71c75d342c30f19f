/** `retainer run` against a provider that comes and goes, and over pauses of people, as a person starts it. */
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect } from 'vitest';
import { answerEvents, asksPerceiver, nothingFound, oneStep } from '../support/messages-server.ts';
import { endAll, startRetainer, type Ended, type Started } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const KEY = 'sk-ant-test-0123456789abcdef0123456789';
/** Shorter than the pause that a person makes here. */
const WALL_CLOCK = '5s';
const PAUSE_MS = 7_000;

const honest = { id: 'honest', description: 'Be honest.', level: 'IntellectualHonesty', operator: 'Required' };
const objects = [
  { kind: 'CharacterSpec', name: 'plain', spec: { persona: 'A friend.', highestEndeavour: [honest] } },
  {
    kind: 'Agent',
    name: 'ada',
    spec: { characterRef: { name: 'plain' }, models: { structured: 'Xml', fallback: 'None' } },
  },
  ...['one', 'two', 'three'].map((name) => ({
    kind: 'Task',
    name,
    spec: { agentRef: { name: 'ada' }, intent: `Say hello, ${name}.`, budget: { wallClock: WALL_CLOCK } },
  })),
];

function manifestsOf(tasks: readonly string[]): string {
  const file = join(root.path, `${tasks.join('-')}.yaml`);
  const picked = objects.filter(({ kind, name }) => kind !== 'Task' || tasks.includes(name));
  const texts = picked.map(({ kind, name, spec }) =>
    JSON.stringify({ apiVersion: 'retainer.dev/v1alpha1', kind, metadata: { name }, spec }),
  );
  writeFileSync(file, texts.join('\n---\n'));
  return file;
}

type Mood = 'Up' | 'Away' | 'RefusesKey' | 'SaysNothing';

class Provider {
  mood: Mood = 'Up';
  requests = 0;
  url = '';
  readonly #server = createServer((request, response) => {
    this.requests += 1;
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => this.#answer(JSON.parse(text) as object, response));
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(body: object, response: ServerResponse): void {
    const refuse = (status: number, type: string): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '200' });
      response.end(JSON.stringify({ type: 'error', error: { type, message: 'no' } }));
    };
    if (this.mood === 'SaysNothing') return;
    if (this.mood === 'Away') return refuse(503, 'api_error');
    if (this.mood === 'RefusesKey') return refuse(401, 'authentication_error');
    const content = asksPerceiver(body) ? oneStep : (nothingFound(body) ?? [{ type: 'text', text: 'Hello.' } as const]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [event, data] of answerEvents({ kind: 'Answer', content, stopReason: 'end_turn' }))
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    response.end();
  }
}

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});
afterAll(() => {
  endAll();
  return root.remove();
});

async function provider(mood: Mood): Promise<Provider> {
  const started = new Provider();
  started.mood = mood;
  await started.start();
  ends.push(() => started.close());
  return started;
}

function run(data: string, { url }: Provider, tasks: readonly string[]): Started {
  const variables = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
  return startRetainer(['run', '-f', manifestsOf(tasks), '--data', join(root.path, data), '--model', 'claude'], {
    variables,
  });
}

const outcomes = ({ stdout }: Ended): readonly string[] =>
  [...stdout.matchAll(/^([A-Z]+) {2}(\w+) /gm)].map(([, outcome = '', task = '']) => `${task} ${outcome}`).toSorted();

describe('a provider that is away', () => {
  verifies('infer:parks', 'ends no Task, whatever the number of runs, and each ends as without it', async () => {
    const tasks = ['one', 'two', 'three'];
    const whole = await run('whole', await provider('Up'), tasks).ended;
    const server = await provider('Away');
    const running = run('parked', server, tasks);
    await running.says('is parked: the model cannot be asked', 3);
    await sleep(PAUSE_MS);
    server.mood = 'Up';
    const ended = await running.ended;
    expect(outcomes(ended)).toEqual(outcomes(whole));
    expect(ended.code).toBe(whole.code);
    expect(ended.stderr).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, next try at \d{4}-/);
    // A try every 200 ms at most, and not one for each run.
    expect(server.requests).toBeLessThan(PAUSE_MS / 200 + 100);
  });
});

describe('a Task that failed', () => {
  verifies('loop:retry-anywhere', 'names a command with which its work begins anew', async () => {
    const server = await provider('RefusesKey');
    const failed = await run('again', server, ['one']).ended;
    expect(outcomes(failed)).toEqual(['one FAILED']);
    const [, task = '', data = ''] =
      /^again +npx retainer retry (\S+) --reason TEXT --data (\S+),/m.exec(failed.stdout) ?? [];
    server.mood = 'Up';
    const before = await run('again', server, ['one']).ended;
    expect(before.stdout).toContain('finished earlier, not run again');
    const retried = await startRetainer(['retry', task, '--reason', 'the key is mended', '--data', data]).ended;
    expect([retried.code, retried.stdout]).toEqual([0, expect.stringContaining('its work begins anew')]);
    const after = await run('again', server, ['one']).ended;
    expect(outcomes(after)).toEqual(['one SUCCEEDED']);
    const twice = await startRetainer(['retry', task, '--reason', 'once more', '--data', data]).ended;
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('has ended Succeeded')]);
  });
});

describe('a pause of a person', () => {
  verifies('run:driven-time', 'between Ctrl-C and the same command costs the run none of its time', async () => {
    const server = await provider('SaysNothing');
    const stopped = run('lunch', server, ['one']);
    await stopped.says('admitted Task one');
    while (server.requests === 0) await sleep(50);
    stopped.child.kill('SIGINT');
    expect((await stopped.ended).code).toBe(130);
    await sleep(PAUSE_MS);
    server.mood = 'Up';
    const ended = await run('lunch', server, ['one']).ended;
    expect(outcomes(ended)).toEqual(['one SUCCEEDED']);
    const told = await startRetainer(['explain', 'one', '--data', join(root.path, 'lunch')]).ended;
    expect(told.stdout).toMatch(/\d+\.\d s do not count: no process worked on it/);
  });

  verifies('run:driven-time', 'in which the process is stopped costs it none either', async () => {
    const server = await provider('SaysNothing');
    const running = run('stopped', server, ['one']);
    while (server.requests === 0) await sleep(50);
    running.child.kill('SIGSTOP');
    // Longer than the clock watch takes for a late tick.
    await sleep(15_000);
    server.mood = 'Up';
    running.child.kill('SIGCONT');
    // What the silent server was asked is asked again by the next start.
    await sleep(3_000);
    running.child.kill('SIGINT');
    await running.ended;
    const ended = await run('stopped', server, ['one']).ended;
    expect(outcomes(ended)).toEqual(['one SUCCEEDED']);
    const told = await startRetainer(['explain', 'one', '--data', join(root.path, 'stopped')]).ended;
    expect(told.stdout).toMatch(/do not count: the process was stopped/);
  });
});
