/**
 * Runs cycles: starts the effects that their events request and feeds back the results. Has no rules of its own.
 *
 * I1  An effect starts only after the event that requests it is durable.
 * I2  After a restart, the driver looks up each effect without a recorded result, or records it as lost. It never starts the
 *     effect again under the same id, but for a question that waited for its provider.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { invariant } from '@retainer/contract/std/invariant';
import type { ModelAnswer, Usage } from '@retainer/mind/request/model-request';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { cycleOfRequest } from '@retainer/mind/cycle/approval-requests';
import { decideCycle, readAhead } from '@retainer/mind/cycle/decide';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import { isCycleInput, type CycleEvent, type CycleInput, type CycleSpec } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import { dutiesOf } from '@retainer/mind/cycle/shared-request';
import { foundStanding } from '@retainer/mind/gate/standing';
import type { Approval } from '@retainer/mind/gate/verdict';
import { nextCycleTimer, type AcceptedCall, type CycleState } from '@retainer/mind/cycle/state';
import type { Redact } from '../infer/secrets.ts';
import type { ParseStructured } from '../infer/structured.ts';
import type { Journal } from '@retainer/journal/journal';
import type { Permit } from '../ports/tool.ts';
import { restarted, type StandstillInput } from './standstill.ts';
import { Alarm } from './alarm.ts';
import { changedCharacter, type CharacterInForce } from './character-in-force.ts';
import { Cooling } from './cooling.ts';
import type { AskOptions } from './gate-asks.ts';
import { cycleStart, type Contributor } from './cycle-start.ts';
import { Instance, restoreInstance, type Machine } from './instance.ts';
import type { Oversight } from './oversight.ts';
import type { InferOptions, ModelPort } from '../ports/ports.ts';
import { HeldAnswers } from './held-answers.ts';
import { retriesOf, textOf } from './ask-model.ts';
import { answerTo, isQuestion, type Question } from './questions.ts';
import { isCancelled, RunningSet } from './running-set.ts';
import { humanPrincipal } from './principal.ts';
import { ToolCalls, type RunningCycle as Running } from './tool-calls.ts';
import type { ToolExecutor } from './tool-executor.ts';
import { choicesSpentBefore } from './choice-notes.ts';
import { usesKnownHere } from './tool-uses.ts';
import { mayWaitForPeople, mayWaitForProvider } from './waits.ts';

export interface CycleParts {
  readonly journal: Journal;
  readonly model: ModelPort;
  readonly executor: ToolExecutor;
  readonly config: CycleConfig;
  readonly character?: Pick<CharacterInForce, 'partsSince'>;
  /** Sees every event before its effect begins. The driver makes no call that it refuses. */
  readonly oversight: Oversight;
  /** Who adds to a cycle when it begins, in the order in which the model is told. */
  readonly contributors: readonly Contributor[];
  /** Sees the events of a cycle when they are durable, before their effects begin. */
  readonly onEvents: (of: { readonly runId: string; readonly cycleId: string }, events: readonly CycleEvent[]) => void;
  readonly clock: Clock;
  /** Calls that may run code at the same time, see `WorkspaceTurns`; 1 when absent. */
  readonly codeMax?: number;
  readonly redact: Redact;
  /** Whether a text holds a secret of the installation, in any encoding. */
  readonly holdsSecret: (text: string) => boolean;
  /** A random text of at least 16 bytes, in hexadecimal digits. */
  readonly drawNonce: () => string;
  readonly costUsd: (model: string, usage: Usage) => number | undefined;
  readonly parseStructured: ParseStructured;
  /** The cycle begins or stops to wait for a person's decision on a call. */
  readonly onWaiting: (state: CycleState, isWaiting: boolean) => void;
  /** Its calls begin or stop to wait for their provider, or its next try is known. */
  readonly onParked: (state: CycleState) => void;
  /** The cycle asked people about a call, or they decided. Called again after a restart; the run takes it once. */
  readonly onAsked: (state: CycleState) => void;
  /** The end of a cycle is durable. Called at least once for each cycle, and again after a restart; the run takes it once. */
  readonly onEnded: (state: CycleState) => void;
  /** Something of this run was thrown: a bug, or a journal that takes no more. */
  readonly onFault: (runId: string, error: unknown) => void;
}

