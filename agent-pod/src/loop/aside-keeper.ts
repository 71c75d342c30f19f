/**
 * Sets a run aside if something threw in it, so that the agent works on without it.
 *
 * I1  The record says it before anything else follows from it, so the next start leaves the run alone, too.
 * I2  A fault of the journal concerns all runs, and is a fault of the process.
 * I3  The end of a run that was given up is delivered until the record says that its receiver has it.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { Journal } from '@retainer/journal/journal';
import type { OpenCycle } from '@retainer/mind/projections/open-work';
import type { RunEvent } from '@retainer/mind/run/event';
import {
  heldBecause,
  isLeftAside,
  type AsideRun,
  type AsideRuns,
  type Held,
} from '@retainer/mind/parts/aside/set-aside';
import { pendingRoleCycles } from '@retainer/mind/run/state';
import type { DeliveryPort } from '../ports/ports.ts';
import { givenUpDelivery, nameRun, placesOf, readRun } from './aside-runs.ts';
import type { CharacterInForce } from './character-in-force.ts';
import type { CycleDriver } from './cycle-driver.ts';
import { deliverReply } from './deliver-reply.ts';
import type { MemoryCommand } from './memory-writer.ts';
import { attemptOf, attemptRunId, type TriedAgain } from '@retainer/mind/parts/aside/tried-again';
import { drivenToMs } from './standstill.ts';
import type { RunDriver } from './run-driver.ts';

export interface AsideParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly delivery: DeliveryPort;
  /** Of this program: a new one tries again what an older one set aside. */
  readonly version: string;
  /** Of the present gate. */
  readonly characterDigest: string;
  readonly character?: Pick<CharacterInForce, 'onChange'>;
  readonly write: (command: MemoryCommand<'Runtime'>) => Promise<void>;
  /** Whether there was such a run. */
  readonly isKnown: (runId: string) => boolean;
  readonly onAside: (runId: string) => void;
  readonly onNotice?: (notice: string) => void;
  readonly onFault: (error: unknown) => void;
}

export interface Driven {
  readonly cycles: CycleDriver;
  readonly runs: RunDriver;
  readonly aside: AsideRuns;
  readonly triedAgain: TriedAgain;
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

  /** All work is taken up: cycles may begin, and alarms fire. */
  arm(): void {
    const { isOver, cycles, runs } = this.#driven;
    if (isOver) return;
    cycles.arm();
    runs.arm();
  }

