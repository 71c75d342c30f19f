/**
 * A pod that was forced away: the next one starts on the same volume, with another uid, while the old process may still live. Real
 * processes, at random moments; whole Leases, so that a wait for one would be noticed.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { verifyJournal } from '@retainer/journal/verify';
import { resources } from '@retainer/kube/resources';
import { endPods, startPod, type PodProcess } from '../support/agent-pod-process.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const ROUNDS = bySize({ check: 4, nightly: 50 });
/** Of a Lease of 90 s: whoever waited for it would be far later. */
const TAKEN_OVER_MS = 15_000;
/** How long an old process may live on, so that the next one meets it. */
const LIVES_ON_MS = 3_000;

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  server.put(resources.leases, { metadata: { namespace: 'default', name: 'retainer-ada' }, spec: {} });
});

afterEach(async () => {
  endPods();
  await server.stop();
  await root.remove();
});

const models = { provider: 'Anthropic', structured: 'Xml', baseURL: 'http://127.0.0.1:9' };

function pod(uid: string, node = 'node-1'): Promise<PodProcess> {
  return startPod({
    directory: root.path,
    url: server.url,
    spec: { models: { ...models, apiKeySecretRef: { name: 'key', key: 'value' } }, sandbox: { enabled: false } },
    secrets: { 'key/value': 'sk-test-0123456789' },
    environment: { RETAINER_POD_UID: uid, RETAINER_NODE_NAME: node },
  });
}

const isAtWork = ({ lines }: PodProcess): boolean => lines.some(({ message }) => message === 'the agent is at work');

async function killed(process: PodProcess): Promise<void> {
  process.child.kill('SIGKILL');
  await process.ended;
}

/** What the old process does until it is killed. */
const fates: readonly {
  readonly name: string;
  readonly before: (old: PodProcess, random: Seeded) => Promise<unknown>;
}[] = [
  { name: 'is killed', before: () => Promise.resolve() },
  { name: 'lives on', before: (_, random) => sleep(random.below(LIVES_ON_MS)) },
  {
    name: 'stands still',
    before: (old, random) => {
      old.child.kill('SIGSTOP');
      return sleep(random.below(LIVES_ON_MS));
    },
  },
  {
    name: 'drains',
    before: (old) => {
      old.child.kill('SIGTERM');
      return old.ended;
    },
  },
];

/** Every record in the order in which it was written: the number of the writer never falls. */
async function expectOneWriterAtATime(): Promise<void> {
  const reader = await openRecords(join(root.path, 'data'));
  let epoch = 0;
  for await (const record of reader.readAll(reader.stores)) {
    expect(record.epoch, `order ${record.order}`).toBeGreaterThanOrEqual(epoch);
    epoch = record.epoch;
  }
  for await (const fault of verifyJournal({ directory: join(root.path, 'data/journal'), blobs: true }))
    expect(fault).toBeUndefined();
}

describe('an agent whose pod was forced away', () => {
  verifies(
    'agent-cluster:lost-pod',
    `goes on within ${TAKEN_OVER_MS / 1000} s after the old process has ended, and not before, ${ROUNDS} times`,
    async () => {
      const seed = testSeed;
      const random = new Seeded(seed);
      let old = await pod('uid-0');
      await old.logged('the agent is at work');
      for (const round of Array.from({ length: ROUNDS }, (_, index) => index)) {
        const fate = fates[round % fates.length] ?? fates[0];
        const why = `seed ${seed}, round ${round}: the old process ${fate?.name}`;
        const next = await pod(`uid-${round + 1}`);
        await fate?.before(old, random);
        expect(isAtWork(next), why).toBe(false);
        await killed(old);
        const endedMs = performance.now();
        await next.logged('the agent is at work');
        expect(performance.now() - endedMs, why).toBeLessThan(TAKEN_OVER_MS);
        old = next;
      }
      await killed(old);
      await expectOneWriterAtATime();
    },
    limitMs(180_000, 15),
  );

  verifies('agent-cluster:lost-pod', 'waits for the Lease on another node, where no lock can tell', async () => {
    const old = await pod('uid-0');
    await old.logged('the agent is at work');
    await killed(old);
    const next = await pod('uid-1', 'node-2');
    await next.logged('the agent starts');
    await sleep(LIVES_ON_MS);
    expect(isAtWork(next)).toBe(false);
    expect(await readFile(join(root.path, 'data/journal/lock'), 'utf8')).toBe(`${old.child.pid}\n`);
  });
});
