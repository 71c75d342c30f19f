/**
 * Runs cycles: starts the effects that their events request and feeds back the results. Has no rules of its own.
 *
 * I1  An effect starts only after the event that requests it is durable.
 * I2  After a restart, the driver looks up each effect without a recorded result, or records it as lost. It never starts the
 *     effect again under the same id.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { invariant } from '@retainer/contract/std/invariant';
import type { ModelAnswer, Usage } from '@retainer/mind/request/model-request';
import { DECIDERS } from '@retainer/mind/cycle/deciders';
import { cycleOfRequest } from '@retainer/mind/cycle/approval-requests';
import { decideCycle } from '@retainer/mind/cycle/decide';
import type { CycleConfig } from '@retainer/mind/cycle/draft';
import { isCycleInput, type CycleEvent, type CycleInput, type CycleSpec } from '@retainer/mind/cycle/event';
import { evolveCycle } from '@retainer/mind/cycle/evolve';
import type { Approval } from '@retainer/mind/gate/verdict';
import { nextCycleTimer, type AcceptedCall, type CycleState } from '@retainer/mind/cycle/state';
import type { Redact } from '../infer/secrets.ts';
import type { ParsedKind } from '../infer/structured-kinds.ts';
import type { Journal } from '@retainer/journal/journal';
import type { Permit } from '../ports/tool.ts';
import type { ToolOutcome } from '@retainer/mind/cycle/tool-outcome';
import { Alarm } from './alarm.ts';
import { Cooling } from './cooling.ts';
import type { AskOptions } from './gate-asks.ts';
import { choicesSpentBefore, noteChoice } from './choice-notes.ts';
import { Instance, restoreInstance, type Machine } from './instance.ts';
import type { Oversight } from './oversight.ts';
import { permitOf } from './permit-of.ts';
import type { ModelPort } from '../ports/ports.ts';
import { HeldAnswers } from './held-answers.ts';
import { refusedOutcome } from './refusal-text.ts';
import { answerTo, isQuestion, type Question } from './questions.ts';
import { retriesOf } from './retries-of.ts';
import { RunningSet, type Running as RunningOf } from './running-set.ts';
import { humanPrincipal } from './principal.ts';
import type { ToolExecutor } from './tool-executor.ts';
import { usesKnownHere } from './tool-uses.ts';

/** `Forecasts` and `CallForecasts` are the scorer's answers, `Reading` the quarantine reader's; the roles give the others. */
type StructuredKind = NonNullable<CycleSpec['structured']> | 'Forecasts' | 'CallForecasts' | 'Reading';

export interface CycleParts {
  readonly journal: Journal;
  readonly model: ModelPort;
  readonly executor: ToolExecutor;
  readonly config: CycleConfig;
  /** Sees every event before its effect begins. The driver makes no call that it refuses. */
  readonly oversight: Oversight;
  readonly clock: Clock;
  readonly redact: Redact;
  /** Whether a text holds a secret of the installation, in any encoding. */
  readonly holdsSecret: (text: string) => boolean;
  /** A random text of at least 16 bytes, in hexadecimal digits. */
  readonly drawNonce: () => string;
  readonly costUsd: (model: string, usage: Usage) => number | undefined;
  readonly parseStructured: (kind: StructuredKind, text: string) => Promise<ParsedKind>;
  /** The cycle begins or stops to wait for a person's decision on a call. */
  readonly onWaiting: (state: CycleState, isWaiting: boolean) => void;
  /** The cycle asked people about a call, or they decided. Called again after a restart; the run takes it once. */
  readonly onAsked: (state: CycleState) => void;
  /** The end of a cycle is durable. Called at least once for each cycle, and again after a restart; the run takes it once. */
  readonly onEnded: (state: CycleState) => void;
  /** Something of this run was thrown: a bug, or a journal that takes no more. */
  readonly onFault: (runId: string, error: unknown) => void;
}

type Answered = Extract<CycleInput, { kind: 'ModelAnswered' }>;
type CycleInstance = Instance<CycleState, CycleInput, CycleEvent>;

type Running = RunningOf<CycleState, CycleInput, CycleEvent>;

/** After a start, the time in which decisions are read that people left while the agent was stopped. */
const LEFT_DECISIONS_MS = 5_000;

/** The reason for aborting a cycle's effects. One shared error: a new one for each cycle would cost more than the abort. */
const cycleEnded = new Error('the cycle has ended');

/** Events that can begin or end a wait for a person. */
const waitChanges: ReadonlySet<CycleEvent['kind']> = new Set(['ApprovalRequested', 'ApprovalDecided', 'TimeExpired']);

