/** Hostile code in sandboxes of a real cluster: each ends in time, and nothing outside its sandbox notices. */
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { RenderedObject } from '../../scripts/render-chart.ts';
import { LABELS } from '@retainer/contract/api/names';
import { START_GRACE_SECONDS } from '@retainer/operator/desired/sandbox/run-job';
import { ABUSE_LIMITS, ABUSE_SCRIPTS, type AbuseScript } from '../support/abuse-scripts.ts';
import { verifies } from '../verifies.ts';
import { leaveInWorkspace } from './cluster.ts';
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
/** Seconds that an agent gives its code: a script that runs until its deadline is short, one that reaches a limit may take its time. */
const DEADLINE_SECONDS = { 'runs-on': 5, 'overflows-1': 60, 'overflows-2': 60 } as const;
type Abuser = keyof typeof DEADLINE_SECONDS;
const ABUSERS = Object.keys(DEADLINE_SECONDS) as readonly Abuser[];
const BYSTANDER = 'bystander';
const AGENTS = [...ABUSERS, BYSTANDER] as const;
/** Row 23 allows 5 s; a busy machine adds the rest. */
const GRACE_SECONDS = 20;
/** Runs of a neighbour meanwhile, one after the other. */
const NEIGHBOURS = 3;
/** All scripts: a third of them one after the other, each with a pod of its own. */
const ALL_MS = 240_000;
/** The file that the slow program waits for: time would say nothing on a busy node. */
const WORD = 'go';
let namespace = '';
let beside: ReturnType<typeof playBeside>;

interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly lastState?: { readonly terminated?: object };
}

interface Pod {
  readonly metadata: { readonly uid: string; readonly namespace: string; readonly name: string };
  readonly status: { readonly phase?: string; readonly containerStatuses?: readonly ContainerStatus[] };
}

