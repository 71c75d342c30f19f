/** Agents, skills and characters in a whole operator: what becomes of them in every order, and when something is wrong. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { KubeObject, ObjectKey } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';
import { memberAt, textAt } from '../../support/fake-api-server/json.ts';
import { OperatorWorld } from '../../support/operator-world/operator-world.ts';
import { agent, character, NAMESPACE, skill, skillBody } from '../../support/operator-world/world-objects.ts';
import { verifies } from '../../verifies.ts';

const MINUTE_MS = 60_000;
/** Minutes of virtual time are seconds of a processor, which a busy machine has for somebody else. */
vi.setConfig({ testTimeout: 120_000 });
let world: OperatorWorld;

beforeEach(async () => {
  world = new OperatorWorld();
  await world.open();
  world.startOperator();
});

afterEach(() => world.close());

const named = (name: string): ObjectKey => ({ namespace: NAMESPACE, name });
const live = (resource: Resource, name: string) => world.server.get(resource, named(name));
const statefulSet = (name = 'ada') => live(resources.statefulSets, `retainer-${name}`);

interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function condition(resource: Resource, name: string, type = 'Ready'): SeenCondition | undefined {
  const conditions = (memberAt(live(resource, name), 'status.conditions') ?? []) as readonly SeenCondition[];
  return conditions.find((one) => one.type === type);
}

const ready = (name = 'ada') => condition(resources.agents, name);

async function untilReason(reason: string, name = 'ada'): Promise<SeenCondition | undefined> {
  const tookMs = await world.until(() => ready(name)?.reason === reason, 5 * MINUTE_MS);
  expect(tookMs, `${name} is ${ready(name)?.reason}: ${ready(name)?.message}`).toBeDefined();
  return ready(name);
}

function put(...objects: readonly KubeObject[]): void {
  const kinds = [resources.agents, resources.skills, resources.characterSpecs];
  for (const object of objects) {
    const resource = kinds.find(({ kind }) => kind === object.kind);
    if (resource !== undefined) world.put(resource, object);
  }
}

async function readyAgent(): Promise<void> {
  put(character(), skill(), agent());
  await untilReason('AgentReady');
}

/** Changes by the operator, leases aside. */
const changes = () =>
  world.requests.filter(({ isChange, resource }) => isChange && resource !== 'leases' && resource !== 'events');

const documents = () =>
  world.server
    .list(resources.configMaps, NAMESPACE)
    .filter(({ metadata }) => metadata.labels?.[LABELS.agent] === 'ada')
    .map(({ metadata }) => metadata.name);

/** As a person would who cleans up too much. */
function stripLabels(name: string): void {
  const object = live(resources.configMaps, name);
  if (object === undefined) throw new Error(`${name} is gone`);
  const { labels: _, ...metadata } = object.metadata;
  world.put(resources.configMaps, { ...object, metadata });
}

