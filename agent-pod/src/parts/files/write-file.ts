import { z } from 'zod';
import { TEXT_CHARACTERS_MAX, wroteFile } from '../../tools/text-file.ts';
import { digestOfEntry } from '../../tools/digest-entry.ts';
import type { ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { isWorkspaceEntry, openNamedFile, writeWorkspaceFile } from '../../tools/workspace-file.ts';
import { WorkspaceFilePath } from '../../tools/workspace-path-schema.ts';
import { ownFacts } from '../../tools/plain-tool.ts';

const Input = z.strictObject({
  path: WorkspaceFilePath.describe('File inside the workspace, as in report/summary.md; missing directories are made.'),
  content: z.string().max(TEXT_CHARACTERS_MAX).describe('The whole content of the file.'),
});
type Input = z.infer<typeof Input>;

/** Writes one file of the workspace, whole or not at all. */
export const writeFile: ToolDescriptor<Input> = {
  facts: {
    ...ownFacts,
    name: 'write_file',
    effectClass: 1,
    writes: 'Path',
    target: { kind: 'Place', parts: [{ member: 'path', as: 'Path' }] },
    verb: { verb: 'writes the file', object: 'path', text: 'content', note: 'replacing what is there' },
  },
  offer: () => ({
    description:
      'Writes a text file in the workspace; an existing file is replaced as a whole. Use code for large or binary files.',
    input: Input,
    touches: ({ path }) => ({ readPaths: [], writePaths: [path], domains: [] }),
    replaces: ({ path }, { workspaceDirectory }) => isWorkspaceEntry(workspaceDirectory, path),
    standing: ({ path }, { workspaceDirectory }) => digestOfEntry(workspaceDirectory, path),
    async run({ path, content }, context) {
      const bytes = Buffer.from(content);
      const written = await writeWorkspaceFile(context.workspaceDirectory, path, bytes);
      return written.ok ? outputFor(path, bytes, context) : { isError: true, text: `${path} ${written.error}.` };
    },
    async lookup({ path, content }, context) {
      const bytes = Buffer.from(content);
      const opened = await openNamedFile(context.workspaceDirectory, path);
      if (!opened.ok) return undefined;
      try {
        const isThere = opened.value.sizeBytes === bytes.length && bytes.equals(await opened.value.handle.readFile());
        return isThere ? outputFor(path, bytes, context) : undefined;
      } finally {
        await opened.value.handle.close();
      }
    },
  }),
};

function outputFor(path: string, bytes: Buffer, { carried }: ToolContext): ToolOutput {
  return wroteFile(path, bytes, `wrote ${bytes.length} bytes to ${path}`, carried);
}
