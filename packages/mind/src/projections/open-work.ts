/** The work that was open when the last process ended: the events of open runs and of their cycles. */
import { z } from 'zod';
import { cycleKinds, type CycleEvent } from '../cycle/event.ts';
import { runKinds, type RunEvent } from '../run/event.ts';
import { defineProjection, emptyAtRest, eventOf, everyKind, type Recorded } from '../memory/projection.ts';

export interface Runs {
  /** Every run that was ever admitted. */
  readonly ids: Set<string>;
  /** Events of open runs, by run, oldest run first. */
  readonly open: Map<string, RunEvent[]>;
}

function takeRunRecord({ ids, open }: Runs, record: Recorded): void {
  const { runId, kind } = record;
  if (runId === undefined) return;
  ids.add(runId);
  if (kind === 'RunClosed') {
    open.delete(runId);
    return;
  }
  const events = open.get(runId) ?? [];
  events.push(eventOf<RunEvent>(record));
  open.set(runId, events);
}

export const runs = defineProjection({
  store: 'run',
  kinds: runKinds,
  start: (): Runs => ({ ids: new Set(), open: new Map() }),
  folds: everyKind(runKinds, (state: Runs, _payload, record) => takeRunRecord(state, record)),
  window: 'WholeStore',
  cached: {
    version: 1,
    schema: z.array(z.string()),
    keep: ({ ids }) => [...ids],
    restore: ({ ids }, kept) => {
      for (const runId of kept) ids.add(runId);
    },
  },
});

export interface OpenCycle {
  readonly runId: string;
  readonly events: CycleEvent[];
}

export type OpenCycles = Map<string, OpenCycle>;

export function takeCycleRecord(cycles: OpenCycles, record: Recorded): void {
  const { cycleId, runId } = record;
  if (cycleId === undefined || runId === undefined) return;
  const cycle = cycles.get(cycleId) ?? { runId, events: [] };
  cycle.events.push(eventOf<CycleEvent>(record));
  cycles.set(cycleId, cycle);
}

/** Cycles of open runs only, because nobody waits for a cycle of a closed run. */
export const cycles = defineProjection({
  store: 'cycle',
  kinds: cycleKinds,
  start: (): OpenCycles => new Map(),
  folds: everyKind(cycleKinds, (state: OpenCycles, _payload, record) => takeCycleRecord(state, record)),
  window: 'OpenRuns',
  cached: emptyAtRest,
});

export function forgetRun(known: { readonly runs: Runs; readonly cycles: OpenCycles }, runId: string): void {
  known.runs.open.delete(runId);
  for (const [cycleId, cycle] of known.cycles) if (cycle.runId === runId) known.cycles.delete(cycleId);
}
