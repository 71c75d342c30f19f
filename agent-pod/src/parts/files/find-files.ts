import { ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { join } from '@retainer/mind/gate/provenance/label';
import { matchesName } from '@retainer/contract/std/name-pattern';
import { compileGlob } from '@retainer/mind/gate/glob';
import { MAX_PATH_BYTES, WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import { MAX_SEARCHED_ENTRIES } from '../../tools/search-workspace.ts';
import type { ToolContext, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { resolveDirectory } from '../../tools/workspace-file.ts';
import {
  entryLine,
  placeArgument,
  placePart,
  startOf,
  touchesPlace,
  unlookedNote,
} from '../../tools/workspace-place.ts';
import { ownWords } from '../../tools/workspace-labels.ts';
import { walkWorkspace } from '../../tools/workspace-walk.ts';
import { lookFacts, reading } from '../../tools/plain-tool.ts';

/** Names of one answer: about 8,000 characters. */
export const NAMES_MAX = 200;

const Input = z.strictObject({
  glob: z
    .string()
    .min(1)
    .max(MAX_PATH_BYTES)
    .describe('A name at any depth, as in report*.md, or a path below the directory, as in src/**/*.ts.'),
  path: placeArgument.describe('Directory inside the workspace; all of the workspace without it.'),
});
type Input = z.infer<typeof Input>;

/** Finds files and directories by their names. */
export const findFiles: ToolDescriptor<Input> = {
  facts: {
    ...lookFacts,
    output: { ...lookFacts.output, isListing: true },
    name: 'find_files',
    target: { kind: 'Place', parts: [{ member: 'glob', as: 'Line' }, placePart] },
    verb: { verb: 'finds the files named', object: 'glob' },
  },
  offer: () => ({
    description: `Finds files and directories in the workspace by name or glob, sorted, one per line with its size in bytes; at most ${NAMES_MAX}.`,
    input: Input,
    outputCharacters: 16_000,
    touches: touchesPlace,
    ...reading(find),
  }),
};

async function find(input: Input, { principal, workspaceDirectory, labels }: ToolContext): Promise<ToolOutput> {
  const start = startOf(input);
  const isWanted = compileWanted(input.glob);
  if (!isWanted.ok) return { isError: true, text: `The argument "glob" was refused: ${isWanted.error}.` };
  const directory = await resolveDirectory(workspaceDirectory, start);
  if (!directory.ok) return { isError: true, text: `${start} ${directory.error}.`, label: ownWords };
  const { place } = directory.value;
  const way = (await labels.ofWay(directory.value)) ?? ownWords;
  const walk = await walkWorkspace(workspaceDirectory, place, { entries: MAX_SEARCHED_ENTRIES });
  const prefix = place === WORKSPACE_ROOT ? '' : `${place}/`;
  const found = walk.entries
    .filter((entry) => isWanted.value(entry.path.slice(prefix.length).normalize('NFC')))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const notes = [`${found.length} found`];
  if (found.length > NAMES_MAX) notes.push(`only the first ${NAMES_MAX} are shown: use a narrower glob or path`);
  if (walk.isCut) notes.push(`only the nearest ${MAX_SEARCHED_ENTRIES} entries were looked at`);
  notes.push(...unlookedNote(walk.unlooked, 'could not be looked into'));
  if (found.length === 0 && /[[{]/.test(input.glob))
    notes.push('brackets and braces stand for themselves: use two globs');
  const shown = found.slice(0, NAMES_MAX);
  const named = [...shown, ...walk.unlooked].map((it) => it.path);
  const text = [...shown.map(entryLine), `[${notes.join('; ')}]`].join('\n');
  return { isError: false, text, label: join(labels.ofNames(named, principal), way) };
}

/** Whether a path, relative to the directory that is searched, is wanted. */
function compileWanted(text: string): Result<(path: string) => boolean, string> {
  const glob = compileGlob(text);
  if (!glob.ok) return glob;
  const isName = !text.includes('/') && text !== '**';
  const name = text.normalize('NFC');
  return ok(
    isName ? (path) => matchesName(name, path.slice(path.lastIndexOf('/') + 1)) : (path) => glob.value.names(path),
  );
}
