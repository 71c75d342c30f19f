/** Reads the translations out of a compiled message catalogue (GNU gettext, `.mo`, little-endian). */

const COUNT_AT = 8;
const TRANSLATIONS_AT = 16;
const ENTRY_BYTES = 8;

/** @returns one message a line; the first is the catalogue's own header and is left out */
export function messagesIn(bytes: Buffer): string {
  const count = bytes.readUInt32LE(COUNT_AT);
  const table = bytes.readUInt32LE(TRANSLATIONS_AT);
  return Array.from({ length: count }, (_, index) => {
    const entry = table + index * ENTRY_BYTES;
    const start = bytes.readUInt32LE(entry + 4);
    return bytes.toString('utf8', start, start + bytes.readUInt32LE(entry)).replaceAll('\0', '\n');
  })
    .slice(1)
    .join('\n');
}
