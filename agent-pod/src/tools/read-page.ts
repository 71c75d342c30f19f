/** One page of a long text, found without reading the text before it. */

export interface PageSource {
  readonly sizeBytes: number;
  /** The bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

export type Page =
  | { readonly kind: 'Empty' }
  | { readonly kind: 'Beyond'; readonly number: number; readonly pages: number }
  | { readonly kind: 'Binary'; readonly sizeBytes: number }
  | {
      readonly kind: 'Text';
      readonly number: number;
      readonly pages: number;
      readonly sizeBytes: number;
      readonly text: string;
    };

/** Longest character of UTF-8, less one: the bytes that a page may need beyond its end. */
const MAX_OVERHANG_BYTES = 3;

/** @param number  from 1 */
export async function readPage(source: PageSource, number: number, pageBytes: number): Promise<Page> {
  const { sizeBytes } = source;
  const pages = Math.ceil(sizeBytes / pageBytes);
  if (pages === 0 && number === 1) return { kind: 'Empty' };
  if (number > pages) return { kind: 'Beyond', number, pages };
  const bytes = await source.read((number - 1) * pageBytes, pageBytes + MAX_OVERHANG_BYTES);
  if (bytes.includes(0)) return { kind: 'Binary', sizeBytes };
  // A character belongs to the page of its first byte.
  const start = number === 1 ? 0 : continuationBytes(bytes, 0);
  const end = bytes.length <= pageBytes ? bytes.length : pageBytes + continuationBytes(bytes, pageBytes);
  return { kind: 'Text', number, pages, sizeBytes, text: bytes.toString('utf8', start, end) };
}

function continuationBytes(bytes: Buffer, from: number): number {
  let count = 0;
  while (count < MAX_OVERHANG_BYTES && ((bytes[from + count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}
