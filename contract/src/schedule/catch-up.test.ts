import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { CatchUp } from '../api/fields.ts';
import { CATCH_UP_RUNS_MAX, LATE_START_MS_MAX, momentToServe } from './catch-up.ts';
import { readMoments, type Moments } from './moments.ts';

const hourMs = 3_600_000;

function hourly(): Moments {
  const read = readMoments('@hourly', 'UTC');
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

interface Case {
  readonly name: string;
  readonly catchUp: CatchUp;
  /** Since the last served moment. */
  readonly afterMs: number;
  readonly untilMs?: number;
  /** Which moment after the last served one; undefined for none. */
  readonly serves: number | undefined;
}

const cases: readonly Case[] = [
  { name: 'none is due before the next moment', catchUp: 'All', afterMs: hourMs - 1, serves: undefined },
  { name: 'a moment that is served is over', catchUp: 'Once', afterMs: 0, serves: undefined },
  { name: 'nothing after a clock went back', catchUp: 'All', afterMs: -5 * hourMs, serves: undefined },
  { name: 'Skip takes one that is a little late', catchUp: 'Skip', afterMs: hourMs + LATE_START_MS_MAX, serves: 1 },
  { name: 'Skip leaves a later one', catchUp: 'Skip', afterMs: hourMs + LATE_START_MS_MAX + 1, serves: undefined },
  { name: 'Once takes the last', catchUp: 'Once', afterMs: 5.5 * hourMs, serves: 5 },
  { name: 'All begins with the first', catchUp: 'All', afterMs: 5.5 * hourMs, serves: 1 },
  { name: 'All has a limit', catchUp: 'All', afterMs: 500.5 * hourMs, serves: 501 - CATCH_UP_RUNS_MAX },
  { name: 'none after the end', catchUp: 'Once', afterMs: 5.5 * hourMs, untilMs: 2.5 * hourMs, serves: 2 },
];

for (const { name, catchUp, afterMs, untilMs, serves } of cases)
  verifies('operator-task:missed-moments', name, () => {
    const servedMs = Date.UTC(2030, 0, 1);
    const until = untilMs === undefined ? undefined : servedMs + untilMs;
    const momentMs = momentToServe(hourly(), { catchUp, servedMs, nowMs: servedMs + afterMs, untilMs: until });
    expect(momentMs).toBe(serves === undefined ? undefined : servedMs + serves * hourMs);
  });
