/** Hostile code in sandboxes of a real cluster: each ends in time, and nothing outside its sandbox notices. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { ABUSE_LIMITS, ABUSE_SCRIPTS, type AbuseScript } from '../support/abuse-scripts.ts';
import { verifies } from '../verifies.ts';
import { RunEnds, type ObservedEnd } from './flow-run-ends.ts';
import { asRun, code, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { SANDBOX_NAMESPACE, World, type ClusterObject } from './world.ts';

const world = new World();
const ends = new RunEnds();
/**
 * The image's Python has no ctypes, so scripts that call the library of C do nothing there; the runner meets them in
 * `test/integration/sandbox-runner-as-first-process.test.ts`.
 */
const SCRIPTS = ABUSE_SCRIPTS.filter(({ script }) => !script.includes('python3'));
/** They share the scripts. */
const ABUSERS = ['abuser-1', 'abuser-2', 'abuser-3'] as const;
const BYSTANDER = 'bystander';
/** Above what a script needs to reach its limit, and below what it would run by itself. */
const DEADLINE_SECONDS = 8;
/** Row 23 allows 5 s; a busy machine adds the rest. */
const GRACE_SECONDS = 20;
/** A sandbox is given its files, and asked for them, within this. */
const TRANSFER_SECONDS = 10;
/** Runs of a neighbour meanwhile, one after the other. */
const NEIGHBOURS = 3;
/** All scripts: a third of them one after the other, each with a pod of its own. */
const ALL_MS = 180_000;
let namespace = '';

interface Pod {
  readonly metadata: { readonly uid: string; readonly namespace: string; readonly name: string };
  readonly status: { readonly containerStatuses?: readonly { readonly restartCount: number }[] };
}

beforeAll(async () => {
  namespace = await world.namespace('k-abuse');
  await ends.start(world.kubectl.kubeconfig, namespace, SANDBOX_NAMESPACE);
  const rest = puppetObjects().filter(({ kind }) => kind !== 'Agent');
  await world.apply(namespace, [...rest, ...[...ABUSERS, BYSTANDER].map(agent)]);
  for (const name of [...ABUSERS, BYSTANDER]) {
    await world.condition(namespace, ['agent', name], { type: 'PodReady', status: 'True' });
  }
});

afterAll(async () => {
  await ends.stop();
  await world.close();
});

describe('hostile code', () => {
  verifies(
    'e2e:sandbox-abuse',
    'ends within its deadline, and node, agents and neighbours stay well',
    async () => {
      const before = await restarts();
      const abuses = SCRIPTS.map((script, index) => abuse(script, index));
      const [told, neighbours] = await Promise.all([Promise.all(abuses), neighboursOf()]);
      expect(told.map(({ name, end }) => [name, end])).toEqual(SCRIPTS.map(({ name, end }) => [name, end]));
      for (const { name, durationMs, podSeconds } of told) {
        expect(durationMs, name).toBeLessThanOrEqual((DEADLINE_SECONDS + GRACE_SECONDS) * 1000);
        expect(podSeconds, name).toBeLessThanOrEqual(DEADLINE_SECONDS + GRACE_SECONDS + TRANSFER_SECONDS);
      }
      expect(await afterwards()).toEqual(ABUSERS.map(() => 'Accepted'));
      expect(neighbours).toEqual(Array.from({ length: NEIGHBOURS }, () => 'Accepted'));
      const after = await restarts();
      const restarted = [...before].filter(([uid, { count }]) => (after.get(uid)?.count ?? count) > count);
      expect(restarted.map(([, { name }]) => name)).toEqual([]);
      for (const name of [...ABUSERS, BYSTANDER]) {
        await world.condition(namespace, ['agent', name], { type: 'PodReady', status: 'True' }, 10_000);
      }
      expect(await nodeConditions()).toEqual({
        Ready: 'True',
        MemoryPressure: 'False',
        DiskPressure: 'False',
        PIDPressure: 'False',
      });
    },
    ALL_MS + 60_000,
  );
});

function agent(name: string): RenderedObject {
  const amounts = { cpu: '500m', memory: '192Mi', 'ephemeral-storage': '256Mi' };
  const sandbox = {
    timeout: `${DEADLINE_SECONDS}s`,
    scratch: String(ABUSE_LIMITS.scratchBytes),
    processes: ABUSE_LIMITS.processes,
    outputBytes: ABUSE_LIMITS.outputBytes,
    resources: { requests: { ...amounts, cpu: '10m' }, limits: amounts },
  };
  return { ...puppetAgent({ sandbox }), metadata: { name } };
}

async function abuse(
  { name, language, script }: AbuseScript,
  index: number,
): Promise<ObservedEnd & { readonly name: string }> {
  const abuser = ABUSERS[index % ABUSERS.length] ?? ABUSERS[0];
  const words = code(language === 'Bash' ? 'bash' : 'javascript', script);
  await world.apply(namespace, [puppetTask(`abuse-${index}`, words, abuser)]);
  const end = await world.until(`the end of ${name}`, () => Promise.resolve(ends.of(asRun(script))), ALL_MS, namespace);
  return { name, ...end };
}

/** Whether the agents whose code it was still run code: a flood is not kept. @returns how their Tasks ended */
async function afterwards(): Promise<readonly unknown[]> {
  const run = async (abuser: string): Promise<unknown> => {
    const name = `after-${abuser}`;
    await world.apply(namespace, [puppetTask(name, code('bash', 'echo still here'), abuser)]);
    return (await world.ended(namespace, name, 60_000)).status?.['outcome'];
  };
  return Promise.all(ABUSERS.map(run));
}

/** @returns how each neighbour's Task ended */
async function neighboursOf(): Promise<readonly unknown[]> {
  const outcomes = [];
  for (let index = 0; index < NEIGHBOURS; index += 1) {
    const name = `neighbour-${index}`;
    await world.apply(namespace, [puppetTask(name, code('bash', `echo well-${index}`), BYSTANDER)]);
    outcomes.push((await world.ended(namespace, name, ALL_MS)).status?.['outcome']);
  }
  return outcomes;
}

/** Of every container in the cluster, by its pod. */
async function restarts(): Promise<ReadonlyMap<string, { readonly name: string; readonly count: number }>> {
  const pods = await world.kubectl.list<Pod>('pods', '-A');
  return new Map(
    pods.map(({ metadata, status }) => {
      const count = (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
      return [metadata.uid, { name: `${metadata.namespace}/${metadata.name}`, count }];
    }),
  );
}

async function nodeConditions(): Promise<Readonly<Record<string, string>>> {
  const [node] = await world.kubectl.list<ClusterObject>('nodes');
  return Object.fromEntries((node?.status?.conditions ?? []).map(({ type, status }) => [type, status]));
}
