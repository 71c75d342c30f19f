/**
 * R3, the Executor: works on one subtask, in a new cycle for each attempt, and hands over the recorded result. It
 * judges nothing and repeats nothing by itself. If the plan names a worker, the worker does this instead.
 *
 * Source: artoo A.5, C.
 */
import { headAndTail } from '@retainer/contract/std/head-and-tail';
import type { BusMessageOf, BusPayload } from '@retainer/contract/wire/bus/envelope';
import type { SubTask } from '@retainer/contract/wire/bus/payloads';
import type { CycleOutcome } from '../../cycle/event.ts';
import { assembleSubtaskInput, type SubtaskQuestion } from '../../assemble/subtask-input.ts';
import { fence } from '../../gate/provenance/fence.ts';
import type { WorkKind } from '../event.ts';
import { circlesIn } from '../circles.ts';
import type { RoleContext } from '../role-context.ts';
import { handedOn } from '../handed-on.ts';
import { answerLines, answersInWork } from '../people-answers.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import { blindSince } from '../self-consistency.ts';
import { received, sent, type RunState } from '../state.ts';
import { failureOf, type Role } from './role.ts';

/** Most characters of one result, so that the results of a whole plan fit into one message. A longer result belongs in a file. */
const OUTPUT_CHARACTERS_MAX = 65_536;

/** Without a number: validation checks each number in a result for support. */
const leftOut = (): string => '[… what is between is left out …]';

/** More criteria than these are several things to get right. */
const CRITERIA_MAX = 2;

/** Characters of intent and background; longer instructions are no simple ones. */
const WORDS_CHARACTERS_MAX = 2000;

/** Of a blind attempt, 0 to 1: high enough that the same words do not lead to the same answer, low enough to keep to the form. */
const BLIND_TEMPERATURE = 0.7;

/** The status of the work by the end of its cycle; the calls tell a refusal. Source: artoo A.5 (turns used up: uncertain). */
const statuses = {
  Replied: 'Completed',
  OutOfBudget: 'Uncertain',
  Refused: 'Failed',
  Failed: 'Failed',
  Cancelled: 'Failed',
} as const satisfies Readonly<Record<CycleOutcome, BusPayload<'ExecutionResult'>['status']>>;

export const executor: Role = {
  reads: {
    SubTaskDispatch: (roleContext, message) => work(roleContext, message.payload, { message, attempt: 1 }),
    CorrectionSignal: (roleContext, message) => {
      const { subtaskId, attempt } = message.payload;
      const subtask = sent(roleContext.state, 'SubTaskDispatch').find((it) => it.payload.subtaskId === subtaskId);
      if (subtask !== undefined) work(roleContext, subtask.payload, { message, attempt });
    },
  },
  concluded: (roleContext, { purpose, spec }, end) => {
    const { round, subtaskId = '', attempt = 1, causationId } = purpose;
    const status = statuses[end.outcome];
    roleContext.send(
      'ExecutionResult',
      {
        subtaskId,
        attempt,
        status,
        output: headAndTail(end.text, OUTPUT_CHARACTERS_MAX, leftOut),
        ...(status === 'Completed' ? {} : failureOf(end)),
        calls: end.calls,
      },
      { round, causationId, correlationId: subtaskId, cycleId: spec.cycleId },
    );
  },
};

interface Attempt {
  readonly message: BusMessageOf<'SubTaskDispatch'> | BusMessageOf<'CorrectionSignal'>;
  readonly attempt: number;
}

/** What memory recalls was judged when it came: a word of a refused Task must not refuse those that resemble it. */
function judgedWithoutMemory(question: SubtaskQuestion): { readonly judged?: string } {
  const { advice = [] } = question.subtask;
  if (advice.length === 0) return {};
  return { judged: assembleSubtaskInput({ ...question, subtask: { ...question.subtask, advice: [] } }) };
}

function work(roleContext: RoleContext, subtask: SubTask, { message, attempt }: Attempt): void {
  const { state } = roleContext;
  const { subtaskId } = subtask;
  const reference = { round: message.round, causationId: message.id, correlationId: subtaskId };
  if (isBudgetUsedUp(state)) {
    const reason = 'the budget is used up';
    const result = { subtaskId, attempt, status: 'Failed', output: '', calls: [] } as const;
    return roleContext.send(
      'ExecutionResult',
      { ...result, calls: [], reason, failureClass: 'Environmental' },
      reference,
    );
  }
  const blind = blindSince(state, subtaskId, attempt);
  const earlier = received(state, 'ExecutionResult', message.round).filter(
    (it) => it.payload.subtaskId === subtaskId && it.payload.attempt >= (blind ?? 1),
  );
  const { scope } = state.spec;
  const question: SubtaskQuestion = {
    subtask: { ...subtask, context: fencedContext(state, contextOf(state, subtask), message.id) },
    ...(scope === undefined ? {} : { scope }),
    ...(message.type === 'CorrectionSignal' && blind !== attempt ? { correction: message.payload } : {}),
    earlierCalls: earlier.flatMap((it) => it.payload.calls),
  };
  const { round, id: causationId } = message;
  const circles = circlesIn(earlier.map((it) => it.payload));
  const kind = workKind(state, subtask, { round, attempt: blind === attempt ? 1 : attempt, circles });
  return roleContext.think(
    { round, subtaskId, attempt, work: kind, causationId },
    {
      input: assembleSubtaskInput(question),
      ...judgedWithoutMemory(question),
      blocked: subtask.blocked,
      circles,
      hasCalledNothing:
        earlier.at(-1)?.payload.status === 'Completed' && earlier.every((it) => it.payload.calls.length === 0),
      ...(blind === attempt ? { temperature: BLIND_TEMPERATURE } : {}),
      ...(subtask.worker === undefined ? {} : { worker: subtask.worker }),
    },
  );
}

/**
 * Which of its two models works on a step: the fast one where the perceiver called the Task one step and code finds nothing to the
 * contrary, the capable one from then on that an attempt failed. Where the worker went round, the capable one works, whatever its tier.
 *
 * @param at  `circles`: attempts of this round that went round
 *
 * Source: springdrift 6 (routing by complexity).
 */
export function workKind(
  state: RunState,
  subtask: SubTask,
  at: { readonly round: number; readonly attempt: number; readonly circles: number },
): WorkKind {
  if (at.circles > 0) return 'Circled';
  if (at.round > 1 || at.attempt > 1) return 'Repeated';
  const [understood] = received(state, 'TaskSpec');
  const isOneStep = understood?.payload.shape === 'SingleStep' && sent(state, 'SubTask', at.round).length === 1;
  const words = subtask.intent.length + subtask.context.length;
  const isSmall = subtask.criteria.length <= CRITERIA_MAX && words <= WORDS_CHARACTERS_MAX;
  return isOneStep && isSmall ? 'Simple' : 'Complex';
}

/** What people answered to earlier work is known to later work, so that nobody is asked twice. */
function contextOf(state: RunState, { context }: SubTask): string {
  return [context, ...answerLines(answersInWork(state))].filter((it) => it !== '').join('\n');
}

/** Once a step has read untrusted text, the context of later steps is between marks. */
function fencedContext(state: RunState, context: string, recordId: string): string {
  const handed = handedOn(state);
  if (handed === undefined || context === '') return context;
  return fence(context, handed.label, state.nonce, recordId);
}
