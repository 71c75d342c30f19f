import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { DECIDERS } from '../cycle/deciders.ts';
import { replayMachine, type Decider, type Recorded } from './replay-machine.ts';

/** Adds what it is told, decides to say the sum, and to warn above ten. */
type Event =
  | { readonly kind: 'DecidersChanged'; readonly deciders: number }
  | { readonly kind: 'Added'; readonly amount: number }
  | { readonly kind: 'Said'; readonly sum: number }
  | { readonly kind: 'Warned'; readonly sum: number };
type Added = Extract<Event, { kind: 'Added' | 'DecidersChanged' }>;

const adder: Decider<number, Added, Event> = {
  isInput: (event): event is Added => event.kind === 'Added' || event.kind === 'DecidersChanged',
  evolve: (state = 0, event) => (event.kind === 'Added' ? state + event.amount : state),
  decide: (state = 0, input) => {
    if (input.kind === 'DecidersChanged') return [input];
    const sum = state + input.amount;
    return [input, { kind: 'Said', sum }, ...(sum > 10 ? [{ kind: 'Warned', sum } as const] : [])];
  },
};

function recordOf(amounts: readonly number[]): readonly Recorded<Event>[] {
  const events: Event[] = [];
  let state: number | undefined;
  for (const amount of amounts) {
    for (const event of adder.decide(state, { kind: 'Added', amount })) {
      events.push(event);
      state = adder.evolve(state, event);
    }
  }
  return events.map((event, seq) => ({ event, store: 'sum', seq, order: seq, epoch: 1 }));
}

const replay = (recorded: readonly Recorded<Event>[]): ReturnType<typeof replayMachine> =>
  replayMachine(() => adder, recorded);
const withEvent = (recorded: readonly Recorded<Event>[], index: number, event: Event): readonly Recorded<Event>[] =>
  recorded.map((item, position) => (position === index ? { ...item, event } : item));

describe('replayMachine', () => {
  verifies('cli:replay-byte-equal', 'finds any record equal that the decider made', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 20 }), (amounts) => {
        const recorded = recordOf(amounts);
        const inputs = amounts.length;
        expect(replay(recorded)).toEqual({
          inputs,
          decisions: recorded.length - inputs,
          cutGroups: 0,
          divergence: undefined,
          otherInputs: 0,
          decidedOtherwise: [],
        });
      }),
      { numRuns: 100 },
    );
  });

  verifies('cli:replay-byte-equal', 'names the first decision after an altered input', () => {
    const recorded = withEvent(recordOf([1, 2, 3]), 2, { kind: 'Added', amount: 5 });
    expect(replay(recorded).divergence).toEqual({
      store: 'sum',
      seq: 3,
      kind: 'Said',
      inputSeq: 2,
      path: 'sum',
      recorded: '3',
      decided: '6',
      decidedKind: 'Said',
    });
  });

  verifies('cli:replay-byte-equal', 'names an altered, a missing and an additional decision', () => {
    const recorded = recordOf([11, 1]);
    expect(replay(withEvent(recorded, 1, { kind: 'Said', sum: 12 })).divergence).toMatchObject({ seq: 1, path: 'sum' });
    expect(replay(recorded.filter(({ seq }) => seq !== 2)).divergence).toMatchObject({
      seq: 0,
      inputSeq: 0,
      recorded: 'nothing',
    });
    const warned = { event: { kind: 'Warned', sum: 1 }, store: 'sum', seq: 2, order: 2, epoch: 1 } as const;
    expect(replay([...recordOf([1]), warned]).divergence).toMatchObject({ seq: 2, kind: 'Warned', decided: 'nothing' });
  });

  it('takes a group that a crash cut off for what it is', () => {
    const recorded = recordOf([11, 1]);
    const cut = recorded.filter(({ seq }) => seq !== 2).map((item) => ({ ...item, epoch: item.seq > 2 ? 2 : 1 }));
    expect(replay(cut)).toMatchObject({ cutGroups: 1, decisions: 3, divergence: undefined });
    expect(replay(recordOf([11]).slice(0, 2))).toMatchObject({ cutGroups: 1, divergence: undefined });
  });

  describe('of a record of other deciders', () => {
    const changed = (deciders: number): Recorded<Event> => ({
      ...{ store: 'sum', seq: deciders, order: 0, epoch: 1 },
      event: { kind: 'DecidersChanged', deciders },
    });
    const altered = withEvent(recordOf([1, 2]), 1, { kind: 'Said', sum: 7 });

    verifies('replay:other-deciders', 'counts what it decides otherwise, and goes on from the record', () => {
      const told = replay([changed(DECIDERS - 1), ...altered]);
      expect(told).toMatchObject({ divergence: undefined, otherInputs: 3, inputs: 3 });
      expect(told.decidedOtherwise).toMatchObject([{ seq: 1, path: 'sum', recorded: '7', decided: '1' }]);
    });

    verifies('replay:other-deciders', 'demands equality again from where its own go on', () => {
      const own = replay([changed(DECIDERS - 1), ...altered.slice(0, 2), changed(DECIDERS), ...altered.slice(2)]);
      expect(own).toMatchObject({ divergence: undefined, otherInputs: 2 });
      const late = [changed(DECIDERS - 1), changed(DECIDERS), ...altered];
      expect(replay(late).divergence).toMatchObject({ seq: 1, recorded: '7' });
    });
  });

  it('decides each input as the agent was configured then', () => {
    const quiet = {
      ...adder,
      decide: (state: number | undefined, input: Added) => adder.decide(state, input).slice(0, 2),
    };
    const recorded = recordOf([11, 1]).filter(({ seq }) => seq !== 2);
    expect(replayMachine((order) => (order < 2 ? quiet : adder), recorded).divergence).toBeUndefined();
    expect(replayMachine(() => quiet, recorded).divergence).toMatchObject({ kind: 'Warned' });
  });
});
