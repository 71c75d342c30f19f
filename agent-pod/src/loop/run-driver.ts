/** Runs Task runs: starts the effects that their events ask for and feeds the results back. Holds no rule of its own. */
import type { Clock } from '@retainer/contract/std/clock';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { CycleSpec } from '../cycle/event.ts';
import type { CycleState } from '../cycle/state.ts';
import type { Redact } from '../infer/secrets.ts';
import type { Journal } from '../journal/journal.ts';
import { decideRun } from '../run/decide.ts';
import {
  isRunInput,
  type Evidence,
  type RunEvent,
  type RunEventOf,
  type RunInput,
  type RunSpec,
} from '../run/event.ts';
import { evolveRun } from '../run/evolve.ts';
import type { RunState } from '../run/state.ts';
import { Alarm } from './alarm.ts';
import { Instance, restoreInstance, type Machine, type Restored } from './instance.ts';
import type { Delivery, DeliveryPort } from './ports.ts';
import { RunningSet, type Running as RunningOf } from './running-set.ts';
import { humanPrincipal } from './principal.ts';

/** Characters of one call's arguments that its evidence keeps. */
const evidenceArgumentsCharacters = 4000;

const deliveryRetry: BackoffPolicy = { initialMs: 500, factor: 2, ceilingMs: 60_000, jitterRatio: 0 };

/** The first failure is told, then one in so many: about once in ten minutes at the longest pause. */
const deliveryFailuresPerNotice = 10;

export interface RunParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly delivery: DeliveryPort;
  /** Writes the run's entry of the narrative; idempotent by run. */
  readonly archive: (state: RunState) => Promise<void>;
  readonly startCycle: (spec: CycleSpec) => Promise<void>;
  readonly cancelCycle: (cycleId: string, by: string, reason: string) => Promise<void>;
  readonly onClosed: (state: RunState) => void;
  /** Of the gate that judges now. */
  readonly characterDigest: string;
  readonly onNotice?: (notice: string) => void;
  readonly onFault: (error: unknown) => void;
}

type RunInstance = Instance<RunState, RunInput, RunEvent>;

type Running = RunningOf<RunState, RunInput, RunEvent>;

export const runMachine: Machine<RunState, RunInput, RunEvent> = {
  store: 'run',
  isInput: isRunInput,
  decide: decideRun,
  evolve: evolveRun,
};

