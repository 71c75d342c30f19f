/** Vectors of records by slot, in one block of memory: a scan of ten thousand takes a millisecond. */
import type { TextVector } from '../../meaning/text-vector.ts';

export class Vectors {
  #dimensions = 0;
  readonly #known: boolean[] = [];
  #values = new Float32Array(0);

  /** A record without a vector, or with one of another model, is like nothing. */
  set(slot: number, vector: TextVector | undefined): void {
    this.#dimensions ||= vector?.length ?? 0;
    const start = slot * this.#dimensions;
    if (this.#values.length < start + this.#dimensions) {
      const grown = new Float32Array(2 * (start + this.#dimensions));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#known[slot] = vector !== undefined && vector.length === this.#dimensions;
    if (vector?.length !== this.#dimensions) this.#values.fill(0, start, start + this.#dimensions);
    else this.#values.set(vector, start);
  }

  has(slot: number): boolean {
    return this.#known[slot] === true;
  }

  /** Scalar products with the vectors of the slots below `slots`. */
  dots(vector: TextVector, slots: number): Float32Array {
    const products = new Float32Array(slots);
    if (vector.length !== this.#dimensions) return products;
    for (let slot = 0; slot < slots; slot += 1) products[slot] = this.#dot(slot * this.#dimensions, vector, 0);
    return products;
  }

  dot(a: number, b: number): number {
    return this.#dot(a * this.#dimensions, this.#values, b * this.#dimensions);
  }

  #dot(start: number, others: Float32Array, otherStart: number): number {
    let sum = 0;
    for (let at = 0; at < this.#dimensions; at += 1)
      sum += (this.#values[start + at] ?? 0) * (others[otherStart + at] ?? 0);
    return sum;
  }
}
