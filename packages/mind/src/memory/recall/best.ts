export interface Scored<Item> {
  readonly item: Item;
  readonly id: string;
  readonly score: number;
}

/** Keeps the best of what it is offered. Ties have the order of their ids, so that an answer never depends on that of a map. */
export class Best<Item> {
  readonly #count: number;
  /** Best first. */
  readonly #kept: Scored<Item>[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  offer(scored: Scored<Item>): void {
    const worst = this.#kept[this.#count - 1];
    if (worst !== undefined && !isBetter(scored, worst)) return;
    this.#kept.splice(this.#placeOf(scored), 0, scored);
    this.#kept.length = Math.min(this.#kept.length, this.#count);
  }

  #placeOf(scored: Scored<Item>): number {
    let [from, to] = [0, this.#kept.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#kept[middle];
      if (other !== undefined && isBetter(scored, other)) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Best first. */
  ranked(): readonly Scored<Item>[] {
    return this.#kept;
  }
}

function isBetter(a: Scored<unknown>, b: Scored<unknown>): boolean {
  return a.score > b.score || (a.score === b.score && a.id < b.id);
}
