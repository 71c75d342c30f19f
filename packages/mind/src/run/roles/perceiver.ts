/**
 * R1, the Perceiver: states the request in one sentence, asks when a guess would be useless, and answers at once when no work is
 * needed. It names no criteria, chooses no tools and judges nothing.
 *
 * I1  It may resolve what the message refers to, but it speaks for nobody: what names a thing that stands nowhere in what it was told,
 *     or keeps nothing of what the message says, is left out, and without a usable answer the people's own words are the task.
 *
 * Source: artoo A.3, C. Differs: what people gave as criteria travels beside the TaskSpec, untouched by the model.
 */
import type { BusMessageOf, BusPayload } from '@retainer/contract/wire/bus/envelope';
import { isUseless } from '../../cycle/end-fault.ts';
import { recordedAnswer } from '../../request/answers.ts';
import type { Perception } from '../../request/answers/task-spec.ts';
import {
  assemblePerceiverInput,
  judgedPerceiverInput,
  type PerceiverQuestion,
} from '../../assemble/perceiver-input.ts';
import type { RoleContext } from '../role-context.ts';
import { isBudgetUsedUp } from '../remaining-limits.ts';
import { received, sent, type RunState } from '../state.ts';
import { contentWords, isSameWord } from '../verdict/content-words.ts';
import { isShownText } from '../verdict/unsupported.ts';
import { failureOf, type Role } from './role.ts';

export const perceiver: Role = {
  reads: {
    TaskReceived: (roleContext, message) => perceive(roleContext, message.id),
    ClarificationAnswer: (roleContext, message) => {
      const isRefused = message.payload.text === undefined && roleContext.state.spec.onNoAnswer === 'Refuse';
      if (isRefused) return fail(roleContext, message.id, 'nobody answered the question in time', 'Policy');
      return perceive(roleContext, message.id);
    },
  },
  concluded: (roleContext, { purpose, spec }, end) => {
    const answer = recordedAnswer('TaskSpec', end.value);
    const reference = { round: 0, causationId: purpose.causationId, cycleId: spec.cycleId };
    if (isUseless(end.reason)) return roleContext.send('TaskSpec', inOwnWords(roleContext.state), reference);
    if (end.outcome !== 'Replied' || answer === undefined) {
      const { reason, failureClass } = failureOf(end);
      return roleContext.send('PerceptionFailure', { reason, failureClass }, reference);
    }
    if (answer.kind === 'Question' && mayAsk(roleContext.state)) {
      const questionId = `${roleContext.state.spec.runId}-q${sent(roleContext.state, 'ClarificationRequest').length + 1}`;
      return roleContext.send('ClarificationRequest', { questionId, question: answer.text }, reference);
    }
    if (answer.kind === 'Reply' && mayReply(roleContext.state))
      return roleContext.send('FastReply', { reply: answer.text }, reference);
    return roleContext.send('TaskSpec', understood(roleContext.state, answer), reference);
  },
};

/** When a question or an immediate reply is not allowed, the task is the work in the people's own words. */
function understood(state: RunState, perception: Perception): BusPayload<'TaskSpec'> {
  if (perception.kind !== 'Task') return inOwnWords(state);
  const { slug, intent, shape, assumptions } = perception;
  const told = toldIn(state);
  const isTold = (text: string): boolean => isShownText(text, [], told);
  const own = inOwnWords(state);
  return {
    ...own,
    taskSlug: slug,
    intent: isTold(intent) && isAbout(intent, taskOf(state).intent) ? intent : own.intent,
    shape,
    assumptions: [...assumptions.filter(isTold), ...own.assumptions],
  };
}

/** A file or an address. A message that names one says by itself what it is about, and many messages of a conversation name the same. */
const NAME = /[./]\S/u;

/** Fewest words of a message beside names that say what it is about. */
const MATTER_WORDS_MIN = 2;

/**
 * Not about an earlier message instead: of what this one says beside the names of things, something is left. A message that names
 * nothing may mean what was said before, in words that it shares with nothing.
 */
