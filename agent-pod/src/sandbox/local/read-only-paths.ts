/**
 * The binds that keep paths of a workspace read-only, whatever the script does.
 *
 * A mount point can be neither renamed nor removed, but a directory above one can: `mv a b` would carry `a/data` away
 * and free the name for a forgery. So every directory above a read-only path becomes a mount point of its own.
 */
import { err, ok, type Result } from '@retainer/contract/std/result';

/** One bind of a workspace path over itself; '' is the workspace. */
export interface WorkspaceBind {
  /** Relative, without `.` and `..`. */
  readonly path: string;
  readonly access: 'read-write' | 'read-only';
}

/** Each is a mount at every start; five hundred take a fifth of a second. */
export const READ_ONLY_PATHS_MAX = 512;

/** In mount order: the workspace, then parents before children. @param paths  relative to the workspace */
export function workspaceBinds(paths: readonly string[]): Result<readonly WorkspaceBind[], string> {
  if (paths.length > READ_ONLY_PATHS_MAX)
    return err(`${String(paths.length)} read-only paths; at most ${String(READ_ONLY_PATHS_MAX)}`);
  const wanted = new Set<string>();
  for (const path of paths) {
    const relative = relativePath(path);
    if (!relative.ok) return relative;
    wanted.add(relative.value);
  }
  if (wanted.has('')) return ok([{ path: '', access: 'read-only' }]);
  const outermost = [...wanted].filter((path) => !parents(path).some((parent) => wanted.has(parent)));
  const above = new Set(outermost.flatMap(parents));
  const binds: readonly WorkspaceBind[] = [
    ...[...above].map((path) => ({ path, access: 'read-write' }) as const),
    ...outermost.map((path) => ({ path, access: 'read-only' }) as const),
  ];
  const head: WorkspaceBind = { path: '', access: 'read-write' };
  return ok([head, ...binds.toSorted((a, b) => (a.path < b.path ? -1 : 1))]);
}

function relativePath(path: string): Result<string, string> {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const isRelative = path !== '' && !path.startsWith('/') && !path.includes('\0') && !parts.includes('..');
  if (isRelative) return ok(parts.join('/'));
  return err(`read-only path ${JSON.stringify(path)} must be relative to the workspace and stay inside it`);
}

/** The directories above, outermost first, without the workspace. */
function parents(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
