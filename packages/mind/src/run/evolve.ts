/** Folds one event into the run's state. Total and pure; never decides. */
import { invariant } from '@retainer/contract/std/invariant';
import { addUsage, noUsage } from '../cycle/state.ts';
import { countWaiting, stoodStill } from '../cycle/standing-still.ts';
import type { RunEvent, RunEventOf, RunSpec } from './event.ts';
import { withRead, type RunState, type RoleCycle } from './state.ts';

/** The state after `event`; `state` is undefined before the first, which must be `RunAdmitted`. */
export function evolveRun(state: RunState | undefined, event: RunEvent): RunState {
  if (event.kind === 'RunAdmitted') return admitted(event);
  invariant(state !== undefined, `${event.kind} before RunAdmitted`);
  const timed = 'atMs' in event ? { ...state, nowMs: Math.max(state.nowMs, event.atMs) } : state;
  const next = evolveAdmitted(timed, event);
  return countWaiting(next, next.waits.size > 0 || next.parked.size > 0);
}

function admitted(event: RunEventOf<'RunAdmitted'>): RunState {
  return {
    spec: event.spec,
    nonce: event.nonce,
    passesInline: event.messagePassing === 'Inline',
    stood: event.stood,
    deciders: event.deciders,
    change: undefined,
    startedAtMs: event.atMs,
    nowMs: event.atMs,
    waitedMs: 0,
    waits: new Set(),
    parked: new Map(),
    unparkedAtMs: undefined,
    standstills: [],
    waitingSinceMs: undefined,
    decidedAtMs: undefined,
    asked: new Map(),
    messages: [],
    roleCycles: new Map(),
    retries: new Map(),
    judged: [],
    steered: [],
    question: undefined,
    remembered: new Set(),
    usage: noUsage,
    costUsd: 0,
    isCostComplete: true,
    concluded: undefined,
    pendingDelivery: undefined,
    pendingArchive: false,
    closed: false,
  };
}

function evolveAdmitted(state: RunState, event: Exclude<RunEvent, RunEventOf<'RunAdmitted'>>): RunState {
  switch (event.kind) {
    case 'MessageSent': {
      const messages = event.messages.map((message) => ({ message, isRead: state.passesInline }));
      return { ...state, messages: [...state.messages, ...messages] };
    }
    case 'MessageReceived':
      return withRead(state, event.messageId);
    case 'CycleRequested': {
      const { spec, purpose } = event;
      return withRoleCycle(state, spec.cycleId, { spec, purpose, isAbandoned: false });
    }
    case 'CycleAbandoned':
      return changeRoleCycle(endWaits(state, event.cycleId), event.cycleId, (it) => ({ ...it, isAbandoned: true }));
    case 'CycleConcluded':
      return concluded(endWaits(state, event.cycleId), event);
    case 'RetryScheduled':
      return { ...state, retries: new Map(state.retries).set(event.cycleId, event) };
    case 'RetryDue': {
      const retries = new Map([...state.retries].filter(([cycleId]) => cycleId !== event.cycleId));
      return { ...state, retries };
    }
    case 'VerdictsJudged': {
      const { subtaskId, attempt, verdicts, point, unsupported = [], selfConsistency } = event;
      const judged = { subtaskId, attempt, verdicts, point, unsupported, selfConsistency };
      return { ...state, judged: [...state.judged, judged] };
    }
    case 'RoundSteered':
      return { ...state, steered: [...state.steered, event] };
    case 'QuestionAsked':
      return asked(state, event);
    case 'QuestionAnswered':
    case 'QuestionExpired':
      return { ...endWait(state, event.questionId), question: undefined };
    case 'WaitBegan':
      return beginWait(state, event.cycleId);
    case 'WaitEnded':
      return endApproval(state, event.cycleId);
    case 'ApprovalsAsked':
      return withAsked(state, event);
    case 'RunParked':
    case 'RunUnparked':
    case 'StoodStill':
      return idle(state, event);
    case 'Remembered':
      return { ...state, remembered: new Set(state.remembered).add(event.messageId) };
    case 'RunConcluded':
      return { ...state, concluded: event };
    case 'DeliveryRequested':
      return { ...state, pendingDelivery: event };
    case 'Delivered':
      return { ...state, pendingDelivery: undefined };
    case 'ArchiveRequested':
    case 'Archived':
      return { ...state, pendingArchive: event.kind === 'ArchiveRequested' };
    case 'RunClosed':
      return { ...state, closed: true };
    case 'DecidersChanged':
      return { ...state, deciders: event.deciders };
    case 'CharacterChanged':
      return { ...withHeld(state, event), spec: underCharacter(state.spec, event), change: event };
    case 'MessageDropped':
    case 'MemoryRecalled':
    case 'RunCancelled':
    case 'DeadlinePassed':
    case 'ReportOverdue':
    case 'EndsOverdue':
      return state;
  }
}

