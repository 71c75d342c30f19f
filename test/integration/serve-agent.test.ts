/** The agent's program as a pod runs it, with code that it keeps serving over its own death. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { Task } from '@retainer/contract/api/task';
import { resources } from '@retainer/kube/resources';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { endPods, startPod, type PodProcess } from '../support/agent-pod-process.ts';
import { task as taskOf } from '../support/agents.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { startHeldModel, type HeldModel } from '../support/held-model.ts';
import { SandboxOperator } from '../support/sandbox-operator.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let model: HeldModel;
let operator: SandboxOperator;
let port: number;

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  ({ port } = listener.address() as AddressInfo);
  listener.close();
  await once(listener, 'close');
  const script = `
    require('fs').appendFileSync('runs', 'ran');
    require('http').createServer((_, response) => response.end('here')).listen(${port}, '127.0.0.1');`;
  const input = { language: 'javascript', script, ports: [{ name: 'web', port }], seconds: 60 };
  model = await startHeldModel(async ({ results }) => {
    const call = { type: 'tool_use', id: 'call-1', name: 'serve_code', input } as const;
    return Promise.resolve(results > 0 ? [{ type: 'text', text: 'It is served.' }] : [call]);
  });
  operator = new SandboxOperator({ server, directory: root.path });
  operator.start();
  server.put(resources.leases, { metadata: { namespace: 'default', name: 'retainer-ada' }, spec: {} });
});
afterEach(async () => {
  endPods();
  await operator.stop();
  await model.close();
  await server.stop();
  await root.remove();
});

async function pod(): Promise<PodProcess> {
  const models = {
    provider: 'Anthropic',
    structured: 'Xml',
    baseURL: model.url,
    apiKeySecretRef: { name: 'key', key: 'value' },
  };
  const process = await startPod({
    directory: root.path,
    url: server.url,
    spec: { models, sandbox: { serve: true } },
    environment: { RETAINER_SANDBOX_NAMESPACE: 'retainer-sandboxes' },
    secrets: { 'key/value': 'sk-test-0123456789' },
  });
  await process.logged('the agent is at work');
  return process;
}

async function work(): Promise<NonNullable<Task['status']>> {
  const { apiVersion, kind, spec } = taskOf('one', 'Serve a page with serve_code.');
  const metadata = { namespace: 'default', name: 'one' };
  const at = '2030-01-01T00:00:00Z';
  const admitted = { type: 'Admitted', status: 'True', reason: 'Admitted', message: 'm', lastTransitionTime: at };
  server.put(resources.tasks, { apiVersion, kind, metadata, spec, status: { conditions: [admitted] } });
  const status = (): NonNullable<Task['status']> => server.get(resources.tasks, metadata)?.['status'] ?? {};
  await expect.poll(() => status().outcome, { interval: 20 }).toBeDefined();
  return status();
}

async function addressOf(process: PodProcess): Promise<string> {
  const list = async (): Promise<readonly { ports: readonly { path: string }[] }[]> =>
    (JSON.parse((await process.ask('/serve/')).body) as { serving: readonly { ports: readonly { path: string }[] }[] })
      .serving;
  await expect.poll(async () => (await list()).length, { interval: 20 }).toBe(1);
  return (await list())[0]?.ports[0]?.path ?? '';
}

describe('an agent that serves code', () => {
  verifies(
    'serve:agent-crash',
    'is asked by a Task, records the call before it begins, is killed, and serves on',
    async () => {
      const first = await pod();
      expect(await first.ask('/serve/')).toMatchObject({ status: 200, body: '{"serving":[]}\n' });
      expect(await work()).toMatchObject({ outcome: 'Succeeded' });
      const address = await addressOf(first);
      expect(await first.ask(address)).toMatchObject({ status: 200, body: 'here' });
      first.child.kill('SIGKILL');
      await first.ended;
      const kinds: string[] = [];
      for await (const { kind } of (await openRecords(join(root.path, 'data'))).read('cycle')) kinds.push(kind);
      expect(kinds.filter((kind) => kind.startsWith('Tool'))).toEqual(['ToolRequested', 'ToolFinished']);
      const second = await pod();
      expect(await addressOf(second)).toBe(address);
      expect(await second.ask(address)).toMatchObject({ status: 200, body: 'here' });
      second.child.kill('SIGTERM');
      expect(await second.ended).toBe(0);
      // It belongs to the agent, not to the process: the next one finds it, and the operator ends it in time.
      expect(server.list(resources.sandboxRuns)).toHaveLength(1);
      expect(operator.count).toBe(1);
      expect(await readFile(join(operator.directoryOf(0), 'workspace', 'runs'), 'utf8')).toBe('ran');
    },
    90_000,
  );
});
