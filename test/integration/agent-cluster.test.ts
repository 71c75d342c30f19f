/** The agent's program as a pod runs it: the real process, an API server of this test, a model whose answers this test holds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIELD_MANAGERS } from '@retainer/contract/api/names';
import type { Task } from '@retainer/contract/api/task';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { JournalRecord } from '@retainer/journal/journal';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { gitSays } from '../support/backups.ts';
import { endPods, startPod, type PodProcess } from '../support/agent-pod-process.ts';
import { task as taskOf } from '../support/agents.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { startHeldModel, type HeldModel, type ModelQuestion } from '../support/held-model.ts';
import type { PlayedBlock } from '../support/messages-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const leaseKey = { namespace: 'default', name: 'retainer-ada' };
const apiKey = 'sk-test-0123456789';

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let model: HeldModel;
let url: string;
let hold: (question: ModelQuestion) => Promise<void>;

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  ({ url } = server);
  hold = () => Promise.resolve();
  model = await startHeldModel(async (question) => {
    await hold(question);
    return answerOf(question);
  });
  server.put(resources.leases, { metadata: { ...leaseKey }, spec: {} });
});

afterEach(async () => {
  endPods();
  await model.close();
  await server.stop();
  await root.remove();
});

/** One line in a file, then the end. */
function answerOf({ results, task }: ModelQuestion): readonly PlayedBlock[] {
  if (results > 0) return [{ type: 'text', text: 'The note is written.' }];
  const path = task.includes('leave') ? 'notes/a.md' : 'out/a.md';
  return [{ type: 'tool_use', id: 'call-1', name: 'write_file', input: { path, content: 'hello' } }];
}

function pod(
  environment: Readonly<Record<string, string>> = {},
  secrets: object = { 'key/value': apiKey },
  memory: object = {},
): Promise<PodProcess> {
  return startPod({
    directory: root.path,
    url,
    spec: {
      models: {
        provider: 'Anthropic',
        structured: 'Xml',
        baseURL: model.url,
        apiKeySecretRef: { name: 'key', key: 'value' },
      },
      sandbox: { enabled: false },
      memory,
    },
    environment,
    secrets: secrets as Record<string, string>,
  });
}

const admitted = {
  conditions: [
    { type: 'Admitted', status: 'True', reason: 'Admitted', message: 'm', lastTransitionTime: '2030-01-01T00:00:00Z' },
  ],
};

function give(name: string, intent = 'Write a note into out/a.md.', spec: object = {}): KubeObject {
  const { apiVersion, kind, spec: full } = taskOf(name, intent, spec);
  const metadata = { namespace: 'default', name };
  return server.put(resources.tasks, { apiVersion, kind, metadata, spec: full, status: admitted });
}

function statusOf(name: string): NonNullable<Task['status']> {
  return server.get(resources.tasks, { namespace: 'default', name })?.['status'] ?? {};
}

/** Resolves when the status of a Task is as wanted: looked at with each change of the server. */
async function untilStatus(name: string, wanted: (status: NonNullable<Task['status']>) => boolean): Promise<void> {
  await expect.poll(() => wanted(statusOf(name)), { interval: 20 }).toBe(true);
}

const finished = (name: string): Promise<void> => untilStatus(name, ({ outcome }) => outcome !== undefined);

const statusWrites = (name: string): readonly unknown[] =>
  server.audit.filter((it) => it.verb === 'apply' && it.resource === 'tasks' && it.name === name && it.code === 200);

async function recordsOf(store: string): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  for await (const record of (await openRecords(join(root.path, 'data'))).read(store)) records.push(record);
  return records;
}

const kindsOf = async (store: string): Promise<readonly string[]> => (await recordsOf(store)).map(({ kind }) => kind);

/** A gate that holds the model's answer number `count`. */
function holdAnswer(count: number): { readonly asked: Promise<void>; readonly release: () => void } {
  let ask = (): void => undefined;
  let release = (): void => undefined;
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  hold = async (question) => {
    if (question.count !== count) return;
    ask();
    await released;
  };
  return { asked, release: () => release() };
}

async function endedBy(process: PodProcess, signal: NodeJS.Signals): Promise<number | undefined> {
  process.child.kill(signal);
  return process.ended;
}

