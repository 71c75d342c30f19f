/** The agent's real program with a calendar, while its API server goes away: what people are told, and what no Task is asked for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { parseAgentJobs, type AgentJobs } from '@retainer/contract/api/agent-jobs';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { endPods, startPod } from '../support/agent-pod-process.ts';
import { startFakeApiServer, type FakeApiServer } from '../support/fake-api-server/fake-api-server.ts';
import { startHeldModel, type HeldModel } from '../support/held-model.ts';
import { JobLife } from '../support/job-life.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const leaseKey = { namespace: 'default', name: 'retainer-ada' };
const DAY_MS = 86_400_000;
const WORDS = 'Call Ben about the harbour.';
const RESULT = 'The harbour is quiet.';

let root: ReturnType<typeof temporaryDirectory>;
let server: FakeApiServer;
let port: number;
let model: HeldModel;

beforeEach(async () => {
  root = temporaryDirectory();
  server = await startFakeApiServer();
  port = Number(new URL(server.url).port);
  model = await startHeldModel(() => Promise.resolve([{ type: 'text', text: RESULT }]));
  server.put(resources.leases, { metadata: { ...leaseKey }, spec: {} });
});

afterEach(async () => {
  endPods();
  await model.close();
  await server.stop();
  await root.remove();
});

const data = (): string => join(root.path, 'data');
const say = (jobId: string): Promise<string> =>
  leaveCommand(data(), { type: 'RunJobNow', jobId, reason: 'it is needed now', by: 'ann' });

function note(): AgentJobs | undefined {
  const lease = server.get(resources.leases, leaseKey) as KubeObject | undefined;
  return parseAgentJobs(lease?.metadata.annotations?.[ANNOTATIONS.jobs]);
}

/** A job for the agent and a reminder, both tomorrow: what a person wants now comes now. */
async function keepCalendar(): Promise<void> {
  const life = await JobLife.begin({ directory: data() });
  const when = { type: 'Moment', atMs: Date.now() + DAY_MS } as const;
  await life.make('call-ben', { when, words: WORDS });
  await life.make('look', { when, for: 'Agent', words: 'Look at the harbour.' });
  await life.end();
}

/** @param spec  beside what each of these agents has */
function startAgent(spec: object = {}) {
  return startPod({
    directory: root.path,
    url: server.url,
    spec: {
      models: {
        ...{ provider: 'Anthropic', structured: 'Xml', baseURL: model.url },
        apiKeySecretRef: { name: 'key', key: 'value' },
      },
      sandbox: { enabled: false },
      scheduler: { idleAfter: '0s' },
      ...spec,
    },
    environment: { RETAINER_RENEW_SECONDS: '0.2', RETAINER_RETRY_SECONDS: '0.2' },
    secrets: { 'key/value': 'sk-test-0123456789' },
  });
}

interface Told {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly kind?: string; readonly name?: string };
}

const told = (): readonly Told[] => server.list(resources.events, 'default') as readonly Told[];

/** The words that lie in the outbox for people. */
function outbox(): string {
  const directory = join(data(), 'outbox');
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n');
}