export function cycleMachine(config: CycleConfig): Machine<CycleState, CycleInput, CycleEvent> {
  return {
    store: 'cycle',
    isInput: isCycleInput,
    decide: (state, input) => decideCycle(state, input, config),
    evolve: (state, event) => evolveCycle(state, event, config.catalog.known),
  };
}

export class CycleDriver {
  readonly #parts: CycleParts;
  readonly #running: RunningSet<CycleState, CycleInput, CycleEvent>;
  readonly #cooling: Cooling;
  readonly #heldAnswers: HeldAnswers;
  /** Calls that change something run one after the other, because they share one workspace. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(parts: CycleParts) {
    this.#parts = parts;
    this.#running = new RunningSet(parts.onFault);
    this.#heldAnswers = new HeldAnswers(parts.config.catalog.known);
    this.#cooling = new Cooling(parts.clock, (spec) => this.#running.guard(spec.runId, this.start(spec)));
  }

  /** Does nothing when the cycle already runs. During a cool-down of the gates the cycle waits, and then begins by itself. */
  async start(spec: CycleSpec): Promise<void> {
    if (this.#running.isStopped || this.#running.has(spec.cycleId)) return;
    const untilMs = this.#parts.oversight.coolUntilMs(this.#now());
    if (untilMs === undefined) return this.#begin(spec);
    this.#cooling.hold(spec, untilMs);
  }

  async #begin(asked: CycleSpec): Promise<void> {
    const spec = this.#parts.oversight.held(asked, this.#now());
    const { instance } = this.#open(spec.runId, spec.cycleId);
    const { characterDigest } = this.#parts.config.gate;
    const nonce = this.#parts.drawNonce();
    const start = { spec, characterDigest, nonce, deciders: DECIDERS };
    await instance.feed({ kind: 'CycleStarted', atMs: this.#now(), ...start });
  }

  /** Continues a cycle from its recorded events. Calls `onEnded` again when it has ended. */
  async resume(runId: string, cycleId: string, events: readonly CycleEvent[]): Promise<void> {
    const restored = restoreInstance(cycleMachine(this.#parts.config), events);
    if (restored.state.ended !== undefined) return this.#parts.onEnded(restored.state);
    if (restored.hasDiverged && restored.state.deciders === DECIDERS)
      return this.#cancelRestored(runId, cycleId, restored.state);
    const running = this.#open(runId, cycleId);
    await running.instance.resume(restored);
    await this.#takeOver(running.instance);
    if (restored.state.pendingApprovals.length > 0) this.#parts.onWaiting(restored.state, true);
    if (restored.state.asked.requests > 0) this.#parts.onAsked(restored.state);
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
    await running?.instance.feed({ kind: 'CycleCancelled', atMs: this.#now(), by, reason });
  }

  /** @returns false when no cycle waits for this decision on exactly these arguments */
  async decideApproval(
    decision: Omit<Extract<CycleInput, { kind: 'ApprovalDecided' }>, 'kind' | 'atMs'>,
  ): Promise<boolean> {
    const running = this.#running.get(cycleOfRequest(decision.requestId));
    if (running === undefined) return false;
    const asked = running.instance.state?.pendingApprovals.find(({ requestId }) => requestId === decision.requestId);
    const standing = asked === undefined ? undefined : await this.#parts.executor.standing(asked.tool, asked.input);
    return running.instance.feed(
      { kind: 'ApprovalDecided', atMs: this.#now(), ...decision, ...(standing === undefined ? {} : { standing }) },
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
    const running = { instance, abort: new AbortController(), alarm };
    this.#running.set(cycleId, running);
    return running;
  }

  #onEvents(cycleId: string, events: readonly CycleEvent[], state: CycleState): void {
    const running = this.#running.get(cycleId);
    if (running === undefined) return;
    this.#parts.oversight.take(cycleId, events);
    for (const event of events) this.#startEffect(running, event, state);
    if (events.some(({ kind }) => waitChanges.has(kind))) {
      this.#parts.onWaiting(state, state.pendingApprovals.length > 0);
      if (state.asked.requests > 0) this.#parts.onAsked(state);
    }
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
    if (event.kind === 'ToolRequested') {
      const permit = permitOf(state, event, this.#parts.config.catalog.known);
      const note = noteChoice(event, permit, this.#parts);
      const run = (): Promise<void> => this.#runTool(running, permit, note);
      this.#running.guard(runId, event.effectClass === 0 ? run() : this.#runInTurn(run));
    }
  }

  async #callModel(
    running: Running,
    event: Extract<CycleEvent, { kind: 'ModelRequested' }>,
    state: CycleState,
  ): Promise<void> {
    if (await isCancelled(running)) return;
    const { callId, request } = event;
    const refusal = this.#refusalOf(callId);
    if (refusal !== undefined) return this.#feedRefusal(running, callId, refusal);
    const result = await this.#parts.model.infer(request, {
      callId,
      signal: running.abort.signal,
      timeoutMs: state.spec.limits.modelTimeoutMs,
      ...retriesOf(state.spec.fallback),
    });
    if (running.abort.signal.aborted) return;
    const atMs = this.#now();
    if (!result.ok) {
      await running.instance.feed({ kind: 'ModelFailed', atMs, callId, failure: result.error });
      return;
    }
    await running.instance.feed(await this.#answered(state, { callId, atMs, answer: result.value }));
  }

  async #ask(running: Running, event: Question, state: CycleState): Promise<void> {
    if (await isCancelled(running)) return;
    const { gates } = state.spec;
    invariant(gates !== undefined, 'a question is put where a model is named');
    const options: AskOptions = { gates, signal: running.abort.signal, refusal: this.#refusalOf(event.askId) };
    const held = this.#heldAnswers.find(event, state, this.#now());
    const answer = held ?? (await answerTo(event, this.#parts, options));
    if (running.abort.signal.aborted) return;
    await running.instance.feed(answer);
    this.#heldAnswers.take(event, state, answer);
  }

  /** The refusal in its recorded form. */
  #refusalOf(callId: string): AskOptions['refusal'] {
    const refusal = this.#parts.oversight.refusal(callId);
    if (refusal === undefined) return undefined;
    const { message, field, used, asked, max } = refusal;
    return { message, field, used, asked, max };
  }

  async #feedRefusal(
    { instance }: Running,
    callId: string,
    { message, ...budget }: NonNullable<AskOptions['refusal']>,
  ): Promise<void> {
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
    const base = {
      kind: 'ModelAnswered',
      atMs,
      callId,
      answer,
      ...(costUsd === undefined ? {} : { costUsd }),
      ...(await usesKnownHere(answer, this.#parts, choicesSpentBefore(state, this.#parts, atMs))),
    } as const;
    const { structured } = state.spec;
    if (structured === undefined || answer.stop !== 'EndTurn') return base;
    const text = answer.content.map((block) => (block.type === 'Text' ? block.text : '')).join('');
    const parsed = await this.#parts.parseStructured(structured, text);
    return { ...base, structured: (parsed.ok ? parsed : { ok: false, faults: parsed.error }) as never };
  }

  /**
   * Runs calls in the order of the requests: each call finds the files of the call before it, and the changes of a script can be
   * told from those of other calls. Source: springdrift 7 (tools run in sequence).
   */
  #runInTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#changes.then(run);
    this.#changes = turn.catch(() => undefined);
    return turn;
  }

  async #runTool(running: Running, permit: Permit, note: () => Promise<unknown>): Promise<void> {
    if (await isCancelled(running)) return;
    const refusal = this.#parts.oversight.refusal(permit.callId);
    if (refusal !== undefined) return this.#feedOutcome(running, permit.callId, refusedOutcome(refusal.message));
    await note();
    const outcome = await this.#parts.executor.execute(permit, running.abort.signal);
    if (running.abort.signal.aborted) return;
    await this.#feedOutcome(running, permit.callId, outcome);
  }

  async #feedOutcome(running: Running, callId: string, outcome: ToolOutcome): Promise<void> {
    const recorded = { ...outcome, files: [...outcome.files] };
    await running.instance.feed({ kind: 'ToolFinished', atMs: this.#now(), callId, outcome: recorded });
  }

  /** Handles effects that were requested before the crash and have no recorded result. */
  async #recover(running: Running, state: CycleState): Promise<void> {
    const lost = [...(state.pendingModelCall === undefined ? [] : [state.pendingModelCall])];
    lost.push(...state.pendingAsks.map((it) => it.askId));
    for (const call of state.calls.filter((it) => state.pendingTools.includes(it.callId))) {
      const outcome = await this.#parts.executor.lookup(
        permitOf(state, call, this.#parts.config.catalog.known),
        running.abort.signal,
      );
      if (outcome === undefined) lost.push(call.callId);
      else await this.#feedOutcome(running, call.callId, outcome);
    }
    const { epoch } = this.#parts.journal;
    for (const callId of lost) {
      await running.instance.feed({ kind: 'EffectLost', atMs: this.#now(), callId, epoch });
    }
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

/** One append announces its events together: the end of the cycle may directly follow the request for an effect. */
async function isCancelled({ abort }: Running): Promise<boolean> {
  await Promise.resolve();
  return abort.signal.aborted;
}
