/**
 * Measures how the agent is, after each Executor cycle and at the end of a run without one, and records it. Nothing decides by it.
 *
 * I1  Each of them gets one measurement, even if a crash came between its end and the measurement.
 *
 * Source: springdrift 4.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { affectAt, type AffectMeasured } from '@retainer/mind/parts/affect/affect';
import type { measureAffect } from '@retainer/mind/parts/affect/measure';
import type { CycleEvent } from '@retainer/mind/cycle/event';
import type { Projections } from '@retainer/mind/projections/projections';
import { takeModification, takeRunEvent, type Ended } from '@retainer/mind/projections/recent-work';
import type { RunEvent } from '@retainer/mind/run/event';
import type { MemoryCommand } from './memory-writer.ts';

type Known = Pick<Projections['states'], 'recentWork' | 'modifiedByGates' | 'newestAffect' | 'measuredWork'>;

export interface AffectParts {
  readonly known: () => Known;
  readonly outputRejectionsInRow: () => number;
  readonly measure: typeof measureAffect;
  readonly clock: Clock;
  /** A measurement that is lost can be measured again. */
  readonly write: (command: MemoryCommand<'Runtime'>) => void;
}

export class AffectKeeper {
  readonly #parts: AffectParts;
  #newest: AffectMeasured | undefined;

  constructor(parts: AffectParts) {
    this.#parts = parts;
  }

  /** The newest measurement; undefined before the first, and when the last one is too old. */
  get newest(): AffectMeasured | undefined {
    const { known, clock } = this.#parts;
    return affectAt(this.#newest ?? known().newestAffect.newest, clock.nowMs());
  }

  /** Takes durable events of one run, in order. */
  takeRun(runId: string, events: readonly RunEvent[]): void {
    const { recentWork, modifiedByGates, measuredWork } = this.#parts.known();
    for (const event of events) {
      takeRunEvent(recentWork, runId, event);
      this.#measureEnded(runId);
      if (event.kind !== 'RunClosed') continue;
      modifiedByGates.delete(runId);
      measuredWork.delete(runId);
    }
  }

  /** Takes durable events of one cycle, in order, before its run hears of its end. */
  takeCycle(of: { readonly runId: string; readonly cycleId: string }, events: readonly CycleEvent[]): void {
    for (const event of events)
      if (event.kind === 'GateDecided' && event.verdict === 'Modify')
        takeModification(this.#parts.known().modifiedByGates, of);
  }

  /** Measures what ended before the last stop and has no measurement. Call it after the fold. */
  catchUp(): void {
    for (const runId of this.#parts.known().recentWork.open.keys()) this.#measureEnded(runId);
  }

  #measureEnded(runId: string): void {
    const { recentWork, measuredWork } = this.#parts.known();
    const ended = recentWork.open.get(runId)?.ended.splice(0) ?? [];
    const measured = measuredWork.get(runId);
    for (const it of ended) if (measured?.has(it.cycleId ?? runId) !== true) this.#measure(runId, it);
  }

  #measure(runId: string, { cycleId, cycleIds, signals: own }: Ended): void {
    const { known, outputRejectionsInRow, measure, clock, write } = this.#parts;
    const modified = known().modifiedByGates.get(runId);
    const gateModifications = cycleIds.reduce((sum, id) => sum + (modified?.get(id) ?? 0), 0);
    const signals = { ...own, gateModifications, outputRejectionsInRow: outputRejectionsInRow() };
    const measurement = { atMs: clock.nowMs(), signals, affect: measure(signals, this.newest?.affect) };
    this.#newest = measurement;
    const of = cycleId === undefined ? { runId } : { runId, cycleId };
    write({ store: 'affect', kind: 'AffectMeasured', payload: measurement, ...of });
  }
}
