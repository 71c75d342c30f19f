import { z } from 'zod';
import type { ToolDescriptor, ToolContext, ToolOutput } from '../../tools/tool.ts';
import { resolveDirectory } from '../../tools/workspace-file.ts';
import {
  entryLine,
  placeArgument,
  placePart,
  startOf,
  touchesPlace,
  unlookedNote,
} from '../../tools/workspace-place.ts';
import { join } from '@retainer/mind/gate/provenance/label';
import { ownWords } from '../../tools/workspace-labels.ts';
import { walkWorkspace } from '../../tools/workspace-walk.ts';
import { lookFacts, reading } from '../../tools/plain-tool.ts';

/** Entries of one answer: about 16,000 characters. */
const MAX_ENTRIES = 400;

const Input = z.strictObject({
  path: placeArgument.describe('Directory inside the workspace; all of the workspace without it.'),
});
type Input = z.infer<typeof Input>;

/** Lists files and directories, nearest first. */
export const listFiles: ToolDescriptor<Input> = {
  facts: {
    ...lookFacts,
    name: 'list_files',
    output: { ...lookFacts.output, isListing: true },
    target: { kind: 'Place', parts: [placePart] },
    verb: { verb: 'lists the files of', object: 'path' },
  },
  offer: () => ({
    description: `Lists what is in a directory of the workspace and below, one per line with its size in bytes; at most ${MAX_ENTRIES}, nearest first.`,
    input: Input,
    outputCharacters: 24_000,
    touches: touchesPlace,
    ...reading(list),
  }),
};

async function list(input: Input, context: ToolContext): Promise<ToolOutput> {
  const start = startOf(input);
  const directory = await resolveDirectory(context.workspaceDirectory, start);
  if (!directory.ok) return { isError: true, text: `${start} ${directory.error}.`, label: ownWords };
  const way = (await context.labels.ofWay(directory.value)) ?? ownWords;
  const walk = await walkWorkspace(context.workspaceDirectory, directory.value.place, { entries: MAX_ENTRIES });
  const unlooked = unlookedNote(walk.unlooked, 'could not be looked into');
  if (walk.entries.length === 0 && unlooked.length === 0)
    return { isError: false, text: `${start} is empty.`, label: way };
  const lines = [...walk.entries.map(entryLine), ...unlooked.map((note) => `[${note}]`)];
  if (walk.isCut) lines.push(`[more than ${MAX_ENTRIES} entries; list a directory further down for the rest]`);
  const names = [...walk.entries, ...walk.unlooked].map((it) => it.path);
  return {
    isError: walk.entries.length === 0,
    text: lines.join('\n'),
    label: join(context.labels.ofNames(names, context.principal), way),
  };
}
