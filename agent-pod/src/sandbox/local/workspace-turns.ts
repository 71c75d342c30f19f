/**
 * Lets runs share a workspace only while they protect the same paths of it.
 *
 * A script may rename paths that are not read-only for it. If another run started at that moment with other read-only paths,
 * the script could swap a directory for a symbolic link between the check of a path and its mount. With equal paths, every
 * directory on the way is a mount point in every running sandbox and cannot be swapped.
 */

interface Turn {
  readonly protection: string;
  active: number;
  readonly waiting: { readonly protection: string; readonly enter: () => void }[];
}

export class WorkspaceTurns {
  readonly #turns = new Map<string, Turn>();

  /**
   * Resolves when the run may start, in order of arrival; the caller must call the returned function once, at its end.
   *
   * @param workspace   real path
   * @param protection  equal for runs that protect the same paths
   */
  async enter(workspace: string, protection: string): Promise<() => void> {
    const turn = this.#turns.get(workspace);
    if (turn === undefined) this.#turns.set(workspace, { protection, active: 1, waiting: [] });
    else if (turn.protection === protection && turn.waiting.length === 0) turn.active += 1;
    else await new Promise<void>((resolve) => turn.waiting.push({ protection, enter: resolve }));
    return () => this.#leave(workspace);
  }

  #leave(workspace: string): void {
    const turn = this.#turns.get(workspace);
    if (turn === undefined) return;
    turn.active -= 1;
    if (turn.active > 0) return;
    const protection = turn.waiting[0]?.protection;
    if (protection === undefined) {
      this.#turns.delete(workspace);
      return;
    }
    const others = turn.waiting.findIndex((entry) => entry.protection !== protection);
    const entering = turn.waiting.slice(0, others === -1 ? undefined : others);
    this.#turns.set(workspace, { protection, active: entering.length, waiting: turn.waiting.slice(entering.length) });
    for (const entry of entering) entry.enter();
  }
}
