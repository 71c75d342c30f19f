/** The release itself: an upgrade, and an end. Agents and what they remember stay. */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { RELEASE } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { installChart, uninstallChart } from './installation.ts';
import { code, PUPPET, puppetObjects, puppetTask } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { SANDBOX_NAMESPACE, World } from './world.ts';

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

/** For one namespace, beside the first one. */
const SECOND = { name: 'retainer', namespace: 'retainer-second' } as const;
const SECOND_SANDBOXES = 'retainer-second-sandboxes';

/** That no operator tends a namespace: by helm alone the operator's Deployment and doctor say so, after `retainer install` each Agent. */
async function isTold(place: string): Promise<void> {
  const events = ['get', 'events', '-n', RELEASE.namespace, '--field-selector', 'reason=NotTended', '-o', 'json'];
  const heard = async () =>
    (await world.kubectl.run(events)).includes(`namespace ${place} is in `) ? true : undefined;
  await world.until('an Event of the operator that was narrowed', heard, 30_000);
  const givenUp = { type: 'AgentsTended', status: 'Unknown', reason: 'NotTended' };
  const { status } = await world.condition(RELEASE.namespace, ['deployment', 'retainer-operator'], givenUp);
  expect(status?.conditions?.find(({ type }) => type === givenUp.type)?.message).toContain(place);
  expect((await retainer('doctor')).stdout).toMatch(/^fail +tended +\d+ Agents? without an operator/m);
  const { code, stderr } = await retainer('install', '--tag', installation.tag, '--wait', '3m');
  expect(code, stderr).toBe(0);
  await world.condition(place, ['agent', PUPPET], { type: 'Ready', status: 'Unknown', reason: 'NotTended' }, 30_000);
}

/** After another release took over what the first one gave up, which the first one may not see. */
async function clearsGivenUp(): Promise<void> {
  const operator = ['deployment', 'retainer-operator', '-n', RELEASE.namespace];
  const patch = '{"status":{"conditions":[{"type":"AgentsTended","$patch":"delete"}]}}';
  await world.kubectl.run(['patch', ...operator, '--subresource=status', '-p', patch]);
  expect(await world.kubectl.run(['get', ...operator, '-o', 'jsonpath={.status.conditions[*].type}'])).not.toContain(
    'AgentsTended',
  );
}

describe('two releases', () => {
  verifies(
    'e2e:two-releases',
    'share a cluster, each with its own namespaces, and neither refuses the other’s',
    async () => {
      const other = await world.namespace('release-two');
      await world.apply(other, puppetObjects());
      await world.condition(other, ['agent', PUPPET], { type: 'Ready', status: 'True' });
      const policies = ['get', 'networkpolicies', '-n', SANDBOX_NAMESPACE, '-o', 'name', '-l'];
      const ofOther = [...policies, `retainer.dev/agent-namespace=${other}`];
      expect(await world.kubectl.run(ofOther)).not.toBe('');
      const began = new Date();
      await installChart(installation, { watchNamespaces: [namespace] });
      const left = async () => ((await world.kubectl.run(ofOther)).trim() === '' ? true : undefined);
      await world.until('the end of what was made for the other namespace', left, 60_000);
      expect(await world.operatorFaults(began)).toEqual([]);
      await isTold(other);

      const own = {
        watchNamespaces: [other],
        'crds.install': false,
        'operator.replicas': 1,
        'egressProxy.replicas': 1,
      };
      await expect(installChart(installation, own, SECOND)).rejects.toThrow('a sandbox.namespace.name of its own');
      const taken = { ...own, watchNamespaces: [namespace], 'sandbox.namespace.name': SECOND_SANDBOXES };
      await expect(installChart(installation, taken, SECOND)).rejects.toThrow(`tends the Agents of ${namespace}`);
      await installChart(installation, { ...own, 'sandbox.namespace.name': SECOND_SANDBOXES }, SECOND);
      try {
        await world.condition(other, ['agent', PUPPET], { type: 'Ready', status: 'True' });
        await clearsGivenUp();
        for (const place of [namespace, other])
          await world.apply(place, [puppetTask('beside', code('bash', 'echo side by side'))]);
        for (const place of [namespace, other]) {
          const { status } = await world.ended(place, 'beside', 240_000);
          expect(status, place).toMatchObject({
            outcome: 'Accepted',
            summary: expect.stringContaining('side by side'),
          });
        }
        for (const release of [RELEASE, SECOND])
          expect(await world.operatorFaults(began, release), release.namespace).toEqual([]);
      } finally {
        await uninstallChart(installation, SECOND);
        await world.kubectl.run(['delete', 'namespace', SECOND.namespace, '--wait=false']);
      }
    },
  );
});
