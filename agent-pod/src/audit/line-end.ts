/** A place in a store that can be found again: the end of a line, and the lines from one such place to another. */
import { segmentsIn } from './journal-directory.ts';
import { endsWithHash, readLines } from './read-lines.ts';
import type { ChainPosition } from './walk-chain.ts';

export type LineEnd = Pick<ChainPosition, 'segment' | 'endBytes' | 'lineHash' | 'nextSeq'>;

export const storeStart: LineEnd = { segment: '', endBytes: 0, lineHash: '', nextSeq: 0 };

type Between = Pick<LineEnd, 'segment' | 'endBytes'>;

/** Whether the same line is still there. Its hash covers everything before it. */
export async function stands(storeDirectory: string, { segment, endBytes, lineHash }: LineEnd): Promise<boolean> {
  if (lineHash === '') return true;
  return endsWithHash(`${storeDirectory}/${segment}`, endBytes, lineHash).catch(() => false);
}

/** Bytes are valid until the caller asks for the next line. */
export async function* linesBetween(
  storeDirectory: string,
  from: Between,
  to: Between,
): AsyncGenerator<Between & { readonly bytes: Buffer }> {
  const segments = await segmentsIn(storeDirectory);
  const first = Math.max(0, segments.indexOf(from.segment));
  for (const segment of segments.slice(first, segments.indexOf(to.segment) + 1)) {
    const fromBytes = segment === from.segment ? from.endBytes : 0;
    const toBytes = segment === to.segment ? to.endBytes : Infinity;
    for await (const lines of readLines(`${storeDirectory}/${segment}`, fromBytes)) {
      const some = lines.filter(({ endBytes }) => endBytes <= toBytes);
      yield* some.map(({ bytes, endBytes }) => ({ segment, bytes, endBytes }));
    }
  }
}