describe('an Agent', () => {
  const parts = [character(), skill(), agent()];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (const order of orders)
    verifies('operator-agent:heals-in-any-order', `becomes ready in the order ${order.join(', ')}`, async () => {
      for (const at of order) {
        put(...parts.slice(at, at + 1));
        await world.pass(1000);
      }
      await untilReason('AgentReady');
      expect(condition(resources.skills, 'counting')?.reason).toBe('SkillReady');
      expect(condition(resources.characterSpecs, 'careful')?.reason).toBe('CharacterReady');
      expect(memberAt(live(resources.agents, 'ada'), 'status.skills')).toBe(1);
    });

  verifies(
    'operator-agent:no-writes-at-rest',
    'that is as it should be costs no write, also after a restart of the operator',
    async () => {
      await readyAgent();
      await world.pass(3 * MINUTE_MS);
      const before = changes().length;
      await world.pass(10 * MINUTE_MS);
      expect(
        changes()
          .slice(before)
          .map(({ verb, resource, name, body }) => ({ verb, resource, name, body })),
      ).toEqual([]);
      world.kill();
      world.startOperator();
      await world.pass(3 * MINUTE_MS);
      const afterRestart = changes()
        .slice(before)
        .filter(({ namespace }) => namespace === NAMESPACE);
      expect(afterRestart.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)).toEqual([]);
    },
  );

  verifies(
    'operator-agent:fields-in-effect',
    'that sets a field in vain is told so in one write, and none follows',
    async () => {
      await readyAgent();
      await world.pass(3 * MINUTE_MS);
      const told = (resource: Resource, name: string) => condition(resource, name, 'FieldsInEffect');
      expect(told(resources.agents, 'ada')).toMatchObject({ status: 'True', reason: 'AllInEffect' });
      const before = changes().length;
      const override = (name: string) => ({ agent: name, tool: { modify: 0.3, reject: 0.5 } });
      put(character({ gatePolicies: { agentOverrides: ['Writer', 'Researcher'].map(override) } }));
      put(agent({ specialists: { overrides: [{ name: 'Writer', maxTurns: 3 }] } }));
      await world.pass(10 * MINUTE_MS);
      expect(told(resources.characterSpecs, 'careful')).toMatchObject({
        status: 'False',
        message: expect.stringContaining('spec.gatePolicies.agentOverrides[Writer]'),
      });
      expect(told(resources.characterSpecs, 'careful')?.message).not.toContain('Researcher');
      expect(told(resources.agents, 'ada')?.message).toContain(
        'spec.specialists.overrides[Writer], spec.gatePolicies.agentOverrides[Researcher] of its CharacterSpec',
      );
      const statuses = () =>
        changes()
          .slice(before)
          .filter(({ resource }) => resource === 'characterspecs' || resource === 'agents');
      expect(statuses().filter(({ resource }) => resource === 'characterspecs')).toHaveLength(1);
      const rest = statuses().length;
      await world.pass(10 * MINUTE_MS);
      expect(statuses()).toHaveLength(rest);
    },
  );

  it('that is deleted takes its children with it and leaves its claims', async () => {
    await readyAgent();
    world.remove(resources.agents, named('ada'));
    await world.pass(MINUTE_MS);
    expect(statefulSet()).toBeUndefined();
    expect(documents()).toEqual([]);
    expect(live(resources.claims, 'data-retainer-ada-0')).toBeDefined();
    put(agent());
    await untilReason('AgentReady');
  });

  it('that is suspended has no pod, and goes on when it is resumed', async () => {
    await readyAgent();
    put(agent({ suspend: true }));
    await untilReason('Suspended');
    await world.rest();
    expect(live(resources.pods, 'retainer-ada-0')).toBeUndefined();
    put(agent());
    await untilReason('AgentReady');
  });

  it('that is suspended while its character is missing stops all the same', async () => {
    await readyAgent();
    world.remove(resources.characterSpecs, named('careful'));
    put(agent({ suspend: true }));
    await untilReason('Suspended');
    await world.rest();
    expect(live(resources.pods, 'retainer-ada-0')).toBeUndefined();
  });
});

describe('an Agent whose code is root', () => {
  const ROOTS = 'retainer-sandboxes-root';

  beforeEach(async () => {
    await world.close();
    world = new OperatorWorld({ settings: { sandboxRootNamespace: ROOTS, hasUserNamespaces: true } });
    await world.open();
    world.server.faults.onRequest(({ verb, served, namespace }) =>
      verb === 'apply' && served?.resource === resources.jobs && namespace === ROOTS
        ? { type: 'Refuse', status: 403, reason: 'Forbidden' }
        : undefined,
    );
    world.startOperator();
  });

  it('hears of the proof for its own namespace', async () => {
    put(character(), skill(), agent());
    const proof = () => condition(resources.agents, 'ada', 'NetworkPolicyEnforced')?.status;
    await world.until(() => proof() === 'True', 2 * MINUTE_MS);
    expect(proof()).toBe('True');
    put(agent({ sandbox: { root: true } }));
    await world.until(() => proof() !== 'True', 2 * MINUTE_MS);
    expect(proof()).toBe('Unknown');
  });
});

