/**
 * One Task run as a pure decision. Roles communicate only by messages. Each message goes to its one receiver, and
 * everything that the role does is recorded. One decision covers an input and all its consequences, message after
 * message, until the run waits for something outside.
 *
 * I1  A message is handled once. A second arrival, or a message that the record does not hold, yields nothing.
 * I2  A message of a finished round is dropped, with an event.
 * I3  Every path ends in one `FinalResult` of the Steerer, then `RunConcluded`, one delivery unless nothing is new, one archive
 *     entry, `RunClosed`.
 * I4  Cancellation and deadline end the run without waiting.
 *
 * Source: design 5; artoo A.2 to A.9.
 */
import { invariant } from '@retainer/contract/std/invariant';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { BusMessageType, BusRole } from '@retainer/contract/wire/bus/roles';
import { budgetPath } from '../gate/budget/budget.ts';
import type { KnownTools } from '../gate/tool-facts.ts';
import { approvalBreaker } from './approval-breaker.ts';
import { concludeRun, concludeWhenCounted } from './conclude.ts';
import { deadlineOf } from './deadline.ts';
import { endsDueMs } from './ends.ts';
import { RoleContext, record, type Draft } from './role-context.ts';
import type { RunEvent, RunEventOf, RunInput } from './event.ts';
import { evolveRun } from './evolve.ts';
import { reportDueMs } from './report.ts';
import { agentValidator } from './roles/agent-validator.ts';
import { advance, dispatcher } from './roles/dispatcher.ts';
import { executor } from './roles/executor.ts';
import { metaValidator } from './roles/meta-validator.ts';
import { perceiver } from './roles/perceiver.ts';
import { planner } from './roles/planner.ts';
import type { Role } from './roles/role.ts';
import { endAtBreaker, endAtBudget, endAtDeadline, RUNTIME, steerer } from './roles/steerer.ts';
import { user } from './roles/user.ts';
import {
  hasResult,
  isEnding,
  isWaiting,
  pendingRoleCycles,
  roundOf,
  sent,
  unread,
  withRead,
  type RunState,
} from './state.ts';

const roles: Readonly<Record<Exclude<BusRole, 'Auditor'>, Role>> = {
  User: user,
  Perceiver: perceiver,
  Planner: planner,
  Dispatcher: dispatcher,
  Executor: executor,
  AgentValidator: agentValidator,
  MetaValidator: metaValidator,
  // The shell reads and writes memory, and feeds back the answers; nobody waits for a write.
  Memory: { reads: {} },
  Steerer: steerer,
};

/** Addressed to another role, but also handled by the dispatcher. Source: artoo A.2 (also consumed by). */
const overheard: ReadonlySet<BusMessageType> = new Set(['DispatchManifest', 'SubTaskOutcome']);

/** How long a message stays valid. All other types are valid in their own round, until somebody stops the run. */
const validity: Readonly<Partial<Record<BusMessageType, 'Always' | 'UntilResult'>>> = {
  FinalResult: 'Always',
  MemoryWrite: 'Always',
  TaskAbort: 'UntilResult',
};

/**
 * Most messages that one input may lead to: a plan of hundreds of subtasks needs a few for each. More of them must circle, since
 * every regular loop passes a model, a person or a clock.
 */
const MESSAGES_PER_INPUT_MAX = 10_000;

/** What other deciders had begun to decide at a crash cannot be completed by these. */
const CUT_OFF = {
  by: RUNTIME,
  reason: 'a crash cut off its last decision, and another version of the program cannot complete it',
};

/** @returns the input and the decisions on it, in order; empty when the input is stale */
export function decideRun(state: RunState | undefined, input: RunInput, known: KnownTools): readonly RunEvent[] {
  if (state === undefined ? input.kind !== 'RunAdmitted' : isStale(state, input)) return [];
  const draft: Draft = { state: evolveRun(state, input), events: [input], known };
  decideOn(draft, input);
  if (draft.state.passesInline) passOn(draft);
  return draft.events;
}

type Table = { readonly [K in RunInput['kind']]: (state: RunState, input: RunEventOf<K>) => boolean };

const isNotAsked = (state: RunState, { questionId }: { readonly questionId: string }): boolean =>
  state.question?.questionId !== questionId || isEnding(state);