  /** @throws when it concerns more than this run */
  async setAside(runId: string, error: unknown): Promise<void> {
    const { aside, cycles, runs } = this.#driven;
    const { journal, onNotice } = this.#parts;
    if (journal.mode !== 'Writable') throw error;
    if (aside.has(runId)) return;
    const where = placesOf(error);
    await Promise.all([cycles.drop(runId), runs.drop(runId)]);
    if (!(await this.#leaveAside(runId, { where: [...where] }))) throw error;
    onNotice?.(`run ${runId} is set aside, because the program failed in it: ${where.slice(0, 2).join(' ')}`);
  }

  /** @returns false if nobody asked for such a run */
  async #leaveAside(runId: string, why: { readonly where: string[]; readonly held?: Held }): Promise<boolean> {
    const { journal, version, write, onAside } = this.#parts;
    const named = await nameRun(journal, runId);
    if (named === undefined) return false;
    const payload = { runId, ...named, version, ...why };
    await write({ store: 'agent', kind: 'RunSetAside', payload, runId });
    onAside(runId);
    return true;
  }

  /** Continues a run, or leaves it to a person to let it go on. @param by  the person who lets it go on already */
  async #goOn(runId: string, events: readonly RunEvent[], cycles: ReadonlyMap<string, OpenCycle>, by?: string) {
    const held = await this.#driven.runs.resume(runId, events, {
      hasCycle: (cycleId) => cycles.has(cycleId),
      isAllowed: by !== undefined,
      drivenToMs: drivenToMs(runId, events, cycles),
    });
    if (held !== undefined) await this.hold(runId, held);
  }

  /** Leaves a run to a person to let it go on. */
  async hold(runId: string, held: Held): Promise<void> {
    await this.#leaveAside(runId, { where: [], held: { ...held, parts: [...held.parts] } });
    this.#parts.onNotice?.(`run ${runId} waits until a person lets it go on: ${heldBecause(held)}`);
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
    by?: string,
  ): Promise<void> {
    const { aside } = this.#driven;
    const lastMs = new Map(open.map(([runId, events]) => [runId, drivenToMs(runId, events, cycles)]));
    for (const [runId, events] of open) {
      if (this.#driven.isOver) return;
      if (aside.has(runId)) continue;
      await this.guarded(runId, () => this.#goOn(runId, events, cycles, by));
    }
    for (const [cycleId, { runId, events }] of cycles) {
      if (this.#driven.isOver) return;
      if (aside.has(runId)) continue;
      await this.guarded(runId, () => {
        const { cycles: driver } = this.#driven;
        return this.#isPending(cycleId)
          ? driver.resume(runId, cycleId, events, lastMs.get(runId) ?? this.#parts.clock.nowMs())
          : driver.abandon(runId, cycleId, events);
      });
    }
  }

  /** A run that waited because of its character waits no more if it is back, or if the Agent says otherwise by now. */
  #isLeftAside(run: AsideRun): boolean {
    const { version, characterDigest, character } = this.#parts;
    if (run.held === undefined || run.held.because !== undefined || run.isGivenUp) return isLeftAside(run, version);
    return character?.onChange === 'Hold' && run.held.to === characterDigest;
  }

  /** Tries again what another version set aside, and delivers what an earlier process could not. */
  async reviewAll(): Promise<void> {
    const { aside } = this.#driven;
    for (const [runId, run] of [...aside]) {
      if (!this.#isLeftAside(run)) await this.tryAgain(runId);
      this.#tell(runId);
    }
  }

  /** Does nothing if the run is under way. The work of one that has ended begins anew when its Task is asked for. */
  async tryAgain(runId: string, by?: string): Promise<void> {
    const { version, write } = this.#parts;
    if (this.#driven.aside.get(runId)?.isGivenUp !== false)
      return by === undefined ? undefined : this.#askAnew(runId, by);
    const who = by === undefined ? {} : { by };
    await write({ store: 'agent', kind: 'RunTriedAgain', payload: { runId, version, ...who }, runId, ...who });
    await this.#drive(runId, by);
    this.#driven.runs.arm();
  }

  /** Of several attempts at the same work, the newest is meant. */
  async #askAnew(runId: string, by: string): Promise<void> {
    const { aside, triedAgain } = this.#driven;
    const newest = attemptRunId(
      runId,
      attemptOf(triedAgain, (attempt) => attemptRunId(runId, attempt)),
    );
    if (aside.get(newest)?.isGivenUp !== true && !this.#hasEnded(newest)) return;
    await this.#parts.write({
      store: 'agent',
      kind: 'RunAskedAnew',
      payload: { runId: newest, by },
      runId: newest,
      by,
    });
  }

  /** It has its result, even if that is not delivered yet. */
  #hasEnded(runId: string): boolean {
    const open = this.#driven.runs.states().find(({ spec }) => spec.runId === runId);
    return open === undefined ? this.#parts.isKnown(runId) : open.concluded !== undefined;
  }

  /** Goes on from the record, or begins where the program failed before the first record. */
  async #drive(runId: string, by?: string): Promise<void> {
    await this.guarded(runId, async () => {
      const { events, cycles, spec } = await readRun(this.#parts.journal, runId);
      if (events.length > 0) await this.resume([[runId, events]], cycles, by);
      else if (spec !== undefined) await this.#driven.runs.admit(spec);
    });
  }

  /** Begins what was tried again by a process that ended before it could record anything of it. */
  async beginTriedAgain(runIds: Iterable<string>, isOpen: (runId: string) => boolean): Promise<void> {
    for (const runId of runIds) {
      if (this.#driven.isOver) return;
      if (isOpen(runId) || this.#driven.aside.has(runId)) continue;
      const { events, spec } = await readRun(this.#parts.journal, runId);
      if (events.length === 0 && spec !== undefined) await this.guarded(runId, () => this.#driven.runs.admit(spec));
    }
  }

  /** Ends a run that is set aside, once. @returns false if it is not */
  async giveUp(runId: string, by: string, reason: string): Promise<boolean> {
    const { aside } = this.#driven;
    const run = aside.get(runId);
    if (run === undefined) return false;
    if (run.isGivenUp) return true;
    await this.#parts.write({ store: 'agent', kind: 'RunGivenUp', payload: { runId, by, reason }, runId, by });
    this.#tell(runId);
    return true;
  }

  /** Delivers the end of a run that was given up, if its receiver does not have it. Nobody waits for that. */
  #tell(runId: string): void {
    const run = this.#driven.aside.get(runId);
    if (run?.untold === undefined) return;
    const reply = givenUpDelivery(runId, run, run.untold);
    const told = deliverReply(reply, this.#parts, this.#stop.signal).then(async (isDelivered) => {
      if (isDelivered) await this.#parts.write({ store: 'agent', kind: 'GivenUpDelivered', payload: { runId }, runId });
    });
    told.catch(this.#parts.onFault);
  }

  /** Computed anew for each cycle: meanwhile, an input may end one of the runs. */
  #isPending(cycleId: string): boolean {
    return this.#driven.runs
      .states()
      .some((state) => pendingRoleCycles(state).some((it) => it.spec.cycleId === cycleId));
  }
}