describe('a bad change', () => {
  const bad: readonly [string, () => void, string, () => void][] = [
    [
      'a character that is gone',
      () => world.remove(resources.characterSpecs, named('careful')),
      'CharacterNotFound',
      () => put(character()),
    ],
    [
      'a skill that is gone',
      () => world.remove(resources.skills, named('counting')),
      'SkillNotFound',
      () => put(skill()),
    ],
    [
      'a skill that builds on nothing',
      () => put(skill({ version: '1.1.0', dependencies: [{ name: 'reading', version: '1.0.0' }] })),
      'SkillInvalid',
      () => put(skill({ version: '1.2.0' })),
    ],
  ];
  for (const [name, spoil, reason, mend] of bad)
    verifies('operator-agent:last-good-state', `by ${name} leaves the pod at work and heals by itself`, async () => {
      await readyAgent();
      const pod = live(resources.pods, 'retainer-ada-0')?.metadata.uid;
      spoil();
      const seen = await untilReason(reason);
      expect(seen?.message).toMatch(/meanwhile the agent continues/);
      expect(condition(resources.agents, 'ada', 'PodReady')?.status).toBe('True');
      expect(live(resources.pods, 'retainer-ada-0')?.metadata.uid).toBe(pod);
      mend();
      await untilReason('AgentReady');
    });

  verifies('operator-agent:name-reuse', 'by a stranger with our name is told, and no pod stands on it', async () => {
    world.put(resources.serviceAccounts, { metadata: named('retainer-ada') });
    put(character(), skill(), agent());
    const seen = await untilReason('NameTaken');
    expect(seen?.message).toMatch(/ServiceAccount retainer-ada exists and has another owner/);
    expect(statefulSet()).toBeUndefined();
    expect(live(resources.serviceAccounts, 'retainer-ada')?.metadata.labels).toBeUndefined();
    world.remove(resources.serviceAccounts, named('retainer-ada'));
    await untilReason('AgentReady');
  });
});

describe('an account that somebody deletes', () => {
  verifies('operator-agent:account-renewed', 'is made anew, and the pod restarts once for a token of it', async () => {
    await readyAgent();
    const pod = () => live(resources.pods, 'retainer-ada-0')?.metadata.uid;
    const before = pod();
    await world.pass(MINUTE_MS);
    world.remove(resources.serviceAccounts, named('retainer-ada'));
    await world.until(() => pod() !== undefined && pod() !== before, MINUTE_MS);
    await untilReason('AgentReady');
    const after = pod();
    expect(after).not.toBe(before);
    const account = live(resources.serviceAccounts, 'retainer-ada')?.metadata.uid;
    expect(live(resources.pods, 'retainer-ada-0')?.metadata.annotations?.['retainer.dev/account-uid']).toBe(account);
    await world.pass(MINUTE_MS);
    expect(pod()).toBe(after);
  });
});

describe('a suspended Agent', () => {
  const replicas = () => memberAt(statefulSet(), 'spec.replicas');

  it('stops although a child of it cannot be made', async () => {
    await readyAgent();
    world.server.faults.onRequest(({ verb, served }) =>
      verb === 'apply' && served?.resource.plural === 'networkpolicies'
        ? { type: 'Refuse', status: 403, reason: 'Forbidden' }
        : undefined,
    );
    world.remove(resources.networkPolicies, named('retainer-ada'));
    await untilReason('ReconcileFailed');
    put(agent({ suspend: true }));
    await world.until(() => replicas() === 0, MINUTE_MS);
    expect(replicas()).toBe(0);
    put(agent({ suspend: false }));
    await world.pass(MINUTE_MS);
    expect(replicas(), 'no pod stands where its policy is missing').toBe(0);
    world.server.faults.clear();
    world.mournTheDead();
    await untilReason('AgentReady');
    expect(replicas()).toBe(1);
  });
});

describe('a volume', () => {
  const requested = () => textAt(live(resources.claims, 'data-retainer-ada-0'), 'spec.resources.requests.storage');

  verifies('operator-agent:immutable-fields', 'grows on its claim and is never made smaller', async () => {
    put(character(), skill(), agent({ memory: { storage: '2Gi' } }));
    await untilReason('AgentReady');
    put(agent({ memory: { storage: '5Gi' } }));
    await world.until(() => requested() === '5Gi', MINUTE_MS);
    expect(requested()).toBe('5Gi');
    expect(live(resources.claims, 'data-retainer-ada-0')?.metadata.ownerReferences ?? []).toEqual([]);
    await untilReason('AgentReady');
    put(agent({ memory: { storage: '1Gi' } }));
    const seen = await untilReason('StorageShrinkRefused');
    expect(seen?.message).toContain('set spec.memory.storage to 5Gi or more');
    expect(condition(resources.agents, 'ada', 'PodReady')?.status).toBe('True');
    expect(requested()).toBe('5Gi');
    put(agent({ memory: { storage: '5Gi' } }));
    await untilReason('AgentReady');
  });

  it('whose growth the API server refuses is told, without a hot loop', async () => {
    await readyAgent();
    world.server.faults.onRequest(({ verb, served }) =>
      verb === 'apply' && served?.resource.plural === 'persistentvolumeclaims'
        ? { type: 'Refuse', status: 403, reason: 'Forbidden' }
        : undefined,
    );
    put(agent({ memory: { storage: '50Gi' } }));
    await untilReason('StorageGrowthRefused');
    const before = world.requests.length;
    await world.pass(4 * MINUTE_MS);
    const tries = world.requests.slice(before).filter(({ resource }) => resource === 'persistentvolumeclaims');
    expect(tries.length).toBeLessThanOrEqual(2);
  });
});

