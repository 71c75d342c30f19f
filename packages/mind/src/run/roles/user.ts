/** The people of a run: what is asked of them, and what they get. It decides nothing; it carries. */
import { concludeWhenCounted } from '../conclude.ts';
import type { Role } from './role.ts';

export const user: Role = {
  reads: {
    ClarificationRequest: (roleContext, { payload }) => {
      const { spec, nowMs } = roleContext.state;
      const waits = spec.onNoAnswer === 'Wait';
      roleContext.record({
        kind: 'QuestionAsked',
        questionId: payload.questionId,
        question: payload.question,
        ...(waits ? {} : { expiresAtMs: nowMs + spec.answerWaitMs }),
      });
    },
    FinalResult: (roleContext) => concludeWhenCounted(roleContext),
  },
};
