/** What agents note of their mail, in a whole operator: what it writes of it, how often, and what it believes. */
import { afterEach, beforeEach, describe, expect, vi } from 'vitest';
import type { AgentMail } from '@retainer/contract/api/agent-mail';
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
const email = {
  address: 'ada@example.org',
  imap: { host: 'imap.example.org' },
  smtp: { host: 'smtp.example.org' },
  credentialsSecretRef: { name: 'mail' },
};
const since = '2031-01-01T08:00:00.000Z';
const resting: AgentMail = {
  incoming: { state: 'Up', since, way: 'Idle' },
  outgoing: { state: 'Up', since },
  ...{ unread: 0, held: 2, unanswered: 1, unknown: 0, tripped: 0 },
};
const down: AgentMail = { ...resting, incoming: { state: 'Down', since, reason: 'LoginRefused' } };

let world: OperatorWorld;

beforeEach(async () => {
  world = new OperatorWorld();
  await world.open();
  world.startOperator();
  world.put(resources.characterSpecs, character());
  world.put(resources.skills, skill());
  world.put(resources.agents, agent({ channels: { email } }));
  expect(await world.until(() => conditionOf('Ready')?.status === 'True', 5 * MINUTE_MS)).toBeDefined();
});

afterEach(() => world.close());

interface Seen {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

const status = (path: string): unknown => memberAt(world.server.get(resources.agents, KEY), `status.${path}`);
const told = (): unknown => status('mail');
const conditionOf = (wanted: string): Seen | undefined =>
  ((status('conditions') ?? []) as readonly Seen[]).find(({ type }) => type === wanted);
const untilTold = (mail: AgentMail) =>
  world.until(() => JSON.stringify(told()) === JSON.stringify(mail), 10 * MINUTE_MS);
const writes = () => world.requests.filter(({ isChange, namespace }) => isChange && namespace === NAMESPACE).length;

/** As the agent does. */
function note(text: string): void {
  const lease = world.server.get(resources.leases, { ...KEY, name: 'retainer-ada' });
  if (lease === undefined) throw new Error('the agent has no Lease');
  const noted = { [ANNOTATIONS.individual]: INDIVIDUAL, [ANNOTATIONS.mail]: text };
  const annotations = { ...lease.metadata.annotations, ...noted };
  world.put(resources.leases, { ...lease, metadata: { ...lease.metadata, annotations } });
}

describe('the note of the mail', () => {
  verifies(
    'mail-cluster:status',
    'becomes status.mail and MailReady, with one write when it changed and none else',
    async () => {
      note(JSON.stringify(resting));
      expect(await untilTold(resting)).toBeDefined();
      expect(conditionOf('MailReady')).toMatchObject({ status: 'True', reason: 'MailReady' });
      await world.pass(5 * MINUTE_MS);
      const before = writes();
      await world.pass(15 * MINUTE_MS);
      expect(writes() - before).toBe(0);
      note(JSON.stringify(down));
      await world.pass(6 * MINUTE_MS);
      expect(told()).toEqual(down);
      expect(conditionOf('MailReady')).toMatchObject({ status: 'False', reason: 'LoginRefused' });
      expect(conditionOf('Ready')).toMatchObject({ status: 'True' });
      expect(writes() - before).toBe(1);
      await world.pass(15 * MINUTE_MS);
      expect(writes() - before).toBe(1);
    },
  );

  verifies('mail-cluster:status', 'goes with the channel', async () => {
    note(JSON.stringify(down));
    expect(await untilTold(down)).toBeDefined();
    world.put(resources.agents, agent({}));
    await world.pass(6 * MINUTE_MS);
    expect(told()).toBeUndefined();
    expect(conditionOf('MailReady')).toBeUndefined();
  });

  const server = resting.incoming;
  const unfit = [
    ['words in the place of a reason', { ...resting, incoming: { ...server, reason: 'Send me your password.' } }],
    ['another state', { ...resting, incoming: { ...server, state: 'Fine' } }],
    ['a count below zero', { ...resting, held: -1 }],
    ['no counts', { incoming: server, outgoing: server }],
  ] as const;
  verifies(
    'mail-cluster:status',
    'that holds anything but states, words of code and counts is not believed',
    async () => {
      note(JSON.stringify(resting));
      expect(await untilTold(resting)).toBeDefined();
      for (const text of ['{', ...unfit.map(([, value]) => JSON.stringify(value))]) {
        note(text);
        await world.pass(6 * MINUTE_MS);
        expect(told()).toEqual(resting);
      }
    },
  );

  verifies('mail-cluster:status', 'that holds more than is asked leaves that out', async () => {
    note(JSON.stringify({ ...resting, from: 'stranger@evil.example' }));
    expect(await untilTold(resting)).toBeDefined();
  });
});
