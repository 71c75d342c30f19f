/** A release that reaches agents in waves, in a whole operator: what becomes of a good one, of a bad one, and of people's changes. */
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import { ROLLOUT_CONFIG_MAP, ROLLOUT_ENTRIES, parseRolloutState } from '@retainer/contract/wire/rollout';
import type { ObjectKey } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { memberAt, textAt } from '../../support/fake-api-server/json.ts';
import { OperatorWorld, settings } from '../../support/operator-world/operator-world.ts';
import { NO_IMAGE } from '../../support/operator-world/simulated-kubelet.ts';
import { agent, character, NAMESPACE, OPERATOR_NAMESPACE, skill } from '../../support/operator-world/world-objects.ts';
import { verifies } from '../../verifies.ts';

/** Minutes of virtual time are seconds of a processor, which a busy machine has for somebody else. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const MINUTE_MS = 60_000;
const NAMES = ['ada', 'bob', 'cyd', 'dan', 'eve'];
const GOOD = 'example.org/agent:1';
const BAD = `example.org/${NO_IMAGE}:2`;
const BETTER = 'example.org/agent:3';
const images = (image: string) => ({ images: { ...settings.images, agent: image } });
const stateKey: ObjectKey = { namespace: OPERATOR_NAMESPACE, name: ROLLOUT_CONFIG_MAP };

let world: OperatorWorld;
/** Every image that a pod had, in the order of the pods. */
let podImages: Map<string, string>;

beforeEach(async () => {
  world = new OperatorWorld();
  await world.open();
  podImages = new Map();
  world.put(resources.characterSpecs, character());
  world.put(resources.skills, skill());
  for (const name of NAMES) putAgent(name);
  world.startOperator();
  await world.untilLeading();
  await world.until(() => NAMES.every(isReady), MINUTE_MS);
  await world.until(() => state()?.phase === 'Done', MINUTE_MS);
});
afterEach(() => world.close());

function putAgent(name: string, spec: Readonly<Record<string, unknown>> = {}): void {
  const object = agent(spec);
  world.put(resources.agents, { ...object, metadata: { ...object.metadata, name } });
}

const named = (name: string): ObjectKey => ({ namespace: NAMESPACE, name });
const state = () =>
  parseRolloutState(textAt(world.server.get(resources.configMaps, stateKey), `data.${ROLLOUT_ENTRIES.state}`));
const conditionOf = (name: string) =>
  (
    (memberAt(world.server.get(resources.agents, named(name)), 'status.conditions') ?? []) as readonly {
      readonly type: string;
      readonly status: string;
      readonly message: string;
    }[]
  ).find(({ type }) => type === 'Ready');
const isReady = (name: string): boolean => conditionOf(name)?.status === 'True';
const pod = (name: string) => world.server.get(resources.pods, named(`retainer-${name}-0`));
const imageOf = (name: string): string => {
  const [first] = (memberAt(pod(name), 'spec.containers') ?? []) as readonly { readonly image: string }[];
  return first?.image ?? '';
};
const uidOf = (name: string): string => pod(name)?.metadata.uid ?? '';
const uids = (): Readonly<Record<string, string>> => Object.fromEntries(NAMES.map((name) => [name, uidOf(name)]));

/** Lets time pass and remembers each pod that there was. */
async function watch(isDone: () => boolean, withinMs = 10 * MINUTE_MS): Promise<number | undefined> {
  return world.until(() => {
    for (const name of NAMES) if (pod(name) !== undefined) podImages.set(uidOf(name), `${name} ${imageOf(name)}`);
    return isDone();
  }, withinMs);
}

const had = (image: string): readonly string[] =>
  [...podImages.values()].filter((one) => one.endsWith(` ${image}`)).map((one) => one.split(' ')[0] ?? '');

describe('a release', () => {
  verifies('operator-agent:waves', 'reaches one agent, and the others after that one is Ready', async () => {
    await world.install(images(BETTER));
    await watch(() => had(BETTER).length > 0);
    expect(state()).toMatchObject({ phase: 'Rolling', wave: 1, agents: NAMES.length });
    expect(had(BETTER)).toHaveLength(1);
    expect(await watch(() => state()?.phase === 'Done')).toBeDefined();
    expect(NAMES.map(imageOf)).toEqual(NAMES.map(() => BETTER));
    expect(had(BETTER).toSorted()).toEqual(NAMES);
  });

  verifies('operator-agent:halt', 'that does not come up reaches one agent, which returns to its image', async () => {
    const before = uids();
    await world.install(images(BAD));
    expect(await watch(() => state()?.phase === 'Halted')).toBeLessThan(2 * MINUTE_MS);
    const [name = ''] = had(BAD);
    expect(state()?.halted).toMatchObject({
      agent: `${NAMESPACE}/${name}`,
      reason: 'ImagePullFailed',
      returnsTo: GOOD,
    });
    expect(await watch(() => isReady(name) && imageOf(name) === GOOD)).toBeLessThan(MINUTE_MS);
    await watch(() => false, 4 * MINUTE_MS);
    expect(had(BAD)).toEqual([name]);
    const others = NAMES.filter((one) => one !== name);
    expect(others.map(uidOf)).toEqual(others.map((one) => before[one]));
    const events = world.server.list(resources.events).filter((event) => textAt(event, 'reason') === 'RolloutHalted');
    expect(events.map((event) => textAt(event, 'regarding.kind')).toSorted()).toEqual(['Agent', 'Deployment']);
  });

  verifies('operator-agent:halt', 'stays halted under another leader, until a person resumes it', async () => {
    await world.install(images(BAD));
    await watch(() => state()?.phase === 'Halted');
    await watch(() => NAMES.every((name) => imageOf(name) === GOOD && isReady(name)));
    await world.install({});
    await watch(() => false, 2 * MINUTE_MS);
    expect([state()?.phase, had(BAD).length]).toEqual(['Halted', 1]);
    const object = world.server.get(resources.configMaps, stateKey);
    const data = { ...(object?.['data'] as object), [ROLLOUT_ENTRIES.resume]: state()?.changedAt };
    if (object !== undefined) world.put(resources.configMaps, { ...object, data });
    expect(await watch(() => had(BAD).length === 2)).toBeLessThan(MINUTE_MS);
    await watch(() => state()?.phase === 'Halted');
    await world.install(images(BETTER));
    expect(await watch(() => state()?.phase === 'Done')).toBeDefined();
    expect(NAMES.map(imageOf)).toEqual(NAMES.map(() => BETTER));
  });

  verifies(
    'operator-agent:people-beside-a-release',
    'that is halted neither stops nor joins a person’s change',
    async () => {
      await world.install(images(BAD));
      await watch(() => state()?.phase === 'Halted');
      await watch(() => NAMES.every((name) => imageOf(name) === GOOD && isReady(name)));
      const before = uids();
      putAgent('cyd', { description: 'Another one.' });
      putAgent('new');
      expect(await watch(() => uidOf('cyd') !== before['cyd'] && isReady('cyd') && isReady('new'))).toBeLessThan(
        MINUTE_MS,
      );
      expect([imageOf('cyd'), imageOf('new')]).toEqual([GOOD, GOOD]);
      const others = NAMES.filter((name) => name !== 'cyd');
      expect(others.map(uidOf)).toEqual(others.map((name) => before[name]));
    },
  );
});
