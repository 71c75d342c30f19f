import { z } from 'zod';
import { CASE_CATEGORIES } from '@retainer/contract/wire/bus/recalled-case';
import { tellCases } from '@retainer/mind/self/remembered';
import { selfTool } from '../../tools/self-tool.ts';

/** Cases of one answer. Source: springdrift 14 (four). */
const CASES_SHOWN = 4;

/** Cases that are compared with a domain or a category. */
const CASES_COMPARED = 40;

const MAX_INTENT_CHARACTERS = 1000;

export const recallCases = selfTool({
  name: 'recall_cases',
  description: 'Cases like a problem, best first: what was tried, what came of it, how often that helped.',
  input: z.strictObject({
    intent: z
      .string()
      .trim()
      .min(1)
      .max(MAX_INTENT_CHARACTERS)
      .describe('The problem, in a sentence, with its keywords.'),
    domain: z.string().min(1).max(MAX_INTENT_CHARACTERS).optional().describe('Only cases of this domain.'),
    category: z.enum(CASE_CATEGORIES).optional().describe('Only cases of this kind.'),
  }),
  target: 'intent',
  tell: async ({ intent, domain, category }, self) => {
    const isFiltered = domain !== undefined || category !== undefined;
    const cases = await self.cases(intent, isFiltered ? CASES_COMPARED : CASES_SHOWN);
    const wanted = cases.filter(
      (it) =>
        (domain === undefined || it.problem.domain === domain) && (category === undefined || it.category === category),
    );
    return tellCases(wanted.slice(0, CASES_SHOWN));
  },
});