/** While it waits for a person anyway, the time is counted already. */
function withHeld(state: RunState, { heldMs = 0 }: RunEventOf<'CharacterChanged'>): RunState {
  return state.waitingSinceMs === undefined ? { ...state, waitedMs: state.waitedMs + heldMs } : state;
}

/** The texts of roles that the character does not shape stay. */
function underCharacter(before: RunSpec, { to, texts }: RunEventOf<'CharacterChanged'>): RunSpec {
  const { confidential: _, ...spec } = before;
  const systemOf = (name: string) => texts.workers.find((it) => it.name === name)?.system;
  return {
    ...spec,
    characterDigest: to,
    identity: texts.identity,
    roles: { ...spec.roles, Executor: { ...spec.roles.Executor, system: texts.executor } },
    workers: spec.workers.map((it) => ({ ...it, system: systemOf(it.name) ?? it.system })),
    ...(texts.confidential === undefined ? {} : { confidential: texts.confidential }),
  };
}

function asked(state: RunState, { questionId, question, expiresAtMs }: RunEventOf<'QuestionAsked'>): RunState {
  return { ...beginWait(state, questionId), question: { questionId, question, expiresAtMs, askedAtMs: state.nowMs } };
}

function withAsked(state: RunState, { cycleId, requests, refusals }: RunEventOf<'ApprovalsAsked'>): RunState {
  return { ...state, asked: new Map(state.asked).set(cycleId, { requests, refusals }) };
}

function beginWait(state: RunState, id: string): RunState {
  return { ...state, waits: new Set(state.waits).add(id) };
}

function endWait(state: RunState, id: string): RunState {
  return state.waits.has(id) ? { ...state, waits: new Set([...state.waits].filter((it) => it !== id)) } : state;
}

function unparked(state: RunState, cycleId: string): RunState {
  if (!state.parked.has(cycleId)) return state;
  const parked = new Map([...state.parked].filter(([id]) => id !== cycleId));
  return { ...state, parked, unparkedAtMs: state.nowMs };
}

type Idle = RunEventOf<'RunParked'> | RunEventOf<'RunUnparked'> | RunEventOf<'StoodStill'>;

function idle(state: RunState, event: Idle): RunState {
  if (event.kind === 'RunUnparked') return unparked(state, event.cycleId);
  if (event.kind === 'StoodStill') return afterStandstill(state, event);
  const { cycleId, sinceMs, why, nextTryAtMs } = event;
  return { ...state, parked: new Map(state.parked).set(cycleId, { sinceMs, why, nextTryAtMs }) };
}

/** People had no agent that could hear them meanwhile, so their time to answer and all pauses go on as before. */
function afterStandstill(state: RunState, event: RunEventOf<'StoodStill'>): RunState {
  const { question, retries } = state;
  const later = [...retries].map(([id, it]) => [id, { ...it, dueAtMs: it.dueAtMs + event.forMs }] as const);
  const standstills = [...state.standstills, { atMs: event.atMs, forMs: event.forMs }];
  return stoodStill(
    { ...state, standstills, retries: new Map(later), question: laterQuestion(question, event.forMs) },
    event,
  );
}

function laterQuestion(question: RunState['question'], forMs: number): RunState['question'] {
  return question?.expiresAtMs === undefined ? question : { ...question, expiresAtMs: question.expiresAtMs + forMs };
}

function endApproval(state: RunState, cycleId: string): RunState {
  return state.waits.has(cycleId) ? { ...endWait(state, cycleId), decidedAtMs: state.nowMs } : state;
}

/** Of a cycle that is over. */
function endWaits(state: RunState, cycleId: string): RunState {
  return unparked(endApproval(state, cycleId), cycleId);
}

function withRoleCycle(state: RunState, cycleId: string, roleCycle: RoleCycle): RunState {
  return { ...state, roleCycles: new Map(state.roleCycles).set(cycleId, roleCycle) };
}

function changeRoleCycle(state: RunState, cycleId: string, change: (roleCycle: RoleCycle) => RoleCycle): RunState {
  const roleCycle = state.roleCycles.get(cycleId);
  return roleCycle === undefined ? state : withRoleCycle(state, cycleId, change(roleCycle));
}

function concluded(state: RunState, event: RunEventOf<'CycleConcluded'>): RunState {
  return {
    ...changeRoleCycle(state, event.cycleId, (roleCycle) => ({ ...roleCycle, end: event })),
    usage: addUsage(state.usage, event.usage),
    costUsd: state.costUsd + event.costUsd,
    // The call during which a cycle was abandoned may also have cost something.
    isCostComplete:
      state.isCostComplete && event.isCostComplete && state.roleCycles.get(event.cycleId)?.isAbandoned !== true,
  };
}
