import { z } from 'zod';
import { compilePattern, MAX_PATTERN_CHARACTERS } from '@retainer/mind/gate/pattern';
import { searchWorkspace } from '../../tools/search-workspace.ts';
import type { ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { ownWords } from '../../tools/workspace-labels.ts';
import { placeArgument, placePart, startOf, touchesPlace } from '../../tools/workspace-place.ts';
import { lookFacts, reading } from '../../tools/plain-tool.ts';

const Input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(MAX_PATTERN_CHARACTERS)
    .describe('Regular expression in RE2 syntax, searched in each line; (?i) in front ignores case.'),
  path: placeArgument.describe('File or directory inside the workspace; all of it without this.'),
});
type Input = z.infer<typeof Input>;

export const searchFiles: ToolDescriptor<Input> = {
  facts: {
    ...lookFacts,
    name: 'search_files',
    target: {
      kind: 'Place',
      parts: [{ member: 'pattern', as: 'Line' }, placePart],
    },
  },
  offer: () => ({
    description:
      'Finds the lines of text files in the workspace that match a regular expression; shows path:line: text and says where it stopped.',
    input: Input,
    outputCharacters: 16_000,
    touches: touchesPlace,
    ...reading(search),
  }),
};

async function search(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolOutput> {
  const pattern = compilePattern(input.pattern);
  if (!pattern.ok) return { isError: true, text: `The argument "pattern" was refused: ${pattern.error}.` };
  const found = await searchWorkspace(context, startOf(input), pattern.value, signal);
  return found.ok
    ? { isError: false, ...found.value }
    : { isError: true, text: `${input.path} ${found.error}.`, label: ownWords };
}
