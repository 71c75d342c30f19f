/** What the tools share that look at a place of the workspace: the file or directory at `path`, or all of it. */
import { printable } from '@retainer/contract/std/printable';
import type { TargetPart } from '@retainer/mind/gate/tool-facts';
import { WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { OfferedTool } from './tool.ts';
import { WorkspacePath } from './workspace-path-schema.ts';
import type { Unlooked, WalkEntry } from './workspace-walk.ts';

/** The argument, which each tool describes in its own words. */
export const placeArgument = WorkspacePath.optional();

export const placePart = { member: 'path', as: 'Path', absent: WORKSPACE_ROOT } as const satisfies TargetPart;

interface PlaceInput {
  readonly path?: string | undefined;
}

export const startOf = ({ path = WORKSPACE_ROOT }: PlaceInput): string => path;

export const touchesPlace: OfferedTool<PlaceInput>['touches'] = (input) => ({
  readPaths: [startOf(input)],
  writePaths: [],
  domains: [],
});

/** One line, whatever the name holds. */
export function entryLine(entry: WalkEntry): string {
  const name = printable(entry.path);
  switch (entry.kind) {
    case 'Directory':
      return `${name}/`;
    case 'File':
      return `${name}  ${entry.sizeBytes}`;
    case 'Link':
      return `${name}  (a link)`;
    case 'Other':
      return `${name}  (a special file)`;
  }
}

/** Names of one note. */
const NAMED_MAX = 5;

/** What was not looked at, as the end of a note: never "0", where nobody looked. @param what  in the plural: `files` */
export function unlookedNote(unlooked: readonly Unlooked[], what: string): readonly string[] {
  if (unlooked.length === 0) return [];
  const named = unlooked.slice(0, NAMED_MAX).map((it) => `${printable(it.path)} (${it.why})`);
  const more = unlooked.length > NAMED_MAX ? `, and ${unlooked.length - NAMED_MAX} more` : '';
  return [`${unlooked.length} ${what}: ${named.join(', ')}${more}`];
}
