/** Runs Task runs: starts the effects that their events request and feeds back the results. Has no rules of its own. */
import type { Clock } from '@retainer/contract/std/clock';
import type { BusMessage, BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import type { CycleSpec } from '@retainer/mind/cycle/event';
import type { CycleState } from '@retainer/mind/cycle/state';
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import type { Redact } from '../infer/secrets.ts';
import type { Command } from '@retainer/mind/run/inbox';
import type { Journal } from '@retainer/journal/journal';
import { toldRules } from '@retainer/mind/memory/recall/megram-query';
import { decideRun } from '@retainer/mind/run/decide';
import { nextTried } from '@retainer/mind/request/parked';
import { isRunInput, type RunEvent, type RunEventOf, type RunInput, RunSpec } from '@retainer/mind/run/event';
import { evolveRun } from '@retainer/mind/run/evolve';
import { RUNTIME } from '@retainer/mind/run/roles/steerer';
import type { Held } from '@retainer/mind/parts/aside/set-aside';
import { isEnding, pendingRoleCycles, type RunState } from '@retainer/mind/run/state';
import { nextRunTimer } from '@retainer/mind/run/timer';
import type { Stood } from '@retainer/mind/run/verdict/acts';
import { restarted, type StandstillInput } from './standstill.ts';
import { Alarm } from './alarm.ts';
import { concluded } from './concluded-cycle.ts';
import { changeFor, changeRecord, goesOn, type CharacterInForce } from './character-in-force.ts';
import { deliverReply } from './deliver-reply.ts';
import { unansweredReads, withEndUnread, type Resumption } from './resumed-run.ts';
import { Instance, restoreInstance, type Machine, type Restored } from './instance.ts';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';
import type { PlanRecall } from './recall.ts';
import { RunningSet, type Running as RunningOf } from './running-set.ts';
import { humanPrincipal } from './principal.ts';

/** Messages that are not passed inline are passed from the record at once. */
const MESSAGE_WAIT_MS = 0;

export interface RunParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly redact: Redact;
  /** See `CycleParts`. */
  readonly drawNonce: () => string;
  /** What stands in the workspace before a run with this Task in words. */
  readonly lookAround: (task: string) => Promise<Stood>;
  readonly delivery: DeliveryPort;
  /** Publishes recorded messages to listeners outside this process, above all the auditor. The run never waits for it. */
  readonly publish: (message: BusMessage) => Promise<void>;
  readonly recall: (request: BusMessageOf<'MemoryRead'>, state: RunState) => Promise<PlanRecall>;
  /** Idempotent. */
  readonly noteRecalled: (ids: readonly string[], runId: string, atMs: number) => Promise<void>;
  /** Writes megrams; idempotent by their ids. */
  readonly remember: (request: BusMessageOf<'MemoryWrite'>, state: RunState) => Promise<void>;
  /** Writes the run's entry of the narrative; idempotent by run. */
  readonly archive: (state: RunState) => Promise<void>;
  /** Sees the events of a run when they are durable, before their effects begin. */
  readonly onEvents: (runId: string, events: readonly RunEvent[]) => void;
  readonly startCycle: (spec: CycleSpec) => Promise<void>;
  readonly cancelCycle: (cycleId: string, by: string, reason: string) => Promise<void>;
  readonly onClosed: (state: RunState) => void;
  /** Of the present gate. */
  readonly characterDigest: string;
  readonly character?: CharacterInForce;
  readonly known: KnownTools;
  readonly onNotice?: (notice: string) => void;
  /** Something of this run was thrown: a bug, or a journal that takes no more. */
  readonly onFault: (runId: string, error: unknown) => void;
}

type RunInstance = Instance<RunState, RunInput, RunEvent>;

interface AtMemory {
  /** The last turn at memory. Never rejects. */
  memoryTurn: Promise<void>;
}

type Running = RunningOf<RunState, RunInput, RunEvent> & AtMemory;

export function runMachine(known: KnownTools): Machine<RunState, RunInput, RunEvent> {
  return {
    store: 'run',
    isInput: isRunInput,
    decide: (state, input) => decideRun(state, input, known),
    evolve: evolveRun,
  };
}

