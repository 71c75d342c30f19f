import { describe, expect, it } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { Alarm } from './alarm.ts';

/** An alarm that notes how long after its making it fired. */
function armed(): { clock: ManualClock; alarm: Alarm; fired: number[]; set: (afterMs: number | undefined) => void } {
  const clock = manualClock();
  const startMs = clock.nowMs();
  const fired: number[] = [];
  const alarm = new Alarm(clock, () => fired.push(clock.nowMs() - startMs));
  return { clock, alarm, fired, set: (afterMs) => alarm.set(afterMs === undefined ? undefined : startMs + afterMs) };
}

/** Moves the time on in one step, and lets whoever woke go to sleep again. */
async function pass(clock: ManualClock, durationMs: number): Promise<void> {
  clock.advance(durationMs);
  await new Promise(setImmediate);
}

describe('an alarm', () => {
  it('fires once, when its time has come', async () => {
    const { clock, fired, set } = armed();
    set(1000);
    await pass(clock, 999);
    expect(fired).toEqual([]);
    await pass(clock, 1);
    await pass(clock, 10_000);
    expect(fired).toEqual([1000]);
  });

  it('that is put off fires at the later moment, and began no second sleep for it', async () => {
    const { clock, fired, set } = armed();
    set(1000);
    set(5000);
    set(3000);
    expect(clock.sleeping()).toEqual([1000]);
    await pass(clock, 1000);
    expect(clock.sleeping()).toEqual([2000]);
    await pass(clock, 2000);
    expect(fired).toEqual([3000]);
    expect(clock.sleeping()).toEqual([]);
  });

  it('that is brought forward fires at the earlier moment only', async () => {
    const { clock, fired, set } = armed();
    set(5000);
    set(1000);
    await pass(clock, 1000);
    await pass(clock, 4000);
    expect(fired).toEqual([1000]);
  });

  it('that is disarmed fires no more, and nobody sleeps for it', async () => {
    const { clock, fired, set } = armed();
    set(1000);
    set(undefined);
    await pass(clock, 1000);
    expect(fired).toEqual([]);
    expect(clock.sleeping()).toEqual([]);
    set(2000);
    await pass(clock, 1000);
    expect(fired).toEqual([2000]);
  });

  it('looks at the wall clock once a minute', async () => {
    const { clock, fired, set } = armed();
    set(150_000);
    await pass(clock, 60_000);
    await pass(clock, 60_000);
    expect(clock.sleeping()).toEqual([30_000]);
    await pass(clock, 30_000);
    expect(fired).toEqual([150_000]);
  });

  it('may be set anew by whoever it wakes', async () => {
    const clock = manualClock();
    const startMs = clock.nowMs();
    const fired: number[] = [];
    const alarm: Alarm = new Alarm(clock, () => {
      fired.push(clock.nowMs() - startMs);
      if (fired.length < 3) alarm.set(clock.nowMs() + 10);
    });
    alarm.set(startMs + 10);
    for (let step = 0; step < 5; step += 1) await pass(clock, 10);
    expect(fired).toEqual([10, 20, 30]);
  });
});
