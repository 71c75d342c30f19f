/** State of a run. A projection of its events; never stored. */
import type { BusMessage, BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { Usage } from '../request/model-request.ts';
import type { CycleSpec } from '../cycle/event.ts';
import { together, type Pace } from '../cycle/pace.ts';
import type { Parked } from '../request/parked.ts';
import type { CriteriaVerdict, GapTrajectoryPoint, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { ThinkingRole } from '@retainer/contract/api/roles';
import type { CyclePurpose, RunEventOf, RunSpec } from './event.ts';
import type { RunTrace, Stood } from './verdict/acts.ts';

export interface HeldMessage {
  readonly message: BusMessage;
  readonly isRead: boolean;
}

export interface RoleCycle {
  readonly spec: CycleSpec;
  readonly purpose: CyclePurpose;
  /** Absent while the cycle is under way. */
  readonly end?: RunEventOf<'CycleConcluded'>;
  readonly isAbandoned: boolean;
}

export interface RunJudgement {
  readonly subtaskId: string | undefined;
  readonly attempt: number | undefined;
  readonly verdicts: readonly CriteriaVerdict[];
  readonly point: GapTrajectoryPoint | undefined;
  /** What the judged output states and nothing shows. */
  readonly unsupported: readonly string[];
  readonly selfConsistency: RunEventOf<'VerdictsJudged'>['selfConsistency'] | undefined;
}

export interface OpenQuestion {
  readonly questionId: string;
  readonly question: string;
  readonly askedAtMs: number;
  /** Absent: the question waits as long as the Task does. */
  readonly expiresAtMs: number | undefined;
}

interface Standstill {
  readonly atMs: number;
  readonly forMs: number;
}

export interface RunState {
  readonly spec: RunSpec;
  /** See `RunAdmitted`. */
  readonly nonce: string;
  /** Messages reach their roles with the input that causes them; else each by a `MessageReceived` of its own. */
  readonly passesInline: boolean;
  /** See `RunAdmitted`. */
  readonly stood: Stood;
  /** The number of the deciders that decide it now. */
  readonly deciders: number;
  /** The last change of the character; undefined if it is the one that admitted the run. */
  readonly change: RunEventOf<'CharacterChanged'> | undefined;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Time of ended waits and of standstills, milliseconds. The present wait is not included. */
  readonly waitedMs: number;
  /** Cycles that wait for an approval, and the open question. While there is one, the run's clock stops. */
  readonly waits: ReadonlySet<string>;
  /** Cycles whose model cannot be asked at present. While there is one, the run's clock stops. */
  readonly parked: ReadonlyMap<string, Parked>;
  /** The end of the last such wait, milliseconds since 1970; undefined when there was none. */
  readonly unparkedAtMs: number | undefined;
  /** Standstills so far, oldest first. */
  readonly standstills: readonly Standstill[];
  /** Absent when the run waits for nothing. */
  readonly waitingSinceMs: number | undefined;
  /** The end of the last wait for an approval, milliseconds since 1970; undefined when there was none. */
  readonly decidedAtMs: number | undefined;
  /** Approval requests to people, and how often they refused, by cycle. */
  readonly asked: ReadonlyMap<string, { readonly requests: number; readonly refusals: number }>;
  /** In the order of their numbers. */
  readonly messages: readonly HeldMessage[];
  /** By cycle id, oldest first. */
  readonly roleCycles: ReadonlyMap<string, RoleCycle>;
  /** Scheduled repetitions, by the cycle that failed. */
  readonly retries: ReadonlyMap<string, RunEventOf<'RetryScheduled'>>;
  readonly judged: readonly RunJudgement[];
  readonly steered: readonly RunEventOf<'RoundSteered'>[];
  readonly question: OpenQuestion | undefined;
  /** Messages to memory whose megrams are written. */
  readonly remembered: ReadonlySet<string>;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly isCostComplete: boolean;
  readonly concluded: RunEventOf<'RunConcluded'> | undefined;
  readonly pendingDelivery: RunEventOf<'DeliveryRequested'> | undefined;
  readonly pendingArchive: boolean;
  readonly closed: boolean;
}

/** Adds a message that no role has handled yet. */
export function withMessage(state: RunState, message: BusMessage): RunState {
  return { ...state, messages: [...state.messages, { message, isRead: false }] };
}

export function withRead(state: RunState, messageId: string): RunState {
  const messages = state.messages.map((it) => (it.message.id === messageId ? { ...it, isRead: true } : it));
  return { ...state, messages };
}

/** 0 before the first plan, then the number of the newest round. */
export function roundOf(state: RunState): number {
  return state.messages.reduce((round, { message }) => Math.max(round, message.round), 0);
}

/** Handled messages of one type, oldest first; of one round when it is given. */
export function received<T extends BusMessageType>(
  state: RunState,
  type: T,
  round?: number,
): readonly BusMessageOf<T>[] {
  return state.messages.flatMap(({ message, isRead }) =>
    isRead && message.type === type && (round === undefined || message.round === round)
      ? [message as BusMessageOf<T>]
      : [],
  );
}

/** Sent messages of one type, handled or not. */
export function sent<T extends BusMessageType>(state: RunState, type: T, round?: number): readonly BusMessageOf<T>[] {
  return state.messages.flatMap(({ message }) =>
    message.type === type && (round === undefined || message.round === round) ? [message as BusMessageOf<T>] : [],
  );
}

/** Cycles under way, without abandoned ones. */
export function pendingRoleCycles(state: RunState): readonly RoleCycle[] {
  return [...state.roleCycles.values()].filter((it) => it.end === undefined && !it.isAbandoned);
}

/** Cycles whose usage is not final: those under way, and abandoned ones without a report of their usage. */
export function unendedRoleCycles(state: RunState): readonly RoleCycle[] {
  return [...state.roleCycles.values()].filter((it) => it.end === undefined);
}

export function endedRoleCycles(state: RunState, role: ThinkingRole): readonly RoleCycle[] {
  return [...state.roleCycles.values()].filter((it) => it.end !== undefined && it.purpose.role === role);
}

/** Something that is under way goes on with the run; false only where a crash cut the last decisions off. */
export function isWaiting(state: RunState): boolean {
  const answered = new Set(sent(state, 'MemoryResponse').map((it) => it.causationId));
  const isAsking = received(state, 'MemoryRead').some((it) => !answered.has(it.id));
  const isWorking = pendingRoleCycles(state).length > 0 || state.retries.size > 0 || unread(state).length > 0;
  return isEnding(state) || isAsking || isWorking || state.question !== undefined;
}

export function unread(state: RunState): readonly BusMessage[] {
  return state.messages.filter((it) => !it.isRead).map((it) => it.message);
}

/** How long the run has stood still since then, milliseconds. */
export function stoodMs({ standstills }: Pick<RunState, 'standstills'>, sinceMs: number): number {
  return standstills.reduce((sum, { atMs, forMs }) => (atMs > sinceMs ? sum + forMs : sum), 0);
}

/** How long the run has worked, milliseconds, without its waits. Source: design 7 (questions). */
export function elapsedMs(state: RunState): number {
  const waiting = state.waitingSinceMs === undefined ? 0 : state.nowMs - state.waitingSinceMs;
  return Math.max(0, state.nowMs - state.startedAtMs - state.waitedMs - waiting);
}

/** The ends of the run's ended cycles, in the order in which these began. */
export function endsOf({ roleCycles }: Pick<RunState, 'roleCycles'>): readonly RunEventOf<'CycleConcluded'>[] {
  return [...roleCycles.values()].flatMap(({ end }) => end ?? []);
}

/** How fast its models answered in all of its ended cycles. */
export function pacesOf(state: Pick<RunState, 'roleCycles'>): readonly Pace[] {
  return together(endsOf(state).flatMap(({ paces = [] }) => paces));
}

/** Every call of the run, in the order of its cycles. */
export function callsOf(state: RunState): readonly ToolCallRecord[] {
  return endsOf(state).flatMap(({ calls }) => calls);
}

/** What verdicts stand on besides the calls under judgement. */
export function runTraceOf(state: RunState): RunTrace {
  return { calls: callsOf(state), stood: state.stood };
}

/** The Steerer has decided how the run ends; nothing changes that any more. */
export function hasResult(state: RunState): boolean {
  return state.concluded !== undefined || sent(state, 'FinalResult').length > 0;
}

/** The run has its result, or somebody stopped it: nothing new begins. */
export function isEnding(state: RunState): boolean {
  return hasResult(state) || sent(state, 'TaskAbort').length > 0;
}

/** The whole result of the run; a status holds only its beginning. */
export function resultText(state: RunState): string | undefined {
  return sent(state, 'FinalResult')[0]?.payload.output;
}
