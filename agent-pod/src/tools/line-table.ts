/** The lines of a text, from 1, as an editor counts them: a line break ends a line and begins none at the end of the text. */
export class LineTable {
  readonly text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.text = text;
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    if (starts.at(-1) === text.length) starts.pop();
    this.#starts = starts;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The line that holds the character at `offset`; the last line for the end of the text. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(low, 1);
  }

  startOf(line: number): number {
    return this.#starts[line - 1] ?? this.text.length;
  }

  /** The end of a line, before its line break. */
  endOf(line: number): number {
    const next = this.startOf(line + 1);
    if (next === this.startOf(line) || this.text[next - 1] !== '\n') return next;
    return this.text[next - 2] === '\r' ? next - 2 : next - 1;
  }

  /** Without its line break. */
  line(line: number): string {
    return this.text.slice(this.startOf(line), this.endOf(line));
  }
}