describe('a job of an agent whose API server is away', () => {
  verifies('jobs-cluster:api-server-away', 'fires, and its outcome is told when it is back', async () => {
    await keepCalendar();
    const agent = await startAgent();
    await agent.logged('the agent is at work');
    await expect.poll(() => note()?.active).toBe(2);
    expect(note()).toMatchObject({ stalled: 0, next: { job: 'call-ben' }, newest: ['look', 'call-ben'] });

    await server.stop();
    await agent.logged('the API server does not answer: work continues until the Lease expires');
    await say('call-ben');
    await say('look');
    await agent.logged('a notice for a person is in the outbox', 2);
    expect(outbox()).toContain(WORDS);
    expect(outbox()).toContain(RESULT);
    expect(told()).toEqual([]);

    await server.start(port);
    await expect.poll(told).toHaveLength(2);
    expect(told()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          ...{ type: 'Normal', reason: 'ReminderDue' },
          note: 'words of the job call-ben are due: retainer jobs show call-ben -n default --agent ada',
          regarding: expect.objectContaining({ kind: 'Agent', name: 'ada' }),
        }),
        expect.objectContaining({
          ...{ type: 'Normal', reason: 'JobFinished' },
          note: 'the job look ended Succeeded: retainer jobs show look -n default --agent ada',
        }),
      ]),
    );
    await expect.poll(() => note()?.last).toMatchObject({ job: 'look', outcome: 'Succeeded' });
    expect(JSON.stringify([told(), server.get(resources.leases, leaseKey)])).not.toMatch(/harbour/);

    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    await isNoTasks();
  });

  /** In the record the run is over, and the API server was asked for no Task and told of none. */
  async function isNoTasks(): Promise<void> {
    const kinds: string[] = [];
    for await (const { kind } of (await openRecords(data())).read('run')) kinds.push(kind);
    expect(kinds.filter((kind) => kind === 'RunConcluded')).toHaveLength(1);
    expect(kinds).not.toContain('DeliveryDropped');
    const aboutTasks = server.audit.filter(({ resource }) => resource === 'tasks').map(({ verb }) => verb);
    expect(new Set(aboutTasks)).toEqual(new Set(['list', 'watch']));
  }

  verifies('jobs-cluster:no-task', 'is a run without one, over a restart of the pod in the middle of it', async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await model.close();
    model = await startHeldModel(async () => {
      await answered;
      return [{ type: 'text', text: RESULT }];
    });
    await keepCalendar();
    const first = await startAgent();
    await first.logged('the agent is at work');
    await say('look');
    await expect.poll(() => model.questions.length).toBe(1);
    first.child.kill('SIGKILL');
    await first.ended;
    // The lock of a killed process is free at once; its Lease is the same pod's.
    const second = await startAgent();
    await second.logged('the agent is at work');
    answer();
    await second.logged('a notice for a person is in the outbox');
    await expect.poll(() => note()?.last).toMatchObject({ job: 'look', outcome: 'Succeeded' });
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    await isNoTasks();
  });

  verifies(
    'jobs-cluster:no-leave',
    'says that nobody can give it leave, and ends by the word that cancels it',
    async () => {
      await model.close();
      const args = { tool: 'write_file', input: { path: 'a.md', content: 'hi' }, reason: 'It is asked for.' };
      model = await startHeldModel(() =>
        Promise.resolve([{ type: 'tool_use', id: 'call-1', name: 'request_approval', input: args }]),
      );
      await keepCalendar();
      const agent = await startAgent();
      await agent.logged('the agent is at work');
      await say('look');
      await expect.poll(told).toMatchObject([
        {
          type: 'Warning',
          reason: 'JobAwaitsApproval',
          note: expect.stringContaining('a call of the job look asks'),
        },
      ]);
      expect(JSON.stringify(told())).not.toMatch(/a\.md|harbour/);
      await leaveCommand(data(), { type: 'CancelJob', jobId: 'look', reason: 'not any more', by: 'ann' });
      await agent.logged('a notice for a person is in the outbox');
      await expect.poll(told).toHaveLength(2);
      expect(told().at(-1)).toMatchObject({
        ...{ type: 'Warning', reason: 'JobFinished' },
        note: expect.stringContaining('the job look ended Cancelled'),
      });
      agent.child.kill('SIGTERM');
      expect(await agent.ended).toBe(0);
    },
  );

  verifies('jobs-cluster:no-leave', 'is told that nobody gave it, once its time is over, and goes on', async () => {
    await model.close();
    const args = { tool: 'write_file', input: { path: 'a.md', content: 'hi' }, reason: 'It is asked for.' };
    model = await startHeldModel(({ results }) =>
      Promise.resolve([
        results === 0
          ? { type: 'tool_use', id: 'call-1', name: 'request_approval', input: args }
          : { type: 'text', text: RESULT },
      ]),
    );
    await keepCalendar();
    const agent = await startAgent({ budgets: { approvals: { timeout: '1s' } } });
    await agent.logged('the agent is at work');
    await say('look');
    await agent.logged('a notice for a person is in the outbox');
    await expect.poll(told).toHaveLength(2);
    expect(told().map(({ reason }) => reason)).toEqual(['JobAwaitsApproval', 'JobFinished']);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    const rules: unknown[] = [];
    for await (const { kind, payload } of (await openRecords(data())).read('cycle'))
      if (kind === 'GateDecided') rules.push((payload as { readonly rule: string }).rule);
    expect(rules).toContain('approval/timed-out');
  });
});
