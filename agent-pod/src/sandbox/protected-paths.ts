/** The paths of a workspace that a program may not change. Pure; a look-up costs the depth of its path. */

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

export class ProtectedPaths {
  readonly #paths = new Set<string>();
  readonly #above = new Set<string>();

  /** @param paths  relative to the workspace; each protects what is below it, too */
  constructor(paths: readonly string[]) {
    for (const path of paths) {
      const parts = partsOf(path);
      this.#paths.add(parts.join('/'));
      for (let at = 0; at < parts.length; at += 1) this.#above.add(parts.slice(0, at).join('/'));
    }
  }

  /** Whether `path` is a protected path or below one. */
  has(path: string): boolean {
    const parts = partsOf(path);
    for (let at = 0; at <= parts.length; at += 1) if (this.#paths.has(parts.slice(0, at).join('/'))) return true;
    return false;
  }

  /** Whether a change at this path would be inside a protected path, or replace a directory above one. */
  wouldChange(path: string): boolean {
    return this.has(path) || this.#above.has(partsOf(path).join('/'));
  }
}