beforeAll(async () => {
  namespace = await world.namespace('k-abuse');
  await ends.start(world.kubectl.kubeconfig, namespace, SANDBOX_NAMESPACE);
  const rest = puppetObjects().filter(({ kind }) => kind !== 'Agent');
  await world.apply(namespace, [...rest, ...AGENTS.map(agent)]);
  for (const name of AGENTS) {
    await world.condition(namespace, ['agent', name], { type: 'PodReady', status: 'True' });
  }
  beside = playBeside();
  // Awaited by its test, which comes later.
  beside.catch(() => undefined);
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
      for (const { name, deadlineSeconds, durationMs, podSeconds } of told) {
        expect(durationMs, name).toBeLessThanOrEqual((deadlineSeconds + GRACE_SECONDS) * 1000);
        // A pod waits for its agent before and after the code; how long it may, its Job says and the kubelet enforces.
        expect(podSeconds, name).toBeLessThanOrEqual(deadlineSeconds + START_GRACE_SECONDS);
      }
      expect(await afterwards()).toEqual(ABUSERS.map(() => 'Accepted'));
      expect(neighbours).toEqual(Array.from({ length: NEIGHBOURS }, () => 'Accepted'));
      const after = await restarts();
      const restarted = [...after].filter(([id, { count }]) => count > (before.get(id)?.count ?? count));
      expect(await Promise.all(restarted.map(([, container]) => lastWords(container)))).toEqual([]);
      for (const name of AGENTS) {
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

  verifies(
    'e2e:programs-beside',
    'holds up no other Task of its agent, and where both change a file, the call says so',
    async () => {
      const { ended, slow } = await beside;
      expect(ended).toEqual(['beside-quick', 'beside-slow']);
      expect(String(slow.status?.['summary'])).toMatch(/conflict: another task changed "shared"/);
    },
    ALL_MS,
  );
});

/** A program that waits for a word of this test, and one that begins after it; both write one file. */
async function playBeside(): Promise<{ readonly ended: readonly string[]; readonly slow: ClusterObject }> {
  const ended: string[] = [];
  const run = async (name: string, script: string): Promise<ClusterObject> => {
    await world.apply(namespace, [puppetTask(name, code('bash', script), BYSTANDER)]);
    const task = await world.ended(namespace, name, ALL_MS);
    ended.push(name);
    return task;
  };
  const slow = run('beside-slow', `until [ -e ${WORD} ]; do sleep 0.2; done; echo slow > shared`);
  const pod = await world.until('the slow program', runningPod, ALL_MS, namespace);
  await run('beside-quick', 'echo quick > shared');
  await leaveInWorkspace(pod, WORD);
  return { ended, slow: await slow };
}

/** The UID of the bystander's pod; undefined as long as none of its code has begun. */
async function runningPod(): Promise<string | undefined> {
  const labels = `${LABELS.agentNamespace}=${namespace},${LABELS.agent}=${BYSTANDER}`;
  const pods = await world.kubectl.list<Pod>('pods', '-n', SANDBOX_NAMESPACE, '-l', labels);
  return pods.find(({ status }) => status.phase === 'Running')?.metadata.uid;
}

function agent(name: Abuser | typeof BYSTANDER): RenderedObject {
  const amounts = { cpu: '500m', memory: '192Mi', 'ephemeral-storage': '256Mi' };
  const sandbox = {
    timeout: `${name === BYSTANDER ? ALL_MS / 1000 : DEADLINE_SECONDS[name]}s`,
    scratch: String(ABUSE_LIMITS.scratchBytes),
    processes: ABUSE_LIMITS.processes,
    outputBytes: ABUSE_LIMITS.outputBytes,
    pool: { maxConcurrent: 3 },
    resources: { requests: { ...amounts, cpu: '10m' }, limits: amounts },
  };
  return { ...puppetAgent({ sandbox, limits: { concurrentRuns: 3 } }), metadata: { name } };
}

async function abuse(
  { name, language, script, end: expected }: AbuseScript,
  index: number,
): Promise<ObservedEnd & { readonly name: string; readonly deadlineSeconds: number }> {
  const abuser = expected === 'TimedOut' ? 'runs-on' : index % 2 === 0 ? 'overflows-1' : 'overflows-2';
  const words = code(language === 'Bash' ? 'bash' : 'javascript', script);
  await world.apply(namespace, [puppetTask(`abuse-${index}`, words, abuser)]);
  const end = await world.until(`the end of ${name}`, () => Promise.resolve(ends.of(asRun(script))), ALL_MS, namespace);
  return { name, deadlineSeconds: DEADLINE_SECONDS[abuser], ...end };
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

/** What somebody asks who finds a restarted container. */
async function lastWords({ name, ended }: ContainerEnds): Promise<string> {
  const [place = '', pod = '', container = ''] = name.split('/');
  const args = ['logs', pod, '-c', container, '-n', place, '--previous', '--tail=20'];
  const log = await world.kubectl.run(args).catch(String);
  return `${name} ended ${JSON.stringify(ended)}\n${log}`;
}

interface ContainerEnds {
  readonly name: string;
  readonly count: number;
  /** Why it ended last. */
  readonly ended: unknown;
}

/** Of every container that is not of another file's namespace. */
async function restarts(): Promise<ReadonlyMap<string, ContainerEnds>> {
  const pods = await world.kubectl.list<Pod>('pods', '-A');
  const isOthers = (it: Pod): boolean =>
    it.metadata.namespace.startsWith('e2e-') && it.metadata.namespace !== namespace;
  const ofPod = ({ metadata, status }: Pod): readonly (readonly [string, ContainerEnds])[] =>
    (status.containerStatuses ?? []).map(({ name, restartCount, lastState }) => [
      `${metadata.uid}/${name}`,
      { name: `${metadata.namespace}/${metadata.name}/${name}`, count: restartCount, ended: lastState?.terminated },
    ]);
  return new Map(pods.filter((it) => !isOthers(it)).flatMap(ofPod));
}

async function nodeConditions(): Promise<Readonly<Record<string, string>>> {
  const [node] = await world.kubectl.list<ClusterObject>('nodes');
  return Object.fromEntries((node?.status?.conditions ?? []).map(({ type, status }) => [type, status]));
}
