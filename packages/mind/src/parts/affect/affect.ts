/** How the agent was after each Executor cycle, and at the end of each run without one. */
import { z } from 'zod';
import { defineProjection, emptyAtRest } from '../../part/projection.ts';
import { Affect, AffectSignals } from './measure.ts';

export const affectKinds = {
  AffectMeasured: z.object({
    /** Milliseconds since 1970. */
    atMs: z.number(),
    signals: AffectSignals,
    affect: Affect,
  }),
} as const;
export type AffectMeasured = Readonly<z.infer<(typeof affectKinds)['AffectMeasured']>>;

/** Readings of the last month; an older one says nothing about now, and the next one begins at the baseline. */
const NEWEST_MS = 30 * 24 * 3600 * 1000;

export interface NewestAffect {
  newest: AffectMeasured | undefined;
}

/** The newest measurement that still says something at that moment, milliseconds since 1970. */
export function affectAt(newest: AffectMeasured | undefined, nowMs: number): AffectMeasured | undefined {
  return newest !== undefined && nowMs - newest.atMs <= NEWEST_MS ? newest : undefined;
}

export const newestAffect = defineProjection({
  store: 'affect',
  kinds: affectKinds,
  start: (): NewestAffect => ({ newest: undefined }),
  folds: {
    AffectMeasured: (state, measurement) => {
      state.newest = measurement;
    },
  },
  window: { lastMs: NEWEST_MS },
  cached: {
    version: 1,
    schema: affectKinds.AffectMeasured.nullable(),
    keep: ({ newest }) => newest ?? null,
    restore: (state, kept) => {
      state.newest = kept ?? undefined;
    },
  },
});

/** What has its measurement of each open run, by run: ids of cycles, or of the run itself. A crash may have followed the measurement. */
export const measuredWork = defineProjection({
  store: 'affect',
  kinds: affectKinds,
  start: () => new Map<string, Set<string>>(),
  folds: {
    AffectMeasured: (state, _measurement, { cycleId, runId }) => {
      if (runId !== undefined) state.set(runId, (state.get(runId) ?? new Set()).add(cycleId ?? runId));
    },
  },
  window: 'OpenRuns',
  cached: emptyAtRest,
});
