import { FalsePositiveNote, REPORT_TOOL } from '@retainer/mind/gate/meta/agents-note';
import { noteFalsePositive } from '@retainer/mind/self/false-positive-note';
import { RUNS_READ, selfTool } from '../../tools/self-tool.ts';

export const reportFalsePositive = selfTool({
  name: REPORT_TOOL,
  description: 'Notes for people that a refusal of a gate looks wrong to you. What was refused stays refused.',
  input: FalsePositiveNote,
  target: 'cycle',
  tell: async (note, self, asking) => noteFalsePositive(await self.trees(asking, RUNS_READ), note),
});
