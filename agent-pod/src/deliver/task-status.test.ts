import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, vi } from 'vitest';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { testTools } from '../../../test/support/known-tools.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { verifies } from '../../../test/verifies.ts';
import { OutboxDelivery } from './outbox-delivery.ts';
import type { RunProgress } from './task-status-body.ts';
import { TaskStatusDelivery } from './task-status.ts';

const KEY = { namespace: 'weather', name: 'note' };
const DIGEST = `sha256:${'a'.repeat(64)}`;
const clock = manualClock();
const directory = temporaryDirectory();
let server: FakeApiServer;
let client: ReturnType<typeof fakeKubeClient>;
let delivery: TaskStatusDelivery;

beforeEach(async () => {
  server = await startFakeApiServer({ clock });
  client = fakeKubeClient(server, { user: 'agent', clock });
  delivery = new TaskStatusDelivery({
    client,
    characterDigest: DIGEST,
    known: testTools,
    outbox: new OutboxDelivery(join(directory.path, 'outbox')),
    runIdOf: ({ metadata }) => metadata.name,
    wholeText: () => undefined,
    untilReachable: () => Promise.resolve(),
    onDropped: () => Promise.resolve(),
    onDelivered: () => undefined,
    onNotice: (notice) => expect.fail(notice),
  });
  server.put(resources.tasks, { metadata: KEY, spec: { agentRef: { name: 'ada' }, intent: 'Write a note.' } });
});
afterEach(async () => {
  client.close();
  await server.stop();
});
afterAll(() => directory.remove());

function task(): KubeObject {
  const found = server.get(resources.tasks, KEY);
  if (found === undefined) throw new Error('the Task is gone');
  return found;
}

const waiting: RunProgress['approvals'][number] = {
  ...{ requestId: 'note-1-c1-t1-a', callId: 'note-1-c1-t1', tool: 'write_file', input: {}, reason: 'a rule asks' },
  ...{ argumentsDigest: 'c'.repeat(64), effectClass: 2, requestedAtMs: 0, expiresAtMs: 9000, calls: 1 },
};
const progress: RunProgress = {
  ...{ runId: 'note-1', characterDigest: DIGEST, generation: 1, startedAtMs: 0, isSetAside: false },
  ...{ approvals: [], mistyped: [], steered: undefined, question: undefined },
  ...{ answeredAtMs: undefined, decidedAtMs: undefined },
};

type Status = Parameters<TaskStatusDelivery['report']>[0]['status'];
const statusOf = (): Status => task()['status'] as Status;

/** @param now  writes of the status since the first report, and what the condition says */
async function report(change: Partial<RunProgress>, now: readonly [writes: number, message: unknown]): Promise<void> {
  delivery.report({ object: task(), status: statusOf() }, { ...progress, ...change });
  await vi.waitFor(() => {
    const writes = server.audit.filter(({ subresource }) => subresource === 'status').length;
    const waits = statusOf()?.conditions?.find(({ type }) => type === 'AwaitingApproval');
    expect([writes, waits?.message]).toEqual(now);
  });
}

describe('the report on a Task', () => {
  verifies('agent-cluster:mistyped-approval', 'is written again when what is wrong with an entry changes', async () => {
    const unasked = ['other-c1-t1-a'];
    await report({ unasked }, [1, expect.stringContaining('never made (other-c1-t1-a)')]);
    await report({ unasked }, [1, expect.stringContaining('never made (other-c1-t1-a)')]);
    const approvals = [waiting];
    const mistyped = [waiting.requestId];
    const both = /another argumentsDigest .* for note-1-c1-t1-a.*never made/;
    await report({ unasked, approvals, mistyped }, [2, expect.stringMatching(both)]);
    await report({ unasked, approvals }, [3, expect.stringMatching(/^a call waits.*never made/)]);
    await report({ approvals }, [4, 'a call waits for a person: approve or deny it in spec.approvals']);
  });
});
