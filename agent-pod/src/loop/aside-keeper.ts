/**
 * Sets a run aside in which something threw, so that the agent works on without it.
 *
 * I1  The record says it before anything else follows from it, so the next start leaves the run alone, too.
 * I2  A fault of the journal concerns all runs, and is a fault of the process.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal, NewRecord } from '@retainer/journal/journal';
import type { OpenCycle } from '@retainer/mind/projections/open-work';
import type { RunEvent } from '@retainer/mind/run/event';
import { isLeftAside, type AsideRuns } from '@retainer/mind/run/set-aside';
import { pendingRoleCycles } from '@retainer/mind/run/state';
import type { DeliveryPort } from '../ports/ports.ts';
import { givenUpDelivery, placesOf, readRun } from './aside-runs.ts';
import type { CycleDriver } from './cycle-driver.ts';
import { humanPrincipal } from './principal.ts';
import type { RunDriver } from './run-driver.ts';

export interface AsideParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly delivery: DeliveryPort;
  /** Of this program: a new one tries again what an older one set aside. */
  readonly version: string;
  readonly append: (records: readonly NewRecord[]) => Promise<void>;
  readonly onAside: (runId: string) => void;
  readonly onNotice?: (notice: string) => void;
}

export interface Driven {
  readonly cycles: CycleDriver;
  readonly runs: RunDriver;
  readonly aside: AsideRuns;
  isOver: boolean;
}

export class AsideKeeper {
  readonly #parts: AsideParts;
  readonly #driven: Driven;
  readonly #stop = new AbortController();

  constructor(parts: AsideParts, driven: Driven) {
    this.#parts = parts;
    this.#driven = driven;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** @throws when it concerns more than this run */
  async setAside(runId: string, error: unknown): Promise<void> {
    const { aside, cycles, runs } = this.#driven;
    const { journal, version, append, onAside, onNotice } = this.#parts;
    if (journal.mode !== 'Writable') throw error;
    if (aside.has(runId)) return;
    const where = placesOf(error);
    await Promise.all([cycles.drop(runId), runs.drop(runId)]);
    const { spec, askedAtMs: startedAtMs } = await readRun(journal, runId);
    if (spec === undefined) throw error;
    const { namespace, name } = spec.task;
    await append([this.#record('RunSetAside', runId, { task: { namespace, name }, startedAtMs, where, version })]);
    onAside(runId);
    onNotice?.(`run ${runId} is set aside, because the program failed in it: ${where.slice(0, 2).join(' ')}`);
  }

  /** Carries out work of one run. */
  async guarded(runId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#driven.isOver) await this.setAside(runId, error);
    }
  }

  /** Continues runs, and those of their cycles that they still wait for. */
  async resume(
    open: readonly (readonly [string, readonly RunEvent[]])[],
    cycles: ReadonlyMap<string, OpenCycle>,
  ): Promise<void> {
    const { aside, runs } = this.#driven;
    for (const [runId, events] of open) {
      if (this.#driven.isOver) return;
      if (aside.has(runId)) continue;
      await this.guarded(runId, () => runs.resume(runId, events, (cycleId) => cycles.has(cycleId)));
    }
    for (const [cycleId, { runId, events }] of cycles) {
      if (this.#driven.isOver) return;
      if (aside.has(runId)) continue;
      await this.guarded(runId, () => {
        const { cycles: driver } = this.#driven;
        return this.#isPending(cycleId)
          ? driver.resume(runId, cycleId, events)
          : driver.abandon(runId, cycleId, events);
      });
    }
  }

  /** Tries again what another version set aside. */
  async reviewAll(): Promise<void> {
    const { aside } = this.#driven;
    for (const [runId, run] of [...aside]) if (!isLeftAside(run, this.#parts.version)) await this.tryAgain(runId);
  }

  /** Does nothing if the run is not set aside, or given up. */
  async tryAgain(runId: string, by?: string): Promise<void> {
    const { aside, runs } = this.#driven;
    const { journal, version, append } = this.#parts;
    if (aside.get(runId)?.isGivenUp !== false) return;
    await append([this.#record('RunTriedAgain', runId, { version, ...(by === undefined ? {} : { by }) }, by)]);
    const { events, cycles, spec } = await readRun(journal, runId);
    if (events.length > 0) await this.resume([[runId, events]], cycles);
    else if (spec !== undefined) await this.guarded(runId, () => runs.admit(spec));
    runs.arm();
  }

  /** Ends a run that is set aside. @returns false if it is not */
  async giveUp(runId: string, by: string, reason: string): Promise<boolean> {
    const { aside } = this.#driven;
    const { clock, delivery, append } = this.#parts;
    const run = aside.get(runId);
    if (run?.isGivenUp !== false) return false;
    await append([this.#record('RunGivenUp', runId, { by, reason }, by)]);
    await delivery.deliver(givenUpDelivery(runId, run, { reason, atMs: clock.nowMs() }), this.#stop.signal);
    return true;
  }

  /** Computed anew for each cycle: meanwhile, an input may end one of the runs. */
  #isPending(cycleId: string): boolean {
    return this.#driven.runs
      .states()
      .some((state) => pendingRoleCycles(state).some((it) => it.spec.cycleId === cycleId));
  }

  #record(kind: string, runId: string, payload: Readonly<Record<string, Json>>, by?: string): NewRecord {
    const principal = by === undefined ? 'agent' : humanPrincipal(by);
    return { store: 'agent', kind, principal, payload: { runId, ...payload }, runId };
  }
}
