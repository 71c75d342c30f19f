import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATCH_UP_RUNS_MAX, LATE_START_MS_MAX } from '@retainer/contract/schedule/catch-up';
import type { KubeObject } from '@retainer/kube/kube-object';
import { iso, minuteMs, observed, runObject, startMs, taskObject } from '../../../../test/support/observed-tasks.ts';
import { verifies } from '../../../../test/verifies.ts';
import { SCHEDULE_HISTORY_MAX, schedulePlan, type SchedulePlan } from './schedule-plan.ts';
import { removalAtMs } from './removal.ts';

const hourMs = 60 * minuteMs;
/** Hourly, made at the start of an hour. */
const schedule = (fields: object = {}, spec: object = {}, status?: object): KubeObject =>
  taskObject('hourly', {
    spec: { schedule: { cron: '@hourly', ...fields }, ...spec },
    ...(status === undefined ? {} : { status }),
  });
const plan = (root: KubeObject, nowMs: number, others: readonly KubeObject[] = []): SchedulePlan =>
  schedulePlan(observed(root, { others }), nowMs, true);
const run = (runNumber: number, outcome?: string): KubeObject =>
  runObject(schedule(), {
    runNumber,
    momentMs: startMs + runNumber * hourMs,
    ...(outcome === undefined ? {} : { outcome }),
  });
const at = (hours: number): number => startMs + hours * hourMs;

describe('schedulePlan', () => {
  it('waits for the first moment after the schedule was made', () => {
    expect(plan(schedule(), startMs)).toMatchObject({ serve: undefined, nextScheduledAtMs: at(1), wakeAtMs: at(1) });
    expect(plan(schedule(), at(1) - 1)).toMatchObject({ serve: undefined, wakeAtMs: at(1) });
  });

  it('serves a moment when it has come, and says when the next is', () => {
    expect(plan(schedule(), at(1))).toMatchObject({
      serve: { momentMs: at(1), runNumber: 1 },
      lastScheduledAtMs: at(1),
      nextScheduledAtMs: at(2),
      runs: 0,
      isOver: false,
    });
  });

  it('serves nothing while it is not admitted', () => {
    expect(schedulePlan(observed(schedule()), at(5), false)).toMatchObject({ serve: undefined, wakeAtMs: undefined });
  });

  const missed = [
    { catchUp: 'Skip', hours: 5.5, serves: undefined },
    { catchUp: 'Skip', hours: 5 + LATE_START_MS_MAX / hourMs, serves: 5 },
    { catchUp: 'Skip', hours: 5 + (LATE_START_MS_MAX + 1) / hourMs, serves: undefined },
    { catchUp: 'Once', hours: 5.5, serves: 5 },
    { catchUp: 'All', hours: 5.5, serves: 1 },
    { catchUp: 'All', hours: 500.5, serves: 500 - CATCH_UP_RUNS_MAX + 1 },
  ] as const;
  for (const { catchUp, hours, serves } of missed)
    verifies('operator-task:missed-moments', `${catchUp}, ${hours} hours late: ${serves ?? 'none'}`, () => {
      expect(plan(schedule({ catchUp }), at(hours)).serve?.momentMs).toBe(
        serves === undefined ? undefined : at(serves),
      );
    });

  verifies('operator-task:missed-moments', 'a moment waits while its predecessor runs', () => {
    const served = schedule({}, {}, { lastScheduledAt: iso(at(1)), runs: 0 });
    expect(plan(served, at(3), [run(1)])).toMatchObject({ serve: undefined, wakeAtMs: undefined });
    expect(plan(served, at(3.5), [run(1, 'Failed')])).toMatchObject({
      serve: { momentMs: at(3), runNumber: 2 },
      runs: 1,
    });
  });

  it('finds the Task of a moment that the status does not know yet', () => {
    expect(plan(schedule(), at(1.5), [run(1)])).toMatchObject({ serve: undefined, lastScheduledAtMs: at(1), runs: 0 });
    expect(plan(schedule(), at(1.5), [run(1, 'Accepted')])).toMatchObject({
      lastScheduledAtMs: at(1),
      runs: 1,
      serve: undefined,
    });
  });

  it('ends after maxRuns', () => {
    const two = schedule({ maxRuns: 2 });
    expect(plan(two, at(2), [run(1, 'Accepted')])).toMatchObject({
      serve: { runNumber: 2 },
      nextScheduledAtMs: undefined,
    });
    expect(plan(two, at(9), [run(1, 'Accepted'), run(2)])).toMatchObject({ serve: undefined, isOver: true });
  });

  it('ends after until, which still counts', () => {
    const bounded = schedule({ until: iso(at(2)) });
    expect(plan(bounded, at(2))).toMatchObject({
      serve: { momentMs: at(2) },
      nextScheduledAtMs: undefined,
      isOver: false,
    });
    const served = schedule({ until: iso(at(2)) }, {}, { lastScheduledAt: iso(at(2)), runs: 1 });
    expect(plan(served, at(7))).toMatchObject({ serve: undefined, isOver: true, wakeAtMs: undefined });
  });

  it('is over where its day never comes', () => {
    expect(plan(schedule({ cron: '0 0 30 2 *' }), at(1))).toMatchObject({ isOver: true, wakeAtMs: undefined });
  });

  it('cancels what runs, once, and starts nothing more', () => {
    const cancelled = schedule({}, { cancel: true });
    expect(plan(cancelled, at(5), [run(1)])).toMatchObject({
      serve: undefined,
      isOver: true,
      cancel: [{ runNumber: 1 }],
    });
    const told = { ...run(1), spec: { ...(run(1)['spec'] as object), cancel: true } };
    expect(plan(cancelled, at(5), [told, run(0, 'Failed')]).cancel).toEqual([]);
  });

  it('serves nothing until a clock that went back has passed the last moment again', () => {
    const served = schedule({}, {}, { lastScheduledAt: iso(at(5)), runs: 5 });
    expect(plan(served, at(2))).toMatchObject({ serve: undefined, nextScheduledAtMs: at(6), wakeAtMs: at(6) });
  });

  it('keeps the last finished Tasks, and of the others those that the status does not count yet', () => {
    const finished = Array.from({ length: SCHEDULE_HISTORY_MAX + 4 }, (_, index) => run(index + 1, 'Accepted'));
    const removed = plan(schedule({}, {}, { runs: 3 }), at(99), finished).remove;
    expect(removed.map(({ runNumber }) => runNumber)).toEqual([1, 2, 3]);
  });
});

