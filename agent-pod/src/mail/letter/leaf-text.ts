/** One part decoded: its text, or what it is by its content. No archive is opened, and nothing of a part is run. */
import type PostalMime from 'postal-mime';
import { visibleTextOf } from '../../tools/visible-text.ts';
import { NAME_CHARACTERS_MAX, SNIFF_BYTES, TEXT_BYTES_MAX, TEXT_LINES_MAX } from './limits.ts';
import type { MimePart } from './mime-tree.ts';

export type Parser = typeof PostalMime;

export interface DecodedText {
  readonly text: string;
  /** There is more of it than was decoded. */
  readonly isCut: boolean;
}

/** The text of a part, as its charset and encoding say, with flowed lines joined. */
export async function textOf(source: Uint8Array, part: MimePart, parser: Parser): Promise<DecodedText> {
  const { bytes, isCut } = boundedBytes(source, part);
  const parameters = ['charset', 'format', 'delsp'].flatMap((name) => {
    const value = part.parameters.get(name)?.replaceAll(/[^\w.:+-]/g, '') ?? '';
    return value === '' ? [] : [`; ${name}=${value}`];
  });
  const isHtml = part.type === 'text/html';
  const head = `Content-Type: text/${isHtml ? 'html' : 'plain'}${parameters.join('')}\r\nContent-Transfer-Encoding: ${encodingOf(part)}\r\n\r\n`;
  const email = await parser.parse(Buffer.concat([Buffer.from(head, 'latin1'), bytes]));
  return { text: withoutControls((isHtml ? email.html : email.text) ?? ''), isCut };
}

export interface PartContent {
  /** Made safe; absent: it has none. */
  readonly name?: string;
  /** By its content. */
  readonly type: string;
  /** Of the whole part, decoded. */
  readonly sizeBytes: number;
  readonly isText: boolean;
}

export async function contentOf(source: Uint8Array, part: MimePart, parser: Parser): Promise<PartContent> {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength).subarray(part.start, part.end);
  const head = [
    // So that whatever the part says it is, the library hands its bytes on.
    `Content-Type: application/octet-stream${afterType(part, 'content-type')}`,
    `Content-Disposition: attachment${afterType(part, 'content-disposition')}`,
    `Content-Transfer-Encoding: ${encodingOf(part)}`,
  ].join('\r\n');
  const sample = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'utf8'), bytes.subarray(0, SNIFF_BYTES)]);
  const [attachment] = (await parser.parse(sample, { attachmentEncoding: 'arraybuffer' })).attachments;
  const content = attachment?.content;
  const start = content instanceof ArrayBuffer ? new Uint8Array(content) : new Uint8Array();
  const type = typeOf(start, part.type);
  const name = safeName(attachment?.filename ?? '');
  return {
    ...(name === '' ? {} : { name }),
    type,
    sizeBytes: decodedSize(bytes, encodingOf(part)),
    isText: type.startsWith('text/') || type === 'application/json',
  };
}

