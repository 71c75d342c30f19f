/** The narrative: one entry for each finished run, in chronological order. */
import { z } from 'zod';
import { Label } from '../gate/provenance/label.ts';
import { defineProjection, emptyAtRest } from './projection.ts';

export const narrativeKinds = {
  RunRemembered: z.object({
    task: z.object({ namespace: z.string(), name: z.string() }),
    intent: z.string(),
    outcome: z.string(),
    summary: z.string(),
    /** Distinct names, in the order of first use. */
    tools: z.array(z.string()),
    unmet: z.array(z.string()),
    reasons: z.array(z.string()),
    tokens: z.number(),
    startedAtMs: z.number(),
    endedAtMs: z.number(),
    /** Label of everything that the run had read. Absent in records from before labels existed: untrusted. */
    label: Label.exactOptional(),
  }),
} as const;
export type RunRemembered = z.infer<(typeof narrativeKinds)['RunRemembered']>;

/** Newest entries kept in memory: more than the perceiver receives. */
const NEWEST_RUNS_KEPT = 8;

/** Oldest first. */
export const newestRuns = defineProjection({
  store: 'narrative',
  kinds: narrativeKinds,
  start: (): RunRemembered[] => [],
  folds: {
    RunRemembered: (state, run) => {
      state.push(run);
      if (state.length > NEWEST_RUNS_KEPT) state.shift();
    },
  },
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.array(narrativeKinds.RunRemembered),
    keep: (state) => [...state],
    restore: (state, kept) => {
      state.push(...kept);
    },
  },
});

/** Open runs that already have an entry: the entry was written, but not its confirmation. */
export const narratedRuns = defineProjection({
  store: 'narrative',
  kinds: narrativeKinds,
  start: () => new Set<string>(),
  folds: {
    RunRemembered: (state, _entry, { runId }) => {
      if (runId !== undefined) state.add(runId);
    },
  },
  window: 'OpenRuns',
  cached: emptyAtRest,
});
