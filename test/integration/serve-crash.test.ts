/** An agent that serves code and is killed between two steps, and the one after it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { ServeStart, ServingPort } from '@retainer/agent-pod/ports/serving-port';
import { resources } from '@retainer/kube/resources';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../support/fake-api-server/fake-kube-client.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { sandboxAgent, serveRequest } from '../support/sandbox-agent.ts';
import { SandboxOperator } from '../support/sandbox-operator.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { freePort } from '../support/free-port.ts';
import { verifies } from '../verifies.ts';

const never = new AbortController().signal;
const entry = fileURLToPath(new URL('../support/sandbox-agent-main.ts', import.meta.url));
let directory: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let operator: SandboxOperator;
let client: ReturnType<typeof fakeKubeClient>;
let workspace: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  workspace = join(directory.path, 'workspace');
  mkdirSync(workspace);
  server = await startFakeApiServer();
  client = fakeKubeClient(server, { user: 'ada' });
  operator = new SandboxOperator({ server, directory: directory.path });
  operator.start();
});
afterEach(async () => {
  await operator.stop();
  client.close();
  await server.stop();
  await directory.remove();
});

/** Leaves a line for each time that it is begun. */
const script = (port: number): string => `
  require('fs').appendFileSync('runs', 'ran');
  require('http').createServer((_, response) => response.end('here')).listen(${port}, '127.0.0.1');`;

interface Agent {
  readonly kill: () => Promise<void>;
  readonly said: Promise<ServeStart>;
}

function agent(port: number): Agent {
  const own = join(directory.path, 'own');
  const args = ['--import', 'tsx', entry, 'serve', server.url, own, workspace];
  const child = spawn(process.execPath, [...args, script(port), String(port)], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const said = text(child.stdout).then((line) => (line === '' ? undefined : JSON.parse(line)) as ServeStart);
  return { said, kill: async () => void (child.kill('SIGKILL'), await exited) };
}

async function nextAgent(): Promise<ServingPort> {
  const sandbox = sandboxAgent({ client, directory: join(directory.path, 'own'), servedMax: 1 });
  if (sandbox.serving === undefined) throw new Error('this sandbox serves');
  await sandbox.probe();
  return sandbox.serving;
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};
const intents = (): readonly string[] => {
  const path = join(directory.path, 'own', 'serve-intents');
  return existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : [];
};
const left = (): readonly unknown[] => server.list(resources.sandboxRuns);
const runs = (): string => join(operator.directoryOf(0), 'workspace', 'runs');

interface Step {
  readonly name: string;
  readonly reached: (first: Agent) => Promise<unknown>;
  readonly ran: boolean;
}

const steps: readonly Step[] = [
  { name: 'its intent is written', reached: () => until(() => intents().length > 0), ran: false },
  { name: 'the object is created', reached: () => until(() => left().length > 0), ran: false },
  { name: 'the code runs', reached: () => until(() => existsSync(runs())), ran: true },
  { name: 'the caller was told', reached: (first) => first.said, ran: true },
];

describe('an agent that is killed', () => {
  for (const step of steps)
    verifies('serve:agent-crash', `after ${step.name} finds what serves, or knows that it is lost`, async () => {
      const port = await freePort();
      const first = agent(port);
      await step.reached(first);
      await first.kill();
      const serving = await nextAgent();
      const found = await serving.lookup('call-1');
      expect(operator.count).toBeLessThanOrEqual(1);
      if (!step.ran) {
        expect(found).toBeUndefined();
        await until(() => left().length === 0 && intents().length === 0);
        return;
      }
      if (found?.type !== 'Serving') throw new Error('it serves');
      expect(serving.list()).toEqual([found.serving]);
      const place = { id: found.serving.id, name: 'web' };
      const question = { method: 'GET', path: '/', headers: {}, body: new Uint8Array() };
      const answer = await serving.forward(place, question, never);
      expect(answer === undefined ? undefined : await text(answer.body)).toBe('here');
      const again = await serving.serve(serveRequest(workspace, script(port), port), never);
      expect(again).toEqual(found);
      expect(readFileSync(runs(), 'utf8')).toBe('ran');
      for (const name of intents())
        expect(statSync(join(directory.path, 'own', 'serve-intents', name)).mode & 0o077).toBe(0);
      expect(await serving.stop(place.id)).toBe(true);
      await until(() => left().length === 0 && intents().length === 0);
      expect(await serving.lookup('call-1')).toMatchObject({ type: 'Ended', result: { end: 'Killed' } });
    });
});
