/** What people answered in this run: to the questions before the work, and to those of who works. */
import { parseJson } from '@retainer/contract/std/parse-json';
import { ASK_PERSON, answerIn, questionIn } from '../gate/person-question.ts';
import { oneLine } from '../request/lines.ts';
import { callsOf, received, type RunState } from './state.ts';

interface PeopleAnswer {
  readonly question: string;
  readonly text: string;
}

/** Before there was a plan, oldest first. Questions without an answer are left out. */
export function answersBefore(state: RunState): readonly PeopleAnswer[] {
  const questions = received(state, 'ClarificationRequest').map((it) => it.payload);
  return received(state, 'ClarificationAnswer').flatMap(({ payload: { questionId, text } }) => {
    const asked = questions.find((it) => it.questionId === questionId);
    return asked === undefined || text === undefined ? [] : [{ question: asked.question, text }];
  });
}

/** In ended cycles, oldest first. */
export function answersInWork(state: RunState): readonly PeopleAnswer[] {
  return callsOf(state).flatMap(({ tool, input, output }) => {
    const text = tool === ASK_PERSON ? answerIn(output) : undefined;
    return text === undefined ? [] : [{ question: questionIn(parseJson(input)), text }];
  });
}

export function answerLines(answers: readonly PeopleAnswer[]): readonly string[] {
  return answers.flatMap(({ question, text }) => [`Asked: ${oneLine(question)}`, `Answered: ${oneLine(text)}`]);
}
