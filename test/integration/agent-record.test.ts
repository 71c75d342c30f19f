/** The agent's program and its record: the name of the individual, and a record that somebody changed. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { recordedLife } from '@retainer/agent-pod/review/individual';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { resources } from '@retainer/kube/resources';
import { endPods, startPod, type PodProcess } from '../support/agent-pod-process.ts';
import { task as taskOf } from '../support/agents.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const leaseKey = { namespace: 'default', name: 'retainer-ada' };

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  makeLease();
});

afterEach(async () => {
  endPods();
  await server.stop();
  await root.remove();
});

/** Of another cluster, where there was one: it names nobody. */
function makeLease(): void {
  server.remove(resources.leases, leaseKey);
  server.put(resources.leases, { metadata: { ...leaseKey }, spec: {} });
}

/** No test here lets its model answer: nobody listens there. */
const models = { provider: 'Anthropic', structured: 'Xml', baseURL: 'http://127.0.0.1:9' };

function pod(directory = root.path): Promise<PodProcess> {
  return startPod({
    directory,
    url: server.url,
    spec: { models: { ...models, apiKeySecretRef: { name: 'key', key: 'value' } }, sandbox: { enabled: false } },
    secrets: { 'key/value': 'sk-test-0123456789' },
  });
}

const onLease = (): string | undefined =>
  server.get(resources.leases, leaseKey)?.metadata.annotations?.[ANNOTATIONS.individual];

async function ended(process: PodProcess): Promise<number | undefined> {
  process.child.kill('SIGTERM');
  return process.ended;
}

const segments = (store: string): readonly string[] => {
  const directory = join(root.path, 'data/journal', store);
  return readdirSync(directory).map((name) => join(directory, name));
};

/** As `sed -i` does it: a copy with another text takes the file's place. */
function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(`${path}.new`, change(readFileSync(path, 'utf8')));
  renameSync(`${path}.new`, path);
}

describe('an individual', () => {
  verifies(
    'agent-cluster:individual',
    'is named at its first start, in its record and on its Lease, for life',
    async () => {
      const first = await pod();
      const { individual } = await first.logged('the agent is at work');
      expect(individual).toMatch(/^[0-9a-f]{8}-/);
      expect(onLease()).toBe(individual);
      expect(await ended(first)).toBe(0);
      expect((await recordedLife(await openRecords(join(root.path, 'data')))).individual).toBe(individual);

      // Another cluster: another Lease, the same volume.
      makeLease();
      const second = await pod();
      expect(await second.logged('the agent is at work')).toMatchObject({ individual });
      expect(onLease()).toBe(individual);
      expect(await ended(second)).toBe(0);
    },
  );

  verifies(
    'agent-cluster:individual',
    'is another one on another volume, though its Agent has the same name',
    async () => {
      const others = temporaryDirectory();
      try {
        const first = await pod();
        const { individual } = await first.logged('the agent is at work');
        expect(await ended(first)).toBe(0);
        makeLease();
        const other = await pod(others.path);
        const { individual: another } = await other.logged('the agent is at work');
        expect(another).toMatch(/^[0-9a-f]{8}-/);
        expect(another).not.toBe(individual);
        expect(onLease()).toBe(another);
        expect(await ended(other)).toBe(0);
      } finally {
        await others.remove();
      }
    },
  );
});

describe('the name of an individual', () => {
  verifies(
    'agent-cluster:individual',
    'stands on the Lease before the agent is at work, though others write it at the same time',
    async () => {
      let conflicts = 0;
      server.faults.onRequest(({ verb, body }) => {
        const isNaming = verb === 'update' && JSON.stringify(body).includes(ANNOTATIONS.individual);
        if (!isNaming || conflicts === 3) return undefined;
        conflicts += 1;
        return { type: 'Refuse', status: 409, reason: 'Conflict' };
      });
      const { individual } = await (await pod()).logged('the agent is at work');
      expect([conflicts, onLease()]).toEqual([3, individual]);
    },
  );
});

describe('a changed record', () => {
  verifies(
    'agent-cluster:tampered-record',
    'keeps the agent from its next start, with the place in its last words',
    async () => {
      for (let starts = 0; starts < 3; starts += 1) {
        const process = await pod();
        await process.logged('the agent is at work');
        expect(await ended(process)).toBe(0);
      }
      const [path = ''] = segments('agent');
      // The first of three: what was closed well is not read again when it is opened.
      rewrite(path, (text) => text.replace('"IndividualNamed"', '"IndividualNameD"'));
      const again = await pod();
      expect(await again.ended).toBe(70);
      expect(await again.terminationMessage()).toEqual({
        reason: 'JournalCorrupt',
        message: expect.stringMatching(/\.jsonl, line 2[:,] (store agent, )?sequence 1: /),
      });
    },
  );

  verifies('agent-cluster:tampered-record', 'stops an agent that would write into a file no longer there', async () => {
    const process = await pod();
    await process.logged('the agent is at work');
    const [path = ''] = segments('inbox');
    rewrite(path, (text) => text);
    const { apiVersion, kind, spec } = taskOf('one', 'Write a note.');
    const condition = { type: 'Admitted', status: 'True', reason: 'Admitted', message: 'm' };
    const status = { conditions: [{ ...condition, lastTransitionTime: '2030-01-01T00:00:00Z' }] };
    server.put(resources.tasks, { apiVersion, kind, metadata: { namespace: 'default', name: 'one' }, spec, status });
    expect(await process.ended).toBe(70);
    expect(await process.terminationMessage()).toEqual({
      reason: 'JournalDegraded',
      message: expect.stringContaining(`${path}: the file in the directory is not the open one`),
    });
  });
});
