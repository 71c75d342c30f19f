/** Directories of a workspace that hold, by their name, nothing but what programs can make again. Pure. */

const SCRATCH_NAMES: ReadonlySet<string> = new Set([
  '.cache',
  '.tmp',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.npm',
]);

/** The topmost such directory above a file. @param path  relative to the workspace. @returns undefined: there is none */
export function scratchPlace(path: string): string | undefined {
  const parts = path.split('/');
  const at = parts.slice(0, -1).findIndex((name) => SCRATCH_NAMES.has(name));
  return at === -1 ? undefined : parts.slice(0, at + 1).join('/');
}
