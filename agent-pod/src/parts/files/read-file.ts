import { z } from 'zod';
import { WINDOW_BYTES_MAX } from '@retainer/mind/gate/provenance/reading';
import { parseWorkspacePath } from '@retainer/mind/gate/workspace-path';
import type { ToolDescriptor, ToolContext, ToolOutput } from '../../tools/tool.ts';
import { openNamedFile } from '../../tools/workspace-file.ts';
import { utf16Of } from '../../tools/utf16.ts';
import { ownWords } from '../../tools/workspace-labels.ts';
import { fingerprintOf } from '../../tools/workspace-walk.ts';
import { lookFacts, reading } from '../../tools/plain-tool.ts';

/** Most bytes of one page: about 4,000 tokens. */
export const PAGE_BYTES = 16_000;
/** Least bytes of one page: smaller pages bring the model no further. */
const PAGE_BYTES_MIN = 256;
/** The header of a page: its name, number and size. */
const HEADER_CHARACTERS = 5000;

const ARTIFACT_PREFIX = 'artifact:';
const ARTIFACT_ID = /^[A-Za-z0-9_-]{1,128}$/;

const Source = z.string().transform((text, context): string => {
  if (text.startsWith(ARTIFACT_PREFIX)) {
    if (ARTIFACT_ID.test(text.slice(ARTIFACT_PREFIX.length))) return text;
    context.issues.push({ code: 'custom', message: 'is not an artifact that a tool has named', input: text });
    return z.NEVER;
  }
  const path = parseWorkspacePath(text);
  // A file with this very name stays readable as ./artifact:NAME, so it keeps that spelling.
  if (path.ok) return path.value.startsWith(ARTIFACT_PREFIX) ? `./${path.value}` : path.value;
  context.issues.push({ code: 'custom', message: path.error, input: text });
  return z.NEVER;
});

const Input = z.strictObject({
  path: Source.describe('File inside the workspace, or artifact:ID for kept output.'),
  page: z.int().min(1).max(1_000_000).optional().describe('Page to read, from 1; the first without it.'),
  pageBytes: z
    .int()
    .min(PAGE_BYTES_MIN)
    .max(PAGE_BYTES)
    .optional()
    .describe(`Size of the pages; up to ${WINDOW_BYTES_MAX} bytes are always shown as they stand.`),
});
type Input = z.infer<typeof Input>;

export const readFile: ToolDescriptor<Input> = {
  facts: {
    ...lookFacts,
    name: 'read_file',
    output: { ...lookFacts.output, isFile: true },
    target: { kind: 'Place', parts: [{ member: 'path', as: 'Path' }] },
    verb: { verb: 'reads the file', object: 'path' },
  },
  offer: () => ({
    description: `Reads a text file of the workspace, or kept output by artifact:ID, in pages of at most ${PAGE_BYTES} bytes. Of a long page that you did not write, facts are taken out for you. To find something in a long file use search_files or code.`,
    input: Input,
    outputCharacters: PAGE_BYTES + HEADER_CHARACTERS,
    isPaged: true,
    touches: ({ path }) => ({
      readPaths: path.startsWith(ARTIFACT_PREFIX) ? [] : [plainPath(path)],
      writePaths: [],
      domains: [],
    }),
    ...reading(read),
  }),
};

function plainPath(path: string): string {
  return path.startsWith(`./${ARTIFACT_PREFIX}`) ? path.slice(2) : path;
}

/** The page, and its length in bytes. */
interface Wanted {
  readonly number: number;
  readonly bytes: number;
}

async function read(input: Input, context: ToolContext): Promise<ToolOutput> {
  const { path, page: number = 1, pageBytes = PAGE_BYTES } = input;
  const wanted = { number, bytes: Math.min(pageBytes, context.outputCharacters ?? pageBytes) };
  return path.startsWith(ARTIFACT_PREFIX)
    ? readArtifact(path, wanted, context)
    : readPath(plainPath(path), wanted, context);
}

async function readArtifact(name: string, wanted: Wanted, context: ToolContext): Promise<ToolOutput> {
  const kept = await context.artifacts.read(name.slice(ARTIFACT_PREFIX.length));
  if (kept === undefined) return { isError: true, text: `There is no ${name}.`, label: ownWords };
  const { text, ...label } = kept;
  const bytes = Buffer.from(text);
  const window = (offset: number, length: number): Promise<Buffer> =>
    Promise.resolve(bytes.subarray(offset, offset + length));
  const page = await readPage({ sizeBytes: bytes.length, read: window }, wanted.number, wanted.bytes);
  return { ...render(name, page), ...label };
}

async function readPath(path: string, wanted: Wanted, context: ToolContext): Promise<ToolOutput> {
  const opened = await openNamedFile(context.workspaceDirectory, path);
  if (!opened.ok) return { isError: true, text: `${path} ${opened.error}.`, label: ownWords };
  const { handle, sizeBytes } = opened.value;
  try {
    const window = async (offset: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    };
    const before = fingerprintOf(await handle.stat());
    const page = await readPage(await textSource({ sizeBytes, read: window }), wanted.number, wanted.bytes);
    return { ...render(path, page), label: await context.labels.ofRead(path, opened.value, before) };
  } finally {
    await handle.close();
  }
}

function render(name: string, page: Page): ToolOutput {
  switch (page.kind) {
    case 'Empty':
      return { isError: false, text: `${name} is empty.` };
    case 'Beyond':
      return { isError: true, text: `${name} has ${page.pages} pages; there is no page ${page.number}.` };
    case 'Binary':
      return { isError: true, text: `${name} is not text (${page.sizeBytes} bytes); use code to read it.` };
    case 'Text': {
      const header = `[page ${page.number} of ${page.pages} of ${name}, ${page.sizeBytes} bytes]\n`;
      return { isError: false, text: page.pages === 1 ? page.text : header + page.text };
    }
  }
}

interface PageSource {
  readonly sizeBytes: number;
  /** The bytes from `offset`; fewer at the end. */
  read(offset: number, length: number): Promise<Buffer>;
}

/** Text in UTF-16 becomes pages of UTF-8. A larger file is read with code. */
const UTF16_BYTES_MAX = 8 * 1024 * 1024;

async function textSource(source: PageSource): Promise<PageSource> {
  const encoding = utf16Of(await source.read(0, 2));
  if (encoding === undefined || source.sizeBytes > UTF16_BYTES_MAX) return source;
  const bytes = Buffer.from(new TextDecoder(encoding).decode(await source.read(0, source.sizeBytes)));
  const read = (offset: number, length: number): Promise<Buffer> =>
    Promise.resolve(bytes.subarray(offset, offset + length));
  return { sizeBytes: bytes.length, read };
}

type Page =
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
async function readPage(source: PageSource, number: number, pageBytes: number): Promise<Page> {
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
