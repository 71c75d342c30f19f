/**
 * The files that a program finds read-only: files that existed before and are not free (`Gate.freeFiles`). The program
 * may add new files beside them.
 *
 * When single files would be too many, whole directories without free files are read-only, then the top directories,
 * then everything.
 */
import { isFree, type FreeFiles } from '@retainer/mind/gate/provenance/free-files';
import { WORKSPACE_ROOT } from '@retainer/mind/gate/workspace-path';
import type { ToolContext } from './tool.ts';
import { walkWorkspace, type WalkEntry } from './workspace-walk.ts';

/** Entries examined. A larger workspace is read-only as a whole, because the rest is unknown. */
const ENTRIES_MAX = 10_000;

/** Each is a mount, in addition to those of the character. */
export const KEPT_PATHS_MAX = 400;

/** Paths shown to a model. */
const SHOWN_MAX = 10;

type WorkspaceLimits = Pick<ToolContext, 'workspaceDirectory' | 'freeFiles' | 'readOnlyPaths'>;

/** Relative to the workspace, in addition to its `readOnlyPaths`; `.` means all of it. */
export async function keptFiles({
  workspaceDirectory,
  freeFiles,
  readOnlyPaths,
}: WorkspaceLimits): Promise<readonly string[]> {
  if (freeFiles === undefined) return [];
  const walk = await walkWorkspace(workspaceDirectory, WORKSPACE_ROOT, { entries: ENTRIES_MAX });
  if (walk.isCut) return [WORKSPACE_ROOT];
  const files = walk.entries.flatMap(({ path, kind }) => (kind === 'File' ? [path] : []));
  const isKeptAnyway = (path: string): boolean => readOnlyPaths.some((other) => isAtOrAbove(other, path));
  const paths = files.filter((path) => !isFree(path, freeFiles) && !isKeptAnyway(path));
  const choices = [paths, withDirectories(walk.entries, paths, freeFiles), paths.map(outermost)];
  return choices.map((it) => [...new Set(it)]).find((it) => it.length <= KEPT_PATHS_MAX) ?? [WORKSPACE_ROOT];
}

function outermost(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Each file, or the outermost directory around it without free files. */
function withDirectories(entries: readonly WalkEntry[], files: readonly string[], free: FreeFiles): readonly string[] {
  const directories = entries.filter(({ path, kind }) => kind === 'Directory' && !mayHoldFree(path, free));
  const whole = new Set(directories.map(({ path }) => path));
  return files.map((file) => parentsOf(file).find((parent) => whole.has(parent)) ?? file);
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

/** A note for the model when its program failed: one of these files may be the cause. */
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