/** A cluster with one schedule, in which everything may happen between any two writes. */
class ScheduleWorld {
  nowMs = startMs;
  latestMs = startMs;
  readonly made: number[] = [];
  #schedule: KubeObject;
  #runs: readonly KubeObject[] = [];

  constructor(catchUp: string) {
    this.#schedule = schedule({ catchUp }, { ttlSecondsAfterFinished: 0 });
  }

  /** @param crashes  killed between the new Task and the status */
  pass(crashes: boolean): void {
    const decided = plan(this.#schedule, this.nowMs, this.#runs);
    this.latestMs = Math.max(this.latestMs, this.nowMs);
    const gone = new Set(decided.remove.map(({ object }) => object.metadata.name));
    this.#runs = this.#runs.filter(({ metadata }) => !gone.has(metadata.name));
    if (decided.serve !== undefined) this.#make(decided.serve);
    if (crashes) return;
    const { runs, lastScheduledAtMs } = decided;
    const status = { runs, ...(lastScheduledAtMs === undefined ? {} : { lastScheduledAt: iso(lastScheduledAtMs) }) };
    this.#schedule = { ...this.#schedule, status };
  }

  finish(): void {
    this.#runs = this.#runs.map((it) => ({ ...it, status: { outcome: 'Accepted', finishedAt: iso(this.nowMs) } }));
  }

  /** Finished Tasks whose time is over go, as the controller lets them. */
  collect(): void {
    this.#runs = this.#runs.filter((it) => {
      const withTtl = { ...it, spec: { ...(it['spec'] as object), ttlSecondsAfterFinished: 0 } };
      const atMs = removalAtMs(observed(withTtl, { others: [this.#schedule] }));
      return atMs === undefined || atMs > this.nowMs;
    });
  }

  #make(serve: NonNullable<SchedulePlan['serve']>): void {
    this.made.push(serve.momentMs);
    this.#runs = [...this.#runs, runObject(this.#schedule, serve)];
  }
}

type Step =
  | { readonly type: 'Pass' | 'Crash' | 'Finish' | 'Collect' }
  | { readonly type: 'Clock'; readonly byMs: number };

const steps = fc.array(
  fc.oneof(
    fc.constantFrom<Step>({ type: 'Pass' }, { type: 'Crash' }, { type: 'Finish' }, { type: 'Collect' }),
    fc.record({ type: fc.constant('Clock' as const), byMs: fc.integer({ min: -2 * hourMs, max: 4 * hourMs }) }),
  ),
  { maxLength: 40 },
);

function live(world: ScheduleWorld, happenings: readonly Step[]): void {
  for (const step of happenings)
    switch (step.type) {
      case 'Pass':
        world.pass(false);
        break;
      case 'Crash':
        world.pass(true);
        break;
      case 'Finish':
        world.finish();
        break;
      case 'Collect':
        world.collect();
        break;
      case 'Clock':
        world.nowMs = Math.max(startMs, world.nowMs + step.byMs);
        break;
    }
  world.nowMs = Math.max(world.nowMs, world.latestMs);
  for (let madeBefore = -1; madeBefore !== world.made.length;) {
    madeBefore = world.made.length;
    world.finish();
    world.pass(false);
  }
}

const hoursUntil = (nowMs: number): readonly number[] =>
  Array.from({ length: Math.floor((nowMs - startMs) / hourMs) }, (_, index) => at(index + 1));

describe('a schedule over any history of restarts and clocks', () => {
  verifies('operator-task:moment-once', 'All: every moment once, in order', () => {
    fc.assert(
      fc.property(steps, (happenings) => {
        const world = new ScheduleWorld('All');
        live(world, happenings);
        expect(world.made).toEqual(hoursUntil(world.nowMs).slice(-Math.max(world.made.length, 1)));
        expect(world.made.length).toBe(hoursUntil(world.nowMs).length);
      }),
      { numRuns: 100 },
    );
  });

  verifies('operator-task:moment-once', 'Once: no moment twice, and the last is always made up for', () => {
    fc.assert(
      fc.property(steps, (happenings) => {
        const world = new ScheduleWorld('Once');
        live(world, happenings);
        expect(world.made).toEqual([...new Set(world.made)].toSorted((one, other) => one - other));
        expect(world.made.at(-1)).toBe(hoursUntil(world.nowMs).at(-1));
      }),
      { numRuns: 100 },
    );
  });

  verifies('operator-task:moment-once', 'Skip: no moment twice', () => {
    fc.assert(
      fc.property(steps, (happenings) => {
        const world = new ScheduleWorld('Skip');
        live(world, happenings);
        expect(world.made).toEqual([...new Set(world.made)].toSorted((one, other) => one - other));
      }),
      { numRuns: 100 },
    );
  });
});
