import { z } from 'zod';
import { join, type Label } from '@retainer/mind/gate/provenance/label';
import { digestOfEntry } from '../../tools/digest-entry.ts';
import { appliedBefore, applyEdits, type EditedText } from '../../tools/edit-text.ts';
import { readTextFile, TEXT_CHARACTERS_MAX, wroteFile } from '../../tools/text-file.ts';
import type { ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { isWorkspaceEntry, writeWorkspaceFile } from '../../tools/workspace-file.ts';
import { ownWords } from '../../tools/workspace-labels.ts';
import { WorkspaceFilePath } from '../../tools/workspace-path-schema.ts';
import { lookFacts } from '../../tools/plain-tool.ts';

/** Edits of one call. Code makes more of them faster than a model dictates them. */
const EDITS_MAX = 50;

const Line = z.int().min(1).optional();

const EditInput = z
  .strictObject({
    old: z.string().max(TEXT_CHARACTERS_MAX).describe('Text to replace, exactly as in the file.'),
    new: z.string().max(TEXT_CHARACTERS_MAX).describe('Text instead; empty deletes.'),
    fromLine: Line.describe(
      'First of the lines that are the old text, from 1; without it the old text must occur exactly once.',
    ),
    toLine: Line.describe('Last of them; fromLine without it.'),
  })
  .refine(({ old, new: text }) => old !== text, 'replaces a text by itself; leave it out')
  .refine(
    ({ old, fromLine }) => old !== '' || fromLine !== undefined,
    'has an empty old text; name an empty line by fromLine',
  )
  .refine(({ fromLine, toLine }) => toLine === undefined || (fromLine !== undefined && fromLine <= toLine), {
    message: 'has a toLine without a fromLine before it',
  });

const Input = z.strictObject({
  path: WorkspaceFilePath.describe('Text file inside the workspace.'),
  edits: z.array(EditInput).min(1).max(EDITS_MAX).describe('Edits that do not overlap, in any order.'),
});
type Input = z.infer<typeof Input>;

/** Changes parts of one file, all of them or none. */
export const editFile: ToolDescriptor<Input> = {
  facts: {
    ...lookFacts,
    name: 'edit_file',
    effectClass: 1,
    writes: 'Part',
    // An answer to an edit that cannot be made shows parts of the file. What only the tool says is labelled below.
    output: { ...lookFacts.output, isFile: true },
    target: { kind: 'Place', parts: [{ member: 'path', as: 'Path' }] },
    verb: { verb: 'edits the file', object: 'path', text: 'edits', note: 'keeping the rest of it' },
  },
  offer: () => ({
    description:
      'Changes parts of a text file, all or none. Use it instead of write_file when most of an existing file stays. ' +
      'All edits name the file as it was before the call; if one does not fit, the answer shows the nearest place.',
    input: Input,
    touches: ({ path }) => ({ readPaths: [path], writePaths: [path], domains: [] }),
    replaces: ({ path }, { workspaceDirectory }) => isWorkspaceEntry(workspaceDirectory, path),
    standing: ({ path }, { workspaceDirectory }) => digestOfEntry(workspaceDirectory, path),
    run: (input, context) => edit(input, context),
    async lookup({ path, edits }, { workspaceDirectory, carried, labels }) {
      const after = await readTextFile(workspaceDirectory, path);
      const edited = after.ok ? appliedBefore(after.value, edits) : undefined;
      if (edited === undefined) return undefined;
      const recorded = labels.ofBytes(path, Buffer.from(edited.text));
      const stood = labels.ofBytes(path, Buffer.from(edited.before));
      return outputFor(path, edited, recorded.trust === 'Trusted' ? recorded : join(carried, stood));
    },
  }),
};

async function edit({ path, edits }: Input, context: ToolContext): Promise<ToolOutput> {
  const { workspaceDirectory, carried, labels } = context;
  const before = await readTextFile(workspaceDirectory, path);
  if (!before.ok) return refused(`${path} ${before.error}.`);
  const label = labels.ofBytes(path, Buffer.from(before.value));
  const edited = applyEdits(before.value, edits);
  if (!edited.ok) return { isError: true, text: `Nothing was written to ${path}.\n${edited.error}`, label };
  const { text } = edited.value;
  if (text.length > TEXT_CHARACTERS_MAX)
    return refused(`${path} would be longer than ${TEXT_CHARACTERS_MAX} characters.`);
  const written = await writeWorkspaceFile(workspaceDirectory, path, Buffer.from(text));
  return written.ok ? outputFor(path, edited.value, join(carried, label)) : refused(`${path} ${written.error}.`);
}

function refused(text: string): ToolOutput {
  return { isError: true, text, label: ownWords };
}

/** @param label  of the file as it stands now */
function outputFor(path: string, { text, lines }: EditedText, label: Label): ToolOutput {
  const bytes = Buffer.from(text);
  const edits = `${lines.length} edit${lines.length === 1 ? '' : 's'}`;
  const at = `${lines.length === 1 && !lines[0]?.includes('-') ? 'line' : 'lines'} ${lines.join(', ')}`;
  const told = `made ${edits} in ${path}, now at ${at}; ${bytes.length} bytes`;
  return wroteFile(path, bytes, told, label);
}