describe('a roll-out', () => {
  const names = ['ada', 'bob', 'cyd'];
  const of = (name: string, spec: object = {}) => ({
    ...agent({ ...spec }),
    metadata: named(name),
  });
  const revision = (name: string) => statefulSet(name)?.metadata.annotations?.[ANNOTATIONS.templateDigest];

  verifies('operator-agent:one-restart-at-a-time', 'reaches one working agent after the other', async () => {
    put(character(), skill(), ...names.map((name) => of(name)));
    for (const name of names) await untilReason('AgentReady', name);
    const before = new Map(names.map((name) => [name, revision(name)]));
    put(character({ persona: 'A more careful analyst.' }));
    let mostAtOnce = 0;
    const isDone = (): boolean => {
      const away = names.filter((name) => condition(resources.agents, name, 'PodReady')?.status !== 'True').length;
      mostAtOnce = Math.max(mostAtOnce, away);
      return names.every((name) => revision(name) !== before.get(name) && ready(name)?.status === 'True');
    };
    expect(await world.until(isDone, 10 * MINUTE_MS)).toBeDefined();
    expect(mostAtOnce).toBeLessThanOrEqual(1);
  });

  verifies('operator-agent:one-restart-at-a-time', 'counts the restart that an earlier leader began', async () => {
    // More than are looked at together, and the one that restarts is the last that a new leader looks at.
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    put(character(), skill(), ...many.map((name) => of(name)));
    for (const name of many) await untilReason('AgentReady', name);
    const before = new Map(many.map((name) => [name, revision(name)]));
    const changed = (): readonly string[] => many.filter((name) => revision(name) !== before.get(name));
    put(of('j', { limits: { turnsPerCycle: 7 } }));
    while (changed().length === 0) {
      await world.settle();
      world.clock.advance(100);
    }
    // It waits for its turn: its documents are there already, so that the next leader has nothing to write before it.
    put(of('a', { limits: { turnsPerCycle: 7 } }));
    await world.settle();
    world.kill();
    await world.settle();
    world.startOperator();
    // The rest of the cluster stands still: j does not come up.
    for (let steps = 0; steps < 150; steps += 1) {
      await world.settle();
      world.clock.advance(200);
    }
    expect(changed()).toEqual(['j']);
    expect(await world.until(() => changed().includes('a'), 10 * MINUTE_MS)).toBeDefined();
  });

  verifies('operator-agent:old-documents', 'deletes documents only once the pod runs with the new ones', async () => {
    await readyAgent();
    const before = documents();
    put(character({ persona: 'A more careful analyst.' }));
    await world.until(
      () => documents().length === before.length && documents().join() !== before.join(),
      5 * MINUTE_MS,
    );
    expect(documents()).toHaveLength(before.length);
    const mounted = JSON.stringify(live(resources.pods, 'retainer-ada-0')?.['spec']);
    for (const name of documents()) expect(mounted).toContain(name);
    const removed = world.requests.filter(({ verb, resource }) => verb === 'delete' && resource === 'configmaps');
    expect(new Set(removed.map(({ name }) => name)).size).toBe(1);
    expect(JSON.stringify(removed[0]?.body)).toContain('resourceVersion');
  });

  verifies('operator-agent:heals-documents', 'gives back the labels of a document', async () => {
    await readyAgent();
    const labelled = documents();
    for (const name of labelled) stripLabels(name);
    await world.rest();
    expect(documents()).toEqual(labelled);
  });

  it('happens when a person asks for it', async () => {
    await readyAgent();
    const pod = live(resources.pods, 'retainer-ada-0')?.metadata.uid;
    const { metadata, ...rest } = agent();
    put({
      ...rest,
      metadata: { ...metadata, annotations: { [ANNOTATIONS.restartRequestedAt]: '2026-11-22T10:00:00Z' } },
    });
    await world.until(
      () => live(resources.pods, 'retainer-ada-0')?.metadata.uid !== pod && ready()?.status === 'True',
      MINUTE_MS,
    );
    expect(live(resources.pods, 'retainer-ada-0')?.metadata.uid).not.toBe(pod);
  });
});

