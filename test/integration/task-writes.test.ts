/**
 * What Retainer writes for one Task, in virtual time: the whole operator, the agent's own way of telling, and the writes of a
 * sandbox. Writes of Kubernetes for a Job and its pod, renewals of Leases and the counts of an Agent are not among them.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_VERSION, FIELD_MANAGERS, LABELS } from '@retainer/contract/api/names';
import { TASK_OUTCOMES, type TaskOutcome } from '@retainer/contract/api/task-status';
import { resources } from '@retainer/kube/resources';
import { OutboxDelivery } from '../../agent-pod/src/deliver/outbox-delivery.ts';
import type { RunProgress, RunResult } from '../../agent-pod/src/deliver/task-status-body.ts';
import { TaskStatusDelivery } from '../../agent-pod/src/deliver/task-status.ts';
import { WRITE_VERBS } from '../support/fake-api-server/api-request.ts';
import { fakeKubeClient } from '../support/fake-api-server/fake-kube-client.ts';
import { memberAt, textAt } from '../support/fake-api-server/json.ts';
import { testTools } from '../support/known-tools.ts';
import { OperatorWorld } from '../support/operator-world/operator-world.ts';
import { PLAYED_PREFIX } from '../support/operator-world/simulated-agent.ts';
import { endPod } from '../support/operator-world/simulated-kubelet.ts';
import {
  agent,
  character,
  NAMESPACE,
  SANDBOX_NAMESPACE,
  sandboxRun,
  skill,
  task,
} from '../support/operator-world/world-objects.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const { agents, characterSpecs, jobs, pods, sandboxRuns, skills, tasks } = resources;
const STEP_MS_MAX = 60_000;
/** Longer than the operator holds anything back. */
const REST_MS = 30_000;
/** After which the canaries of a new namespace have done their work. */
const SETTLED_MS = 180_000;
const REST_STEP_MS = 10_000;
const directory = temporaryDirectory();
const digest = `sha256:${'a'.repeat(64)}`;

let world: OperatorWorld;
let client: ReturnType<typeof fakeKubeClient>;
let delivery: TaskStatusDelivery;

const ofTask = (name: string) => world.server.get(tasks, { namespace: NAMESPACE, name });
const conditionOf = (name: string, wanted: string): string =>
  ((memberAt(ofTask(name), 'status.conditions') ?? []) as readonly { type: string; status: string; reason: string }[])
    .filter(({ type }) => type === wanted)
    .map(({ status, reason }) => `${status} ${reason}`)
    .join();

beforeAll(async () => {
  world = new OperatorWorld();
  await world.open();
  world.startOperator();
  await world.untilLeading();
  world.put(characterSpecs, character());
  world.put(skills, skill());
  world.put(agents, agent());
  await world.pass(SETTLED_MS, REST_STEP_MS);
  client = fakeKubeClient(world.server, { user: 'agent-ada', clock: world.clock });
  delivery = new TaskStatusDelivery({
    client,
    characterDigest: digest,
    known: testTools,
    outbox: new OutboxDelivery(join(directory.path, 'outbox')),
    runIdOf: ({ metadata }) => metadata.name,
    wholeText: () => undefined,
    untilReachable: () => Promise.resolve(),
    onDropped: () => Promise.reject(new Error('nobody ends these Tasks but their agent')),
    onDelivered: () => undefined,
    onNotice: (notice) => expect.fail(notice),
  });
});
afterAll(async () => {
  client.close();
  await world.close();
  await directory.remove();
});

async function until(what: string, isDone: () => boolean): Promise<void> {
  if ((await world.until(isDone, STEP_MS_MAX)) === undefined) throw new Error(`waited in vain: ${what}`);
}

