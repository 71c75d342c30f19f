/** What agents note of their second copies, in a whole operator: how often it looks, what it writes, and what it tells. */
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import type { BackupNote } from '@retainer/contract/api/backup-note';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { resources } from '@retainer/kube/resources';
import { memberAt, textAt } from '../../support/fake-api-server/json.ts';
import { OperatorWorld } from '../../support/operator-world/operator-world.ts';
import { agent, character, NAMESPACE, skill } from '../../support/operator-world/world-objects.ts';
import { verifies } from '../../verifies.ts';

const MINUTE_MS = 60_000;
const INDIVIDUAL = '3f0c7a52-1111-4e6a-9b1d-0123456789ab';
/** Minutes of virtual time are seconds of a processor, which a busy machine has for somebody else. */
vi.setConfig({ testTimeout: 120_000 });
let world: OperatorWorld;

beforeEach(async () => {
  world = new OperatorWorld();
  await world.open();
  world.startOperator();
  world.put(resources.characterSpecs, character());
  world.put(resources.skills, skill());
  world.put(resources.agents, agent());
  const isReady = () => live()?.status === 'True';
  expect(await world.until(isReady, 5 * MINUTE_MS)).toBeDefined();
  note({});
  expect(await world.until(() => textAt(stored(), 'status.individual') !== '', 5 * MINUTE_MS)).toBeDefined();
});

afterEach(() => world.close());

const KEY = { namespace: NAMESPACE, name: 'ada' };
const stored = () => world.server.get(resources.agents, KEY);

interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

function live(type = 'Ready'): SeenCondition | undefined {
  const conditions = (memberAt(stored(), 'status.conditions') ?? []) as readonly SeenCondition[];
  return conditions.find((one) => one.type === type);
}

/** As the agent does. */
function note(backup: BackupNote): void {
  const lease = world.server.get(resources.leases, { ...KEY, name: 'retainer-ada' });
  if (lease === undefined) throw new Error('the agent has no Lease');
  const annotations = {
    ...lease.metadata.annotations,
    [ANNOTATIONS.individual]: INDIVIDUAL,
    [ANNOTATIONS.backup]: JSON.stringify(backup),
  };
  world.put(resources.leases, { ...lease, metadata: { ...lease.metadata, annotations } });
}

const at = (): string => new Date(world.clock.nowMs()).toISOString();
const ofOperator = (resource: string) =>
  world.requests.filter((one) => one.resource === resource && one.namespace === NAMESPACE);
const looks = () => ofOperator('leases').filter(({ verb }) => verb === 'get').length;
const writes = () => world.requests.filter(({ isChange, namespace }) => isChange && namespace === NAMESPACE).length;
const told = () =>
  world.server
    .list(resources.events, NAMESPACE)
    .map((event) => `${textAt(event, 'type')} ${textAt(event, 'reason')}`)
    .filter((text) => /Backup|Remote/.test(text));
const untilReason = (reason: string) => world.until(() => live('BackupCurrent')?.reason === reason, 10 * MINUTE_MS);

describe('the note of the second copy', () => {
  verifies('operator-agent:lease-looks', 'is read at its pace, and costs a write only when it changed', async () => {
    note({ lastAt: at() });
    expect(await untilReason('BackupCurrent')).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect(memberAt(stored(), 'status.backup')).toEqual({ lastAt: expect.stringMatching(/Z$/) });
    await world.pass(5 * MINUTE_MS);
    const [looksBefore, writesBefore] = [looks(), writes()];
    await world.pass(30 * MINUTE_MS);
    expect(looks() - looksBefore).toBe(6);
    expect(writes() - writesBefore).toBe(0);
    expect(told()).toEqual([]);
    note({ lastAt: at() });
    await world.pass(6 * MINUTE_MS);
    expect(writes() - writesBefore).toBe(1);
    expect(told()).toEqual([]);
  });

  verifies('operator-agent:lease-looks', 'tells trouble and its end in Events, each once', async () => {
    note({ lastAt: at(), trouble: 'CommitLate', unsavedSince: at() });
    expect(await untilReason('BackupStale')).toBeLessThanOrEqual(5 * MINUTE_MS);
    expect(live()).toMatchObject({ type: 'Ready', status: 'True' });
    await world.pass(20 * MINUTE_MS);
    note({ lastAt: at() });
    await untilReason('BackupCurrent');
    await world.pass(20 * MINUTE_MS);
    expect(told()).toEqual(['Warning BackupStale', 'Normal BackupCurrent']);
  });

  verifies(
    'operator-agent:lease-looks',
    'is looked for by a new operator within the same time, at once by none',
    async () => {
      note({ lastAt: at() });
      await untilReason('BackupCurrent');
      world.kill();
      const before = looks();
      world.startOperator();
      await world.untilLeading();
      expect(looks()).toBe(before);
      note({ lastAt: at(), trouble: 'CommitLate', unsavedSince: at() });
      expect(await untilReason('BackupStale')).toBeLessThanOrEqual(5 * MINUTE_MS);
      expect(looks() - before).toBe(1);
    },
  );

  verifies('operator-agent:backup-current', 'stands as it was while the agent is suspended', async () => {
    note({ lastAt: at(), trouble: 'CommitLate', unsavedSince: at() });
    await untilReason('BackupStale');
    world.put(resources.agents, agent({ suspend: true }));
    await world.pass(2 * MINUTE_MS);
    note({ lastAt: at() });
    await world.pass(20 * MINUTE_MS);
    expect(live('BackupCurrent')).toMatchObject({ status: 'False', reason: 'BackupStale' });
    world.put(resources.agents, agent({ suspend: false }));
    expect(await untilReason('BackupCurrent')).toBeDefined();
  });
});