describe('a skill in a ConfigMap', () => {
  const text = skillBody('Count with care.');
  const digest = `sha256:${sha256Hex(text)}`;
  const page = (data: Record<string, string>): KubeObject => ({
    metadata: named('pages'),
    data,
  });
  const pinned = (): KubeObject => {
    const { spec, ...rest } = skill();
    const { body: _, ...others } = spec as Record<string, unknown>;
    return { ...rest, spec: { ...others, configMapRef: { name: 'pages', key: 'SKILL.md', digest } } };
  };
  const reason = () => condition(resources.skills, 'counting')?.reason;

  verifies(
    'operator-agent:skills-by-digest',
    'is mounted only with the pinned text, and heals when it is there',
    async () => {
      put(character(), pinned(), agent());
      await untilReason('SkillInvalid');
      expect(reason()).toBe('ConfigMapNotFound');
      world.put(resources.configMaps, page({ other: 'x' }));
      await world.until(() => reason() === 'ConfigMapKeyNotFound', 2 * MINUTE_MS);
      expect(reason()).toBe('ConfigMapKeyNotFound');
      world.put(resources.configMaps, page({ 'SKILL.md': `${text} ` }));
      await world.until(() => reason() === 'DigestMismatch', 2 * MINUTE_MS);
      expect(reason()).toBe('DigestMismatch');
      world.put(resources.configMaps, page({ 'SKILL.md': text }));
      await untilReason('AgentReady');
      await world.until(() => reason() === 'SkillReady', 2 * MINUTE_MS);
      expect(memberAt(live(resources.skills, 'counting'), 'status.digest')).toBe(digest);
    },
  );

  verifies(
    'operator-agent:skills-by-digest',
    'without a digest is pinned at the first text of its version',
    async () => {
      const plain = '# Counting\n\nCount with care, and say how.\n';
      const unpinned = (version: string): KubeObject => {
        const { spec, ...rest } = skill();
        const { body: _, ...others } = spec as Record<string, unknown>;
        return { ...rest, spec: { ...others, version, configMapRef: { name: 'pages', key: 'SKILL.md' } } };
      };
      const pin = () =>
        ['digest', 'pinnedVersion'].map((field) => memberAt(live(resources.skills, 'counting'), `status.${field}`));
      world.put(resources.configMaps, page({ 'SKILL.md': plain }));
      put(character(), unpinned('1.0.0'), agent());
      await untilReason('AgentReady');
      await world.until(() => reason() === 'SkillReady', 2 * MINUTE_MS);
      expect(pin()).toEqual([`sha256:${sha256Hex(plain)}`, '1.0.0']);
      const mounted = documents();
      world.put(resources.configMaps, page({ 'SKILL.md': `${plain}Skip the check.` }));
      world.kill();
      world.startOperator();
      await world.until(() => reason() === 'DigestMismatch', 2 * MINUTE_MS);
      expect([reason(), ...pin()]).toEqual(['DigestMismatch', `sha256:${sha256Hex(plain)}`, '1.0.0']);
      expect([ready()?.reason, documents()]).toEqual(['AgentReady', mounted]);
      put(unpinned('1.0.1'));
      await world.until(() => reason() === 'SkillReady', 2 * MINUTE_MS);
      expect(pin()).toEqual([`sha256:${sha256Hex(`${plain}Skip the check.`)}`, '1.0.1']);
    },
  );

  it('is read no more once it is mounted, not even by an operator that restarted', async () => {
    world.put(resources.configMaps, page({ 'SKILL.md': text }));
    put(character(), pinned(), agent());
    await untilReason('AgentReady');
    world.remove(resources.configMaps, named('pages'));
    world.kill();
    world.startOperator();
    await world.pass(2 * MINUTE_MS);
    expect(ready()?.reason).toBe('AgentReady');
  });

  verifies('operator-agent:heals-documents', 'is found in its document, whatever became of the labels', async () => {
    world.put(resources.configMaps, page({ 'SKILL.md': text }));
    put(character(), pinned(), agent());
    await untilReason('AgentReady');
    world.remove(resources.configMaps, named('pages'));
    const labelled = documents();
    world.kill();
    for (const name of labelled) stripLabels(name);
    world.startOperator();
    await world.untilLeading();
    expect(documents()).toEqual(labelled);
    expect(ready()?.reason).toBe('AgentReady');
  });
});