const stale: Table = {
  RunAdmitted: () => true,
  DecidersChanged: (state, { deciders }) => state.deciders === deciders,
  CharacterChanged: (state, { to }) => state.spec.characterDigest === to || isEnding(state),
  MessageReceived: ({ messages }, { messageId }) =>
    messages.find((it) => it.message.id === messageId)?.isRead !== false,
  CycleConcluded: ({ roleCycles, concluded }, { cycleId }) => {
    const roleCycle = roleCycles.get(cycleId);
    return roleCycle === undefined || roleCycle.end !== undefined || concluded !== undefined;
  },
  MemoryRecalled: (state, { messageId }) =>
    sent(state, 'MemoryResponse').some((it) => it.causationId === messageId) || isEnding(state),
  QuestionAnswered: isNotAsked,
  QuestionExpired: (state, input) => isNotAsked(state, input) || input.atMs < (state.question?.expiresAtMs ?? Infinity),
  WaitBegan: ({ waits, roleCycles }, { cycleId }) => waits.has(cycleId) || roleCycles.get(cycleId)?.end !== undefined,
  WaitEnded: ({ waits }, { cycleId }) => !waits.has(cycleId),
  RunParked: ({ roleCycles }, { cycleId }) => {
    const roleCycle = roleCycles.get(cycleId);
    return roleCycle === undefined || roleCycle.end !== undefined || roleCycle.isAbandoned;
  },
  RunUnparked: ({ parked }, { cycleId }) => !parked.has(cycleId),
  StoodStill: ({ closed }, { forMs }) => closed || forMs === 0,
  ApprovalsAsked: ({ asked, roleCycles }, { cycleId, requests, refusals }) => {
    const known = asked.get(cycleId);
    return !roleCycles.has(cycleId) || (known?.requests === requests && known.refusals === refusals);
  },
  RunCancelled: isEnding,
  DeadlinePassed: (state, { atMs }) => hasResult(state) || atMs < deadlineOf(state),
  RetryDue: (state, { cycleId, atMs }) => isEnding(state) || atMs < (state.retries.get(cycleId)?.dueAtMs ?? Infinity),
  ReportOverdue: (state, { atMs }) => atMs < (reportDueMs(state) ?? Infinity),
  EndsOverdue: (state, { atMs }) => atMs < (endsDueMs(state) ?? Infinity),
  Delivered: ({ pendingDelivery }, { deliveryId }) => pendingDelivery?.deliveryId !== deliveryId,
  Archived: ({ pendingArchive }) => !pendingArchive,
  Remembered: ({ remembered }, { messageId }) => remembered.has(messageId),
};

/** An input that comes late, twice, or without cause changes nothing and is not recorded. */
function isStale(state: RunState, input: RunInput): boolean {
  return (stale[input.kind] as (state: RunState, input: RunInput) => boolean)(state, input);
}

/** Passes messages in the order in which they were sent. */
function passOn(draft: Draft): void {
  for (let passed = 0; passed < MESSAGES_PER_INPUT_MAX; passed += 1) {
    const [next] = unread(draft.state);
    if (next === undefined) return;
    draft.state = withRead(draft.state, next.id);
    read(draft, next.id);
  }
  invariant(false, 'the messages of a run go round in a circle');
}

function decideOn(draft: Draft, input: RunInput): void {
  switch (input.kind) {
    case 'RunAdmitted':
      return begin(draft);
    case 'MessageReceived':
      return read(draft, input.messageId);
    case 'CycleConcluded':
      return conclude(draft, input);
    case 'MemoryRecalled':
      return recall(draft, input);
    case 'QuestionAnswered':
      return answer(draft, { questionId: input.questionId, text: input.text, by: input.by });
    case 'QuestionExpired':
      return answer(draft, { questionId: input.questionId });
    case 'RunCancelled':
      return cancel(draft, input);
    case 'DeadlinePassed':
      endAtDeadline(new RoleContext(draft, 'Steerer'));
      return abandonRoleCycles(draft, 'the deadline passed');
    case 'ReportOverdue':
      endAtDeadline(new RoleContext(draft, 'Steerer'));
      return abandonRoleCycles(draft, 'its report did not come in time');
    case 'ApprovalsAsked':
      return stopAsking(draft);
    case 'RetryDue':
      return retry(draft, input.cycleId);
    case 'EndsOverdue':
      return concludeRun(new RoleContext(draft, 'User'));
    case 'Delivered':
    case 'Archived':
    case 'Remembered':
      return closeWhenDone(draft);
    case 'DecidersChanged':
      return isWaiting(draft.state) ? undefined : cancel(draft, CUT_OFF);
    case 'CharacterChanged':
      return refuseAnew(draft, input);
    case 'WaitBegan':
    case 'WaitEnded':
    case 'RunParked':
    case 'RunUnparked':
    case 'StoodStill':
      return undefined;
  }
}

function begin(draft: Draft): void {
  const { spec } = draft.state;
  new RoleContext(draft, 'User').send(
    'TaskReceived',
    {
      intent: spec.intent,
      rawInput: spec.input,
      ...(spec.scope === undefined ? {} : { scope: spec.scope }),
      ...(spec.deadlineMs === undefined ? {} : { deadlineMs: spec.deadlineMs }),
      criteria: [...spec.criteria],
    },
    { round: 0 },
  );
}

