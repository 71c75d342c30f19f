import { z } from 'zod';
import { PATTERN_WINDOW, tellPatterns } from '@retainer/mind/self/patterns';
import { selfTool } from '../../tools/self-tool.ts';

export const detectPatternsTool = selfTool({
  name: 'detect_patterns',
  description:
    'Patterns in your newest runs: failures in one domain, tools that fail, a second model, runs that cost far more, runs that memory told no case.',
  input: z.strictObject({
    window: z
      .number()
      .int()
      .min(1)
      .max(PATTERN_WINDOW.max)
      .optional()
      .describe('Newest runs to look at; 20 if absent.'),
  }),
  tell: async ({ window = PATTERN_WINDOW.default }, self) =>
    tellPatterns({ runs: await self.runs(window), told: self.runsTold() }),
});
