/** The agent's sandbox against a runner that means it no good: it answers for ever. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { systemClock } from '@retainer/contract/std/system-clock';
import { frameHeaderBytes } from '../../contract/src/wire/frames.ts';
import type { Clock } from '../../contract/src/std/clock.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../support/fake-api-server/fake-kube-client.ts';
import { sandboxAgent, sandboxRequest } from '../support/sandbox-agent.ts';
import { SandboxOperator } from '../support/sandbox-operator.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

/** On a busy machine; a run that never ends is what it finds. */
const TEST_TIMEOUT_MS = 60_000;
/** Stands for the minutes after which the agent gives a sandbox up. */
const PATIENCE_MS = 300;
const clock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs(),
  sleep: (durationMs, signal) => systemClock.sleep(durationMs > 60_000 ? PATIENCE_MS : durationMs, signal),
};

let directory: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let runner: Server;
let operator: SandboxOperator;

beforeEach(async () => {
  directory = temporaryDirectory();
  mkdirSync(join(directory.path, 'workspace'));
  server = await startFakeApiServer();
});
afterEach(async () => {
  await operator.stop();
  runner.closeAllConnections();
  await new Promise((resolve) => runner.close(resolve));
  await server.stop();
  await directory.remove();
});

type Route = 'GET /output' | 'GET /files';
type Answers = Readonly<Record<Route, (response: ServerResponse) => void>>;

async function begin(answers: Answers): Promise<void> {
  runner = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    request.on('end', () => {
      const route = `${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`;
      const answer = (answers as Readonly<Record<string, Answers[Route]>>)[route];
      if (answer === undefined) response.writeHead(204).end();
      else answer(response.writeHead(200));
    });
  });
  runner.listen(0, '127.0.0.1');
  await once(runner, 'listening');
  const endpoint = `127.0.0.1:${(runner.address() as AddressInfo).port}`;
  const status = (): Record<string, unknown> => ({ endpoint, podUid: 'pod', podName: 'pod' });
  operator = new SandboxOperator({ server, directory: directory.path, status });
  operator.start();
}

function forEver(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.write(text), 5);
  response.on('close', () => clearInterval(timer));
}

const ended = { type: 'Ended', end: 'Exited', exitCode: 0, droppedBytes: 0, durationMs: 1 };
const file = { type: 'File', path: 'a', sizeBytes: 1_000_000, isExecutable: false, isReadOnly: false } as const;

describe('a sandbox that never stops talking', () => {
  const cases: readonly { readonly name: string; readonly answers: Answers; readonly result: object }[] = [
    {
      name: 'signs of life',
      answers: { 'GET /output': (response) => forEver(response, '\n'), 'GET /files': (response) => response.end() },
      result: { end: 'Killed', reason: 'the sandbox could not be reached any more' },
    },
    {
      name: 'events',
      answers: {
        'GET /output': (response) => forEver(response, '{"type":"Started"}\n'),
        'GET /files': (response) => response.end(),
      },
      result: { end: 'Killed', reason: 'the sandbox could not be reached any more' },
    },
    {
      name: 'files',
      answers: {
        'GET /output': (response) => response.end(`${JSON.stringify(ended)}\n`),
        'GET /files': (response) => {
          response.write(frameHeaderBytes(file));
          forEver(response, 'x');
        },
      },
      result: { end: 'Exited', reason: 'its files did not come back: the sandbox is gone' },
    },
  ];
  for (const { name, answers, result } of cases)
    verifies(
      'sandbox-runner:contains-abuse',
      `is given up at its deadline: ${name}`,
      async () => {
        await begin(answers);
        const client = fakeKubeClient(server, { user: 'ada' });
        try {
          const own = join(directory.path, 'own');
          const sandbox = sandboxAgent({ client, directory: own, clock, startTimeoutMs: 30_000 });
          const request = sandboxRequest(join(directory.path, 'workspace'), 'true');
          expect(await sandbox.run(request, new AbortController().signal)).toMatchObject(result);
        } finally {
          client.close();
        }
      },
      TEST_TIMEOUT_MS,
    );
});
