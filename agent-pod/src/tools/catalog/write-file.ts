import { createHash } from 'node:crypto';
import { z } from 'zod';
import { WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { ToolDescriptor, ToolOutput } from '../tool.ts';
import { isWorkspaceEntry, openWorkspaceFile, writeWorkspaceFile } from '../workspace-file.ts';
import { WorkspacePath } from '../workspace-path-schema.ts';

/** Characters. Larger contents are made by code, not dictated by a model. */
const MAX_CONTENT_CHARACTERS = 1024 * 1024;

const Input = z.strictObject({
  path: WorkspacePath.refine((path) => path !== WORKSPACE_ROOT, 'is the workspace itself; name a file in it').describe(
    'File inside the workspace, as in report/summary.md; missing directories are made.',
  ),
  content: z.string().max(MAX_CONTENT_CHARACTERS).describe('The whole content of the file.'),
});
type Input = z.infer<typeof Input>;

/** Writes one file of the workspace, whole or not at all. */
export const writeFile: ToolDescriptor<Input> = {
  facts: {
    name: 'write_file',
    effectClass: 1,
    reachesOutside: false,
    runsCode: false,
    showsPeople: false,
    writes: 'Path',
    output: { source: 'Tool', trust: 'Trusted', readers: 'Everyone' },
    target: { kind: 'Place', parts: [{ member: 'path', as: 'Path' }] },
    verb: { verb: 'writes the file', object: 'path', text: 'content', note: 'replacing what is there' },
  },
  offer: () => ({
    description:
      'Writes a text file in the workspace; an existing file is replaced as a whole. Use code for large or binary files.',
    input: Input,
    touches: ({ path }) => ({ readPaths: [], writePaths: [path], domains: [] }),
    replaces: ({ path }, { workspaceDirectory }) => isWorkspaceEntry(workspaceDirectory, path),
    async run({ path, content }, context) {
      const bytes = Buffer.from(content);
      const written = await writeWorkspaceFile(context.workspaceDirectory, path, bytes);
      return written.ok ? outputFor(path, bytes) : { isError: true, text: `${path} ${written.error}.` };
    },
    async lookup({ path, content }, context) {
      const bytes = Buffer.from(content);
      const opened = await openWorkspaceFile(context.workspaceDirectory, path);
      if (!opened.ok) return undefined;
      try {
        const isThere = opened.value.sizeBytes === bytes.length && bytes.equals(await opened.value.handle.readFile());
        return isThere ? outputFor(path, bytes) : undefined;
      } finally {
        await opened.value.handle.close();
      }
    },
  }),
};

function outputFor(path: string, bytes: Buffer): ToolOutput {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    isError: false,
    text: `wrote ${bytes.length} bytes to ${path}`,
    files: [{ path, sizeBytes: bytes.length, sha256 }],
  };
}
