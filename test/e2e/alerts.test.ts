/**
 * The chart's alerts under a real Prometheus while the faults are really made: each fires, and rests once its fault is gone.
 * Minutes of the rules are seconds here. Prints the table of docs/runbooks.md: alert, fault, seconds to firing, seconds to rest.
 */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import { MEMORY_BALLOON } from '../support/abuse-scripts.ts';
import { isNightly } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';
import { connectScript } from './flow-connect.ts';
import { installChart } from './installation.ts';
import { Prometheus, type FiringAlert } from './prometheus.ts';
import { code, PUPPET, puppetAgent, puppetCharacter, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World } from './world.ts';

const world = new World();
const installation = inject('installation');
const system = ['-n', RELEASE.namespace] as const;
/** Time that a fault may take to be noticed, or to be forgotten. */
const WITHIN_MS = 180_000;
const DISCOVER_EVERY_MS = 2000;
let namespace = '';
let prometheus: Prometheus;

interface Fault {
  readonly alert: string;
  /** The alert of this agent; undefined where it is of no agent. */
  readonly agent?: string;
  readonly what: string;
  readonly make: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
}

beforeAll(async () => {
  namespace = await world.namespace('alerts');
  await world.apply(namespace, puppetObjects({ limits: { concurrentRuns: 4 } }));
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
  prometheus = await Prometheus.start(world);
});
afterAll(async () => {
  await prometheus.stop();
  await Promise.all([unhook(), labelSandboxes('restricted')]);
  await installChart(installation);
  await world.close();
});

const agent = (name: string, spec: Readonly<Record<string, unknown>>): RenderedObject => ({
  ...puppetAgent(spec),
  metadata: { name },
});
const remove = (kind: string, name: string) =>
  world.kubectl.run(['delete', kind, name, '-n', namespace, '--ignore-not-found', '--wait=false']);
const labelSandboxes = (level: string) =>
  world.kubectl.run([
    'label',
    '--overwrite',
    'namespace',
    SANDBOX_NAMESPACE,
    `pod-security.kubernetes.io/enforce=${level}`,
  ]);

/** No node of a test has so many processors. */
const TOO_MUCH = { requests: { cpu: '64' }, limits: { cpu: '64', memory: '192Mi', 'ephemeral-storage': '512Mi' } };
const HOOK = 'retainer-e2e-nobody-answers';
const unhook = () => world.kubectl.run(['delete', 'validatingwebhookconfiguration', HOOK, '--ignore-not-found']);
/** So many that one of them is always tried again, though each waits longer each time. */
const UNSERVED = Array.from({ length: 6 }, (_, index) => `unserved-${index}`);
/** Every change of a Service of these agents asks somebody who is not there: the API server answers with 500. */
const hook = (): RenderedObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: HOOK },
  webhooks: [
    {
      name: 'nobody.retainer.test',
      clientConfig: { url: 'https://127.0.0.1:9/' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      objectSelector: { matchExpressions: [{ key: 'retainer.dev/agent', operator: 'In', values: UNSERVED }] },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
    },
  ],
});

const needingLeave = (): RenderedObject => {
  const task = puppetTask('leave', 'REMEMBER garden/tree = ash');
  return { ...task, spec: { ...task.spec, approval: { mode: 'EveryEffect' } } };
};
/** One record of today, in place, as somebody in the container would: `sed` keeps nothing of the old file. */
const TAMPER = String.raw`f=$(find /data/journal -path '*cycle*' -name '*.jsonl' | sort | head -1); sed -i '2s/a/b/' "$f"`;

/** What a gate of the agent turns away. */
interface Refused {
  readonly gate: 'input' | 'output';
  readonly word: string;
}

/** A character for one agent, of its name. */
const refusing = (name: string, { gate, word }: Refused): RenderedObject => {
  const rules = [{ id: 'word', pattern: word, verdict: 'Reject', description: 'Not this word.', reason: 'Not this.' }];
  const spec = puppetCharacter['spec'] as object;
  return { ...puppetCharacter, metadata: { name }, spec: { ...spec, gatePolicies: { [gate]: { rules } } } };
};

/** A fault that an agent of its own makes by its work. */
interface WorkFault extends Pick<Fault, 'alert' | 'what'> {
  readonly of: string;
  readonly refused?: Refused;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly intents: readonly string[];
  /** The alert is of no agent. */
  readonly isOfAll?: true;
}

function workFault({ alert, what, of, refused, spec = {}, intents, isOfAll }: WorkFault): Fault {
  return {
    ...{ alert, what },
    ...(isOfAll === true ? {} : { agent: of }),
    make: async () => {
      if (refused === undefined) return work(of, spec, intents);
      await world.apply(namespace, [refusing(of, refused)]);
      return work(of, { characterRef: { name: of }, ...spec }, intents);
    },
    mend: () => {
      mended.add(of);
      return remove('agent', of);
    },
  };
}

