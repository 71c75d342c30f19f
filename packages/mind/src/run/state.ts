/** Where a run stands. A projection of its events; never stored. */
import type { BusMessage, BusMessageOf } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType } from '@retainer/contract/wire/bus/roles';
import type { Usage } from '../request/model-request.ts';
import type { CycleSpec } from '../cycle/event.ts';
import type { CriteriaVerdict, GapTrajectoryPoint, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { ThinkingRole } from '@retainer/contract/api/roles';
import type { CyclePurpose, RunEventOf, RunSpec } from './event.ts';

/** A message, and whether the role that it is for has acted on it. */
export interface HeldMessage {
  readonly message: BusMessage;
  readonly isRead: boolean;
}

export interface RoleCycle {
  readonly spec: CycleSpec;
  readonly purpose: CyclePurpose;
  /** Absent while it goes on. */
  readonly end?: RunEventOf<'CycleConcluded'>;
  readonly isAbandoned: boolean;
}

export interface RunJudgement {
  readonly subtaskId: string | undefined;
  readonly attempt: number | undefined;
  readonly verdicts: readonly CriteriaVerdict[];
  readonly point: GapTrajectoryPoint | undefined;
}

export interface OpenQuestion {
  readonly questionId: string;
  readonly question: string;
  readonly askedAtMs: number;
  /** Absent: it waits as long as the Task does. */
  readonly expiresAtMs: number | undefined;
}

export interface RunState {
  readonly spec: RunSpec;
  /** See `RunAdmitted`. */
  readonly nonce: string | undefined;
  /** Messages reach their roles with the input that they follow from; false in runs that an older version admitted. */
  readonly passesInline: boolean;
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Time in which the run stood still for people, milliseconds, without what it waits for now. */
  readonly waitedMs: number;
  /** Cycles that wait for an approval, and the open question: while there is one, the run's clock stands still. */
  readonly waits: ReadonlySet<string>;
  /** Absent where nothing is waited for. */
  readonly waitingSinceMs: number | undefined;
  /** When an approval was last waited for no longer, milliseconds since 1970; undefined where none was. */
  readonly decidedAtMs: number | undefined;
  /** What people were asked to approve, and how often they refused, by cycle. */
  readonly asked: ReadonlyMap<string, { readonly requests: number; readonly refusals: number }>;
  /** In the order of their numbers. */
  readonly messages: readonly HeldMessage[];
  /** By cycle id, in the order in which they began. */
  readonly roleCycles: ReadonlyMap<string, RoleCycle>;
  /** What is asked again after a pause, by the cycle that failed. */
  readonly retries: ReadonlyMap<string, RunEventOf<'RetryScheduled'>>;
  readonly judged: readonly RunJudgement[];
  readonly steered: readonly RunEventOf<'RoundSteered'>[];
  readonly question: OpenQuestion | undefined;
  /** Messages to memory that are written. */
  readonly remembered: ReadonlySet<string>;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly isCostComplete: boolean;
  readonly concluded: RunEventOf<'RunConcluded'> | undefined;
  readonly pendingDelivery: RunEventOf<'DeliveryRequested'> | undefined;
  readonly pendingArchive: boolean;
  readonly closed: boolean;
}

/** The state with one more message, which no role has acted on. */
export function withMessage(state: RunState, message: BusMessage): RunState {
  return { ...state, messages: [...state.messages, { message, isRead: false }] };
}

/** The state after the role of this message has acted on it. */
export function withRead(state: RunState, messageId: string): RunState {
  const messages = state.messages.map((it) => (it.message.id === messageId ? { ...it, isRead: true } : it));
  return { ...state, messages };
}

/** 0 before the first plan, then the number of the newest one. */
export function roundOf(state: RunState): number {
  return state.messages.reduce((round, { message }) => Math.max(round, message.round), 0);
}

/** Messages of one type that their role has acted on, oldest first; of one round where it is given. */
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

/** Messages of one type that were sent, acted on or not. */
export function sent<T extends BusMessageType>(state: RunState, type: T, round?: number): readonly BusMessageOf<T>[] {
  return state.messages.flatMap(({ message }) =>
    message.type === type && (round === undefined || message.round === round) ? [message as BusMessageOf<T>] : [],
  );
}

/** Cycles that think just now. */
export function pendingRoleCycles(state: RunState): readonly RoleCycle[] {
  return [...state.roleCycles.values()].filter((it) => it.end === undefined && !it.isAbandoned);
}

/** Cycles that may have used more than is known: those that think, and those that were given up and have not said so. */
export function unendedRoleCycles(state: RunState): readonly RoleCycle[] {
  return [...state.roleCycles.values()].filter((it) => it.end === undefined);
}

/** Cycles of one role that came to an end. */
export function endedRoleCycles(state: RunState, role: ThinkingRole): readonly RoleCycle[] {
  return [...state.roleCycles.values()].filter((it) => it.end !== undefined && it.purpose.role === role);
}

/** Messages that no role has acted on. */
export function unread(state: RunState): readonly BusMessage[] {
  return state.messages.filter((it) => !it.isRead).map((it) => it.message);
}

/** How long the run has worked, milliseconds: waiting for an answer does not count. Source: design 7 (questions). */
export function elapsedMs(state: RunState): number {
  const waiting = state.waitingSinceMs === undefined ? 0 : state.nowMs - state.waitingSinceMs;
  return Math.max(0, state.nowMs - state.startedAtMs - state.waitedMs - waiting);
}

/** Every call of the run, in the order of its cycles. */
export function callsOf(state: RunState): readonly ToolCallRecord[] {
  return [...state.roleCycles.values()].flatMap((it) => it.end?.calls ?? []);
}

/** The Steerer has said how the run ends; nothing changes that any more. */
export function hasResult(state: RunState): boolean {
  return state.concluded !== undefined || sent(state, 'FinalResult').length > 0;
}

/** It has its result, or somebody stopped it: nothing new begins. */
export function isEnding(state: RunState): boolean {
  return hasResult(state) || sent(state, 'TaskAbort').length > 0;
}

/** All that the run has to say at its end; a status holds the beginning of it. */
export function resultText(state: RunState): string | undefined {
  return sent(state, 'FinalResult')[0]?.payload.output;
}
