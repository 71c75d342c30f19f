/** The work that was open when the last process ended: the events of open runs and of their cycles. */
import { z } from 'zod';
import { cycleKinds, type CycleEvent } from '../cycle/event.ts';
import { runKinds, type RunEvent } from '../run/event.ts';
import { forgetFactsOf, type Facts } from '../parts/facts/facts.ts';
import { addNewest } from '../part/newest-members.ts';
import { defineProjection, emptyAtRest, eventOf, everyKind, type Recorded } from '../part/projection.ts';

/**
 * Runs that are known by name. Nothing asks for a closed run again: its Task has the outcome. So many take some 5 MB; open ones are
 * known besides.
 */
const RUN_IDS_KEPT = 50_000;

export interface Runs {
  /** The newest admitted runs. */
  readonly ids: Set<string>;
  /** Events of open runs, by run, oldest run first. */
  readonly open: Map<string, RunEvent[]>;
}

/** The run begins. */
export function noteRun({ ids }: Runs, runId: string): void {
  addNewest(ids, runId, RUN_IDS_KEPT);
}

function takeRunRecord(runs: Runs, record: Recorded): void {
  const { runId, kind } = record;
  const { open } = runs;
  if (runId === undefined) return;
  noteRun(runs, runId);
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

interface OfRuns {
  readonly runs: Runs;
  readonly cycles: OpenCycles;
  readonly facts: Facts;
}

export function forgetRun({ runs: { open }, cycles, facts }: OfRuns, runId: string): void {
  open.delete(runId);
  for (const [cycleId, cycle] of cycles) if (cycle.runId === runId) cycles.delete(cycleId);
  forgetFactsOf(facts, (other) => other === runId);
}

/** Call it after a fold: a fact does not know whether its run is over. */
export function forgetClosedRuns({ runs: { open }, facts }: Pick<OfRuns, 'runs' | 'facts'>): void {
  forgetFactsOf(facts, (runId) => runId === undefined || !open.has(runId));
}
