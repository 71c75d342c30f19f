/** The release itself: an upgrade, and an end. Agents and what they remember stay. */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { verifies } from '../verifies.ts';
import { installChart, uninstallChart } from './installation.ts';
import { PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { World } from './world.ts';

const world = new World();
const installation = inject('installation');
const pod = `retainer-${PUPPET}-0`;
let namespace = '';

beforeAll(async () => {
  namespace = await world.namespace('release');
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  await world.apply(namespace, [puppetTask('remember', 'REMEMBER garden/color = turquoise')]);
  expect(await world.ended(namespace, 'remember')).toMatchObject({ status: { outcome: 'Accepted' } });
});
afterAll(async () => {
  await installChart(installation);
  await world.close();
});

async function recalls(task: string): Promise<void> {
  await world.apply(namespace, [puppetTask(task, 'RECALL garden/color')]);
  expect((await world.ended(namespace, task)).status?.['summary']).toContain('turquoise');
}

const volume = async () => (await world.get('pvc', `data-${pod}`, namespace)).metadata.uid;

describe('a release', () => {
  verifies('e2e:upgrade-keeps-memory', 'can be upgraded while agents live', async () => {
    const before = await volume();
    await installChart(installation, { 'operator.logLevel': 'debug', 'operator.replicas': 1 });
    await recalls('after-upgrade');
    expect(await volume()).toBe(before);
  });

  verifies('e2e:uninstall-keeps-memory', 'leaves agents, their pods and their volumes when it goes', async () => {
    const before = await world.get('pod', pod, namespace);
    const volumeBefore = await volume();
    await uninstallChart(installation);
    expect((await world.get('pod', pod, namespace)).metadata.uid).toBe(before.metadata.uid);
    expect(await world.kubectl.run(['get', 'agents,tasks,characterspecs', '-n', namespace, '-o', 'name'])).toContain(
      `agent.retainer.dev/${PUPPET}`,
    );
    await installChart(installation);
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
    await recalls('after-reinstall');
    expect(await volume()).toBe(volumeBefore);
  });
});
