/** One spelling of a text, with the original position of each character. */

/** Part of a text, in UTF-16 units; the end is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Spelling {
  readonly text: string;
  /** The position in the original text of a part of this spelling. */
  spanOf(part: Span): Span;
}

export class SpellingBuilder {
  readonly #parts: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Appends the spelling of the original text from `start` to `end`. */
  put(written: string, start: number, end: number): void {
    if (written === '') return;
    this.#parts.push(written);
    for (let unit = 0; unit < written.length; unit += 1) {
      this.#starts.push(start);
      this.#ends.push(end);
    }
  }

  result(): Spelling {
    const [starts, ends] = [this.#starts, this.#ends];
    return {
      text: this.#parts.join(''),
      spanOf: (part) => ({ start: starts[part.start] ?? 0, end: ends[Math.max(part.start, part.end - 1)] ?? 0 }),
    };
  }
}