/** Agents whose alert fired: they get no more work. */
const mended = new Set<string>();
/** One Task after another for an agent of its own, so that a rate over half a minute sees them all. */
async function work(name: string, spec: Readonly<Record<string, unknown>>, intents: readonly string[]): Promise<void> {
  await world.apply(namespace, [agent(name, spec)]);
  await world.condition(namespace, ['agent', name], { type: 'Ready', status: 'True' });
  for (const [at, intent] of intents.entries()) {
    if (mended.has(name)) return;
    const task = `${name}-${at}`;
    await world.apply(namespace, [puppetTask(task, intent, name)]);
    const isOver = async (): Promise<true | undefined> =>
      mended.has(name) || (await world.get('task', task, namespace)).status?.['outcome'] !== undefined
        ? true
        : undefined;
    await world.until(`the end of ${task}`, isOver, WITHIN_MS, namespace);
  }
}
const times = (count: number, intent: string): readonly string[] => Array.from({ length: count }, () => intent);

/** All at the same time, each on an agent or a place of its own. */
const together = (): readonly Fault[] => [
  {
    alert: 'RetainerAgentNotReady',
    agent: 'lost',
    what: 'an Agent names a CharacterSpec that does not exist',
    make: () => world.apply(namespace, [agent('lost', { characterRef: { name: 'nobody' } })]),
    mend: () => remove('agent', 'lost'),
  },
  {
    alert: 'RetainerAgentCrashLoop',
    agent: 'crashing',
    what: 'the image of an agent has no agent in it',
    make: () =>
      world.apply(namespace, [agent('crashing', { pod: { image: `docker.io/retainer/sandbox:${installation.tag}` } })]),
    mend: () => remove('agent', 'crashing'),
  },
  {
    alert: 'RetainerPoolEmpty',
    what: 'no node has room for the pool of an agent',
    make: () => world.apply(namespace, [agent('pooled', { sandbox: { pool: { size: 1 }, resources: TOO_MUCH } })]),
    mend: () => remove('agent', 'pooled'),
  },
  {
    alert: 'RetainerApprovalsWaiting',
    agent: PUPPET,
    what: 'a Task waits for a person',
    make: () => world.apply(namespace, [needingLeave()]),
    mend: () =>
      world.kubectl.run(['patch', 'task', 'leave', '-n', namespace, '--type=merge', '-p', '{"spec":{"cancel":true}}']),
  },
  {
    alert: 'RetainerReconcileErrors',
    what: 'the API server answers the operator with 500',
    make: async () => {
      await world.kubectl.apply([hook()]);
      await world.apply(
        namespace,
        UNSERVED.map((name) => agent(name, {})),
      );
    },
    mend: async () => {
      await unhook();
      for (const name of UNSERVED) await remove('agent', name);
    },
  },
  {
    alert: 'RetainerNetworkNotEnforced',
    what: 'the namespace of code loses its standard',
    make: () => labelSandboxes('privileged'),
    mend: () => labelSandboxes('restricted'),
  },
  {
    alert: 'RetainerEgressDenied',
    what: 'code asks the egress proxy forty times for a host that its Agent does not name',
    make: async () => {
      await world.apply(namespace, [agent('reaching', { sandbox: { timeout: '40s', egress: ['example.org'] } })]);
      const attempts = Array.from({ length: 40 }, (_, index) => ({
        id: `n${index}`,
        target: '8.8.8.8:443',
        answer: '403',
      }));
      await world.apply(namespace, [
        puppetTask('reach', code('javascript', connectScript(attempts, 'test')), 'reaching'),
      ]);
    },
    mend: () => Promise.resolve(),
  },
  workFault({
    alert: 'RetainerOutputsHeld',
    of: 'silenced',
    what: 'three answers in a row hold what the output gate turns away',
    refused: { gate: 'output', word: 'came back' },
    intents: times(3, 'RECALL garden/color'),
  }),
  workFault({
    alert: 'RetainerRefusalsUnusual',
    of: 'refusing',
    what: 'Task after Task holds what the input gate turns away, on the first day of the agent',
    refused: { gate: 'input', word: 'sword' },
    intents: times(20, 'REMEMBER sword/color = grey'),
  }),
  workFault({
    alert: 'RetainerGatesEscalated',
    of: 'hurried',
    what: 'refused Tasks come faster than the Agent says that it is used to',
    refused: { gate: 'input', word: 'sword' },
    spec: { gates: { meta: { cyclesPerMinute: 1 } } },
    intents: times(5, 'REMEMBER sword/color = grey'),
  }),
  workFault({
    alert: 'RetainerBudgetNearlyUsed',
    of: 'frugal',
    what: 'an agent calls as many tools as it may in a day',
    spec: { budgets: { toolCallsPerDay: 2 } },
    intents: times(2, 'REMEMBER garden/color = teal'),
  }),
  workFault({
    alert: 'RetainerSandboxesKilled',
    of: 'balloon',
    what: 'code takes more memory than it has, again and again',
    intents: times(12, code('javascript', MEMORY_BALLOON)),
    isOfAll: true,
  }),
];

const operators = (replicas: number) =>
  world.kubectl.run(['scale', 'deployment', 'retainer-operator', ...system, `--replicas=${replicas}`]);