function isAbout(intent: string, message: string): boolean {
  const words = message.split(/\s+/u);
  const matter = [...contentWords(words.filter((it) => !NAME.test(it)).join(' '))];
  if (matter.length < MATTER_WORDS_MIN || !words.some((it) => NAME.test(it))) return true;
  const kept = [...contentWords(intent)];
  return matter.some((word) => kept.some((it) => isSameWord(word, it)));
}

function inOwnWords(state: RunState): BusPayload<'TaskSpec'> {
  const { intent, scope, deadlineMs, rawInput } = taskOf(state);
  return {
    taskSlug: state.spec.task.name,
    intent,
    shape: 'Plan',
    ...(scope === undefined ? {} : { scope }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    rawInput,
    assumptions: assumptionsOf(state),
  };
}

/** All that the perceiver was told. */
function toldIn(state: RunState): readonly string[] {
  const { rawInput, criteria } = taskOf(state);
  const { turns = [], user = [] } = state.spec.session ?? {};
  const asked = sent(state, 'ClarificationRequest').map(({ payload }) => payload.question);
  const answered = received(state, 'ClarificationAnswer').map(({ payload }) => payload.text ?? '');
  const before = turns.flatMap(({ input, summary }) => [input, summary]);
  return [
    rawInput,
    state.spec.scope ?? '',
    ...criteria.map(({ text }) => text),
    ...before,
    ...user,
    ...asked,
    ...answered,
  ];
}

function perceive(roleContext: RoleContext, causationId: string): void {
  const { state } = roleContext;
  if (isBudgetUsedUp(state)) return fail(roleContext, causationId, 'the budget is used up', 'Environmental');
  const { rawInput, criteria } = taskOf(state);
  const answers = received(state, 'ClarificationAnswer');
  const { scope } = state.spec;
  const question: PerceiverQuestion = {
    rawInput,
    ...(scope === undefined ? {} : { scope }),
    criteria,
    history: state.spec.session?.turns ?? [],
    user: state.spec.session?.user ?? [],
    clarifications: sent(state, 'ClarificationRequest').map(({ payload }) => {
      const answer = answers.find((it) => it.payload.questionId === payload.questionId)?.payload.text;
      return { question: payload.question, ...(answer === undefined ? {} : { answer }) };
    }),
    canAsk: mayAsk(state),
  };
  const input = assemblePerceiverInput(question);
  const judged = question.history.length === 0 ? {} : { judged: judgedPerceiverInput(question) };
  return roleContext.think({ round: 0, causationId }, { input, ...judged, structured: 'TaskSpec' });
}

function fail(
  roleContext: RoleContext,
  causationId: string,
  reason: string,
  failureClass: 'Policy' | 'Environmental',
): void {
  roleContext.send('PerceptionFailure', { reason, failureClass }, { round: 0, causationId });
}

/** After this many questions, one final call must do without another. Source: artoo A.3. */
function mayAsk(state: RunState): boolean {
  return sent(state, 'ClarificationRequest').length < state.spec.control.clarificationsMax;
}

/** People who name criteria want work, not an immediate reply. */
function mayReply(state: RunState): boolean {
  return state.spec.criteria.length === 0;
}

function taskOf(state: RunState): BusMessageOf<'TaskReceived'>['payload'] {
  const [task] = received(state, 'TaskReceived');
  if (task === undefined) throw new Error('a perceiver that thinks was given a task');
  return task.payload;
}

/** An unanswered question becomes an explicit assumption. */
function assumptionsOf(state: RunState): string[] {
  return received(state, 'ClarificationAnswer').flatMap(({ payload }) => {
    if (payload.text !== undefined) return [];
    const asked = sent(state, 'ClarificationRequest').find((it) => it.payload.questionId === payload.questionId);
    return asked === undefined ? [] : [`nobody answered: ${asked.payload.question}`];
  });
}
