/** Work that takes turns: of one key one after the other, in the order of the requests; of different keys side by side. */
export class InTurn {
  /** The last work of each key that has any. */
  readonly #last = new Map<string, Promise<void>>();

  /** Settles as the work does. */
  take(key: string, work: () => Promise<void>): Promise<void> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const last: Promise<void> = result
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === last) this.#last.delete(key);
      });
    this.#last.set(key, last);
    return result;
  }
}
