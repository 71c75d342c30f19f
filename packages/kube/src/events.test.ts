import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { startFakeApiServer, type FakeApiServer } from '../../../test/support/fake-api-server/fake-api-server.ts';
import { fakeKubeClient } from '../../../test/support/fake-api-server/fake-kube-client.ts';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { resources } from './resources.ts';
import { EventRecorder, type EventRecorderOptions, type EventText } from './events.ts';
import type { KubeClient } from './kube-client.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const event = (name = 'a', more: Partial<EventText> = {}): EventText => ({
  regarding: { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'one', uid: name } },
  type: 'Normal',
  reason: 'Started',
  action: 'Start',
  note: 'it runs',
  ...more,
});

async function world(more: Partial<EventRecorderOptions> = {}): Promise<{
  readonly clock: ManualClock;
  readonly server: FakeApiServer;
  readonly recorder: EventRecorder;
  readonly errors: Error[];
  /** Lets the recorder write all that waits. */
  readonly written: () => Promise<void>;
}> {
  const clock = manualClock();
  const server = await startFakeApiServer({ clock });
  const client = fakeKubeClient(server, { clock });
  const errors: Error[] = [];
  let draws = 0;
  const random = (): number => (draws += 1) / 10_000;
  const recorder = new EventRecorder({
    ...{ client, clock, random, controller: 'test.dev/controller', instance: 'pod-1' },
    onError: (error) => errors.push(error),
    ...more,
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  ends.push(async () => {
    stop.abort();
    await running;
    client.close();
    await server.stop();
  });
  const written = async (): Promise<void> => {
    for (let still = 0, last = -1; still < 10; still = server.activity === last ? still + 1 : 0) {
      last = server.activity;
      clock.advance(100);
      await new Promise(setImmediate);
      if (server.inFlight > 0) still = -1;
    }
  };
  return { clock, server, recorder, errors, written };
}

const eventsOf = (server: FakeApiServer): readonly Readonly<Record<string, unknown>>[] => server.list(resources.events);

describe('an event recorder', () => {
  verifies('kube:events-are-harmless', 'writes an event as people expect to read it', async () => {
    const { server, recorder, written } = await world();
    recorder.record(event('a', { note: 'n'.repeat(2_000), related: event('b').regarding }));
    await written();
    const [stored, ...others] = eventsOf(server);
    expect(others).toEqual([]);
    expect(stored).toMatchObject({
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]+$/), namespace: 'one' },
      eventTime: expect.stringMatching(/^2030-01-01T.*\.\d{6}Z$/),
      reportingController: 'test.dev/controller',
      reportingInstance: 'pod-1',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'one', name: 'a', uid: 'a' },
      related: { name: 'b' },
      type: 'Normal',
      reason: 'Started',
      action: 'Start',
      note: 'n'.repeat(1_000),
    });
    expect(stored).not.toHaveProperty('series');
  });

  verifies('kube:events-are-harmless', 'makes repeats a series, until they pause', async () => {
    const { clock, server, recorder, written } = await world();
    for (let times = 0; times < 5; times += 1) recorder.record(event());
    await written();
    recorder.record(event('a', { note: 'it runs again' }));
    recorder.record(event('a', { reason: 'Stopped' }));
    await written();
    expect(
      eventsOf(server).map(({ reason, series }) => [reason, (series as { count?: number } | undefined)?.count]),
    ).toEqual([
      ['Started', 6],
      ['Stopped', undefined],
    ]);
    clock.advance(6 * 60_000);
    recorder.record(event());
    await written();
    expect(eventsOf(server)).toHaveLength(3);
  });

  verifies('kube:events-are-harmless', 'writes a series once more after the server forgot it', async () => {
    const { server, recorder, written } = await world();
    recorder.record(event());
    await written();
    for (const { metadata } of server.list(resources.events))
      server.remove(resources.events, { namespace: 'one', name: metadata.name });
    recorder.record(event());
    await written();
    expect(eventsOf(server)).toMatchObject([{ series: { count: 2 } }]);
  });

  verifies('kube:events-are-harmless', 'gives each object a budget', async () => {
    const { clock, server, recorder, written } = await world();
    for (let index = 0; index < 40; index += 1) recorder.record(event('loud', { reason: `Reason${index}` }));
    recorder.record(event('quiet'));
    await written();
    expect([eventsOf(server).length, recorder.dropped]).toEqual([26, 15]);
    clock.advance(10 * 60_000);
    for (let index = 0; index < 40; index += 1) recorder.record(event('loud', { reason: `Late${index}` }));
    await written();
    expect(eventsOf(server)).toHaveLength(28);
  });

  verifies('kube:events-are-harmless', 'is bounded: what does not fit is dropped and counted', () => {
    const client = {} as KubeClient;
    const recorder = new EventRecorder({
      client,
      clock: manualClock(),
      random: () => 0,
      controller: 'c',
      instance: 'i',
    });
    for (let index = 0; index < 1_050; index += 1) recorder.record(event(`p${index}`));
    expect(recorder.dropped).toBe(50);
  });

  verifies('kube:events-are-harmless', 'drops what is refused, and goes on', async () => {
    const { server, recorder, errors, written } = await world();
    const heal = server.faults.onRequest(() => ({ type: 'Refuse', status: 403, reason: 'Forbidden' }));
    recorder.record(event('a'));
    recorder.record(event('b'));
    await written();
    expect([eventsOf(server).length, recorder.dropped, errors.length]).toEqual([0, 2, 2]);
    heal();
    recorder.record(event());
    await written();
    expect(eventsOf(server)).toHaveLength(1);
  });

  verifies('kube:events-wait-for-the-server', 'writes what found no API server when it is back, once', async () => {
    let back = (): void => undefined;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const { server, recorder, errors, written } = await world({ untilReachable: () => isBack });
    const heal = server.faults.onRequest(() => ({ type: 'Drop' }));
    recorder.record(event('a'));
    recorder.record(event('b'));
    await written();
    expect(eventsOf(server)).toEqual([]);
    heal();
    const healToo = server.faults.onRequest(() => ({ type: 'LoseReply', onDone: () => healToo() }));
    back();
    await written();
    expect([eventsOf(server).length, recorder.dropped, errors.length]).toEqual([2, 0, 0]);
  });

  verifies('kube:events-are-harmless', 'begins another series for what is about something else', async () => {
    const { server, recorder, written } = await world();
    for (const about of ['one', 'two', 'one']) recorder.record(event('a', { about, note: about }));
    await written();
    expect(eventsOf(server)).toMatchObject([{ note: 'one' }, { note: 'two' }]);
    expect(JSON.stringify(eventsOf(server))).not.toContain('about');
  });

  it('asks for no more than it needs', async () => {
    const { server, recorder, written } = await world();
    recorder.record(event());
    recorder.record(event('b'));
    await written();
    expect(server.audit.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual(['create events', 'create events']);
  });

  it('keeps no object that an event was about', async () => {
    const { recorder, written } = await world();
    const objects: WeakRef<object>[] = [];
    const recordOne = (name: string): void => {
      const { regarding } = event(name);
      objects.push(new WeakRef(regarding));
      recorder.record(event(name, { regarding, related: regarding }));
    };
    for (const name of ['a', 'b', 'c']) recordOne(name);
    await written();
    collectGarbage();
    expect(objects.filter((object) => object.deref() !== undefined)).toEqual([]);
  });
});
