/**
 * What a bus may do to any one message of a run that an older version admitted, in virtual time: drop, double, delay it, or let
 * others overtake it. And what a run of today does with a message that comes when it should not.
 */
import { BUS_ROUTES } from '@retainer/contract/wire/bus/roles';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import { describe, expect } from 'vitest';
import { rareScenarios, scenarios } from '../../../../test/support/run-scenarios.ts';
import { faultless, RunWorld, type BusFault } from '../../../../test/support/run-world.ts';
import { bySize } from '../../../../test/support/test-size.ts';
import { verifies } from '../../../../test/verifies.ts';
import { deadlineOf } from './deadline.ts';
import { decideRun } from './decide.ts';
import { evolveRun } from './evolve.ts';
import type { RunState } from './state.ts';
import { testTools } from '../../../../test/support/known-tools.ts';

/** When a message arrives that would have come after a millisecond. */
const faults: Readonly<Record<string, readonly number[]>> = {
  dropped: [],
  doubled: [1, 2],
  'doubled late': [1, 5001],
  delayed: [3000],
  'reordered behind what comes after it': [40],
};

/** Of the messages of a run, so many to one that is disturbed; those to be overtaken are few, and all are tried. */
const STRIDE = bySize({ quick: 15, check: 3, nightly: 1 });

const every = [...scenarios, ...rareScenarios];

/** Whether a message that was sent later came before this one. */
function isOvertaken(world: RunWorld, { id }: BusMessage): boolean {
  const received = world.of('MessageReceived').map(({ messageId }) => messageId);
  const sent = world.messages().map((it) => it.id);
  return received.slice(0, received.indexOf(id)).some((other) => sent.indexOf(other) > sent.indexOf(id));
}

verifies('run:any-message-fault', 'the runs below say every word that there is', () => {
  const said = every.flatMap((scenario) =>
    new RunWorld({ ...scenario, bus: faultless })
      .play()
      .messages()
      .map(({ type }) => type),
  );
  expect([...new Set(said)].toSorted()).toEqual(Object.keys(BUS_ROUTES).toSorted());
});

describe.each(every)('a run that is $name, when one message is', ({ name, outcome, ...scenario }) => {
  /** In short runs each message waits for the one before: there is nothing to overtake. */
  const travelTogether = scenarios.some((it) => it.name === name);
  const undisturbed = new RunWorld({ ...scenario, bus: faultless }).play().messages();

  for (const [fault, arrivals] of Object.entries(faults))
    verifies('run:any-message-fault', `${fault}: it ends the same, once and in time`, () => {
      const isReordered = fault.startsWith('reordered');
      let overtaken = 0;
      for (const message of undisturbed.filter((_, at) => isReordered || at % STRIDE === 0)) {
        let fired = 0;
        const bus: BusFault = ({ id }) => {
          if (id !== message.id) return [1];
          fired += 1;
          return arrivals;
        };
        const label = `${message.type} ${message.id}`;
        const world = new RunWorld({ ...scenario, bus }).play();
        expect(fired, label).toBe(1);
        expect(world.concluded.outcome, label).toBe(outcome);
        expect(world.of('RunConcluded'), label).toHaveLength(1);
        expect(
          world.messages().filter(({ type }) => type === 'FinalResult'),
          label,
        ).toHaveLength(1);
        expect(world.nowMs, label).toBeLessThanOrEqual(deadlineOf(world.state));
        const writes = world.messages().filter(({ type }) => type === 'MemoryWrite');
        expect(world.state.remembered.size, label).toBe(writes.length);
        const received = world.of('MessageReceived').map((it) => it.messageId);
        expect(new Set(received).size, label).toBe(received.length);
        overtaken += Number(isReordered && isOvertaken(world, message));
      }
      if (isReordered && travelTogether) expect(overtaken).toBeGreaterThan(0);
    });

  verifies('run:any-message-fault', 'lost, and all others too: the record hands them over', () => {
    const world = new RunWorld({ ...scenario, bus: () => [] }).play();
    expect(world.concluded.outcome).toBe(outcome);
  });
});

/** What comes of every word of round 1 that reaches its role only where the record has come so far. */
function lateWords(isReached: (state: RunState) => boolean): readonly (readonly string[])[] {
  const [, , replanned] = scenarios;
  if (replanned === undefined) throw new Error('there are four scenarios');
  let state: RunState | undefined;
  for (const event of new RunWorld(replanned).play().events) {
    state = evolveRun(state, event);
    if (isReached(state)) break;
  }
  if (state === undefined) throw new Error('a run has events');
  const { messages, nowMs } = state;
  return messages
    .filter(({ message }) => message.round === 1 && message.type !== 'MemoryWrite')
    .map(({ message: { id } }) => {
      const unread = {
        ...state,
        messages: messages.map((it) => (it.message.id === id ? { ...it, isRead: false } : it)),
      };
      const events = decideRun(unread, { kind: 'MessageReceived', atMs: nowMs, messageId: id }, testTools);
      return events.map((it) => (it.kind === 'MessageDropped' ? `${it.kind}: ${it.reason}` : it.kind));
    });
}

verifies('run:stale-is-dropped', 'a word of the first round in the second, and after the result', () => {
  const inSecond = lateWords(({ messages }) => messages.some(({ message }) => message.round === 2));
  expect(inSecond.length).toBeGreaterThan(10);
  for (const kinds of inSecond) expect(kinds).toEqual(['MessageReceived', 'MessageDropped: its round 1 is over']);
  const afterwards = lateWords(({ messages }) => messages.some(({ message }) => message.type === 'FinalResult'));
  for (const kinds of afterwards) expect(kinds).toEqual(['MessageReceived', 'MessageDropped: the run has its result']);
});
