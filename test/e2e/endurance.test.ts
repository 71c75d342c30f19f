/**
 * Hours of work under faults: nothing is lost, nothing is done twice, no code runs with an open network, and rest comes back.
 *
 * Part of `npm run nightly` alone. `RETAINER_E2E_MINUTES=10 RETAINER_TEST_SIZE=nightly npm run test:e2e -- endurance` tries it.
 */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { auditedWrites, auditEnd, untilQuiet, type AuditedWrite } from '../../bench/operator/audit-writes.ts';
import { COUNTS_HOLD_MS } from '../../operator/src/status/agent/change-hold.ts';
import { RELEASE, type RenderedObject } from '../../scripts/render-chart.ts';
import { testSeed } from '../support/seed.ts';
import { Seeded } from '../support/seeded.ts';
import { isNightly } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';
import { fault } from './cluster.ts';
import { config } from './config.ts';
import { code, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World, type ClusterObject } from './world.ts';

const world = new World();
const { cluster } = inject('installation');
const AGENTS = ['enduring-1', 'enduring-2', 'enduring-3'] as const;
/** Its code runs long, so that some surely runs when the network is opened. */
const HOLDER = 'holding';
/** Longer than anything that ends it, and shorter than a sandbox may last. */
const HELD_SECONDS = 50;
/** Until a Task of the holder has code that runs: a canary, a queue and a pod go before. */
const HELD_MS = 120_000;
const MINUTES = config.minutes ?? 120;
/** Between two Tasks, seconds: three agents are busy, and no queue grows. */
const TASK_EVERY_SECONDS = 6;
/** After a fault, before the next: work goes on meanwhile. */
const CALM_SECONDS = 30;
/** How long a fault lasts that has an end. */
const FAULT_SECONDS = 15;
/** From a foreign policy to no code running. */
const ENDED_MS = 5000;
/** After the last fault, until the last Task has ended: a program's time, a canary, a restart, three times over. */
const END_MS = 600_000;
/** At rest, nobody but Leases writes for so long. */
const REST_SECONDS = 60;
const GUARD = ['validatingadmissionpolicybinding', `${RELEASE.name}-sandbox-network`] as const;
const seed = testSeed;
const tally = new Map<string, number>();
/** Names of all Tasks, in the order in which they were given. */
const submitted: string[] = [];
let namespace = '';
let guard: RenderedObject;

const allowAll: RenderedObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'allow-all', namespace: SANDBOX_NAMESPACE },
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] },
};

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Each ends by itself, and the cluster is whole again. */
const FAULTS: Readonly<Record<string, () => Promise<void>>> = {
  'every operator is killed': async () => {
    const select = ['-n', RELEASE.namespace, '-l', 'app.kubernetes.io/name=operator'];
    await world.kubectl.run(['delete', 'pod', ...select, '--grace-period=0', '--force', '--wait=false']);
  },
  'the API server is away': async () => {
    await fault('kill', 'kube-apiserver');
    await pause(FAULT_SECONDS);
    await fault('start', 'kube-apiserver');
  },
  'the network is opened': async () => {
    await world.kubectl.run(['delete', ...GUARD, '--ignore-not-found']);
    await untilHeld();
    const open = () => world.kubectl.apply([allowAll]).then(() => true);
    await world.until('a policy that admission lets in', open, 30_000);
    await closedInTime();
    await world.kubectl.run(['delete', 'networkpolicy', 'allow-all', '-n', SANDBOX_NAMESPACE]);
    await world.kubectl.run(['apply', '--server-side', '--force-conflicts', '--field-manager=helm', '-f', '-'], guard);
  },
  'a pod is forced away': async () => {
    const pod = `retainer-${AGENTS[0]}-0`;
    await world.kubectl.run(['delete', 'pod', pod, '-n', namespace, '--grace-period=0', '--force', '--wait=false']);
  },
  'the node takes no pod': async () => {
    await world.kubectl.run(['cordon', '-l', 'kubernetes.io/os=linux']);
    await pause(FAULT_SECONDS);
    await world.kubectl.run(['uncordon', '-l', 'kubernetes.io/os=linux']);
  },
};

const running = async (...labels: readonly string[]): Promise<number> => {
  const select = ['-n', SANDBOX_NAMESPACE, '-l', ['retainer.dev/sandbox-run-uid', ...labels].join(',')];
  const pods = await world.kubectl.list<ClusterObject>('pods', ...select);
  return pods.filter(({ status }) => status?.['phase'] === 'Running').length;
};

/** Code runs now, and would go on for most of a minute. */
async function untilHeld(): Promise<void> {
  const name = `held-${submitted.length}`;
  await give(puppetTask(name, code('bash', `sleep ${HELD_SECONDS}`), HOLDER));
  const isHeld = async () => ((await running(`retainer.dev/agent=${HOLDER}`)) > 0 ? true : undefined);
  await world.until(`code of Task ${name} that runs`, isHeld, HELD_MS, namespace);
}

/** Looks until no code runs; later than allowed is a failure that the end of the test tells. */
async function closedInTime(): Promise<void> {
  const startedMs = performance.now();
  const isClosed = async () => ((await running()) === 0 ? true : undefined);
  await world.until('the end of all code', isClosed, ENDED_MS * 2).catch(() => undefined);
  count(performance.now() - startedMs <= ENDED_MS ? 'opened, ended in time' : 'opened, ended late');
}