export class RunDriver {
  readonly #parts: RunParts;
  readonly #running: RunningSet<RunState, RunInput, RunEvent>;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#running = new RunningSet(parts.onFault);
  }

  /** Does nothing when the run is known already. */
  async admit(spec: RunSpec): Promise<void> {
    if (this.#running.isStopped || this.#running.has(spec.runId)) return;
    await this.#open(spec.runId).instance.feed({ kind: 'RunAdmitted', atMs: this.#now(), spec });
  }

  /** Takes up a run from its recorded events. `hasCycle` tells whether the record knows its pending cycle. */
  async resume(runId: string, events: readonly RunEvent[], hasCycle: (cycleId: string) => boolean): Promise<void> {
    const restored = restoreInstance(runMachine, events);
    if (restored.state.closed) return;
    const running = this.#open(runId);
    const reason = this.#whyNotResumed(restored);
    if (reason !== undefined) {
      running.instance.adopt(restored.state);
      await running.instance.feed({ kind: 'RunCancelled', atMs: this.#now(), by: 'runtime', reason });
      return;
    }
    await running.instance.resume(restored);
    this.#setAlarm(running);
    this.#recover(running, restored.state, hasCycle);
  }

  /** A run that is concluded is only delivered; any other goes on as it was admitted or not at all. */
  #whyNotResumed({ state, hasDiverged }: Restored<RunState, RunEvent>): string | undefined {
    if (state.concluded !== undefined) return undefined;
    if (state.spec.characterDigest !== this.#parts.characterDigest)
      return 'the character has changed since it was admitted';
    return hasDiverged ? 'it was recorded by another version' : undefined;
  }

  async cycleEnded(cycle: CycleState): Promise<void> {
    const running = this.#running.get(cycle.spec.runId);
    if (running !== undefined && cycle.ended !== undefined) await running.instance.feed(concluded(cycle, this.#now()));
  }

  /** @returns false when no such run is under way */
  async cancel(runId: string, by: string, reason: string): Promise<boolean> {
    const running = this.#running.get(runId);
    if (running === undefined) return false;
    return running.instance.feed({ kind: 'RunCancelled', atMs: this.#now(), by, reason }, humanPrincipal(by));
  }

  states(): readonly RunState[] {
    return this.#running.states();
  }

  /** As `RunningSet.stop`. */
  stop(): Promise<void> {
    return this.#running.stop();
  }

  #open(runId: string): Running {
    const instance: RunInstance = new Instance(runMachine, { runId }, this.#parts, (events, state) =>
      this.#onEvents(runId, events, state),
    );
    const alarm = new Alarm(this.#parts.clock, () => {
      this.#running.guard(instance.feed({ kind: 'DeadlinePassed', atMs: this.#now() }));
    });
    const running = { instance, alarm, abort: new AbortController() };
    this.#running.set(runId, running);
    return running;
  }

  #onEvents(runId: string, events: readonly RunEvent[], state: RunState): void {
    const running = this.#running.get(runId);
    if (running === undefined) return;
    for (const event of events) this.#startEffect(running, event, state);
    this.#setAlarm(running);
    if (!state.closed) return;
    this.#running.delete(runId);
    this.#parts.onClosed(state);
  }

  #startEffect(running: Running, event: RunEvent, state: RunState): void {
    switch (event.kind) {
      case 'CycleRequested':
        return this.#running.guard(this.#parts.startCycle(event.spec));
      case 'CycleAbandoned':
        return this.#running.guard(this.#parts.cancelCycle(event.cycleId, 'run', event.reason));
      case 'DeliveryRequested':
        return this.#running.guard(this.#deliver(running, event, state));
      case 'ArchiveRequested':
        return this.#running.guard(this.#archive(running, state));
      default:
        return undefined;
    }
  }

  /** Tries until it is delivered or the process stops: a reply may be late, never lost. */
  async #deliver({ instance, abort }: Running, event: RunEventOf<'DeliveryRequested'>, state: RunState): Promise<void> {
    const delivery: Delivery = { ...event, runId: state.spec.runId };
    for (let attempt = 0; !abort.signal.aborted; attempt += 1) {
      const failure = await this.#tryDelivery(delivery, abort.signal);
      if (failure === undefined) break;
      if (attempt % deliveryFailuresPerNotice === 0) {
        this.#parts.onNotice?.(`the reply of ${delivery.target} cannot be delivered yet: ${failure}`);
      }
      await this.#parts.clock.sleep(backoffMs(deliveryRetry, attempt, 0), abort.signal).catch(() => undefined);
    }
    if (abort.signal.aborted) return;
    await instance.feed({ kind: 'Delivered', atMs: this.#now(), deliveryId: delivery.deliveryId });
  }

  async #tryDelivery(delivery: Delivery, signal: AbortSignal): Promise<string | undefined> {
    try {
      if (!(await this.#parts.delivery.isDelivered(delivery.deliveryId))) {
        await this.#parts.delivery.deliver(delivery, signal);
      }
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #archive({ instance, abort }: Running, state: RunState): Promise<void> {
    await this.#parts.archive(state);
    if (!abort.signal.aborted) await instance.feed({ kind: 'Archived', atMs: this.#now() });
  }

  /** What was asked for before the crash and is still wanted now; what was decided since has started by itself. */
  #recover(running: Running, before: RunState, hasCycle: (cycleId: string) => boolean): void {
    const now = running.instance.state;
    const cycle = before.pendingCycle;
    if (cycle !== undefined && now?.pendingCycle?.cycleId === cycle.cycleId && !hasCycle(cycle.cycleId)) {
      this.#running.guard(this.#parts.startCycle(cycle));
    }
    if (before.pendingDelivery !== undefined)
      this.#running.guard(this.#deliver(running, before.pendingDelivery, before));
    if (before.pendingArchive) this.#running.guard(this.#archive(running, before));
  }

  #setAlarm({ alarm, instance }: Running): void {
    const { state } = instance;
    alarm.set(state === undefined || state.concluded !== undefined ? undefined : state.spec.deadlineMs);
  }

  #now(): number {
    return this.#parts.clock.nowMs();
  }
}

function concluded(cycle: CycleState, atMs: number): RunInput {
  const { ended, spec } = cycle;
  return {
    kind: 'CycleConcluded',
    atMs,
    cycleId: spec.cycleId,
    role: spec.role,
    outcome: ended?.outcome ?? 'Failed',
    text: ended?.text ?? '',
    ...(ended?.reason === undefined ? {} : { reason: ended.reason }),
    ...(ended?.value === undefined ? {} : { value: ended.value as never }),
    evidence: cycle.calls.map(evidenceOf),
    rejections: [...cycle.rejections],
    usage: cycle.usage,
    costUsd: cycle.costUsd,
    isCostComplete: cycle.isCostComplete,
    modelCalls: cycle.turns,
  };
}

function evidenceOf(call: CycleState['calls'][number]): Evidence {
  const base = {
    callId: call.callId,
    tool: call.tool,
    arguments: canonicalJson(call.input).slice(0, evidenceArgumentsCharacters),
  };
  if (call.end.kind === 'Ran') {
    return { ...base, outcome: { ...call.end.outcome, files: [...call.end.outcome.files] } };
  }
  if (call.end.kind === 'Unrun') return { ...base, unrun: { why: call.end.why, text: call.end.text } };
  return base;
}
