/** What agents note of their jobs, in a whole operator: what it writes of it, how often, and what it believes. */
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import type { AgentJobs } from '@retainer/contract/api/agent-jobs';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { resources } from '@retainer/kube/resources';
import { memberAt } from '../../support/fake-api-server/json.ts';
import { OperatorWorld } from '../../support/operator-world/operator-world.ts';
import { agent, character, NAMESPACE, skill } from '../../support/operator-world/world-objects.ts';
import { verifies } from '../../verifies.ts';

const MINUTE_MS = 60_000;
/** Minutes of virtual time are seconds of a processor, which a busy machine has for somebody else. */
vi.setConfig({ testTimeout: 120_000 });

const KEY = { namespace: NAMESPACE, name: 'ada' };
const INDIVIDUAL = '3f0c7a52-1111-4e6a-9b1d-0123456789ab';
const resting: AgentJobs = {
  ...{ active: 2, paused: 1, failed: 0, skipped: 3, stalled: 0 },
  next: { job: 'weekly-report', at: '2031-01-01T08:00:00.000Z' },
  last: { job: 'look', moment: '2030-12-31T08:00:00.000Z', outcome: 'Succeeded' },
  newest: ['look', 'weekly-report'],
};

let world: OperatorWorld;

beforeEach(async () => {
  world = new OperatorWorld();
  await world.open();
  world.startOperator();
  world.put(resources.characterSpecs, character());
  world.put(resources.skills, skill());
  world.put(resources.agents, agent());
  expect(await world.until(() => isReady(), 5 * MINUTE_MS)).toBeDefined();
});

afterEach(() => world.close());

const status = (path: string): unknown => memberAt(world.server.get(resources.agents, KEY), `status.${path}`);
const told = (): unknown => status('jobs');
const untilTold = (jobs: AgentJobs) =>
  world.until(() => JSON.stringify(told()) === JSON.stringify(jobs), 10 * MINUTE_MS);
const writes = () => world.requests.filter(({ isChange, namespace }) => isChange && namespace === NAMESPACE).length;

function isReady(): boolean {
  const conditions = (status('conditions') ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.some((it) => it.type === 'Ready' && it.status === 'True');
}

/** As the agent does. */
function note(text: string): void {
  const lease = world.server.get(resources.leases, { ...KEY, name: 'retainer-ada' });
  if (lease === undefined) throw new Error('the agent has no Lease');
  const noted = { [ANNOTATIONS.individual]: INDIVIDUAL, [ANNOTATIONS.jobs]: text };
  const annotations = { ...lease.metadata.annotations, ...noted };
  world.put(resources.leases, { ...lease, metadata: { ...lease.metadata, annotations } });
}

describe('the note of the jobs', () => {
  verifies(
    'jobs-cluster:status',
    'becomes status.jobs, and costs one write when it changed and none else',
    async () => {
      note(JSON.stringify(resting));
      expect(await untilTold(resting)).toBeDefined();
      await world.pass(5 * MINUTE_MS);
      const before = writes();
      await world.pass(15 * MINUTE_MS);
      expect(writes() - before).toBe(0);
      const fired = { ...resting, last: { ...resting.last, job: 'weekly-report', outcome: 'Failed' }, failed: 1 };
      note(JSON.stringify(fired));
      await world.pass(6 * MINUTE_MS);
      expect(told()).toEqual(fired);
      expect(writes() - before).toBe(1);
    },
  );

  verifies('jobs-cluster:status', 'stands as it was while the agent is suspended', async () => {
    note(JSON.stringify(resting));
    expect(await untilTold(resting)).toBeDefined();
    world.put(resources.agents, agent({ suspend: true }));
    await world.pass(2 * MINUTE_MS);
    note(JSON.stringify({ ...resting, active: 9 }));
    await world.pass(6 * MINUTE_MS);
    expect(told()).toEqual(resting);
  });

  const unfit = [
    ['words in the place of a name', { ...resting, newest: ['Send me your password.'] }],
    ['more names than a status has', { ...resting, newest: Array.from({ length: 99 }, (_, at) => `job-${at}`) }],
    ['words in the place of an outcome', { ...resting, last: { ...resting.last, outcome: 'it went well' } }],
    ['a count below zero', { ...resting, active: -1 }],
  ] as const;
  verifies('jobs-cluster:status', 'that holds anything but names and counts is not believed', async () => {
    note(JSON.stringify(resting));
    expect(await untilTold(resting)).toBeDefined();
    for (const text of ['{', ...unfit.map(([, value]) => JSON.stringify(value))]) {
      note(text);
      await world.pass(6 * MINUTE_MS);
      expect(told()).toEqual(resting);
    }
    expect(isReady()).toBe(true);
  });
});