function count(what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

/** The API server may be away: the next attempt finds it. */
async function persist(deed: () => Promise<unknown>): Promise<void> {
  await world.until('the API server', () => deed().then(() => true), 120_000);
}

/** Writes a file of its own, and tells when it finds that file: its code ran twice. */
function task(index: number): RenderedObject {
  const script = `[ -e done-${index} ] && touch doubled-${index}; sleep 2; touch done-${index}; echo well`;
  return puppetTask(`work-${index}`, code('bash', script), AGENTS[index % AGENTS.length]);
}

beforeAll(async () => {
  if (!isNightly) return;
  namespace = await world.namespace('endurance');
  const { metadata, ...rest } = await world.get(GUARD[0], GUARD[1], '');
  const { name, labels = {}, annotations = {} } = metadata;
  guard = { ...rest, metadata: { name, labels, annotations } };
  const others = puppetObjects().filter(({ kind }) => kind !== 'Agent');
  const spec = { limits: { concurrentRuns: 3 } };
  const agents = [...AGENTS, HOLDER];
  await world.apply(namespace, [...others, ...agents.map((it) => ({ ...puppetAgent(spec), metadata: { name: it } }))]);
  for (const it of agents) await world.condition(namespace, ['agent', it], { type: 'Ready', status: 'True' });
});
afterAll(() => world.close());

describe.skipIf(!isNightly || cluster.kind !== 'Own')(`${MINUTES} minutes of work under faults`, () => {
  verifies(
    'e2e:endurance',
    'lose nothing, do nothing twice, run no code with an open network, and come to rest',
    async () => {
      process.stdout.write(`endurance: RETAINER_SEED=${seed}\n`);
      const untilMs = Date.now() + MINUTES * 60_000;
      await Promise.all([submit(untilMs), breakThings(untilMs)]);
      const outcomes = await endsOf(submitted);
      process.stdout.write(`endurance: ${submitted.length} Tasks; ${told(outcomes)}; ${told(tally)}\n`);
      expect([...outcomes.keys()].filter((it) => it === 'lost')).toEqual([]);
      expect(await doubled()).toEqual([]);
      expect(tally.get('opened, ended late') ?? 0).toBe(0);
      expect(tally.get('opened, ended in time') ?? 0).toBeGreaterThan(0);
      expect(await writesAtRest()).toEqual([]);
    },
    MINUTES * 60_000 + END_MS * 2,
  );
});

async function give(task: RenderedObject): Promise<void> {
  await persist(() => world.apply(namespace, [task]));
  submitted.push(task.metadata.name);
}

async function submit(untilMs: number): Promise<void> {
  for (let index = 0; Date.now() < untilMs; index += 1) {
    await give(task(index));
    await pause(TASK_EVERY_SECONDS);
  }
}

/** All of them once, then all of them once more, each time in an order that the seed draws: none is left out by chance. */
function* drawn<T>(all: readonly T[], random: Seeded): Generator<T> {
  for (;;) {
    const left = [...all];
    while (left.length > 0) yield* left.splice(random.below(left.length), 1);
  }
}

async function breakThings(untilMs: number): Promise<void> {
  for (const [name, deed] of drawn(Object.entries(FAULTS), new Seeded(seed))) {
    if (Date.now() >= untilMs - (CALM_SECONDS + FAULT_SECONDS) * 1000) return;
    await pause(CALM_SECONDS);
    process.stdout.write(`endurance: ${name}\n`);
    await persist(deed);
    count(name);
  }
}

async function endsOf(tasks: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const outcomes = new Map<string, number>();
  const add = (what: string): void => void outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  const deadline = Date.now() + END_MS;
  for (const name of tasks) {
    const left = Math.max(deadline - Date.now(), 1000);
    const ended = await world.ended(namespace, name, left).catch(() => undefined);
    const outcome = ended?.status?.['outcome'];
    add(typeof outcome === 'string' ? outcome : 'lost');
  }
  return outcomes;
}

async function doubled(): Promise<readonly string[]> {
  const found = AGENTS.map((it) =>
    world.kubectl.run(['exec', `retainer-${it}-0`, '-n', namespace, '-c', 'agent', '--', 'ls', '/data/workspace']),
  );
  return (await Promise.all(found)).flatMap((text) => text.split('\n').filter((name) => name.startsWith('doubled-')));
}

async function writesAtRest(): Promise<readonly string[]> {
  const log = '/var/lib/retainer-cluster/log/audit';
  const isOurs = ({ user, resource }: AuditedWrite): boolean =>
    user.startsWith('system:serviceaccount:') && /retainer/.test(user) && resource !== 'leases';
  // The counts of an Agent's status are written so late.
  await pause(COUNTS_HOLD_MS / 1000);
  await untilQuiet(log, isOurs);
  const from = await auditEnd(log);
  await pause(REST_SECONDS);
  return (await auditedWrites(log, from)).filter(isOurs).map((it) => `${it.user} ${it.verb} ${it.resource} ${it.name}`);
}

function told(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([what, times]) => `${what} ${times}`).join(', ');
}
