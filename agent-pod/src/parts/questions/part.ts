/** Questions to people: the tool that asks one, and the answer. */
import { answerInWork } from '@retainer/mind/cycle/state';
import type { PodPart } from '../pod-part.ts';
import { askPerson } from './ask-person.ts';

export const questionsPod: PodPart = {
  name: 'questions',
  tools: [askPerson],
  carries: {
    AnswerQuestion: (machines, command) =>
      machines.guarded(command.runId, () => {
        // A run asks before its work, a cycle in the middle of it.
        const decision = answerInWork(machines.cycles(), command);
        return decision === undefined ? machines.answer(command) : machines.decideApproval(decision);
      }),
  },
};
