import { describe, expect, it } from 'vitest';
import type { Journal, JournalRecord, NewRecord } from '@retainer/journal/journal';
import { Instance, type Machine } from './instance.ts';

type Counted =
  | { readonly kind: 'Added'; readonly amount: number }
  /** A decision: it tells the sum that the input was decided on. */
  | { readonly kind: 'Noted'; readonly sum: number };
type Added = Extract<Counted, { kind: 'Added' }>;

/** Adds up; an amount of 0 is stale. */
const counting: Machine<number, Added, Counted> = {
  store: 'run',
  isInput: (event) => event.kind === 'Added',
  decide: (sum = 0, input) => (input.amount === 0 ? [] : [input, { kind: 'Noted', sum }]),
  evolve: (sum = 0, event) => (event.kind === 'Added' ? sum + event.amount : sum),
};

const refused = 13;

/** Takes an append when it is let; refuses, as a journal does, one that holds the amount 13. */
function heldJournal(): { journal: Pick<Journal, 'append'>; appends: (readonly NewRecord[])[]; let: () => void } {
  const appends: (readonly NewRecord[])[] = [];
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const append = async (records: readonly NewRecord[]): Promise<readonly JournalRecord[]> => {
    if (records.some(({ payload }) => (payload as { amount?: number }).amount === refused)) throw new Error('refused');
    appends.push(records);
    await held;
    return [];
  };
  return { journal: { append }, appends, let: () => go() };
}

function counter(): ReturnType<typeof heldJournal> & {
  add: (amount: number) => Promise<boolean>;
  instance: Instance<number, Added, Counted>;
  told: number[];
} {
  const held = heldJournal();
  const told: number[] = [];
  const parts = { journal: held.journal, redact: (text: string) => text };
  const instance = new Instance(counting, { runId: 'r' }, parts, (_events, state) => told.push(state));
  return { ...held, instance, told, add: (amount) => instance.feed({ kind: 'Added', amount }) };
}

const sumsNoted = (records: readonly NewRecord[] | undefined): readonly unknown[] =>
  (records ?? []).flatMap(({ kind, payload }) => (kind === 'Noted' ? [(payload as { sum: number }).sum] : []));

describe('inputs of one machine', () => {
  it('are decided after what is slow in it, slice by slice, with other work between the slices', async () => {
    const seen: string[] = [];
    const slow: typeof counting = {
      ...counting,
      *readAhead() {
        for (const slice of ['first', 'second', 'third']) {
          seen.push(slice);
          setImmediate(() => seen.push('other work'));
          yield;
        }
      },
      decide: (sum, input) => {
        seen.push('decided');
        return counting.decide(sum, input);
      },
    };
    const journal = { append: () => Promise.resolve([]) };
    const instance = new Instance(slow, { runId: 'r' }, { journal, redact: (text) => text }, () => undefined);
    await instance.feed({ kind: 'Added', amount: 1 });
    expect(seen).toEqual(['first', 'other work', 'second', 'other work', 'third', 'other work', 'decided']);
  });

  it('that wait while the disk is busy are recorded with one append, each decided on what the one before leaves', async () => {
    const { add, appends, told, let: letGo } = counter();
    const first = add(1);
    await Promise.resolve();
    const others = [add(2), add(3), add(4)];
    letGo();
    expect(await Promise.all([first, ...others])).toEqual([true, true, true, true]);
    expect(appends.map(sumsNoted)).toEqual([[0], [1, 3, 6]]);
    expect(told).toEqual([1, 3, 6, 10]);
  });

  it('tell nobody anything before their records are on the disk', async () => {
    const { add, told, instance, let: letGo } = counter();
    const fed = [add(1), add(2)];
    await new Promise(setImmediate);
    expect(told).toEqual([]);
    expect(instance.state).toBeUndefined();
    letGo();
    await Promise.all(fed);
    expect(instance.state).toBe(3);
  });

  it('are recorded as their author’s, and what the machine makes of them as the agent’s', async () => {
    const { instance, appends, let: letGo } = counter();
    letGo();
    await instance.feed({ kind: 'Added', amount: 1 }, 'human:ada');
    expect(appends[0]?.map(({ kind, principal }) => [kind, principal])).toEqual([
      ['Added', 'human:ada'],
      ['Noted', 'agent'],
    ]);
  });

  it('are taken alone where the journal refuses one of them', async () => {
    const { add, appends, told, let: letGo } = counter();
    letGo();
    const fed = [add(1), add(refused), add(2)];
    expect(await Promise.allSettled(fed)).toMatchObject([
      { value: true },
      { reason: new Error('refused') },
      { value: true },
    ]);
    expect(appends.map(sumsNoted)).toEqual([[0], [1]]);
    expect(told).toEqual([1, 3]);
  });

  it('that are stale write nothing, alone and among others', async () => {
    const { add, appends, told, let: letGo } = counter();
    letGo();
    expect(await add(0)).toBe(false);
    expect(appends).toEqual([]);
    expect(await Promise.all([add(0), add(5), add(0)])).toEqual([false, true, false]);
    expect(appends).toHaveLength(1);
    expect(told).toEqual([5]);
  });

  it('are not taken once it is stopped', async () => {
    const { add, appends, instance, let: letGo } = counter();
    const first = add(1);
    await Promise.resolve();
    const second = add(2);
    const stopped = instance.stop();
    letGo();
    await stopped;
    expect(await Promise.all([first, second])).toEqual([true, false]);
    expect(appends).toHaveLength(1);
  });
});
