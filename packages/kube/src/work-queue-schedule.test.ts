import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { priority, WorkQueueSchedule, type Next, type Priority } from './work-queue-schedule.ts';

const idle: Next = { type: 'Idle' };
const retry: Next = { type: 'Retry' };

/** Takes and finishes until nothing is ready. */
function drain(schedule: WorkQueueSchedule, nowMs: number, next: Next = idle): readonly string[] {
  const keys: string[] = [];
  for (let taken = schedule.take(nowMs); taken !== undefined; taken = schedule.take(nowMs)) {
    keys.push(taken.key);
    schedule.finish(taken.key, next, nowMs);
  }
  return keys;
}

describe('a schedule', () => {
  verifies('kube:queue-loses-nothing', 'gives a key once, however often it was added', () => {
    const schedule = new WorkQueueSchedule();
    for (const key of ['a/1', 'a/1', 'a/2', 'a/1']) schedule.add(key, 0);
    expect(schedule.depth(priority.live)).toBe(2);
    expect(drain(schedule, 5)).toEqual(['a/1', 'a/2']);
    expect(schedule.take(5)).toBeUndefined();
    expect(schedule.nextDueMs()).toBeUndefined();
  });

  verifies('kube:queue-serial', 'keeps what is added to a key that is worked on until it is finished', () => {
    const schedule = new WorkQueueSchedule();
    schedule.add('a/1', 0);
    expect(schedule.take(3)).toEqual({ key: 'a/1', waitedMs: 3 });
    schedule.add('a/1', 4, priority.low);
    schedule.add('a/1', 5);
    expect(schedule.take(5)).toBeUndefined();
    expect(schedule.finish('a/1', idle, 10)).toEqual({ workedMs: 7, isDelayed: false });
    expect(schedule.depth(priority.live)).toBe(1);
    expect(schedule.take(12)).toEqual({ key: 'a/1', waitedMs: 2 });
    schedule.finish('a/1', idle, 12);
    expect(schedule.take(12)).toBeUndefined();
  });

  verifies('kube:queue-live-first', 'puts live changes before the initial list', () => {
    const schedule = new WorkQueueSchedule();
    for (const key of ['a/1', 'a/2', 'a/3']) schedule.add(key, 0, priority.low);
    schedule.add('b/1', 0);
    schedule.add('a/3', 0);
    // Told once more as initial, it does not lose its place.
    schedule.add('b/1', 0, priority.low);
    expect([schedule.depth(priority.live), schedule.depth(priority.low)]).toEqual([2, 2]);
    expect(drain(schedule, 0)).toEqual(['b/1', 'a/3', 'a/1', 'a/2']);
  });

  verifies('kube:queue-fair', 'lets namespaces take turns', () => {
    const schedule = new WorkQueueSchedule();
    for (let index = 0; index < 100; index += 1) schedule.add(`many/${index}`, 0);
    schedule.add('few/1', 0);
    schedule.add('few/2', 0);
    schedule.add('one/1', 0);
    expect(drain(schedule, 0).slice(0, 6)).toEqual(['many/0', 'few/1', 'one/1', 'many/1', 'few/2', 'many/2']);
  });

  verifies('kube:queue-back-off', 'doubles the wait of a key that fails, up to 1,000 s, until it succeeds', () => {
    const schedule = new WorkQueueSchedule();
    schedule.add('a/1', 0);
    let nowMs = 0;
    const waits: number[] = [];
    for (let failures = 0; failures < 20; failures += 1) {
      if (failures > 0) expect(schedule.take(nowMs - 1)).toBeUndefined();
      expect(schedule.take(nowMs)?.key).toBe('a/1');
      schedule.finish('a/1', retry, nowMs);
      waits.push((schedule.nextDueMs() ?? 0) - nowMs);
      nowMs = schedule.nextDueMs() ?? 0;
    }
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.slice(-3)).toEqual([655_360, 1_000_000, 1_000_000]);
    schedule.take(nowMs);
    schedule.finish('a/1', idle, nowMs);
    schedule.add('a/1', nowMs);
    schedule.take(nowMs);
    schedule.finish('a/1', retry, nowMs);
    expect(schedule.nextDueMs()).toBe(nowMs + 5);
  });

  verifies('kube:queue-back-off', 'shares a bucket among all that fail, and heeds what the server asked for', () => {
    const schedule = new WorkQueueSchedule();
    for (let index = 0; index < 150; index += 1) schedule.add(`a/${index}`, 0);
    drain(schedule, 0, retry);
    expect(drain(schedule, 5)).toHaveLength(100);
    expect(drain(schedule, 1_000)).toHaveLength(10);
    expect(drain(schedule, 5_000)).toHaveLength(40);
    schedule.add('b/1', 60_000);
    drain(schedule, 60_000, { type: 'Retry', atLeastMs: 30_000 });
    expect(schedule.nextDueMs()).toBe(90_000);
  });

  it('does at once what is added while it waits, and forgets the wait', () => {
    const schedule = new WorkQueueSchedule();
    schedule.add('a/1', 0);
    drain(schedule, 0, { type: 'Again', afterMs: 1_000 });
    schedule.add('a/1', 10);
    expect(drain(schedule, 10)).toEqual(['a/1']);
    expect(schedule.nextDueMs()).toBeUndefined();
  });

  it('does again with the priority that was asked for', () => {
    const schedule = new WorkQueueSchedule();
    schedule.add('a/1', 0);
    drain(schedule, 0, { type: 'Again', afterMs: 1_000, priority: priority.low });
    schedule.add('a/2', 1_000);
    expect(schedule.take(1_000)?.key).toBe('a/2');
    expect(schedule.take(1_000)?.key).toBe('a/1');
  });

  it('keeps no more due times than keys, however often they change', () => {
    const schedule = new WorkQueueSchedule();
    for (let round = 0; round < 10_000; round += 1) {
      schedule.add(`a/${round % 50}`, round);
      drain(schedule, round, { type: 'Again', afterMs: 1_000_000 + (round % 7) });
    }
    expect(drain(schedule, 2_000_000)).toHaveLength(50);
  });
});

