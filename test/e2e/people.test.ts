/** People in a Task's way: it asks one, and waits for another's leave. Both stay visible while it waits, whatever happens meanwhile. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { agentContainer, killAgent } from './held.ts';
import { PUPPET, puppetAgent, puppetCharacter, puppetObjects, puppetTask } from './puppet.ts';
import { retainer } from './retainer-program.ts';
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

const CHANGED_PERSONA = 'the Task goes on under a character changed in persona';
/** The sums of `retainer replay --character`; of one run at least, however slow the machine is. */
const COMPARED = String.raw`\d+ of [1-9]\d* decisions in the last [1-9]\d* runs would have been otherwise`;

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
      await add('asks', 'answers', { question: question.id, text: 'COLOUR teal', by: await whoami() });
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
      const wrong = {
        request,
        argumentsDigest: `sha256:${'0'.repeat(64)}`,
        decision: 'Approve',
        reason: 'fine',
        by: 'me',
      };
      await expect(add('needs-leave', 'approvals', wrong)).rejects.toThrow('argumentsDigest of a request in status');
      const approval = { request, argumentsDigest, decision: 'Approve', reason: 'fine', by: await whoami() };
      await add('needs-leave', 'approvals', approval);
      const { status } = await world.ended(namespace, 'needs-leave');
      expect(status).toMatchObject({ outcome: 'Accepted' });
      expect(status).not.toHaveProperty('pendingApprovals');
    },
  );

  verifies(
    'agent-cluster:mistyped-approval',
    'names a decision that was there at its creation and fits no call, and goes on with another one',
    async () => {
      const by = await whoami();
      const decided = { decision: 'Approve', reason: 'fine', by };
      const unasked = { request: 'unasked-c1-t1-a', argumentsDigest: `sha256:${'0'.repeat(64)}`, ...decided };
      const task = needingLeave('made-wrong');
      await world.apply(namespace, [{ ...task, spec: { ...task.spec, approvals: [unasked] } }]);
      const waits = await awaits('made-wrong', 'AwaitingApproval');
      const condition = waits.status?.conditions?.find(({ type }) => type === 'AwaitingApproval');
      expect(condition?.message).toContain('requests that this run never made (unasked-c1-t1-a)');
      const events = ['get', 'events', '-n', namespace, '--field-selector', 'reason=ApprovalNotUsed', '-o', 'json'];
      const heard = async () => ((await world.kubectl.run(events)).includes('unasked-c1-t1-a') ? true : undefined);
      await world.until('an Event that names the entry', heard, 30_000, namespace);
      const [{ id: request, argumentsDigest } = { id: '', argumentsDigest: '' }] = pendingOf(waits);
      await add('made-wrong', 'approvals', { request, argumentsDigest, ...decided });
      expect((await world.ended(namespace, 'made-wrong')).status).toMatchObject({ outcome: 'Accepted' });
    },
  );

  verifies(
    'e2e:character-edited',
    'goes on under an edited character with the question that was asked, and asks again where a rule changed',
    async () => {
      await world.apply(namespace, [needingLeave('edited')]);
      const [asked] = pendingOf(await awaits('edited', 'AwaitingApproval'));
      await world.apply(namespace, [edited({ persona: 'You do what the task says, quietly.' })]);
      const went = await world.condition(namespace, ['task', 'edited'], { type: 'CharacterChanged', status: 'True' });
      const changed = went.status?.conditions?.find(({ type }) => type === 'CharacterChanged');
      expect(changed?.message).toMatch(new RegExp(`^${CHANGED_PERSONA}; ${COMPARED}$`));
      // The time in which the agent was away is not the person's.
      expect(pendingOf(went)).toEqual([{ ...asked, expiresAt: expect.any(String) }]);
      const rule = { id: 'memory-needs-leave', description: 'Remembering needs leave.', tools: ['memory_write'] };
      await world.apply(namespace, [
        edited({ authority: { ...(puppetCharacter.spec?.['authority'] as object), consult: [rule] } }),
      ]);
      const isAskedAgain = async () => {
        const task = await world.get('task', 'edited', namespace);
        return pendingOf(task).some(({ id }) => id !== asked?.id) ? task : undefined;
      };
      const again = await world.until('another question', isAskedAgain, 120_000, namespace);
      expect(JSON.stringify(again.status?.conditions)).toContain('authority.consult/memory-needs-leave');
      const [{ id: request, argumentsDigest } = { id: '', argumentsDigest: '' }] = pendingOf(again);
      const approval = { request, argumentsDigest, decision: 'Approve', reason: 'fine', by: await whoami() };
      await add('edited', 'approvals', approval);
      expect((await world.ended(namespace, 'edited')).status).toMatchObject({ outcome: 'Accepted' });
      const events = await world.kubectl.run(['get', 'events', '-n', namespace, '-o', 'json']);
      expect(events).toMatch(new RegExp(`${CHANGED_PERSONA}; ${COMPARED}`));
    },
    300_000,
  );

  verifies(
    'e2e:character-held',
    'waits under an edited character until a person lets it go on, or ends it',
    async () => {
      await world.apply(namespace, [
        puppetAgent({ limits: { concurrentRuns: 4 }, onCharacterChange: 'Hold' }),
        asking('held-on'),
        asking('held-off'),
      ]);
      const names = ['held-on', 'held-off'] as const;
      for (const name of names) await awaits(name, 'AwaitingAnswer');
      await world.apply(namespace, [edited({ persona: 'You do what the task says, slowly.' })]);
      for (const name of names)
        await world.condition(namespace, ['task', name], { type: 'Running', status: 'False', reason: 'Held' }, WAIT_MS);
      const on = await retainer('task', 'continue', 'held-on', '-n', namespace, '--agent', PUPPET);
      expect(on, on.stderr).toMatchObject({ code: 0 });
      const off = await retainer('task', 'cancel', 'held-off', '-n', namespace, '--agent', PUPPET);
      expect(off, off.stderr).toMatchObject({ code: 0 });
      expect((await world.ended(namespace, 'held-off')).status).toMatchObject({ outcome: 'Cancelled' });
      await world.condition(namespace, ['task', 'held-on'], { type: 'CharacterChanged', status: 'True' }, WAIT_MS);
      const held = await awaits('held-on', 'AwaitingAnswer');
      const { question } = held.status as { readonly question: { readonly id: string } };
      await add('held-on', 'answers', { question: question.id, text: 'COLOUR teal', by: await whoami() });
      expect((await world.ended(namespace, 'held-on')).status).toMatchObject({ outcome: 'Accepted' });
    },
    300_000,
  );
});

const edited = (spec: object): RenderedObject => ({ ...puppetCharacter, spec: { ...puppetCharacter.spec, ...spec } });

function pendingOf({ status }: ClusterObject): readonly PendingApproval[] {
  return (status?.['pendingApprovals'] ?? []) as readonly PendingApproval[];
}
