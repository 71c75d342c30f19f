/**
 * What of the workspace a program finds read-only, because it was there before and is not free (`Gate.freeFiles`): as few paths as
 * say it, whole directories where nothing in them is free.
 *
 * A directory that holds something free, or could come to hold it, stays writable, and its other files are kept one by one.
 */
import type { FreeFiles } from '../gate/provenance/inside-policies.ts';
import { isFree } from '../gate/provenance/inside-policies.ts';
import { WORKSPACE_ROOT } from '../gate/workspace-path.ts';
import type { ToolContext } from './tool.ts';
import { walkWorkspace, type WalkEntry } from './workspace-walk.ts';

/** Entries looked at. Of a larger workspace all is read-only: nobody knows what is in the rest. */
const ENTRIES_MAX = 10_000;

/** Each is a mount, beside those of the character. Where more would be needed, whole directories are read-only. */
export const KEPT_PATHS_MAX = 400;

/** Paths shown to a model. */
const SHOWN_MAX = 10;

type Place = Pick<ToolContext, 'workspaceDirectory' | 'freeFiles'>;

/** Relative to the workspace; `.` is all of it. */
export async function keptFiles({ workspaceDirectory, freeFiles }: Place): Promise<readonly string[]> {
  if (freeFiles === undefined) return [];
  const walk = await walkWorkspace(workspaceDirectory, WORKSPACE_ROOT, { entries: ENTRIES_MAX });
  if (walk.isCut) return [WORKSPACE_ROOT];
  const kept = keptOf(walk.entries, freeFiles);
  if (kept.length <= KEPT_PATHS_MAX) return kept;
  const outermost = [...new Set(kept.map((path) => path.split('/')[0] ?? path))];
  return outermost.length <= KEPT_PATHS_MAX ? outermost : [WORKSPACE_ROOT];
}

/** @param entries  parents before what is in them */
function keptOf(entries: readonly WalkEntry[], free: FreeFiles): readonly string[] {
  const full = new Set(entries.filter(({ kind }) => kind === 'File').flatMap(({ path }) => parentsOf(path)));
  const kept = new Set<string>();
  for (const { path, kind } of entries) {
    if (parentsOf(path).some((parent) => kept.has(parent))) continue;
    const isKept =
      kind === 'File' ? !isFree(path, free) : kind === 'Directory' && full.has(path) && !mayHoldFree(path, free);
    if (isKept) kept.add(path);
  }
  return [...kept];
}

function mayHoldFree(directory: string, { paths, globs }: FreeFiles): boolean {
  const isBelow = (path: string): boolean => path.startsWith(`${directory}/`);
  return (
    [...paths].some(isBelow) ||
    globs.some(({ staticPrefix }) => isBelow(staticPrefix) || isAtOrAbove(staticPrefix, directory))
  );
}

function isAtOrAbove(path: string, other: string): boolean {
  return path === WORKSPACE_ROOT || path === other || other.startsWith(`${path}/`);
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** What a model is told where its program failed: it may have met one of them. */
export function keptNotes(kept: readonly string[]): readonly string[] {
  if (kept.length === 0) return [];
  if (kept.includes(WORKSPACE_ROOT))
    return ['the workspace is read-only for programs here: it has too many files to keep apart'];
  const more = kept.length > SHOWN_MAX ? `, and ${kept.length - SHOWN_MAX} more` : '';
  return [
    `read-only here, since the Task does not name them: ${kept
      .slice(0, SHOWN_MAX)
      .map((it) => JSON.stringify(it))
      .join(', ')}${more}; write new files elsewhere`,
  ];
}
