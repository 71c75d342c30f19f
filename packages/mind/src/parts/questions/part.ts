/** What the agent asks people, before its work or in the middle of it. */
import { z } from 'zod';
import { defineCommand, definePart } from '../../part/part.ts';

export const questionsPart = definePart({
  name: 'questions',
  commands: {
    AnswerQuestion: defineCommand({
      schema: z.object({ runId: z.string(), questionId: z.string(), text: z.string() }),
      isOverPodsExec: false,
    }),
  },
});
