/** Decides which paths of a workspace are read-only for a run. Pure. */

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Whether `path` is a read-only path or below one. */
export function isReadOnly(path: string, readOnlyPaths: readonly string[]): boolean {
  const parts = partsOf(path);
  return readOnlyPaths.some((other) => partsOf(other).every((part, index) => parts[index] === part));
}

/** Whether a file at this path would be inside a read-only path, or replace a directory above one. */
export function wouldChangeReadOnly(path: string, readOnlyPaths: readonly string[]): boolean {
  const parts = partsOf(path);
  const isAbove = (other: string): boolean => {
    const others = partsOf(other);
    return parts.every((part, index) => others[index] === part);
  };
  return isReadOnly(path, readOnlyPaths) || readOnlyPaths.some(isAbove);
}
