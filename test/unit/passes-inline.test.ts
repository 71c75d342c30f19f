/** The messages of a run in its record and outside of it: each once in the one, all of them in the other. */
import { beforeAll, describe, expect } from 'vitest';
import { BusUnavailableError } from '@retainer/agent-pod/bus/bus';
import { evolveRun } from '@retainer/mind/run/evolve';
import { unread, type RunState } from '@retainer/mind/run/state';
import type { RunEventOf } from '@retainer/mind/run/event';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import { scripted } from '../support/agents.ts';
import { crashLabel } from '../support/crash-labels.ts';
import { makeRuntime, play, World, worldAt } from '../support/crash-world.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { rareScenarios, scenarios } from '../support/run-scenarios.ts';
import { faultless, RunWorld } from '../support/run-world.ts';
import { oneChangeRun, oneChangeScript } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

describe.each([...scenarios, ...rareScenarios])('a run that is $name', ({ name, outcome, ...scenario }) => {
  verifies(
    'run:passes-inline',
    `${name}: ends as over a bus, with each message once and none received by an event`,
    () => {
      const world = new RunWorld(scenario).play();
      const overBus = new RunWorld({ ...scenario, bus: faultless }).play();
      expect(world.concluded.outcome).toBe(outcome);
      expect(world.of('MessageReceived')).toEqual([]);
      expect(world.messages().map(({ seq }) => seq)).toEqual(world.messages().map((_, index) => index + 1));
      expect(world.of('RunClosed')).toEqual([
        { kind: 'RunClosed', outcome: world.concluded.outcome, messages: world.messages().length },
      ]);
      const types = (it: RunWorld): readonly string[] =>
        it
          .messages()
          .map(({ type }) => type)
          .toSorted();
      expect(types(world)).toEqual(types(overBus));
      const most = scenarios.some((it) => it.name === name) ? 0.65 * overBus.events.length : Infinity;
      const received = overBus.of('MessageReceived').length;
      expect(world.events.length).toBeLessThanOrEqual(Math.min(most, overBus.events.length - received));
    },
  );

  verifies(
    'run:passes-inline',
    `${name}: leaves no message that a role has not acted on, nor two events of messages in a row`,
    () => {
      let state: RunState | undefined;
      const { events } = new RunWorld(scenario).play();
      for (const [index, event] of events.entries()) {
        state = evolveRun(state, event);
        expect(unread(state)).toEqual([]);
        if (event.kind === 'MessageSent') expect(events[index - 1]?.kind).not.toBe('MessageSent');
      }
    },
  );
});

const arrivals = [{ originId: 'task:work', command: { type: 'StartRun', spec: oneChangeRun('r') } }] as const;

const messagesOf = ({ records }: MemoryJournal): readonly BusMessage[] =>
  records.flatMap(({ kind, payload }) =>
    kind === 'MessageSent' ? (payload as unknown as RunEventOf<'MessageSent'>).messages : [],
  );

describe('the messages of a run', () => {
  let model: ModelPort;
  const whole = new MemoryJournal();
  const end = new World();

  beforeAll(async () => {
    model = await scripted(oneChangeScript);
    await play(whole, end, model, arrivals);
  });

  verifies(
    'run:passes-inline',
    'stand in the journal with the input that they follow from: a plain run in few appends',
    () => {
      const run = whole.records.filter(({ store }) => store === 'run');
      expect(messagesOf(whole)).toHaveLength(12);
      expect(run.filter(({ kind }) => kind === 'MessageSent')).toHaveLength(6);
      // Over a bus there were 41.
      expect(run.length).toBeLessThanOrEqual(24);
    },
  );

  verifies('run:heard-whole', 'are heard outside in their order, each once', () => {
    expect(end.heard).toEqual(messagesOf(whole));
  });

  verifies('run:heard-whole', 'are heard all after a crash at any record', async () => {
    const closedAt = whole.records.findIndex(({ kind }) => kind === 'RunClosed');
    for (let length = 0; length <= closedAt; length += 1) {
      const prefix = whole.records.slice(0, length);
      const journal = new MemoryJournal(prefix);
      const world = worldAt(prefix, end, 'NotDone');
      await play(journal, world, model, arrivals);
      const heard = new Map(world.heard.map((message) => [message.id, message]));
      expect([...heard.values()], crashLabel(prefix)).toEqual(messagesOf(journal));
    }
  });

  const faults: Readonly<Record<string, (message: BusMessage) => Promise<void>>> = {
    refused: ({ id }) => Promise.reject(new BusUnavailableError(id, 'it is away')),
    'never answered for': () => new Promise(() => undefined),
  };
  for (const [fault, publish] of Object.entries(faults))
    verifies('run:heard-whole', `hold up nothing where any one of them is ${fault}`, async () => {
      for (const { seq } of messagesOf(whole)) {
        const [journal, world] = [new MemoryJournal(), new World()];
        let fired = 0;
        const bus = {
          publish: (message: BusMessage) => {
            if (message.seq !== seq) return world.publish(message);
            fired += 1;
            return publish(message);
          },
          close: () => world.close(),
        };
        const runtime = makeRuntime({ journal, world, model, bus });
        await runtime.start();
        for (const { originId, command } of arrivals) await runtime.accept(originId, 'test', command);
        const { concluded } = await runtime.closed('r');
        await runtime.stop();
        expect([fired, concluded?.outcome], `message ${seq}`).toEqual([1, 'Succeeded']);
        expect(messagesOf(journal).map(({ id }) => id)).toEqual(messagesOf(whole).map(({ id }) => id));
      }
    });
});