type Answered = Extract<CycleInput, { kind: 'ModelAnswered' }>;
type CycleInstance = Instance<CycleState, CycleInput, CycleEvent>;

/** After a start, the time for reading decisions that people left while the agent was stopped. */
const LEFT_DECISIONS_MS = 5_000;

/** Aborts a cycle's effects. Shared: an error for each cycle would cost more than the abort. */
const cycleEnded = new Error('the cycle has ended');

/** The machine of one cycle. Pure. */
export function cycleMachine(config: CycleConfig): Machine<CycleState, CycleInput, CycleEvent> {
  return {
    store: 'cycle',
    isInput: isCycleInput,
    readAhead: (state, input) => readAhead(state, input, config),
    decide: (state, input) => decideCycle(state, input, config),
    evolve: (state, event) => evolveCycle(state, event, config.catalog.known),
  };
}

export class CycleDriver {
  readonly #parts: CycleParts;
  readonly #running: RunningSet<CycleState, CycleInput, CycleEvent, Pick<Running, 'beginning'>>;
  readonly #cooling: Cooling;
  readonly #heldAnswers: HeldAnswers;
  readonly #calls: ToolCalls;

  constructor(parts: CycleParts) {
    this.#parts = parts;
    this.#calls = new ToolCalls(parts);
    this.#running = new RunningSet(parts.onFault);
    this.#heldAnswers = new HeldAnswers(parts.config.catalog.known);
    this.#cooling = new Cooling(parts.clock, (spec) => this.#running.guard(spec.runId, this.start(spec)));
  }

