import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Journal, JournalMode, ModeCause, NewRecord } from '@retainer/journal/journal';
import type { Component } from '../ports/component.ts';
import { STOOD_MS_MIN } from '@retainer/contract/std/clock';
import { CLOCK_TICK_MS, SteadyClock } from '../loop/steady-clock.ts';
import { clockWatch, recordClockJump } from './clock-watch.ts';
import { RESUME_EVERY_MS, resumeWatch } from './resume-watch.ts';
import { VOLUME_CHECK_EVERY_MS, volumeUsage, volumeWatch, type VolumeReport } from './volume-watch.ts';

/** Runs a component for as long as the steps take. */
async function during(component: Component, steps: (end: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const running = component.run(stop.signal);
  await steps(stop.signal);
  stop.abort();
  await running;
}

async function tick(clock: ManualClock, everyMs: number): Promise<void> {
  await clock.untilSleeping(everyMs);
  clock.advance(everyMs);
  await clock.untilSleeping(everyMs);
}

describe('the volume watch', () => {
  verifies('upkeep:volume-levels', 'tells the level at the first check and at each change, every 30 s', async () => {
    const clock = manualClock();
    const reports: VolumeReport[] = [];
    let freeBytes = 50;
    const component = volumeWatch({
      clock,
      usage: () => Promise.resolve({ totalBytes: 100, freeBytes }),
      onLevel: (report) => reports.push(report),
    });
    await during(component, async () => {
      for (const next of [50, 15, 15, 8, 4, 6, 30]) {
        freeBytes = next;
        await tick(clock, VOLUME_CHECK_EVERY_MS);
      }
    });
    expect(reports.map(({ before, level }) => [before, level])).toEqual([
      ['Normal', 'Normal'],
      ['Normal', 'Warn'],
      ['Warn', 'NoNewTasks'],
      ['NoNewTasks', 'ReadOnly'],
      ['ReadOnly', 'Normal'],
    ]);
  });

  it('fails when the volume cannot be asked, for the supervisor to start it anew', async () => {
    const component = volumeWatch({
      clock: manualClock(),
      usage: () => Promise.reject(new Error('gone')),
      onLevel: () => undefined,
    });
    await expect(component.run(new AbortController().signal)).rejects.toThrow('gone');
  });

  it('asks the real volume', async () => {
    const { totalBytes, freeBytes } = await volumeUsage(tmpdir());
    expect(totalBytes).toBeGreaterThan(0);
    expect(freeBytes).toBeLessThanOrEqual(totalBytes);
  });
});

describe('the steady clock', () => {
  it.each([
    { name: 'agrees', stepMs: 0 },
    { name: 'went on', stepMs: 3_600_000 },
    { name: 'went back a day', stepMs: -86_400_000 },
  ])('goes on evenly where the machine’s clock $name, until it follows', ({ stepMs }) => {
    const manual = manualClock();
    let offsetMs = 0;
    const clock = new SteadyClock({ ...manual, nowMs: () => manual.nowMs() + offsetMs });
    const startMs = clock.nowMs();
    manual.advance(700);
    offsetMs = stepMs;
    expect([clock.nowMs() - startMs, clock.aheadMs()]).toEqual([700, stepMs]);
    clock.follow();
    expect([clock.nowMs() - startMs, clock.aheadMs()]).toEqual([700 + stepMs, 0]);
  });
});

describe('the clock watch', () => {
  verifies('upkeep:clock-jump', 'tells a jump once, within a tick', async () => {
    const clock = manualClock();
    let offsetMs = 0;
    const jumps: number[] = [];
    const standstills: unknown[] = [];
    const component = clockWatch({
      clock: new SteadyClock({ ...clock, nowMs: () => clock.nowMs() + offsetMs }),
      tellsLate: true,
      onStandstill: (forMs, why) => standstills.push([forMs, why]),
      onJump: (jumpMs) => Promise.resolve(jumps.push(jumpMs) > 0),
    });
    await during(component, async () => {
      await tick(clock, CLOCK_TICK_MS);
      offsetMs = -3_600_000;
      await tick(clock, CLOCK_TICK_MS);
      await tick(clock, CLOCK_TICK_MS);
      offsetMs = 500;
      await tick(clock, CLOCK_TICK_MS);
    });
    expect(jumps).toEqual([-3_600_000, 3_600_500]);
    expect(standstills).toEqual([
      [-3_600_000, 'ClockStepped'],
      [3_600_500, 'ClockStepped'],
    ]);
  });

  it.each([
    { lateMs: STOOD_MS_MIN - 1, tellsLate: true, told: [] },
    { lateMs: STOOD_MS_MIN, tellsLate: true, told: [[STOOD_MS_MIN, 'Suspended']] },
    { lateMs: 3_600_000, tellsLate: true, told: [[3_600_000, 'Suspended']] },
    { lateMs: 3_600_000, tellsLate: false, told: [] },
  ])('tells that the process stood for $lateMs ms: $told', async ({ lateMs, tellsLate, told }) => {
    const clock = manualClock();
    const standstills: unknown[] = [];
    const component = clockWatch({
      clock: new SteadyClock(clock),
      tellsLate,
      onStandstill: (forMs, why) => standstills.push([forMs, why]),
      onJump: () => Promise.resolve(true),
    });
    await during(component, async () => {
      await clock.untilSleeping(CLOCK_TICK_MS);
      clock.advance(CLOCK_TICK_MS + lateMs);
      await clock.untilSleeping(CLOCK_TICK_MS);
    });
    expect(standstills).toEqual(told);
  });

  it('waits with a jump until the journal takes records', async () => {
    const clock = manualClock();
    let offsetMs = 0;
    const appended: NewRecord[] = [];
    const journal: { mode: JournalMode; append: Journal['append'] } = {
      mode: 'Degraded',
      append: (records) => {
        appended.push(...records);
        return Promise.resolve([]);
      },
    };
    const component = clockWatch({
      clock: new SteadyClock({ ...clock, nowMs: () => clock.nowMs() + offsetMs }),
      tellsLate: true,
      onStandstill: () => undefined,
      onJump: recordClockJump(journal),
    });
    await during(component, async () => {
      await clock.untilSleeping(CLOCK_TICK_MS);
      offsetMs = 60_000;
      await tick(clock, CLOCK_TICK_MS);
      await tick(clock, CLOCK_TICK_MS);
      expect(appended).toEqual([]);
      journal.mode = 'Writable';
      await tick(clock, CLOCK_TICK_MS);
      await tick(clock, CLOCK_TICK_MS);
    });
    expect(appended).toEqual([
      { store: 'system', kind: 'ClockJump', principal: 'journal', payload: { jumpMs: 60_000 } },
    ]);
  });
});

describe('the resume watch', () => {
  const journalIn = (mode: JournalMode, modeCause: ModeCause | undefined, spaceAfterTries: number) => {
    const journal = {
      mode,
      modeCause,
      tries: 0,
      tryResume: () => {
        journal.tries += 1;
        if (journal.tries > spaceAfterTries) journal.mode = 'Writable';
        return Promise.resolve(journal.mode === 'Writable');
      },
    };
    return journal;
  };

  const usageOf = (freeBytes: number) => () => Promise.resolve({ totalBytes: 100, freeBytes });

  verifies('upkeep:resume', 'takes the work up again within 5 s after space returned, and tells it once', async () => {
    const clock = manualClock();
    const journal = journalIn('Degraded', 'DiskFull', 2);
    let resumedAtMs: readonly number[] = [];
    const onResumed = (): void => {
      resumedAtMs = [...resumedAtMs, clock.monotonicMs()];
    };
    await during(resumeWatch({ clock, journal, usage: usageOf(50), onResumed }), async () => {
      for (let ticks = 0; ticks < 5; ticks += 1) await tick(clock, RESUME_EVERY_MS);
    });
    expect(resumedAtMs).toEqual([2 * RESUME_EVERY_MS]);
    expect(journal.tries).toBe(3);
    expect(RESUME_EVERY_MS).toBeLessThan(5_000);
  });

  it.each([
    { freeBytes: 0, tries: 0 },
    { freeBytes: 6, tries: 0 },
    { freeBytes: 8, tries: 1 },
  ])('tries $tries times where $freeBytes % of the volume are free', async ({ freeBytes, tries }) => {
    const clock = manualClock();
    const journal = journalIn('Degraded', 'DiskFull', 0);
    const component = resumeWatch({ clock, journal, usage: usageOf(freeBytes), onResumed: () => undefined });
    await during(component, () => tick(clock, RESUME_EVERY_MS));
    expect(journal.tries).toBe(tries);
  });

  it.each([
    { mode: 'Writable', cause: undefined },
    { mode: 'Degraded', cause: 'StorageError' },
    { mode: 'ReadOnly', cause: 'Damaged' },
    { mode: 'ReadOnly', cause: 'ReadOnlyVolume' },
  ] as const)('leaves a journal alone that is $mode for $cause', async ({ mode, cause }) => {
    const clock = manualClock();
    const journal = journalIn(mode, cause, 0);
    const component = resumeWatch({ clock, journal, usage: usageOf(50), onResumed: () => undefined });
    await during(component, () => tick(clock, RESUME_EVERY_MS));
    expect(journal.tries).toBe(0);
  });
});