function read(draft: Draft, messageId: string): void {
  const message = draft.state.messages.find((it) => it.message.id === messageId)?.message;
  if (message === undefined) return;
  const reason = whyDropped(draft.state, message);
  if (reason !== undefined) return record(draft, { kind: 'MessageDropped', messageId, reason });
  const role = roles[message.to as keyof typeof roles];
  const reader = role.reads[message.type] as ((roleContext: RoleContext, message: BusMessage) => void) | undefined;
  reader?.(new RoleContext(draft, message.to), message);
  if (overheard.has(message.type)) advance(new RoleContext(draft, 'Dispatcher'), message.round, message.id);
  if (hasResult(draft.state)) abandonRoleCycles(draft, 'the run has its result');
}

function whyDropped(state: RunState, { type, round }: BusMessage): string | undefined {
  const worth = validity[type];
  if (worth === 'Always') return undefined;
  if (hasResult(state)) return 'the run has its result';
  if (worth === 'UntilResult') return undefined;
  if (isEnding(state)) return 'the run is being stopped';
  return round < roundOf(state) ? `its round ${round} is over` : undefined;
}

function conclude(draft: Draft, end: RunEventOf<'CycleConcluded'>): void {
  const roleCycle = draft.state.roleCycles.get(end.cycleId);
  if (roleCycle === undefined) return;
  if (roleCycle.isAbandoned) return concludeWhenCounted(new RoleContext(draft, 'User'));
  if (hasResult(draft.state)) return;
  if (end.budget !== undefined) {
    endAtBudget(new RoleContext(draft, 'Steerer'), end.reason ?? `${budgetPath(end.budget)} of the Agent is used up`);
    return abandonRoleCycles(draft, 'the budget of the agent is used up');
  }
  const { role } = roleCycle.purpose;
  roles[role].concluded?.(new RoleContext(draft, role), roleCycle, end);
}

function retry(draft: Draft, cycleId: string): void {
  const roleCycle = draft.state.roleCycles.get(cycleId);
  if (roleCycle === undefined) return;
  const { role } = roleCycle.purpose;
  roles[role].retry?.(new RoleContext(draft, role), roleCycle);
}

function recall(draft: Draft, { messageId, answers, cases }: RunEventOf<'MemoryRecalled'>): void {
  const asked = draft.state.messages.find((it) => it.message.id === messageId)?.message;
  if (asked === undefined) return;
  const payload = { answers, ...(cases === undefined ? {} : { cases }) };
  new RoleContext(draft, 'Memory').send('MemoryResponse', payload, { round: asked.round, causationId: messageId });
}

function answer(
  draft: Draft,
  payload: { readonly questionId: string; readonly text?: string; readonly by?: string },
): void {
  new RoleContext(draft, 'User').send('ClarificationAnswer', payload, { round: 0 });
}

/** A message to the Steerer. All role cycles stop meanwhile. */
function cancel(draft: Draft, { by, reason }: Pick<RunEventOf<'RunCancelled'>, 'by' | 'reason'>): void {
  new RoleContext(draft, 'User').send('TaskAbort', { by, reason }, { round: roundOf(draft.state) });
  abandonRoleCycles(draft, `cancelled by ${by}`);
}

/** The run asks nobody any more, and nothing continues without permission. */
function stopAsking(draft: Draft): void {
  const stop = approvalBreaker(draft.state);
  if (stop === undefined || isEnding(draft.state)) return;
  endAtBreaker(new RoleContext(draft, 'Steerer'), stop.reason);
  abandonRoleCycles(draft, stop.reason);
}

/** The input gate of a changed character refuses the Task. */
function refuseAnew(draft: Draft, { refused }: RunEventOf<'CharacterChanged'>): void {
  if (refused === undefined) return;
  endAtBreaker(new RoleContext(draft, 'Steerer'), refused.reason);
  abandonRoleCycles(draft, refused.reason);
}

function abandonRoleCycles(draft: Draft, reason: string): void {
  for (const { spec } of pendingRoleCycles(draft.state))
    record(draft, { kind: 'CycleAbandoned', cycleId: spec.cycleId, reason });
}

function closeWhenDone(draft: Draft): void {
  const { pendingDelivery, pendingArchive, concluded, passesInline, messages } = draft.state;
  if (pendingDelivery !== undefined || pendingArchive || concluded === undefined) return;
  if (sent(draft.state, 'MemoryWrite').some(({ id }) => !draft.state.remembered.has(id))) return;
  const counted = passesInline ? { messages: messages.length } : {};
  record(draft, { kind: 'RunClosed', outcome: concluded.outcome, ...counted });
}
