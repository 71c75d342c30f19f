/** The form of UTF-16 that a mark at the beginning of a text names. Source: Unicode Standard, chapter 23.8 (byte order mark). */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}
