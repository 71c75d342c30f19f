/** What breaks in a cluster, in the middle of a Task: the agent's pod, the operator, the API server. Work goes on and ends once. */
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { RELEASE } from '../../scripts/render-chart.ts';
import { verifies } from '../verifies.ts';
import { fault } from './cluster.ts';
import { code, PUPPET, puppetAgent, puppetObjects, puppetTask } from './puppet.ts';
import { World, type ClusterObject } from './world.ts';

const world = new World();
let namespace = '';
const pod = `retainer-${PUPPET}-0`;
/** An API server that was away for so long: longer than a Lease of the operator, shorter than one of an agent. */
const API_AWAY_MS = 30_000;
/** Code that is still running when the fault comes. */
const slowly = (seconds: number, text: string) => code('bash', `sleep ${seconds}; echo ${text}`);

beforeAll(async () => {
  namespace = await world.namespace('faults');
  await world.apply(namespace, puppetObjects());
  await world.condition(namespace, ['agent', PUPPET], { type: 'Ready', status: 'True' });
});
afterAll(() => world.close());

/** A Task whose code runs now. */
async function running(name: string, seconds: number): Promise<void> {
  const sandboxRuns = () => world.kubectl.list<ClusterObject>('sandboxruns', '-n', namespace);
  // That of the Task before may go only now.
  const before = new Set((await sandboxRuns()).map(({ metadata }) => metadata.uid));
  await world.apply(namespace, [puppetTask(name, slowly(seconds, `done-${name}`))]);
  await world.condition(namespace, ['task', name], { type: 'Running', status: 'True' }, 60_000);
  const isRunning = async () => {
    const runs = (await sandboxRuns()).filter(({ metadata }) => !before.has(metadata.uid));
    return runs.some(({ status }) => status?.['podName'] !== undefined) ? true : undefined;
  };
  await world.until('a sandbox of this agent', isRunning, 60_000, namespace);
}

async function finishedOnce(name: string): Promise<ClusterObject> {
  const task = await world.ended(namespace, name, 240_000);
  const events = await world.kubectl.run(['get', 'events', '-n', namespace, '-o', 'json']);
  const { items } = JSON.parse(events) as {
    readonly items: readonly { readonly reason: string; readonly involvedObject: { readonly name: string } }[];
  };
  const ends = items.filter(({ reason, involvedObject }) => reason === 'TaskFinished' && involvedObject.name === name);
  expect(ends.length).toBeLessThanOrEqual(1);
  return task;
}

describe('a Task goes on', () => {
  verifies('e2e:pod-deleted-mid-task', 'when the pod of its agent is deleted, and ends once', async () => {
    await running('pod-deleted', 20);
    const before = await world.get('pod', pod, namespace);
    await world.kubectl.run(['delete', 'pod', pod, '-n', namespace, '--wait=false']);
    const task = await finishedOnce('pod-deleted');
    expect(task.status?.['outcome'], JSON.stringify(task.status)).toMatch(/Accepted|Succeeded|Abandoned/);
    expect((await world.get('pod', pod, namespace)).metadata.uid).not.toBe(before.metadata.uid);
  });

  verifies('e2e:operator-killed-mid-task', 'when every operator is killed', async () => {
    await running('operator-killed', 15);
    const began = new Date();
    const select = ['-n', RELEASE.namespace, '-l', 'app.kubernetes.io/name=operator'];
    await world.kubectl.run(['delete', 'pod', ...select, '--grace-period=0', '--force', '--wait=false']);
    const task = await finishedOnce('operator-killed');
    expect(task.status).toMatchObject({ outcome: 'Accepted' });
    expect(task.status?.['summary']).toContain('done-operator-killed');
    await world.condition(namespace, ['task', 'operator-killed'], { type: 'Ready', status: 'True' });
    await world.kubectl.run([
      'rollout',
      'status',
      'deployment/retainer-operator',
      '-n',
      RELEASE.namespace,
      '--timeout=90s',
    ]);
    expect(await world.operatorFaults(began)).toEqual([]);
  });

  verifies('e2e:api-server-away-mid-task', 'when the API server is away for 30 s', async () => {
    const { cluster } = inject('installation');
    if (cluster.kind !== 'Own')
      throw new Error('only the cluster of test/cluster can lose its API server: run this test there');
    await running('api-away', 45);
    const before = await world.get('pod', pod, namespace);
    await fault('kill', 'kube-apiserver');
    try {
      await new Promise((resolve) => setTimeout(resolve, API_AWAY_MS));
    } finally {
      await fault('start', 'kube-apiserver');
    }
    const task = await finishedOnce('api-away');
    expect(task.status).toMatchObject({ outcome: 'Accepted' });
    const after = await world.get('pod', pod, namespace);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(restarts(after)).toBe(restarts(before));
  });
});

/** Seconds of a minute: the moment of the job comes in the middle of the outage. */
const AWAY_FROM_SECOND = 45;
const MINUTE_MS = 60_000;

interface ToldEvent {
  readonly reason: string;
  readonly eventTime: string | null;
  readonly involvedObject: { readonly kind: string };
}

describe('a job', () => {
  verifies(
    'e2e:job-api-away',
    'fires while the API server is away, and its outcome is told when it is back',
    async () => {
      const { cluster } = inject('installation');
      if (cluster.kind !== 'Own')
        throw new Error('only the cluster of test/cluster can lose its API server: run this test there');
      const jobs = [{ name: 'garden', cron: '* * * * *', intent: 'REMEMBER garden/color = teal' }];
      const gardener = { ...puppetAgent({ scheduler: { idleAfter: '0s', jobs } }), metadata: { name: 'gardener' } };
      await world.apply(namespace, [gardener]);
      await world.condition(namespace, ['agent', 'gardener'], { type: 'Ready', status: 'True' });
      const intoMinuteMs = Date.now() % MINUTE_MS;
      const untilMs = (AWAY_FROM_SECOND * 1000 - intoMinuteMs + MINUTE_MS) % MINUTE_MS;
      await new Promise((resolve) => setTimeout(resolve, untilMs));
      await fault('kill', 'kube-apiserver');
      const awayMs = Date.now();
      try {
        await new Promise((resolve) => setTimeout(resolve, API_AWAY_MS));
      } finally {
        await fault('start', 'kube-apiserver');
      }
      const backMs = Date.now();
      const isOfOutage = ({ eventTime }: ToldEvent): boolean => {
        const atMs = Date.parse(eventTime ?? '');
        return atMs > awayMs && atMs < backMs;
      };
      const told = async () => {
        const events = await world.kubectl.list<ToldEvent>('events', '-n', namespace);
        return events.find((event) => event.reason === 'JobFinished' && isOfOutage(event));
      };
      const event = await world.until('the Event of a job that ended meanwhile', told, 120_000, namespace);
      expect(event.involvedObject.kind).toBe('Agent');
      const noted = async () => {
        const { status } = await world.get('agent', 'gardener', namespace);
        const { last } = (status?.['jobs'] ?? {}) as { readonly last?: { readonly moment: string } };
        return last !== undefined && Date.parse(last.moment) >= awayMs ? last : undefined;
      };
      expect(await world.until('the firing in status.jobs', noted, 400_000, namespace)).toMatchObject({
        job: 'garden',
      });
    },
    700_000,
  );
});

function restarts({ status }: ClusterObject): number {
  const containers = (status?.['containerStatuses'] ?? []) as readonly { readonly restartCount: number }[];
  return containers.reduce((sum, { restartCount }) => sum + restartCount, 0);
}
