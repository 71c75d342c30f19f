/** Which paths of a workspace a run must not change. Pure. */

/** Parts of a path, without `.` and empty ones. */
function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

/** Whether `path` is one of the read-only paths or below one. */
export function isReadOnly(path: string, readOnlyPaths: readonly string[]): boolean {
  const parts = partsOf(path);
  return readOnlyPaths.some((other) => partsOf(other).every((part, index) => parts[index] === part));
}

/** Whether a file of this name would change what is read-only: in it, or in the place of a directory above it. */
export function wouldChangeReadOnly(path: string, readOnlyPaths: readonly string[]): boolean {
  const parts = partsOf(path);
  const isAbove = (other: string): boolean => {
    const others = partsOf(other);
    return parts.every((part, index) => others[index] === part);
  };
  return isReadOnly(path, readOnlyPaths) || readOnlyPaths.some(isAbove);
}
