/** The life of an agent: another character, a pause, an end and a new beginning. It forgets nothing. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { PUPPET, puppetAgent, puppetCharacter, puppetObjects, puppetTask } from './puppet.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const pod = `retainer-${PUPPET}-0`;
const claims = [`data-${pod}`, `audit-${pod}`];
let namespace = '';
let began = new Date();

beforeAll(async () => {
  namespace = await world.namespace('lifecycle');
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.apply(namespace, [puppetTask('remember', 'REMEMBER garden/color = turquoise')]);
  expect(await world.ended(namespace, 'remember')).toMatchObject({ status: { outcome: 'Accepted' } });
});
beforeEach(() => {
  began = new Date();
});
afterEach(async () => {
  expect(await world.operatorFaults(began)).toEqual([]);
});
afterAll(() => world.close());

async function recalls(task: string): Promise<void> {
  await world.apply(namespace, [puppetTask(task, 'RECALL garden/color')]);
  const { status } = await world.ended(namespace, task);
  expect(status?.['summary']).toContain('turquoise');
}

const volumes = async () =>
  Promise.all(claims.map(async (name) => (await world.get('pvc', name, namespace)).metadata.uid));

describe('an agent', () => {
  verifies('e2e:character-changed', 'restarts under a changed character, with its memory', async () => {
    const before = await world.get('pod', pod, namespace);
    const agentBefore = await world.get('agent', PUPPET, namespace);
    const spec = { ...puppetCharacter.spec, persona: 'You do what the task says, politely.' };
    await world.apply(namespace, [{ ...puppetCharacter, spec }]);
    const changed = async () => {
      const agent = await world.get('agent', PUPPET, namespace);
      const now = await world.kubectl.get<ClusterObject>('pod', pod, namespace);
      const isNew = now !== undefined && now.metadata.uid !== before.metadata.uid;
      const isOther = agent.status?.['characterDigest'] !== agentBefore.status?.['characterDigest'];
      return isNew && isOther ? agent : undefined;
    };
    await world.until('a pod under the new character', changed, 120_000, namespace);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
    const agent = await world.get('agent', PUPPET, namespace);
    const now = await world.get('pod', pod, namespace);
    expect(now.metadata.annotations?.['retainer.dev/character-digest']).toBe(agent.status?.['characterDigest']);
    await recalls('after-character');
    const task = await world.get('task', 'after-character', namespace);
    expect(task.status?.['characterDigest']).toBe(agent.status?.['characterDigest']);
  });

  verifies('e2e:suspend-and-resume', 'stops when it is suspended, and goes on with its memory', async () => {
    const before = await volumes();
    await world.apply(namespace, [puppetAgent({ suspend: true })]);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'False', reason: 'Suspended' });
    const gone = async () => ((await world.kubectl.get('pod', pod, namespace)) === undefined ? true : undefined);
    await world.until('the end of its pod', gone, 90_000, namespace);
    await world.apply(namespace, [puppetTask('while-suspended', 'RECALL garden/color')]);
    await world.condition(namespace, ['task', 'while-suspended'], {
      type: 'Ready',
      status: 'False',
      reason: 'AgentSuspended',
    });
    await world.apply(namespace, [puppetAgent({ suspend: false })]);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
    expect((await world.ended(namespace, 'while-suspended')).status?.['summary']).toContain('turquoise');
    expect(await volumes()).toEqual(before);
  });

  verifies(
    'e2e:deleted-and-created-again',
    'leaves its volumes when it is deleted, and remembers when it comes again',
    async () => {
      const before = await volumes();
      await world.kubectl.run(['delete', 'agent', PUPPET, '-n', namespace]);
      const children = async () => {
        const left = await world.kubectl.run([
          'get',
          'statefulset,serviceaccount,role,rolebinding,service,configmap,networkpolicy,poddisruptionbudget,lease,pod',
          '-n',
          namespace,
          '-l',
          `retainer.dev/agent=${PUPPET}`,
          '-o',
          'name',
        ]);
        return left.trim() === '' ? true : undefined;
      };
      await world.until('the end of its children', children, 120_000, namespace);
      expect(await volumes()).toEqual(before);
      await world.apply(namespace, [puppetAgent()]);
      await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      expect(await volumes()).toEqual(before);
      await recalls('after-rebirth');
    },
  );
});