/** The last step of a path, without characters that show nothing, mean something to a shell, or turn the direction. */
export function safeName(name: string): string {
  const last =
    visibleTextOf(name.replaceAll(/[\p{Cc}\p{Surrogate}\u2028\u2029]/gu, ''))
      .text.split(/[/\\]/)
      .at(-1) ?? '';
  const clean = last
    .replaceAll(/[^\p{L}\p{M}\p{N} ._()+,=@#-]/gu, '_')
    .replace(/^[.\s-]+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (clean.length <= NAME_CHARACTERS_MAX) return clean;
  const extension = /\.[\w]{1,10}$/.exec(clean)?.[0] ?? '';
  return `${clean.slice(0, NAME_CHARACTERS_MAX - extension.length)}${extension}`;
}

/** Text without control characters but line ends and tabs, half characters, and other signs for a line's end. */
export function withoutControls(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '')
    .replaceAll(/\p{Surrogate}/gu, '\uFFFD');
}

function encodingOf(part: MimePart): string {
  return part.encoding === 'base64' || part.encoding === 'quoted-printable' ? part.encoding : '8bit';
}

/** Bytes of a part up to the limits of bytes and lines. */
function boundedBytes(source: Uint8Array, part: MimePart): { bytes: Buffer; isCut: boolean } {
  const whole = Buffer.from(source.buffer, source.byteOffset, source.byteLength).subarray(part.start, part.end);
  let end = Math.min(whole.length, TEXT_BYTES_MAX);
  let lines = 0;
  for (let at = whole.indexOf(0x0a); at !== -1 && at < end; at = whole.indexOf(0x0a, at + 1)) {
    lines += 1;
    if (lines >= TEXT_LINES_MAX) end = at + 1;
  }
  return { bytes: whole.subarray(0, end), isCut: end < whole.length };
}

/** The parameters of a field, from its first semicolon on. */
function afterType(part: MimePart, name: string): string {
  const value = part.fields.find((field) => field.name === name)?.value ?? '';
  const from = value.indexOf(';');
  return from === -1 ? '' : value.slice(from, from + 4096).replaceAll(/[\r\n\0]/g, ' ');
}

/** Of base64 without counting every character. */
function decodedSize(bytes: Buffer, encoding: string): number {
  if (encoding !== 'base64') return bytes.length;
  const lineEnd = bytes.indexOf(0x0a);
  const perLine = lineEnd > 0 ? (lineEnd - (bytes[lineEnd - 1] === 0x0d ? 1 : 0)) / (lineEnd + 1) : 1;
  return Math.floor(bytes.length * perLine * 0.75);
}

/** First bytes of formats that attachments have, as Latin-1. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, 'application/pdf'],
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
  [/^(II\*\0|MM\0\*)/, 'image/tiff'],
  [/^BM[^]{4}\0\0\0\0/, 'image/bmp'],
  [/^PK(\x03\x04|\x05\x06|\x07\x08)/, 'application/zip'],
  [/^\x1f\x8b/, 'application/gzip'],
  [/^7z\xbc\xaf\x27\x1c/, 'application/x-7z-compressed'],
  [/^Rar!\x1a\x07/, 'application/vnd.rar'],
  [/^\xfd7zXZ\0/, 'application/x-xz'],
  [/^BZh[1-9]/, 'application/x-bzip2'],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'application/x-ole-storage'],
  [/^\x7fELF/, 'application/x-elf'],
  [/^MZ/, 'application/vnd.microsoft.portable-executable'],
  [/^(\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe)/, 'application/x-mach-binary'],
  [/^(ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^OggS/, 'application/ogg'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  [/^SQLite format 3\0/, 'application/vnd.sqlite3'],
  [/^\{\\rtf/, 'application/rtf'],
];

/** Texts that programs run or draw, by how they begin. */
const ACTIVE: readonly (readonly [RegExp, string])[] = [
  [/^\s*(<\?xml[^>]{0,200}\?>\s*)?(<!DOCTYPE svg[^>]{0,400}>\s*)?<svg[\s>]/i, 'image/svg+xml'],
  [/^#!/, 'application/x-executable-script'],
];

/** Types of text that may be believed: they say only how it is laid out. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  ...[
    'text/plain',
    'text/csv',
    'text/html',
    'text/calendar',
    'text/markdown',
    'text/tab-separated-values',
    'text/vcard',
  ],
  'application/json',
]);

function typeOf(start: Uint8Array, said: string): string {
  const head = Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('latin1');
  const known = SIGNATURES.find(([signature]) => signature.test(head));
  if (known !== undefined) return known[1];
  // UTF-16 has a mark at its beginning, and NUL in every other place.
  if (!/^(\xff\xfe|\xfe\xff)/.test(head) && /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(head)) return 'application/octet-stream';
  const active = ACTIVE.find(([beginning]) => beginning.test(head));
  if (active !== undefined) return active[1];
  if (/^\s*(<!DOCTYPE html|<html|<script)/i.test(head)) return 'text/html';
  return TEXT_TYPES.has(said) ? said : 'text/plain';
}
