/** The people of a run: what is asked of them, and what they get. It decides nothing; it carries. */
import { concludeWhenCounted } from '../conclude.ts';
import type { Role } from './role.ts';

export const user: Role = {
  reads: {
    ClarificationRequest: (desk, { payload }) => {
      const { spec, nowMs } = desk.state;
      const waits = spec.onNoAnswer === 'Wait';
      desk.record({
        kind: 'QuestionAsked',
        questionId: payload.questionId,
        question: payload.question,
        ...(waits ? {} : { expiresAtMs: nowMs + spec.answerWaitMs }),
      });
    },
    FinalResult: (desk) => concludeWhenCounted(desk),
  },
};