/** One after the other: each takes the operator away from the others. Three minutes, so a part of `npm run nightly` alone. */
const alone = (): readonly Fault[] => [
  {
    alert: 'RetainerRolloutHalted',
    what: 'the image of a release does not exist',
    make: () => installChart(installation, { 'image.agent.tag': 'no-such-tag', 'operator.replicas': 1 }),
    mend: () => installChart(installation),
  },
  {
    alert: 'RetainerOperatorDown',
    what: 'no operator runs',
    make: () => operators(0),
    mend: () => operators(2),
  },
  {
    alert: 'RetainerNoLeader',
    what: 'somebody else holds the Lease of the operators',
    make: () => holdLease('somebody-else', 3600),
    mend: () => holdLease('', 1),
  },
];

function holdLease(holderIdentity: string, leaseDurationSeconds: number): Promise<string> {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity, leaseDurationSeconds, renewTime, acquireTime: renewTime };
  return world.kubectl.run([
    'patch',
    'lease',
    'retainer-operator',
    ...system,
    '--type=merge',
    '-p',
    JSON.stringify({ spec }),
  ]);
}

interface Seen {
  readonly fault: Fault;
  readonly madeMs: number;
  firedMs?: number;
  mendedMs?: number;
  restedMs?: number;
}

const table: string[] = [];

/** Makes all faults, mends each when its alert fires, and waits until all rest. */
async function shown(faults: readonly Fault[]): Promise<void> {
  const before = await prometheus.firing();
  expect(faults.filter((fault) => isAmong(before, fault)).map(({ alert }) => alert)).toEqual([]);
  const seen: Seen[] = faults.map((fault) => ({ fault, madeMs: performance.now() }));
  let unmade: unknown;
  const made = Promise.all(faults.map((fault) => fault.make())).catch((error: unknown) => {
    unmade = error;
  });
  let discoveredMs = 0;
  const look = async (): Promise<true | undefined> => {
    if (unmade !== undefined) throw new Error('a fault could not be made', { cause: unmade });
    if (performance.now() - discoveredMs > DISCOVER_EVERY_MS) {
      await prometheus.discover().catch(() => undefined);
      discoveredMs = performance.now();
    }
    const firing = await prometheus.firing();
    for (const one of seen) await follow(one, isAmong(firing, one.fault));
    return seen.every(({ restedMs }) => restedMs !== undefined) ? true : undefined;
  };
  const left = () =>
    seen
      .filter(({ restedMs }) => restedMs === undefined)
      .map(({ fault, firedMs }) => `${fault.alert}${firedMs === undefined ? '' : ' (fires)'}`);
  await world.until('every alert to fire and to rest', look, WITHIN_MS).catch((error: unknown) => {
    throw new Error(`left: ${left().join(', ')}`, { cause: error });
  });
  await made;
}

function isAmong(firing: readonly FiringAlert[], { alert, agent: name }: Fault): boolean {
  return firing.some((it) => it.alertname === alert && (name === undefined || it.agent === name));
}

async function follow(one: Seen, isFiring: boolean): Promise<void> {
  const nowMs = performance.now();
  if (isFiring && one.firedMs === undefined) {
    one.firedMs = nowMs;
    await one.fault.mend();
    one.mendedMs = performance.now();
  } else if (!isFiring && one.mendedMs !== undefined && one.restedMs === undefined) {
    one.restedMs = nowMs;
    const seconds = (fromMs: number, toMs: number): number => Math.round((toMs - fromMs) / 1000);
    const { alert, what } = one.fault;
    const fired = seconds(one.madeMs, one.firedMs ?? 0);
    table.push(`| ${alert} | ${what} | ${fired} | ${seconds(one.mendedMs, nowMs)} |`);
  }
}

describe('the alerts', () => {
  afterAll(() => {
    process.stdout.write(`| alert | fault | fires after s | rests after s |\n|---|---|---|---|\n${table.join('\n')}\n`);
  });

  verifies('e2e:alerts', 'fire on faults that are really made, all at once, and rest without them', async () => {
    await prometheus.discover();
    await world.apply(namespace, [puppetCharacter]);
    await shown(together());
  });

  verifies('e2e:alerts', 'fire when the journal of an agent is tampered with', async () => {
    const pod = `retainer-${PUPPET}-0`;
    await shown([
      {
        alert: 'RetainerJournalMismatch',
        agent: PUPPET,
        what: 'one record is rewritten in place',
        make: () => world.kubectl.run(['exec', pod, '-c', 'agent', '-n', namespace, '--', 'sh', '-c', TAMPER]),
        mend: () => remove('agent', PUPPET),
      },
    ]);
  });

  describe.skipIf(!isNightly)('of the operator itself', () => {
    verifies('e2e:alerts', 'fire when it is away, without a leader, or halted', async () => {
      await world.apply(namespace, [agent('second', {})]);
      await world.condition(namespace, ['agent', 'second'], { type: 'Ready', status: 'True' });
      for (const fault of alone()) await shown([fault]);
    });
  });
});
