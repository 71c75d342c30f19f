/** Splits bytes into lines, and never keeps more than one bounded line. */

const newline = 0x0a;

export type Line =
  | { readonly type: 'Whole'; readonly text: string }
  /** The stream ended inside this line. */
  | { readonly type: 'Cut'; readonly text: string }
  /** The last item: the rest of the stream was not read. */
  | { readonly type: 'TooLong' };

/** Lines of a stream in order, without empty ones. Rejects as the stream does. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, lineBytesMax: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const text = textOf([...parts, chunk.subarray(start, end)]);
      parts = [];
      sizeBytes = 0;
      start = end + 1;
      if (text !== '') yield { type: 'Whole', text };
    }
    const rest = chunk.subarray(start);
    sizeBytes += rest.length;
    if (sizeBytes > lineBytesMax) return yield { type: 'TooLong' };
    if (rest.length > 0) parts.push(rest);
  }
  if (sizeBytes > 0) yield { type: 'Cut', text: textOf(parts) };
}

function textOf(parts: readonly Buffer[]): string {
  return (parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)).toString('utf8').trim();
}
