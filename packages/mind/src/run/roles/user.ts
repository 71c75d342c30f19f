/** The people of a run: carries questions to them and results. It decides nothing. */
import { concludeWhenCounted } from '../conclude.ts';
import { deliverableText } from '../delivered.ts';
import type { Role } from './role.ts';

export const user: Role = {
  reads: {
    ClarificationRequest: (roleContext, { payload }) => {
      const { spec, nowMs } = roleContext.state;
      const waits = spec.onNoAnswer === 'Wait';
      roleContext.record({
        kind: 'QuestionAsked',
        questionId: payload.questionId,
        question: deliverableText(roleContext.state, roleContext.known, payload.question),
        ...(waits ? {} : { expiresAtMs: nowMs + spec.answerWaitMs }),
      });
    },
    FinalResult: (roleContext) => concludeWhenCounted(roleContext),
  },
};
