import { z } from 'zod';
import { compilePattern, MAX_PATTERN_CHARACTERS } from '@retainer/mind/gate/pattern';
import { WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import { searchWorkspace } from '../search-workspace.ts';
import type { Tool } from '../../ports/tool.ts';
import { WorkspacePath } from '../workspace-path-schema.ts';

const Input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(MAX_PATTERN_CHARACTERS)
    .describe('Regular expression in RE2 syntax, searched in each line; (?i) in front ignores case.'),
  path: WorkspacePath.optional().describe('File or directory inside the workspace; all of it without this.'),
});
type Input = z.infer<typeof Input>;

/** Finds lines in the files of the workspace. */
export const searchFiles: Tool<Input> = {
  name: 'search_files',
  description:
    'Finds the lines of text files in the workspace that match a regular expression; shows path:line: text and says where it stopped.',
  input: Input,
  effectClass: 0,
  outputCharacters: 16_000,
  touches: ({ path }) => ({ readPaths: [path ?? WORKSPACE_ROOT], writePaths: [], domains: [] }),
  run: (input, context, signal) => search(input, context.workspaceDirectory, signal),
  lookup: (input, context, signal) => search(input, context.workspaceDirectory, signal),
};

async function search(input: Input, workspaceDirectory: string, signal: AbortSignal): ReturnType<Tool['run']> {
  const pattern = compilePattern(input.pattern);
  if (!pattern.ok) return { isError: true, text: `The argument "pattern" was refused: ${pattern.error}.` };
  const found = await searchWorkspace(workspaceDirectory, input.path ?? WORKSPACE_ROOT, pattern.value, signal);
  return found.ok ? { isError: false, text: found.value } : { isError: true, text: `${input.path} ${found.error}.` };
}