/** Writes of the operator and of the agent, each with how often, in the order of their first. */
function writesFrom(start: number): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { user, verb, resource, subresource } of world.server.audit.slice(start)) {
    const who = user.startsWith('operator-') ? 'operator' : user === 'agent-ada' ? 'agent' : undefined;
    if (who === undefined || !WRITE_VERBS.has(verb) || resource === 'leases' || resource === 'agents') continue;
    const what = `${who}: ${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

const progress = (runId: string): RunProgress => ({
  ...{ runId, characterDigest: digest, generation: 1, startedAtMs: world.clock.nowMs(), isSetAside: false },
  ...{ approvals: [], mistyped: [], steered: undefined, question: undefined },
  ...{ answeredAtMs: undefined, decidedAtMs: undefined },
});

const resultOf = (outcome: TaskOutcome): RunResult => ({
  ...{ outcome, summary: 'It is done.', reasons: [], criteria: [], unmet: [], replans: 0, partial: false, files: [] },
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  ...{ costUsd: 0, isCostComplete: true, startedAtMs: world.clock.nowMs(), endedAtMs: world.clock.nowMs() },
});

interface Played {
  readonly outcome?: TaskOutcome;
  /** Virtual time between its begin and its end. */
  readonly tookMs?: number;
  readonly hasCode?: boolean;
}

/** One Task as its agent lives it. */
async function play(name: string, { outcome = 'Accepted', tookMs = 2000, hasCode = false }: Played = {}) {
  const start = world.server.audit.length;
  world.put(tasks, task(name));
  await until('admission', () => conditionOf(name, 'Admitted') === 'True Admitted');
  const object = ofTask(name);
  if (object === undefined) throw new Error('the Task is gone');
  delivery.report({ object, status: undefined }, progress(name));
  await until('its begin', () => conditionOf(name, 'Running') === 'True Running');
  if (hasCode) await runCode(name);
  await world.pass(tookMs);
  const told = {
    deliveryId: `${name}-d1`,
    channel: 'TaskStatus',
    runId: name,
    target: `${NAMESPACE}/${name}`,
  } as const;
  await delivery.deliver({ ...told, body: { ...resultOf(outcome) } }, new AbortController().signal);
  const readyAtOnce = conditionOf(name, 'Ready');
  await world.pass(REST_MS, REST_STEP_MS);
  return { writes: writesFrom(start), ready: readyAtOnce };
}

/** As `SandboxRunSession` does: see `sandbox-runner:few-writes` for its side of the writes. */
async function runCode(name: string): Promise<void> {
  const run = { apiVersion: API_VERSION, kind: 'SandboxRun', ...sandboxRun(name) };
  await client.create(sandboxRuns, run, { fieldManager: FIELD_MANAGERS.agentSandbox });
  const live = () => world.server.get(sandboxRuns, { namespace: NAMESPACE, name });
  await until('a sandbox', () => textAt(live(), 'status.endpoint') !== '');
  const podUid = textAt(live(), 'status.podUid');
  const pod = world.server.list(pods, SANDBOX_NAMESPACE).find(({ metadata }) => metadata.uid === podUid);
  if (pod === undefined) throw new Error('no pod has this uid');
  const end = { end: 'Exited', exitCode: 0, truncated: false, durationMs: 10, released: true };
  endPod(world.server, world.clock, pod, JSON.stringify(end));
  await until('its end', () => live() === undefined);
}

const plain = { 'operator: apply tasks/status': 1, 'agent: apply tasks/status': 2 };

describe('what is written for a Task, its Event apart', () => {
  for (const tookMs of [100, 20_000])
    verifies('operator-task:few-writes', `without code, of ${tookMs} ms: three`, async () => {
      const { writes, ready } = await play(`${PLAYED_PREFIX}plain-${tookMs}`, { tookMs });
      expect(ready).toBe('True Accepted');
      expect(writes).toEqual(plain);
    });

  for (const tookMs of [100, 20_000])
    verifies('operator-sandbox:few-writes', `with code in a cold sandbox, of ${tookMs} ms: seven`, async () => {
      const { writes } = await play(`${PLAYED_PREFIX}cold-${tookMs}`, { tookMs, hasCode: true });
      expect(writes).toEqual({
        ...plain,
        'agent: create sandboxruns': 1,
        'operator: apply jobs': 1,
        'operator: apply sandboxruns/status': 1,
        'operator: delete sandboxruns': 1,
      });
    });

  verifies('operator-sandbox:few-writes', 'with code in a warm sandbox: six', async () => {
    world.put(agents, agent({ sandbox: { pool: { size: 1, maxConcurrent: 2 } } }));
    const isPool = ({
      metadata,
      status,
    }: {
      metadata: { labels?: Readonly<Record<string, string>> };
      status?: unknown;
    }) => metadata.labels?.[LABELS.sandboxPool] !== undefined && memberAt(status, 'ready') === 1;
    await until('a pool', () => world.server.list(jobs, SANDBOX_NAMESPACE).some(isPool));
    await world.pass(REST_MS, REST_STEP_MS);
    const { writes } = await play(`${PLAYED_PREFIX}warm`, { hasCode: true });
    expect(writes).toEqual({
      ...plain,
      'agent: create sandboxruns': 1,
      'operator: apply sandboxruns/status': 1,
      'operator: delete sandboxruns': 1,
    });
  });

  for (const outcome of TASK_OUTCOMES)
    verifies('operator:kstatus', `at its end is ${outcome}, told by the agent alone`, async () => {
      const name = `${PLAYED_PREFIX}${outcome.toLowerCase()}`;
      const { writes, ready } = await play(name, { outcome });
      expect(writes).toEqual(plain);
      expect(conditionOf(name, 'Ready')).toBe(ready);
      const isGood = outcome === 'Accepted' || outcome === 'Succeeded';
      expect([conditionOf(name, 'Reconciling'), conditionOf(name, 'Stalled')].map((it) => it.split(' ')[0])).toEqual(
        isGood ? ['False', ''] : ['False', 'True'],
      );
    });

  verifies(
    'agent-cluster:told-at-end',
    'is one more where older admission policies refuse Ready to the agent',
    async () => {
      const name = `${PLAYED_PREFIX}under-older-policies`;
      const off = world.server.faults.onRequest(({ user, subresource, body }) =>
        user === 'agent-ada' && subresource === 'status' && JSON.stringify(body).includes('"Ready"')
          ? { type: 'Refuse', status: 403, reason: 'Forbidden' }
          : undefined,
      );
      const { ready } = await play(name);
      off();
      expect(ready).toBe('False Running');
      expect(conditionOf(name, 'Ready')).toBe('True Accepted');
      expect(conditionOf(name, 'Reconciling')).toBe('');
    },
  );

  it('is not more where a person changes the Task afterwards', async () => {
    const name = `${PLAYED_PREFIX}changed`;
    await play(name);
    const start = world.server.audit.length;
    world.put(tasks, { ...ofTask(name), ...task(name, { ttlSecondsAfterFinished: 86_400 }) });
    await world.pass(REST_MS, REST_STEP_MS);
    expect(writesFrom(start)).toEqual({ 'operator: apply tasks/status': 1 });
    expect(conditionOf(name, 'Ready')).toBe('True Accepted');
  });
});