export class RunDriver {
  readonly #parts: RunParts;
  readonly #running: RunningSet<RunState, RunInput, RunEvent, AtMemory>;
  /** Before `arm`, no alarm of a run fires. */
  #isArmed = false;
  #isHeard = true;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#running = new RunningSet(parts.onFault);
  }

  /** Does nothing when the run is already known. */
  async admit(spec: RunSpec): Promise<void> {
    if (this.#running.isStopped || this.#running.has(spec.runId)) return;
    const nonce = this.#parts.drawNonce();
    const { instance } = this.#open(spec.runId);
    const { files, isWhole } = await this.#parts.lookAround(spec.input);
    const stood = { files: files.map((it) => ({ ...it })), isWhole };
    const form = { messagePassing: 'Inline', deciders: DECIDERS } as const;
    await instance.feed({ kind: 'RunAdmitted', atMs: this.#now(), spec, nonce, stood, ...form });
  }

  /**
   * Continues a run from its recorded events.
   *
   * @returns the change of the character for which the run waits instead
   */
  async resume(
    runId: string,
    events: readonly RunEvent[],
    { hasCycle, isAllowed, drivenToMs }: Resumption,
  ): Promise<Held | undefined> {
    const restored = this.#restored(runId, events);
    if (restored === undefined) return undefined;
    const change = await changeFor(restored.state, this.#parts);
    if (change !== undefined && !isAllowed && this.#parts.character?.onChange === 'Hold') return change;
    const running = this.#open(runId);
    // Nobody knows whether the bus took them before the crash. A listener takes each once.
    for (const { message } of restored.state.messages) this.#running.guard(runId, this.#publish(message));
    const reason = this.#whyNotResumed(restored);
    if (reason !== undefined) return this.#endResumed(running, restored.state, reason);
    await running.instance.resume(
      restored.hasDiverged ? { ...restored, state: withEndUnread(restored.state) } : restored,
    );
    await running.instance.feed(restarted(drivenToMs, this.#now()));
    await this.#takeOver(running);
    await this.#recast(running, change);
    this.#recover(running, restored.state, hasCycle);
    this.#recoverNote(runId, events);
    return undefined;
  }

  /** Undefined for a run that is closed, or that this version cannot read. */
  #restored(runId: string, events: readonly RunEvent[]): Restored<RunState, RunEvent> | undefined {
    const [first] = events;
    if (first?.kind !== 'RunAdmitted' || !RunSpec.safeParse(first.spec).success) {
      this.#parts.onNotice?.(`run ${runId} was recorded by another version: it stays as it is`);
      return undefined;
    }
    const restored = restoreInstance(runMachine(this.#parts.known), events);
    return restored.state.closed ? undefined : restored;
  }

  async #endResumed(running: Running, state: RunState, reason: string): Promise<undefined> {
    running.instance.adopt(state);
    await this.#takeOver(running);
    // Cancel first: the roles must not act on the messages that the record still holds for them.
    await running.instance.feed({ kind: 'RunCancelled', atMs: this.#now(), by: RUNTIME, reason });
    this.#recoverMemory(running, state);
  }

  async #recast({ instance }: Running, change: Held | undefined): Promise<void> {
    const { character, onNotice } = this.#parts;
    if (change === undefined || character === undefined || instance.state === undefined) return;
    if (await instance.feed(await changeRecord(instance.state, change, character, this.#now())))
      onNotice?.(`run ${instance.ids.runId} goes on under the changed character (${change.parts.join(', ')})`);
  }

  /** Records that these deciders go on where others stopped; stale where they are the same. */
  async #takeOver({ instance }: Running): Promise<void> {
    await instance.feed({ kind: 'DecidersChanged', atMs: this.#now(), deciders: DECIDERS });
  }

  /**
   * Lets alarms fire from now on; none fires before all runs and cycles are resumed. A run whose time is over cancels
   * cycles, which must be there for that, and receives the usage of cycles that it gave up earlier.
   */
  arm(): void {
    this.#isArmed = true;
    for (const running of this.#running.values()) this.#setAlarm(running);
  }

  /**
   * A run that is ending comes to its end. Any other run continues under the conditions of its admission, apart from a changed
   * character, or not at all. Other deciders go on from what is recorded.
   */
  #whyNotResumed({ state, hasDiverged }: Restored<RunState, RunEvent>): string | undefined {
    if (isEnding(state)) return undefined;
    if (state.spec.characterDigest !== this.#parts.characterDigest && !goesOn(this.#parts.character))
      return 'the character has changed since it was admitted';
    return hasDiverged && state.deciders === DECIDERS ? 'its record does not lead to its decisions' : undefined;
  }

  /** A cycle of the run begins or stops to wait for a person. */
  async waiting(runId: string, cycleId: string, isWaiting: boolean): Promise<void> {
    const kind = isWaiting ? 'WaitBegan' : 'WaitEnded';
    await this.#running.get(runId)?.instance.feed({ kind, atMs: this.#now(), cycleId });
  }

  /** A cycle begins or stops to wait for its provider, or the next try is known. */
  async parked({ spec: { runId, cycleId }, parked }: CycleState): Promise<void> {
    const instance = this.#running.get(runId)?.instance;
    const first = nextTried(Object.values(parked));
    const at = { atMs: this.#now(), cycleId };
    if (first === undefined) await instance?.feed({ kind: 'RunUnparked', ...at });
    else if (instance?.state?.parked.get(cycleId)?.nextTryAtMs !== first.nextTryAtMs)
      await instance?.feed({ kind: 'RunParked', ...at, ...first });
  }

  /** The approvals that a cycle has requested so far. */
  async asked({ spec: { runId, cycleId }, asked }: CycleState): Promise<void> {
    await this.#running.get(runId)?.instance.feed({ kind: 'ApprovalsAsked', atMs: this.#now(), cycleId, ...asked });
  }

  /** @returns false when no run waits for this answer */
  async answer({ runId, questionId, text, by }: Extract<Command, { type: 'AnswerQuestion' }>): Promise<boolean> {
    const running = this.#running.get(runId);
    if (running === undefined) return false;
    const atMs = this.#now();
    return running.instance.feed({ kind: 'QuestionAnswered', atMs, questionId, text, by }, humanPrincipal(by));
  }

  async cycleEnded(cycle: CycleState): Promise<void> {
    const running = this.#running.get(cycle.spec.runId);
    if (running !== undefined && cycle.ended !== undefined)
      await running.instance.feed(concluded(cycle, this.#now(), this.#parts.known));
  }

  /** @returns false when no such run is under way */
  async cancel(runId: string, by: string, reason: string): Promise<boolean> {
    const running = this.#running.get(runId);
    if (running === undefined) return false;
    return running.instance.feed({ kind: 'RunCancelled', atMs: this.#now(), by, reason }, humanPrincipal(by));
  }

  stoodStill(input: StandstillInput): void {
    this.#running.feedAll(input);
  }

  states(): readonly RunState[] {
    return this.#running.states();
  }

  /** See `RunningSet.drop`. */
  drop(runId: string): Promise<void> {
    return this.#running.drop(runId);
  }

  /** See `RunningSet.stop`. */
  stop(): Promise<void> {
    return this.#running.stop();
  }

  #open(runId: string): Running {
    const instance: RunInstance = new Instance(runMachine(this.#parts.known), { runId }, this.#parts, (events, state) =>
      this.#onEvents(runId, events, state),
    );
    const alarm = new Alarm(this.#parts.clock, () => this.#onAlarm(runId));
    const running = { instance, alarm, abort: new AbortController(), memoryTurn: Promise.resolve() };
    this.#running.set(runId, running);
    return running;
  }

  #onEvents(runId: string, events: readonly RunEvent[], state: RunState): void {
    const running = this.#running.get(runId);
    if (running === undefined) return;
    this.#parts.onEvents(runId, events);
    for (const event of events) this.#startEffect(running, event, state);
    this.#setAlarm(running);
    if (!state.closed) return;
    this.#running.delete(runId);
    this.#parts.onClosed(state);
  }

  #startEffect(running: Running, event: RunEvent, state: RunState): void {
    const { runId } = running.instance.ids;
    switch (event.kind) {
      case 'MessageSent':
        return this.#passOn(running, event.messages, state);
      case 'MessageReceived':
        return this.#running.guard(runId, this.#takeMemoryTurn(running, state, event.messageId));
      case 'CycleRequested':
        return this.#running.guard(runId, this.#parts.startCycle(event.spec));
      case 'CycleAbandoned':
        return this.#running.guard(runId, this.#parts.cancelCycle(event.cycleId, 'run', event.reason));
      case 'DeliveryRequested':
        return this.#running.guard(runId, this.#deliver(running, event, state));
      case 'ArchiveRequested':
        return this.#running.guard(runId, this.#archive(running, state));
      default:
        return undefined;
    }
  }

  /** The roles have acted on these messages. A run that does not pass inline asks memory at each reception. */
  #passOn(running: Running, messages: readonly BusMessage[], state: RunState): void {
    const { runId } = running.instance.ids;
    for (const message of messages) {
      this.#running.guard(runId, this.#publish(message));
      if (state.passesInline) this.#running.guard(runId, this.#takeMemoryTurn(running, state, message.id));
    }
  }

  /** Listeners outside find in the journal what the bus does not take. Only the first failure in a row is reported. */
  async #publish(message: BusMessage): Promise<void> {
    try {
      await this.#parts.publish(message);
      this.#isHeard = true;
    } catch (error) {
      const isNews = this.#isHeard;
      this.#isHeard = false;
      if (isNews) this.#parts.onNotice?.(error instanceof Error ? error.message : String(error));
    }
  }

  /** One after the other within a run: what a round reads of memory includes what the run wrote before. */
  #takeMemoryTurn(running: Running, state: RunState, messageId: string): Promise<void> {
    const turn = running.memoryTurn.then(() => this.#askMemory(running, state, messageId));
    // A turn that failed is reported by its own guard; the next one goes on.
    running.memoryTurn = turn.catch(() => undefined);
    return turn;
  }

  async #askMemory({ instance, abort }: Running, state: RunState, messageId: string): Promise<void> {
    const message = state.messages.find((it) => it.message.id === messageId)?.message;
    if (message?.type === 'MemoryWrite') {
      await this.#parts.remember(message, state);
      if (!abort.signal.aborted) await instance.feed({ kind: 'Remembered', atMs: this.#now(), messageId });
    }
    if (message?.type !== 'MemoryRead' || abort.signal.aborted) return undefined;
    const { answers, cases, recalledIds, wordsOnly } = await this.#parts.recall(message, state);
    if (abort.signal.aborted) return undefined;
    const atMs = this.#now();
    const isTold = await instance.feed({
      kind: 'MemoryRecalled',
      ...{ atMs, messageId, answers: [...answers] },
      ...(cases.length === 0 ? {} : { cases: [...cases] }),
      ...(wordsOnly === undefined ? {} : { wordsOnly }),
    });
    if (isTold) await this.#parts.noteRecalled(recalledIds, message.runId, atMs);
  }

  async #deliver({ instance, abort }: Running, event: RunEventOf<'DeliveryRequested'>, state: RunState): Promise<void> {
    const reply: Delivery = { ...event, runId: state.spec.runId };
    if (await deliverReply(reply, this.#parts, abort.signal))
      await instance.feed({ kind: 'Delivered', atMs: this.#now(), deliveryId: reply.deliveryId });
  }

  async #archive({ instance, abort }: Running, state: RunState): Promise<void> {
    await this.#parts.archive(state);
    if (!abort.signal.aborted) await instance.feed({ kind: 'Archived', atMs: this.#now() });
  }

  /** Starts effects requested before the crash and still wanted; those of later decisions have started already. */
  #recover(running: Running, before: RunState, hasCycle: (cycleId: string) => boolean): void {
    const now = running.instance.state;
    const { runId } = running.instance.ids;
    const wanted = new Set(now === undefined ? [] : pendingRoleCycles(now).map((it) => it.spec.cycleId));
    for (const { spec } of pendingRoleCycles(before))
      if (wanted.has(spec.cycleId) && !hasCycle(spec.cycleId)) this.#running.guard(runId, this.#parts.startCycle(spec));
    this.#recoverMemory(running, before);
    if (before.pendingDelivery !== undefined)
      this.#running.guard(runId, this.#deliver(running, before.pendingDelivery, before));
    if (before.pendingArchive) this.#running.guard(runId, this.#archive(running, before));
  }

  #recoverMemory(running: Running, before: RunState): void {
    for (const message of unansweredReads(before))
      this.#running.guard(running.instance.ids.runId, this.#takeMemoryTurn(running, before, message.id));
  }

  /** A crash may have come between the newest answer of memory and the note of what it told. */
  #recoverNote(runId: string, events: readonly RunEvent[]): void {
    const told = events.findLast((it) => it.kind === 'MemoryRecalled');
    if (told === undefined) return;
    this.#running.guard(runId, this.#parts.noteRecalled(toldRules(told.answers), runId, told.atMs));
  }

  #setAlarm({ alarm, instance }: Running): void {
    if (!this.#isArmed) return;
    const { state } = instance;
    alarm.set(state === undefined ? undefined : nextRunTimer(state, MESSAGE_WAIT_MS)?.atMs);
  }

  #onAlarm(runId: string): void {
    const running = this.#running.get(runId);
    const state = running?.instance.state;
    if (running === undefined || state === undefined) return;
    const timer = nextRunTimer(state, MESSAGE_WAIT_MS);
    if (timer !== undefined) this.#running.guard(runId, running.instance.feed(timer.input(this.#now())));
  }

  #now(): number {
    return this.#parts.clock.nowMs();
  }
}
