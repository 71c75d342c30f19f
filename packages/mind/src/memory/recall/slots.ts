/** Gives each id a small number. One that became free is given again, so that an index does not grow with what left it. */
export class Slots {
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #used = 0;

  take(id: string): number {
    const slot = this.#free.pop() ?? this.#used++;
    this.#slots.set(id, slot);
    return slot;
  }

  release(id: string): number | undefined {
    const slot = this.#slots.get(id);
    if (slot === undefined) return undefined;
    this.#slots.delete(id);
    this.#free.push(slot);
    return slot;
  }

  of(id: string): number | undefined {
    return this.#slots.get(id);
  }

  ids(): Iterable<readonly [id: string, slot: number]> {
    return this.#slots;
  }

  /** Number of ids. */
  get size(): number {
    return this.#slots.size;
  }

  /** All slots are below it. */
  get end(): number {
    return this.#used;
  }
}
