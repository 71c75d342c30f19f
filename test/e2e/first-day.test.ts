/**
 * The first day with an installation, as the gate tries it: agents, a Task with code in a sandbox Job, a refusal, an approval by a
 * person, a killed agent, another release, an end and a new beginning. Each of them is tried in its variety by another file at night.
 */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { verifies } from '../verifies.ts';
import { agentContainer, killAgent } from './held.ts';
import { installChart } from './installation.ts';
import { PUPPET, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { examples, SANDBOX_NAMESPACE, World, type ClusterObject } from './world.ts';

const world = new World();
const METEOROLOGIST = 'meteorologist';
/** Of the example: one with code, and one that the gate refuses. */
const TASKS = ['wettest-month', 'rewrite-record'];
const WAIT_MS = 120_000;
const ready = { type: 'Ready', status: 'True' } as const;
let namespace = '';

beforeAll(async () => {
  namespace = await world.namespace('first-day');
  const given = examples().filter(({ kind, metadata }) => kind !== 'Task' || TASKS.includes(metadata.name));
  await world.apply(namespace, [...given, ...puppetObjects()]);
  for (const agent of [METEOROLOGIST, PUPPET]) await world.condition(namespace, ['agent', agent], ready);
});
afterAll(() => world.close());

async function recalls(task: string): Promise<void> {
  await world.apply(namespace, [puppetTask(task, 'RECALL garden/tree')]);
  expect((await world.ended(namespace, task)).status?.['summary']).toContain('ash');
}

async function jobs(): Promise<readonly ClusterObject[]> {
  const selector = `retainer.dev/agent-namespace=${namespace},retainer.dev/agent=${METEOROLOGIST}`;
  return world.kubectl.list<ClusterObject>('jobs', '-n', SANDBOX_NAMESPACE, '-l', selector);
}

const volume = async () => (await world.get('pvc', `data-retainer-${PUPPET}-0`, namespace)).metadata.uid;

interface PendingApproval {
  readonly id: string;
  readonly argumentsDigest: string;
}

describe('an installation, on its first day', () => {
  verifies('e2e:first-day', 'runs the code of an example in a sandbox Job', async () => {
    const one = async () => (await jobs())[0];
    const [job, task] = await Promise.all([
      world.until('a sandbox Job', one, WAIT_MS, namespace),
      world.ended(namespace, 'wettest-month'),
    ]);
    expect(job.metadata.labels).toMatchObject({ 'retainer.dev/agent': METEOROLOGIST });
    expect(task.status).toMatchObject({ outcome: 'Accepted' });
    expect(task.status?.['summary']).toContain('wettest calendar month');
  });

  verifies('e2e:first-day', 'refuses what its character forbids, and says so', async () => {
    expect((await world.ended(namespace, 'rewrite-record')).status).toMatchObject({ outcome: 'Refused' });
    const refused = { type: 'Ready', status: 'False', reason: 'Refused' };
    await world.condition(namespace, ['task', 'rewrite-record'], refused);
  });

  verifies('e2e:first-day', 'waits for the leave of a person, and goes on with it', async () => {
    const task = puppetTask('needs-leave', 'REMEMBER garden/tree = ash');
    await world.apply(namespace, [{ ...task, spec: { ...task.spec, approval: { mode: 'EveryEffect' } } }]);
    const asked = { type: 'AwaitingApproval', status: 'True' };
    const { status: shown } = await world.condition(namespace, ['task', 'needs-leave'], asked);
    const [request] = (shown as { readonly pendingApprovals: readonly PendingApproval[] }).pendingApprovals;
    const by = await world.kubectl.run(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
    const decided = {
      request: request?.id,
      argumentsDigest: request?.argumentsDigest,
      decision: 'Approve',
      reason: 'fine',
    };
    const change = JSON.stringify([{ op: 'add', path: '/spec/approvals/-', value: { ...decided, by } }]);
    await world.kubectl.run(['patch', 'task', 'needs-leave', '-n', namespace, '--type=json', '-p', change]);
    expect((await world.ended(namespace, 'needs-leave')).status).toMatchObject({ outcome: 'Accepted' });
  });

  verifies('e2e:first-day', 'remembers when the process of an agent was killed', async () => {
    const { restartCount } = await agentContainer(world, namespace, PUPPET);
    await killAgent(world, namespace, PUPPET);
    const isBack = async () =>
      (await agentContainer(world, namespace, PUPPET)).restartCount > restartCount ? true : undefined;
    await world.until('a new process of the agent', isBack, WAIT_MS, namespace);
    await recalls('after-kill');
  });

  verifies('e2e:first-day', 'is upgraded while agents live', async () => {
    const before = await volume();
    await installChart(inject('installation'), { 'operator.logLevel': 'debug', 'operator.replicas': 1 });
    await recalls('after-upgrade');
    expect(await volume()).toBe(before);
  });

  verifies('e2e:first-day', 'keeps the memory of an agent that is deleted', async () => {
    const before = await volume();
    await world.kubectl.run(['delete', 'agent', PUPPET, '-n', namespace]);
    const isGone = async () =>
      (await world.kubectl.get('pod', `retainer-${PUPPET}-0`, namespace)) === undefined ? true : undefined;
    await world.until('the end of its pod', isGone, WAIT_MS, namespace);
    await world.apply(namespace, [puppetAgent()]);
    await recalls('after-rebirth');
    expect(await volume()).toBe(before);
  });
});
