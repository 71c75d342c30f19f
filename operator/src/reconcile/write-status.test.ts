import { afterEach, beforeEach, describe, expect } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { agentObject, TEAM } from '../../../test/support/sandbox-world.ts';
import { verifies } from '../../../test/verifies.ts';
import type { NewCondition } from '../apply/applier.ts';
import { KubeApplier } from '../apply/kube-applier.ts';
import { resources } from '@retainer/kube/resources';
import { writeStatus } from './write-status.ts';

const ADA = { namespace: TEAM, name: 'ada' };

let server: FakeApiServer;
let applier: KubeApplier;
let events: string[];

beforeEach(async () => {
  server = await startFakeApiServer();
  events = [];
  applier = new KubeApplier({
    client: fakeKubeClient(server, { user: 'operator' }),
    clock: manualClock(),
    record: (_, { type, reason, note }) => events.push(`${type} ${reason}: ${note}`),
  });
  server.put(resources.agents, agentObject('ada'));
});
afterEach(() => server.stop());

/** @returns the Events of this write */
async function written(...conditions: readonly NewCondition[]): Promise<readonly string[]> {
  events = [];
  const root = server.get(resources.agents, ADA);
  if (root === undefined) throw new Error('the Agent is gone');
  const status = { resource: resources.agents, root, conditions, fields: {} };
  await writeStatus(applier, status, new AbortController().signal);
  return events;
}

const condition = (type: string, status: NewCondition['status'], reason: string, message = 'm'): NewCondition => ({
  ...{ type, status, reason, message },
});
const READY = condition('Ready', 'True', 'AgentReady');

describe('an Event', () => {
  verifies(
    'operator-agent:record-told',
    'tells that the record changed, of whom it is, and that it is intact',
    async () => {
      const told: (readonly string[])[] = [];
      await written(READY);
      for (const record of [
        condition('RecordIntact', 'Unknown', 'Starting'),
        condition('RecordIntact', 'True', 'RecordIntact'),
        condition('RecordIntact', 'False', 'RecordChanged', 'in store cycle'),
        condition('RecordIntact', 'False', 'RecordChanged', 'in stores cycle and run'),
        condition('RecordIntact', 'False', 'AnotherIndividual', 'of another'),
        condition('RecordIntact', 'True', 'RecordIntact', 'no change'),
      ])
        told.push(await written(READY, record));
      expect(told).toEqual([
        [],
        [],
        ['Warning RecordChanged: in store cycle'],
        [],
        ['Warning AnotherIndividual: of another'],
        ['Normal RecordIntact: no change'],
      ]);
    },
  );

  verifies(
    'operator-agent:record-told',
    'stands beside that of Ready, and none tells of other conditions',
    async () => {
      const starting = condition('Ready', 'False', 'Starting');
      const changed = condition('RecordIntact', 'False', 'RecordChanged');
      const pod = condition('PodReady', 'False', 'PodCrashing');
      expect(await written(starting, changed, pod)).toEqual(['Normal Starting: m', 'Warning RecordChanged: m']);
      expect(await written(READY, changed)).toEqual(['Normal AgentReady: m']);
    },
  );
});