type Step =
  | { readonly type: 'Add'; readonly key: string; readonly urgency: Priority }
  | { readonly type: 'Take' }
  | { readonly type: 'Finish'; readonly index: number; readonly next: Next }
  | { readonly type: 'Pass'; readonly ms: number };

const key = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3)).map(([namespace, name]) => `${namespace}/${name}`);
const urgency = fc.constantFrom(priority.live, priority.low);
const next: fc.Arbitrary<Next> = fc.oneof(
  fc.constant(idle),
  fc.constant(retry),
  fc.record({ type: fc.constant('Again' as const), afterMs: fc.nat(2_000), priority: urgency }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('Add' as const), key, urgency }),
  fc.record({ type: fc.constant('Take' as const) }),
  fc.record({ type: fc.constant('Finish' as const), index: fc.nat(5), next }),
  fc.record({ type: fc.constant('Pass' as const), ms: fc.nat(3_000) }),
);

describe('any order of adding, taking and finishing', () => {
  verifies('kube:queue-serial', 'never gives a key that is being worked on, and loses nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const schedule = new WorkQueueSchedule();
        /** Keys that must come up: added, or finished with more to do. */
        const owed = new Set<string>();
        const working: string[] = [];
        let nowMs = 0;
        for (const step of steps)
          switch (step.type) {
            case 'Add':
              schedule.add(step.key, nowMs, step.urgency);
              owed.add(step.key);
              break;
            case 'Take': {
              const taken = schedule.take(nowMs);
              if (taken === undefined) break;
              expect(working).not.toContain(taken.key);
              expect(owed).toContain(taken.key);
              expect(taken.waitedMs).toBeGreaterThanOrEqual(0);
              owed.delete(taken.key);
              working.push(taken.key);
              break;
            }
            case 'Finish': {
              const [finished] = working.splice(step.index % Math.max(1, working.length), 1);
              if (finished === undefined) break;
              schedule.finish(finished, step.next, nowMs);
              if (step.next.type !== 'Idle') owed.add(finished);
              break;
            }
            case 'Pass':
              nowMs += step.ms;
          }
        expect(schedule.processingSinceMs()).toHaveLength(working.length);
        for (const rest of working) schedule.finish(rest, idle, nowMs);
        expect(new Set(drain(schedule, nowMs + 10_000_000))).toEqual(owed);
        expect([schedule.depth(priority.live), schedule.depth(priority.low)]).toEqual([0, 0]);
        expect(schedule.nextDueMs()).toBeUndefined();
      }),
    );
  });
});
