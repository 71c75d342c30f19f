/**
 * A release whose image does not exist: it halts at its first agent, which goes back, and a person resumes it. Part of
 * `npm run nightly` alone, as it takes two minutes: `RETAINER_TEST_SIZE=nightly npm run test:e2e -- rollout` runs it by itself.
 */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { isNightly } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';
import { tagImage } from './cluster.ts';
import { installChart } from './installation.ts';
import { PUPPET, puppetAgent, puppetObjects } from './puppet.ts';
import { retainer } from './retainer-program.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
const installation = inject('installation');
let namespace = '';

describe.skipIf(!isNightly)('a release', () => {
  beforeAll(async () => {
    namespace = await world.namespace('rollout');
    await world.apply(namespace, puppetObjects());
    await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  });
  afterAll(async () => {
    await installChart(installation);
    await world.close();
  });

  verifies(
    'e2e:release-in-waves',
    'halts at the first agent that does not come up, until a person resumes it',
    async () => {
      const { cluster, tag } = installation;
      const late = `late-${Date.now().toString(36)}`;
      const others = ['second', 'third'];
      const agents = [PUPPET, ...others];
      await world.apply(
        namespace,
        others.map((name) => ({ ...puppetAgent(), metadata: { name } })),
      );
      for (const name of agents)
        await world.condition(namespace, ['agent', name], { type: 'Ready', status: 'True', reason: 'AgentReady' });
      const podOf = (name: string) => world.get('pod', `retainer-${name}-0`, namespace);
      const imagesOf = ({ spec = {} }: ClusterObject) => (spec['containers'] as readonly { image: string }[])[0]?.image;
      const before = new Map((await Promise.all(agents.map(podOf))).map((seen) => [seen.metadata.name, seen]));
      await installChart(installation, { 'image.agent.tag': late });
      const halted = { type: 'AgentsRolledOut', status: 'False', reason: 'RolloutHalted' };
      const system = 'retainer-system';
      const deployment = ['deployment', 'retainer-operator'] as const;
      await world.condition(system, deployment, halted);
      const touched = await world.until(
        'the return of the one agent',
        async () => {
          const now = await Promise.all(agents.map(podOf));
          const changed = now.filter(({ metadata }) => before.get(metadata.name)?.metadata.uid !== metadata.uid);
          const [one] = changed;
          const isBack = one !== undefined && imagesOf(one)?.endsWith(`:${tag}`) === true;
          return isBack && changed.length === 1 ? one.metadata.name.slice('retainer-'.length, -'-0'.length) : undefined;
        },
        120_000,
        namespace,
      );
      await world.condition(namespace, ['agent', touched], { type: 'Ready', status: 'True' });
      const told = await retainer('rollout', 'status');
      expect([told.code, told.stderr]).toEqual([4, '']);
      expect(told.stdout).toMatch(
        new RegExp(`^halted: Agent ${namespace}/${touched} did not come up with .*:${late}\n`),
      );
      expect((await retainer('doctor', '-n', namespace)).stdout).toMatch(/^fail +rollout /m);
      const untouched = agents.filter((name) => name !== touched);
      for (const { metadata, status } of await Promise.all(untouched.map(podOf))) {
        expect(metadata.uid).toBe(before.get(metadata.name)?.metadata.uid);
        expect(status?.['containerStatuses']).toMatchObject([{ restartCount: 0 }, { restartCount: 0 }]);
      }

      await tagImage(cluster, `docker.io/retainer/agent:${tag}`, `docker.io/retainer/agent:${late}`);
      expect(await retainer('rollout', 'resume')).toMatchObject({ code: 0 });
      await world.condition(system, deployment, { type: 'AgentsRolledOut', status: 'True' });
      const after = await Promise.all(agents.map(podOf));
      expect(after.map((seen) => imagesOf(seen)?.split(':').at(-1))).toEqual(agents.map(() => late));
      expect((await retainer('rollout', 'status')).code).toBe(0);
    },
  );
});
