/** People in a Task's way: it asks one, and waits for another's leave. Both stay visible while it waits, whatever happens meanwhile. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { agentContainer, killAgent } from './held.ts';
import { PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const WAIT_MS = 60_000;
let namespace = '';

beforeAll(async () => {
  namespace = await world.namespace('people');
  await world.apply(namespace, puppetObjects({ limits: { concurrentRuns: 4 } }));
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
});
afterAll(() => world.close());

/** Its perceiver asks until somebody has named a colour. */
const asking = (name: string) => puppetTask(name, 'ASK which colour; then remember it');

/** Each of its calls waits for leave. */
function needingLeave(name: string): RenderedObject {
  const task = puppetTask(name, 'REMEMBER garden/tree = ash');
  return { ...task, spec: { ...task.spec, approval: { mode: 'EveryEffect' } } };
}

const awaits = (name: string, type: 'AwaitingAnswer' | 'AwaitingApproval') =>
  world.condition(namespace, ['task', name], { type, status: 'True' }, WAIT_MS);

const patch = (name: string, spec: object) =>
  world.kubectl.run(['patch', 'task', name, '-n', namespace, '--type=merge', '-p', JSON.stringify({ spec })]);

/** As docs/operations.md tells people. */
const add = (name: string, list: 'answers' | 'approvals', value: object) => {
  const change = [{ op: 'add', path: `/spec/${list}/-`, value }];
  return world.kubectl.run(['patch', 'task', name, '-n', namespace, '--type=json', '-p', JSON.stringify(change)]);
};

/** The operator has read the newest spec and written what it thinks of it. */
async function readByOperator(name: string): Promise<ClusterObject> {
  const isRead = async () => {
    const task = await world.get('task', name, namespace);
    return task.status?.['observedGeneration'] === (task.metadata as { readonly generation?: number }).generation
      ? task
      : undefined;
  };
  return world.until(`the operator's word on ${name}`, isRead, WAIT_MS, namespace);
}

/** Everything that writes the status of a Task or could: another spec, another Task of the agent, a new process of the agent. */
async function disturbed(name: string): Promise<void> {
  await patch(name, { priority: 7 });
  await readByOperator(name);
  await world.apply(namespace, [puppetTask(`beside-${name}`, 'REMEMBER garden/flower = rose')]);
  expect(await world.ended(namespace, `beside-${name}`)).toMatchObject({ status: { outcome: 'Accepted' } });
  const restarts = await restartCount();
  await killAgent(world, namespace, PUPPET);
  const isBack = async () => ((await restartCount()) > restarts ? true : undefined);
  await world.until('a new process of the agent', isBack, WAIT_MS, namespace);
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  // A Task that ends now was worked on by the new process, which has then looked at all others as well.
  await world.apply(namespace, [puppetTask(`after-${name}`, 'REMEMBER garden/bush = box')]);
  expect(await world.ended(namespace, `after-${name}`)).toMatchObject({ status: { outcome: 'Accepted' } });
}

async function restartCount(): Promise<number> {
  return (await agentContainer(world, namespace, PUPPET)).restartCount;
}

/** A decision must bear the name of whoever sends it. */
async function whoami(): Promise<string> {
  return world.kubectl.run(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
}

interface PendingApproval {
  readonly id: string;
  readonly argumentsDigest: string;
}

describe('a Task that waits for people', () => {
  verifies(
    'e2e:question-answered',
    'shows its question until it is answered, and goes on with the answer',
    async () => {
      await world.apply(namespace, [asking('asks')]);
      const shown = await awaits('asks', 'AwaitingAnswer');
      expect(shown.status?.['question']).toMatchObject({ text: 'Which colour?' });
      await disturbed('asks');
      const still = await awaits('asks', 'AwaitingAnswer');
      expect(still.status?.['question']).toEqual(shown.status?.['question']);
      expect(still.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'QuestionAsked' }),
      );
      const { question } = still.status as { readonly question: { readonly id: string } };
      await add('asks', 'answers', { question: question.id, text: 'COLOUR teal', by: 'ada' });
      const { status } = await world.ended(namespace, 'asks');
      expect(status).toMatchObject({ outcome: 'Accepted' });
      expect(status).not.toHaveProperty('question');
      await world.apply(namespace, [puppetTask('recalls', 'RECALL garden/color')]);
      expect((await world.ended(namespace, 'recalls')).status?.['summary']).toContain('teal');
    },
  );

  verifies(
    'e2e:approval-stays-visible',
    'shows what needs leave until somebody decides, and goes on with the decision',
    async () => {
      await world.apply(namespace, [needingLeave('needs-leave')]);
      const shown = await awaits('needs-leave', 'AwaitingApproval');
      await disturbed('needs-leave');
      const still = await awaits('needs-leave', 'AwaitingApproval');
      expect(still.status?.['pendingApprovals']).toEqual(shown.status?.['pendingApprovals']);
      expect(still.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'ApprovalRequested' }),
      );
      const { pendingApprovals } = still.status as { readonly pendingApprovals: readonly PendingApproval[] };
      const [{ id: request, argumentsDigest } = { id: '', argumentsDigest: '' }] = pendingApprovals;
      const approval = { request, argumentsDigest, decision: 'Approve', reason: 'fine', by: await whoami() };
      await add('needs-leave', 'approvals', approval);
      const { status } = await world.ended(namespace, 'needs-leave');
      expect(status).toMatchObject({ outcome: 'Accepted' });
      expect(status).not.toHaveProperty('pendingApprovals');
    },
  );
});
