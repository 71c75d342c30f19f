import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import * as watches from './store-watch.ts';
import { freshPosition } from './walk-chain.ts';

const { HEAD_EVERY_RECORDS, LOOK_EVERY_MS_MAX, SETTLE_MS } = watches;
const lagMsMax = 60_000;

const position = (lastSeq: number) => ({
  ...freshPosition,
  segment: 'segment.jsonl',
  lastSeq,
  lastHash: `hash-${lastSeq}`,
  endBytes: (lastSeq + 1) * 100,
});

const marksBetween = (fromSeq: number, toSeq: number) =>
  Array.from({ length: toSeq - fromSeq + 1 }, (_, index) => fromSeq + index)
    .filter((seq) => seq % HEAD_EVERY_RECORDS === HEAD_EVERY_RECORDS - 1)
    .map((seq) => ({ store: 'alpha', seq, hash: `hash-${seq}`, epoch: 0 }));

describe('heads that are kept', () => {
  verifies(
    'audit:head-lag',
    'no more than 1,000 records and 60 s are without a head at once, however they come',
    () => {
      const steps = fc.array(
        fc.record({
          records: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(5_000)),
          pauseMs: fc.integer({ min: 1, max: LOOK_EVERY_MS_MAX }),
        }),
        { maxLength: 60 },
      );
      fc.assert(
        fc.property(steps, (arrivals) => {
          let watch = watches.newWatch('alpha', undefined);
          let nowMs = 0;
          let lastSeq = -1;
          const arrivedAtMs: number[] = [];
          for (const { records, pauseMs } of arrivals) {
            // Worst case: they came right after the look before.
            for (let index = 0; index < records; index += 1) arrivedAtMs.push(nowMs);
            nowMs += pauseMs;
            const marks = marksBetween(lastSeq + 1, lastSeq + records);
            lastSeq += records;
            watch = watches.afterLook(watch, { atMs: nowMs, position: position(lastSeq), marks }, []);
            watch = watches.settle(watch, nowMs, SETTLE_MS);
            watch = watches.afterKeeping(watch, watches.headsDue(watch, nowMs), nowMs);
            const oldestUnkept = arrivedAtMs[(watch.lastKept?.seq ?? -1) + 1] ?? nowMs;
            const settledUnkept = watch.settled.lastSeq - (watch.lastKept?.seq ?? -1);
            expect(settledUnkept).toBeLessThan(HEAD_EVERY_RECORDS);
            expect(nowMs - oldestUnkept).toBeLessThanOrEqual(lagMsMax);
          }
        }),
      );
    },
  );

  it('are only of what has stood long enough to be acknowledged', () => {
    const seen = watches.afterLook(
      watches.newWatch('alpha', undefined),
      { atMs: 0, position: position(5), marks: [] },
      [],
    );
    expect(watches.headsDue(watches.settle(seen, SETTLE_MS - 1, SETTLE_MS), SETTLE_MS - 1)).toEqual([]);
    expect(watches.headsDue(watches.settle(seen, SETTLE_MS, SETTLE_MS), SETTLE_MS)).toMatchObject([{ seq: 5 }]);
  });

  it('are not kept twice', () => {
    const seen = watches.afterLook(
      watches.newWatch('alpha', undefined),
      { atMs: 0, position: position(5), marks: [] },
      [],
    );
    const settled = watches.settle(seen, SETTLE_MS, SETTLE_MS);
    const kept = watches.afterKeeping(settled, watches.headsDue(settled, SETTLE_MS), SETTLE_MS);
    expect(watches.headsDue(kept, 10 * lagMsMax)).toEqual([]);
  });
});

describe('addHeads', () => {
  it('keeps the newest of ever so many, and older ones more coarsely', () => {
    const count = 5 * watches.COMPARED_HEADS_MAX;
    const more = Array.from({ length: count }, (_, seq) => ({ store: 'alpha', seq, hash: '', epoch: 0 }));
    const heads = watches.addHeads([], more);
    expect(heads.length).toBeLessThanOrEqual(watches.COMPARED_HEADS_MAX);
    expect(heads.at(-1)?.seq).toBe(count - 1);
    expect(heads[0]?.seq).toBe(0);
  });

  verifies('audit:heads-never-forgotten', 'and each one that was not in place', () => {
    const count = 3 * watches.COMPARED_HEADS_MAX;
    const pinned = new Set([1, 3, 777]);
    let heads = watches.addHeads([], []);
    for (let seq = 0; seq < count; seq += 1)
      heads = watches.addHeads(heads, [{ store: 'alpha', seq, hash: '', epoch: 0 }], pinned);
    expect(heads.length).toBeLessThanOrEqual(watches.COMPARED_HEADS_MAX + pinned.size);
    expect(heads.map(({ seq }) => seq)).toEqual(expect.arrayContaining([...pinned, count - 1]));
  });
});
