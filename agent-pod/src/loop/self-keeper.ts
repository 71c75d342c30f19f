/**
 * Keeps what the agent knows of itself, and tells each cycle of it at its start: its state, its situation, what it remembers.
 *
 * Source: springdrift 3; artoo C (context, sensorium).
 */
import type { Clock } from '@retainer/contract/std/clock';
import { curate, isGivenRecall, isTold } from '@retainer/mind/assemble/curator/curate';
import { sensorium } from '@retainer/mind/assemble/curator/sensorium';
import type { ForWork } from '@retainer/mind/assemble/curator/slot-items';
import { affectLine } from '@retainer/mind/parts/affect/affect-line';
import { measureAffect } from '@retainer/mind/parts/affect/measure';
import type { CycleEvent, CycleSpec } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { Projection } from '@retainer/mind/part/projection';
import type { Recalled } from '@retainer/mind/memory/recall/recalled';
import { takeDenials } from '@retainer/mind/projections/denials';
import { takeCycleEvent } from '@retainer/mind/projections/cycle-figures';
import type { Projections } from '@retainer/mind/projections/projections';
import type { RunEvent } from '@retainer/mind/run/event';
import type { RunState } from '@retainer/mind/run/state';
import { AffectKeeper } from './affect-keeper.ts';
import type { Contribution, Contributor } from './cycle-start.ts';
import type { MemoryCommand } from './memory-writer.ts';
import type { Oversight } from './oversight.ts';
import type { Preamble } from './preamble.ts';
import { recentEvents, type RecentEvents } from './recent-events.ts';
import { selfFrom, viewFrom, type SelfSources } from './self-sources.ts';

export interface SelfSettings {
  /** Absent: cycles are told nothing. */
  readonly preamble?: Preamble;
  /** How signals become a measurement; `measureAffect` where absent. */
  readonly measure?: typeof measureAffect;
  /** Where the journal's observer notes what happens. Absent: what memory does not write itself is told after the next start. */
  readonly events?: RecentEvents;
}

/** What memory holds for the work of a run, and why. */
export interface RecalledForWork extends ForWork {
  readonly recalled: Recalled;
}

export interface SelfParts extends SelfSettings {
  readonly known: () => Projections['states'];
  readonly recall: (run: RunState['spec']) => Promise<RecalledForWork>;
  readonly oversight: Oversight;
  readonly runs: () => readonly RunState[];
  readonly cycles: () => readonly CycleState[];
  /** Records that the last fold could not take. */
  readonly unreadRecords: () => number;
  readonly clock: Clock;
  readonly write: (command: MemoryCommand<'Runtime'>) => void;
  /** When the process took up its work, milliseconds since 1970. */
  readonly startedAtMs: number;
}

export class SelfKeeper implements Contributor {
  readonly #parts: SelfParts;
  readonly #affect: AffectKeeper;
  readonly #events: RecentEvents;

  constructor(parts: SelfParts) {
    this.#parts = parts;
    this.#events = parts.events ?? [];
    const { known, clock, write, oversight, measure = measureAffect } = parts;
    const outputRejectionsInRow = (): number => oversight.health.outputRejectionsInRow;
    this.#affect = new AffectKeeper({ known, outputRejectionsInRow, measure, clock, write });
  }

  /** Folds what happened lately. */
  get projections(): Readonly<Record<string, Projection<unknown>>> {
    return recentEvents(this.#events);
  }

  /** Call it after the fold. */
  catchUp(): void {
    this.#affect.catchUp();
  }

  /** Takes durable events of one run, in order. */
  takeRun(runId: string, events: readonly RunEvent[]): void {
    for (const event of events)
      if (event.kind === 'CycleConcluded') takeDenials(this.#parts.known().denials, runId, event.rejections);
    this.#affect.takeRun(runId, events);
  }

  /** Takes durable events of one cycle, in order, before its run hears of its end. */
  takeCycle(of: { readonly runId: string; readonly cycleId: string }, events: readonly CycleEvent[]): void {
    this.#affect.takeCycle(of, events);
    for (const event of events) takeCycleEvent(this.#parts.known().cycleFigures, event);
  }

  async atStart(spec: CycleSpec, nowMs: number): Promise<Contribution> {
    const { preamble } = this.#parts;
    // The view goes over all that is remembered: not for a role that is shown none of it.
    if (preamble === undefined || !isTold(spec.role)) return {};
    const forWork = await this.#forWork(spec);
    const self = selfFrom({ ...this.#sources(), preamble }, { told: spec, forWork }, this.#affect.newest, nowMs);
    const curated = curate(spec.role, self, preamble.charactersMax);
    if (curated === undefined) return {};
    const recalled = forWork === undefined ? {} : { recalled: forWork.recalled };
    return { told: curated.text, curated: curated.manifest, ...recalled };
  }

  /** Its state and situation at this moment, for a cycle that asks. */
  now(spec: CycleSpec): string {
    const { preamble, clock } = this.#parts;
    const told = sensorium(viewFrom(this.#sources(), spec, clock.nowMs()), []);
    const newest = this.#affect.newest;
    return [preamble?.agent ?? '', told, newest === undefined ? '' : affectLine(newest.affect)]
      .filter((line) => line !== '')
      .join('\n');
  }

  /** Undefined: memory is not asked for this role. */
  async #forWork({ role, runId }: CycleSpec): Promise<RecalledForWork | undefined> {
    const { recall, runs } = this.#parts;
    const own = runs().find(({ spec }) => spec.runId === runId)?.spec;
    return own === undefined || !isGivenRecall(role) ? undefined : recall(own);
  }

  #sources(): SelfSources {
    const { known, oversight, runs, cycles, unreadRecords, preamble, startedAtMs } = this.#parts;
    const own = { oversight, preamble, events: this.#events, startedAtMs };
    return { ...own, known: known(), runs: runs(), cycles: cycles(), unreadRecords: unreadRecords() };
  }
}