  /** Does nothing when the cycle already runs. Before `arm` and during a cool-down it waits, and then begins by itself. */
  async start(spec: CycleSpec): Promise<void> {
    if (this.#running.isStopped || this.#running.has(spec.cycleId)) return;
    if (!this.#cooling.hold(spec, this.#parts.oversight.coolUntilMs(this.#now()))) await this.#begin(spec);
  }

  /** Lets cycles begin from now on: each is told of all work under way, so all of it must be taken up before. */
  readonly arm = (): void => this.#cooling.arm();

  async #begin(asked: CycleSpec): Promise<void> {
    const running = this.#open(asked.runId, asked.cycleId);
    running.beginning = {};
    const added = await cycleStart(asked, this.#parts.contributors, this.#now());
    if (running.abort.signal.aborted) return;
    const { config, drawNonce } = this.#parts;
    const { characterDigest } = config.gate;
    const start = { ...added, characterDigest, nonce: drawNonce(), deciders: DECIDERS };
    const { cancelled } = running.beginning;
    delete running.beginning;
    const atMs = this.#now();
    const begun = running.instance.feed({ kind: 'CycleStarted', atMs, ...start });
    if (cancelled !== undefined) await running.instance.feed({ kind: 'CycleCancelled', atMs, ...cancelled });
    await begun;
  }

  /** Continues a cycle from its recorded events. Calls `onEnded` again when it has ended. @param drivenToMs  see `standstill.ts` */
  async resume(runId: string, cycleId: string, events: readonly CycleEvent[], drivenToMs: number): Promise<void> {
    const restored = restoreInstance(cycleMachine(this.#parts.config), events);
    if (restored.state.ended !== undefined) return this.#parts.onEnded(restored.state);
    const isOther = restored.state.characterDigest !== this.#parts.config.gate.characterDigest;
    if (restored.hasDiverged && restored.state.deciders === DECIDERS && !isOther)
      return this.#cancelRestored(runId, cycleId, restored.state);
    const running = this.#open(runId, cycleId);
    this.#parts.oversight.resumed(restored.state.spec, this.#now());
    // What a crash cut off was decided under the earlier character, and cannot be completed by the gate of this one.
    await running.instance.resume(isOther ? { ...restored, missing: [] } : restored);
    await running.instance.feed(restarted(drivenToMs, this.#now()));
    await this.#takeOver(running.instance);
    if (isOther) await running.instance.feed(await changedCharacter(restored.state, this.#parts, this.#now()));
    const now = running.instance.state ?? restored.state;
    if (now.ended !== undefined) return;
    if (now.pendingApprovals.length > 0) this.#parts.onWaiting(now, true);
    if (now.asked.requests > 0) this.#parts.onAsked(now);
    // Its run may not have heard before the crash that it waits no more.
    this.#parts.onParked(now);
    this.#setAlarm(running, this.#now() + LEFT_DECISIONS_MS);
    await this.#recover(running, restored.state);
  }

  /** Ends a recorded cycle whose reply no open run expects. Calls `onEnded` again when it has ended. */
  async abandon(runId: string, cycleId: string, events: readonly CycleEvent[]): Promise<void> {
    const { state } = restoreInstance(cycleMachine(this.#parts.config), events);
    if (state.ended !== undefined) return this.#parts.onEnded(state);
    await this.#cancelRestored(runId, cycleId, state);
  }

  /** Records that these deciders go on where others stopped; stale where they are the same. */
  async #takeOver(instance: CycleInstance): Promise<void> {
    await instance.feed({ kind: 'DecidersChanged', atMs: this.#now(), deciders: DECIDERS });
  }

  async #cancelRestored(runId: string, cycleId: string, state: CycleState): Promise<void> {
    const { instance } = this.#open(runId, cycleId);
    instance.adopt(state);
    await this.#takeOver(instance);
    const reason = 'its run no longer waits for it, or its record does not lead to its decisions';
    await instance.feed({ kind: 'CycleCancelled', atMs: this.#now(), by: 'runtime', reason });
  }

  async cancel(cycleId: string, by: string, reason: string): Promise<void> {
    const held = this.#cooling.release(cycleId);
    // The cancellation is recorded with the start, so that the cycle starts no effect.
    if (held !== undefined) this.#running.guard(held.runId, this.#begin(held));
    const running = this.#running.get(cycleId);
    if (running?.beginning !== undefined) running.beginning.cancelled = { by, reason };
    else await running?.instance.feed({ kind: 'CycleCancelled', atMs: this.#now(), by, reason });
  }

  /** @returns false when no cycle waits for this decision on exactly these arguments */
  async decideApproval(
    decision: Omit<Extract<CycleInput, { kind: 'ApprovalDecided' }>, 'kind' | 'atMs'>,
  ): Promise<boolean> {
    const running = this.#running.get(cycleOfRequest(decision.requestId));
    if (running === undefined) return false;
    const asked = running.instance.state?.pendingApprovals.find(({ requestId }) => requestId === decision.requestId);
    const found = asked === undefined ? undefined : await this.#parts.executor.standing(asked.tool, asked.input);
    return running.instance.feed(
      { kind: 'ApprovalDecided', atMs: this.#now(), ...decision, ...foundStanding(found) },
      humanPrincipal(decision.by),
    );
  }

  /** The run of a running cycle that asked. */
  runOf(requestId: string): string | undefined {
    return this.#running.get(cycleOfRequest(requestId))?.instance.ids.runId;
  }

  /** An approval that a call of a running cycle uses. */
  approval(requestId: string): Approval | undefined {
    return this.states()
      .flatMap((state) => [...state.usedApprovals, ...state.approvals])
      .find((it) => it.requestId === requestId);
  }

  /** The recorded verdict that accepts a call of a running cycle. */
  accepted({ cycleId, callId }: Pick<Permit, 'cycleId' | 'callId'>): AcceptedCall | undefined {
    return this.#running.get(cycleId)?.instance.state?.acceptedCalls.find((it) => it.callId === callId);
  }

  /** See `ToolCalls.inWorkspace`. */
  inWorkspace(runId: string, work: () => Promise<void>): Promise<void> {
    return this.#calls.inWorkspace(runId, work);
  }

  stoodStill(input: StandstillInput): void {
    this.#running.feedAll(input);
  }

  states(): readonly CycleState[] {
    return this.#running.states();
  }

  /** See `RunningSet.drop`. */
  drop(runId: string): Promise<void> {
    this.#cooling.releaseRun(runId);
    return this.#running.drop(runId);
  }

  /** See `RunningSet.stop`. */
  stop(): Promise<void> {
    this.#cooling.releaseAll();
    return this.#running.stop();
  }

  #open(runId: string, cycleId: string): Running {
    const instance: CycleInstance = new Instance(
      cycleMachine(this.#parts.config),
      { runId, cycleId },
      this.#parts,
      (events, state) => this.#onEvents(cycleId, events, state),
    );
    const alarm = new Alarm(this.#parts.clock, () => this.#onAlarm(cycleId));
    const running: Running = { instance, abort: new AbortController(), alarm };
    this.#running.set(cycleId, running);
    return running;
  }

  #onEvents(cycleId: string, events: readonly CycleEvent[], state: CycleState): void {
    const running = this.#running.get(cycleId);
    if (running === undefined) return;
    this.#parts.oversight.take(cycleId, events);
    this.#parts.onEvents({ runId: state.spec.runId, cycleId }, events);
    for (const event of events) this.#startEffect(running, event, state);
    if (mayWaitForPeople(events)) {
      this.#parts.onWaiting(state, state.pendingApprovals.length > 0);
      if (state.asked.requests > 0) this.#parts.onAsked(state);
    }
    if (mayWaitForProvider(events)) this.#parts.onParked(state);
    if (state.ended === undefined) return this.#setAlarm(running);
    running.alarm.set(undefined);
    running.abort.abort(cycleEnded);
    this.#running.delete(cycleId);
    this.#parts.onEnded(state);
  }

  #startEffect(running: Running, event: CycleEvent, state: CycleState): void {
    const { runId } = running.instance.ids;
    if (event.kind === 'ModelRequested') this.#running.guard(runId, this.#callModel(running, event, state));
    if (isQuestion(event)) this.#running.guard(runId, this.#ask(running, event, state));
    if (event.kind === 'ToolRequested') this.#running.guard(runId, this.#calls.make(running, event, state));
  }

  async #callModel(
    running: Running,
    event: Extract<CycleEvent, { kind: 'ModelRequested' }>,
    state: CycleState,
  ): Promise<void> {
    if (await isCancelled(running)) return;
    const { callId, request } = event;
    const refusal = this.#parts.oversight.refusal(callId);
    if (refusal !== undefined) return this.#feedRefusal(running, callId, refusal);
    const result = await this.#parts.model.infer(request, {
      callId,
      signal: running.abort.signal,
      timeoutMs: state.spec.limits.modelTimeoutMs,
      onParked: this.#parking(running, callId),
      ...retriesOf(state.spec.fallback),
    });
    if (running.abort.signal.aborted) return;
    const atMs = this.#now();
    if (!result.ok) {
      return void (await running.instance.feed({ kind: 'ModelFailed', atMs, callId, failure: result.error }));
    }
    await running.instance.feed(await this.#answered(state, { callId, atMs, answer: result.value }));
  }

  async #ask(running: Running, event: Question, state: CycleState): Promise<void> {
    if (await isCancelled(running)) return;
    const { gates } = state.spec;
    invariant(gates !== undefined, 'a question is put where a model is named');
    const options: AskOptions = {
      gates,
      signal: running.abort.signal,
      refusal: this.#parts.oversight.refusal(event.askId),
      onParked: this.#parking(running, event.askId),
    };
    const held = this.#heldAnswers.find(event, state, this.#now());
    const answer = held ?? (await answerTo(event, this.#parts, options));
    if (running.abort.signal.aborted) return;
    await running.instance.feed(answer);
    this.#heldAnswers.take(event, state, answer);
  }

  #parking({ instance, abort }: Running, callId: string): NonNullable<InferOptions['onParked']> {
    return (parked) => {
      if (abort.signal.aborted) return;
      const at = { atMs: this.#now(), callId };
      const input =
        parked === undefined ? ({ kind: 'Unparked', ...at } as const) : ({ kind: 'Parked', ...at, ...parked } as const);
      this.#running.guard(instance.ids.runId, instance.feed(input));
    };
  }

  async #feedRefusal({ instance }: Running, callId: string, why: NonNullable<AskOptions['refusal']>): Promise<void> {
    const { message, ...budget } = why;
    const failure = { kind: 'BudgetUsedUp', message, attempts: 0, latencyMs: 0, budget } as const;
    await instance.feed({ kind: 'ModelFailed', atMs: this.#now(), callId, failure });
  }

  async #answered(
    state: CycleState,
    input: { readonly callId: string; readonly atMs: number; readonly answer: ModelAnswer },
  ): Promise<CycleInput> {
    const { callId, atMs } = input;
    const answer = input.answer as Answered['answer'];
    const costUsd = this.#parts.costUsd(answer.model, answer.usage);
    const spent = choicesSpentBefore(state, this.#parts, atMs);
    const base = {
      kind: 'ModelAnswered',
      atMs,
      callId,
      answer,
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(await usesKnownHere(answer, this.#parts, spent, state)),
    } as const;
    const { structured } = state.spec;
    if (structured === undefined || answer.stop !== 'EndTurn') return base;
    const parsed = await this.#parts.parseStructured(structured, textOf({ answer }) ?? '', dutiesOf(state.spec));
    return { ...base, structured: (parsed.ok ? parsed : { ok: false, faults: parsed.error }) as never };
  }

  /**
   * Handles effects that were requested before the crash and have no recorded result. Does not wait for tools: a program may still
   * run, and meanwhile the agent works on.
   */
  async #recover(running: Running, state: CycleState): Promise<void> {
    const { pendingModelCall, pendingAsks, pendingTools, calls } = state;
    for (const call of calls.filter((it) => pendingTools.includes(it.callId)))
      this.#running.guard(running.instance.ids.runId, this.#calls.find(running, call, state));
    const lost = [...(pendingModelCall === undefined ? [] : [pendingModelCall]), ...pendingAsks.map((it) => it.askId)];
    const { epoch } = this.#parts.journal;
    for (const callId of lost) await running.instance.feed({ kind: 'EffectLost', atMs: this.#now(), callId, epoch });
  }

  /** @param notBeforeMs  no question to a person expires before */
  #setAlarm({ alarm, instance }: Running, notBeforeMs = 0): void {
    const timer = instance.state === undefined ? undefined : nextCycleTimer(instance.state);
    alarm.set(timer?.what === 'Approval' ? Math.max(timer.atMs, notBeforeMs) : timer?.atMs);
  }

  #onAlarm(cycleId: string): void {
    const running = this.#running.get(cycleId);
    const timer = running?.instance.state === undefined ? undefined : nextCycleTimer(running.instance.state);
    if (running === undefined || timer === undefined) return;
    const requestId = timer.requestId === undefined ? {} : { requestId: timer.requestId };
    this.#running.guard(
      running.instance.ids.runId,
      running.instance.feed({ kind: 'TimeExpired', atMs: this.#now(), what: timer.what, ...requestId }),
    );
  }

  #now(): number {
    return this.#parts.clock.nowMs();
  }
}