describe('a Task on a cluster', () => {
  verifies(
    'agent-cluster:task-life',
    'is taken, reported, finished, with two writes and events of no user text',
    async () => {
      const process = await pod();
      await process.logged('the agent is at work');
      give('one');
      await finished('one');
      const status = statusOf('one');
      expect(status).toMatchObject({
        outcome: 'Succeeded',
        summary: 'The note is written.',
        usage: { outputTokens: 21 },
      });
      expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`).toSorted()).toEqual([
        'Admitted=True',
        'Complete=True',
        'Ready=True',
        'Running=False',
      ]);
      expect(status.artifacts).toMatchObject([{ path: 'workspace/out/a.md', sizeBytes: 5 }]);
      const kept = await readFile(join(root.path, 'data', status.resultRef?.path ?? ''), 'utf8');
      expect(JSON.parse(kept)).toMatchObject({ runId: status.runId, body: { outcome: 'Succeeded' } });
      expect(statusWrites('one')).toHaveLength(2);
      expect((await process.ask('/readyz')).status).toBe(200);
      const metrics = (await process.ask('/metrics')).body;
      expect(metrics).toMatch(
        /retainer_agent_runs_total\{outcome="Succeeded",agent="ada",agent_namespace="default"\} 1/,
      );
      expect(metrics).toMatch(/retainer_agent_lease_held\{.*\} 1/);
      expect(await endedBy(process, 'SIGTERM')).toBe(0);
      const events = JSON.stringify(server.list(resources.events));
      // One Event for the whole Task: that it was taken, its status says.
      expect(server.list(resources.events).map(({ reason }) => reason)).toEqual(['TaskFinished']);
      expect(events + JSON.stringify(process.lines)).not.toContain('note is written');
      expect(await kindsOf('inbox')).toEqual(expect.arrayContaining(['CommandAccepted', 'CommandDone']));
    },
  );

  verifies('backup:not-in-the-way', 'is copied, pushed or not, and waits for neither', async () => {
    const gitRemote = { url: 'https://127.0.0.1:9/ada.git', credentialsSecretRef: { name: 'git' } };
    const process = await pod({}, { 'key/value': apiKey }, { gitRemote });
    await process.logged('the agent is at work');
    give('one');
    await finished('one');
    expect((await process.ask('/metrics')).body).toMatch(/retainer_agent_backup_age_seconds\{.*\} \d/);
    expect(await endedBy(process, 'SIGTERM')).toBe(0);
    expect(gitSays(join(root.path, 'data'), 'log', '--format=%B', 'main')).toContain(`Run: ${statusOf('one').runId}`);
    expect(JSON.stringify(process.lines)).toMatch(/the push of the backup failed.*no Secret git with key username/);
  });

  verifies(
    'agent-cluster:api-server-away',
    'goes on without the API server, and delivers when it is back',
    async () => {
      const process = await pod();
      const second = holdAnswer(2);
      give('one');
      await second.asked;
      await untilStatus('one', ({ runId }) => runId !== undefined);
      const port = Number(new URL(url).port);
      await server.stop();
      second.release();
      await process.logged('the API server does not answer');
      await expect.poll(() => kindsOf('run')).toContain('DeliveryRequested');
      expect(process.child.exitCode).toBeNull();
      await server.start(port);
      await finished('one');
      expect(statusOf('one').outcome).toBe('Succeeded');
      expect(await endedBy(process, 'SIGTERM')).toBe(0);
    },
  );

  it.each(['SIGTERM', 'SIGKILL'] as const)('agent-cluster:restart: finishes once after %s mid-task', async (signal) => {
    const first = await pod();
    const held = holdAnswer(2);
    give('one');
    await held.asked;
    await untilStatus('one', ({ runId }) => runId !== undefined);
    expect(await endedBy(first, signal)).toBe(signal === 'SIGTERM' ? 0 : undefined);
    held.release();
    const second = await pod();
    await finished('one');
    expect(statusOf('one').outcome).toBe('Succeeded');
    expect(await endedBy(second, 'SIGTERM')).toBe(0);
    expect((await kindsOf('run')).filter((kind) => kind === 'RunConcluded')).toHaveLength(1);
    expect((await kindsOf('cycle')).filter((kind) => kind === 'ToolFinished')).toHaveLength(1);
    expect(statusWrites('one')).toHaveLength(2);
  });

  verifies('agent-cluster:restart', 'is not taken again by a later process', async () => {
    const first = await pod();
    give('one');
    await finished('one');
    expect(await endedBy(first, 'SIGTERM')).toBe(0);
    server.putStatus(resources.tasks, { ...(give('two') satisfies KubeObject), status: admitted });
    const second = await pod();
    await finished('two');
    expect(await endedBy(second, 'SIGTERM')).toBe(0);
    expect((await kindsOf('run')).filter((kind) => kind === 'RunAdmitted')).toHaveLength(2);
  });

  verifies(
    'agent-cluster:approval',
    'shows what needs leave, and does it once a person gave it for these arguments',
    async () => {
      const process = await pod();
      const second = holdAnswer(2);
      const object = give('one', 'Write a note, with leave.');
      await untilStatus('one', ({ pendingApprovals }) => pendingApprovals?.length === 1);
      const [pending] = statusOf('one').pendingApprovals ?? [];
      expect(pending).toMatchObject({ tool: 'write_file', effect: expect.stringContaining('notes/a.md') });
      expect(statusOf('one').conditions).toContainEqual(
        expect.objectContaining({ type: 'AwaitingApproval', status: 'True' }),
      );
      const { argumentsDigest = '', id: request = '' } = pending ?? {};
      const approval = { request, argumentsDigest, decision: 'Approve', reason: 'fine', by: 'jo' };
      const live = server.get(resources.tasks, { namespace: 'default', name: 'one' }) ?? object;
      server.put(resources.tasks, { ...live, spec: { ...(live['spec'] as object), approvals: [approval] } });
      await second.asked;
      await untilStatus('one', ({ conditions = [] }) => {
        const isOver = conditions.some(({ type, status }) => type === 'AwaitingApproval' && status === 'False');
        return isOver && statusOf('one').pendingApprovals === undefined;
      });
      second.release();
      await finished('one');
      expect(await readFile(join(root.path, 'data/workspace/notes/a.md'), 'utf8')).toBe('hello');
      expect(statusOf('one').pendingApprovals).toBeUndefined();
      expect(statusWrites('one').length).toBeLessThanOrEqual(4);
      expect(await endedBy(process, 'SIGTERM')).toBe(0);
    },
  );

  verifies(
    'agent-cluster:cancel',
    'ends when it says cancel, when it is deleted, and when somebody else ended it',
    async () => {
      const process = await pod();
      hold = () => new Promise(() => undefined);
      for (const name of ['cancelled', 'deleted', 'ended']) give(name);
      for (const [name, act] of Object.entries({
        cancelled: (live: KubeObject) =>
          server.put(resources.tasks, { ...live, spec: { ...(live['spec'] as object), cancel: true } }),
        deleted: () => server.remove(resources.tasks, { namespace: 'default', name: 'deleted' }),
        ended: (live: KubeObject) =>
          server.putStatus(resources.tasks, { ...live, status: { ...(live['status'] as object), outcome: 'Failed' } }),
      })) {
        await untilStatus(name, ({ runId }) => runId !== undefined);
        const live = server.get(resources.tasks, { namespace: 'default', name });
        if (live !== undefined) act(live);
      }
      await finished('cancelled');
      expect(statusOf('cancelled').outcome).toBe('Cancelled');
      const closed = async (): Promise<number> => (await kindsOf('run')).filter((kind) => kind === 'RunClosed').length;
      await expect.poll(closed).toBe(3);
      expect(statusOf('ended').outcome).toBe('Failed');
      expect((await kindsOf('agent')).filter((kind) => kind === 'DeliveryDropped')).toHaveLength(2);
      expect(await endedBy(process, 'SIGTERM')).toBe(0);
    },
  );
});

describe('a pod that may not start', () => {
  verifies('agent-cluster:boot-digest', 'refuses a character that is not the one it was made for', async () => {
    const process = await pod({ RETAINER_CHARACTER_DIGEST: `sha256:${'0'.repeat(64)}` });
    expect(await process.ended).toBe(78);
    expect(await process.terminationMessage()).toMatchObject({ reason: 'CharacterDigestMismatch' });
  });

  verifies('agent-cluster:secret', 'names the Secret or key to create', async () => {
    const without = await pod({}, {});
    expect(await without.ended).toBe(78);
    expect(await without.terminationMessage()).toMatchObject({
      reason: 'SecretNotFound',
      message: expect.stringContaining('kubectl create secret'),
    });
    const other = await pod({}, { 'key/other': 'x' });
    expect(await other.ended).toBe(78);
    expect(await other.terminationMessage()).toMatchObject({ reason: 'SecretKeyNotFound' });
  });
});

describe('the Lease of an agent', () => {
  const short = { RETAINER_LEASE_SECONDS: '3', RETAINER_RENEW_SECONDS: '1', RETAINER_RETRY_SECONDS: '0.3' };

  verifies('agent-cluster:readiness', 'is waited for, alive and not ready, while the API server is away', async () => {
    const port = Number(new URL(url).port);
    await server.stop();
    const process = await pod();
    await process.logged('waiting for the Lease');
    expect((await process.ask('/healthz')).status).toBe(200);
    const answer = await process.ask('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.body).toContain('LeaseNotHeld');
    await server.start(port);
    await process.logged('the agent is at work');
    await expect.poll(async () => (await process.ask('/readyz')).status).toBe(200);
    expect(await endedBy(process, 'SIGTERM')).toBe(0);
  });

  verifies('agent-cluster:lease', 'is the epoch; lost, the work stands still; regained, it goes on', async () => {
    const process = await pod(short);
    const held = holdAnswer(2);
    give('one');
    await held.asked;
    const off = server.faults.onRequest((request) =>
      request.served?.resource.plural === 'leases'
        ? { type: 'Refuse', status: 500, reason: 'InternalError' }
        : undefined,
    );
    await process.logged('the Lease is lost');
    held.release();
    await expect.poll(async () => (await process.ask('/readyz')).status).toBe(503);
    expect(statusOf('one').outcome).toBeUndefined();
    off();
    await process.logged('the Lease is held', 2);
    await finished('one');
    const [opened] = await epochs();
    expect(server.get(resources.leases, leaseKey)?.['spec']).toMatchObject({ leaseTransitions: opened });
    expect(await endedBy(process, 'SIGTERM')).toBe(0);
  });

  verifies('agent-cluster:lease', 'held by another pod ends the process, which writes nothing more', async () => {
    const process = await pod(short);
    await process.logged('the agent is at work');
    const live = server.get(resources.leases, leaseKey);
    const spec = { ...(live?.['spec'] as object), holderIdentity: 'retainer-ada-0_other', leaseTransitions: 9 };
    server.put(resources.leases, { metadata: leaseKey, spec });
    expect(await process.ended).toBe(75);
    expect((await kindsOf('system')).at(-1)).not.toBe('Closed');
  });

  verifies('agent-cluster:lease', 'made again is raised above the record that is there', async () => {
    for (const round of [1, 2, 3]) {
      const process = await pod();
      await process.logged('the agent is at work');
      expect(await endedBy(process, 'SIGTERM')).toBe(0);
      if (round === 2) server.remove(resources.leases, leaseKey);
      if (round === 2) server.put(resources.leases, { metadata: leaseKey, spec: {} });
    }
    const seen = await epochs();
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBe(seen.length);
  });

  async function epochs(): Promise<readonly number[]> {
    const opened = (await recordsOf('system')).filter(({ kind }) => kind === 'Opened');
    return opened.map(({ epoch }) => epoch);
  }
});

describe('what the agent writes', () => {
  verifies('agent-cluster:task-life', 'is of its own field manager, and holds no secret', async () => {
    const process = await pod();
    give('one', `Write a note. The key is ${apiKey}.`);
    await finished('one');
    expect(await endedBy(process, 'SIGTERM')).toBe(0);
    const writes = server.audit.filter((it) => it.resource === 'tasks' && it.isChange && it.verb === 'apply');
    expect(writes.every((it) => it.query.includes(FIELD_MANAGERS.agentTaskStatus))).toBe(true);
    for (const store of ['inbox', 'run', 'cycle']) expect(JSON.stringify(await recordsOf(store))).not.toContain(apiKey);
    expect(JSON.stringify(process.lines)).not.toContain(apiKey);
  });
});
