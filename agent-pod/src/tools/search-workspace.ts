/**
 * Searches text files line by line within fixed limits, so that even many files keep the agent busy only briefly.
 *
 * I1  Every file is searched whole, or counted among those that were not, with its reason: 0 lines were found only where all was read.
 */
import { ok, type Result } from '@retainer/contract/std/result';
import type { Pattern } from '@retainer/mind/gate/pattern';
import { join, type Label } from '@retainer/mind/gate/provenance/label';
import { printable } from '@retainer/contract/std/printable';
import { describeFault } from './describe-fault.ts';
import { utf16Of } from './utf16.ts';
import { openNamedFile, openWorkspaceFile, resolveDirectory, type OpenedFile } from './workspace-file.ts';
import { mayShow } from './readable.ts';
import { ownWords, type WorkspaceLabels } from './workspace-labels.ts';
import { unlookedNote } from './workspace-place.ts';
import { fingerprintOf, walkWorkspace, type Unlooked } from './workspace-walk.ts';

export const MAX_SEARCHED_ENTRIES = 10_000;
/** Most bytes that one search reads: a few seconds of one core. */
export const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
export const MAX_MATCHES = 100;
/** Characters of a line that are searched; the rest of a longer line is skipped. */
export const MAX_LINE_CHARACTERS = 100_000;
const MAX_SHOWN_CHARACTERS = 240;
const CHUNK_BYTES = 256 * 1024;

interface Place {
  readonly principal: string;
  readonly workspaceDirectory: string;
  readonly labels: WorkspaceLabels;
}

interface Search extends Place {
  readonly pattern: Pattern;
  readonly signal: AbortSignal;
  readonly lines: string[];
  /** Of the lines. */
  label: Label;
  readBytes: number;
  files: number;
  /** Files that nothing was read of because the search had ended. */
  unread: number;
  /** Links and special files, which are not followed. */
  others: number;
  /** I1: the others that were not searched, or not whole. */
  readonly unlooked: Unlooked[];
}

/**
 * @param start  file or directory, as `parseWorkspacePath` returns it
 * @returns      `path:line: text` for each match, then a line that says what was searched
 */
export async function searchWorkspace(
  { principal, workspaceDirectory, labels }: Place,
  start: string,
  pattern: Pattern,
  signal: AbortSignal,
): Promise<Result<{ readonly text: string; readonly label: Label }, string>> {
  const found = { lines: [], label: ownWords, readBytes: 0, files: 0, unread: 0, others: 0, unlooked: [] };
  const search: Search = { principal, workspaceDirectory, labels, pattern, signal, ...found };
  const directory = await resolveDirectory(workspaceDirectory, start);
  if (!directory.ok) {
    const opened = await openNamedFile(workspaceDirectory, start);
    if (!opened.ok) return opened;
    await searchOpened(search, start, opened.value);
    return ok(result(search, false));
  }
  search.label = (await labels.ofWay(directory.value)) ?? ownWords;
  const walk = await walkWorkspace(workspaceDirectory, directory.value.place, { entries: MAX_SEARCHED_ENTRIES });
  for (const { kind, path } of walk.entries) {
    if (kind === 'Link' || kind === 'Other') search.others += 1;
    if (kind !== 'File') continue;
    if (isFull(search)) search.unread += 1;
    else await searchFile(search, path);
  }
  search.unlooked.push(...walk.unlooked);
  return ok(result(search, walk.isCut));
}

function isFull(search: Search): boolean {
  return search.lines.length >= MAX_MATCHES || search.readBytes >= MAX_SEARCHED_BYTES;
}

async function searchFile(search: Search, file: string): Promise<void> {
  const opened = await openWorkspaceFile(search.workspaceDirectory, file);
  if (opened.ok) await searchOpened(search, file, opened.value);
  else search.unlooked.push({ path: file, why: opened.error });
}

async function searchOpened(search: Search, file: string, opened: OpenedFile): Promise<void> {
  const shown = search.lines.length;
  try {
    const before = fingerprintOf(await opened.handle.stat());
    const why = await searchLines(search, file, opened);
    if (why !== undefined) search.unlooked.push({ path: file, why });
    // A file needs no label if nothing of it is shown.
    if (search.lines.length === shown) return;
    const label = await search.labels.ofRead(file, opened, before);
    if (mayShow(search, label)) search.label = join(label, search.label);
    else search.lines.length = shown;
  } catch (cause) {
    search.signal.throwIfAborted();
    search.unlooked.push({ path: file, why: `cannot be read: ${describeFault(cause)}` });
  } finally {
    await opened.handle.close();
  }
}

/** @returns why the file was not searched, or not whole */
async function searchLines(search: Search, file: string, { handle }: OpenedFile): Promise<string | undefined> {
  let lines = new LineCutter();
  for (let offset = 0; !isFull(search);) {
    search.signal.throwIfAborted();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
    const chunk = buffer.subarray(0, bytesRead);
    const encoding = offset === 0 ? utf16Of(chunk) : undefined;
    if (encoding !== undefined) lines = new LineCutter(encoding);
    // A zero byte near the start marks a binary file, as in other search tools.
    else if (offset === 0 && chunk.includes(0)) return 'it is not text';
    if (offset === 0) search.files += 1;
    offset += bytesRead;
    search.readBytes += bytesRead;
    for (const line of bytesRead === 0 ? lines.end() : lines.push(chunk)) match(search, file, line);
    if (bytesRead === 0) return lines.faults();
  }
  search.unread += 1;
  return lines.faults();
}

function match(search: Search, file: string, line: Line): void {
  if (search.lines.length >= MAX_MATCHES || !search.pattern.isFoundIn(line.text)) return;
  const shown = line.text.length <= MAX_SHOWN_CHARACTERS ? line.text : `${line.text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
  search.lines.push(`${printable(file)}:${line.number}: ${printable(shown)}`);
}

/** The names of what was not searched are somebody's words: they are left out where they would make trusted lines doubtful. */
function result(search: Search, isCut: boolean): { readonly text: string; readonly label: Label } {
  const { unlooked, lines } = search;
  if (unlooked.length === 0) return { text: render(search, isCut, []), label: search.label };
  const label = join(
    search.label,
    search.labels.ofNames(
      unlooked.map((it) => it.path),
      search.principal,
    ),
  );
  if (lines.length === 0 || label.trust === search.label.trust)
    return { text: render(search, isCut, unlookedNote(unlooked, NOT_WHOLE)), label };
  const note = `${unlooked.length} ${NOT_WHOLE}: search them by path for the reasons`;
  return { text: render(search, isCut, [note]), label: search.label };
}

const NOT_WHOLE = 'not searched, or not whole';

function render(search: Search, isCut: boolean, unlooked: readonly string[]): string {
  const notes = [`${search.lines.length} matching lines in ${search.files} files`];
  if (search.lines.length >= MAX_MATCHES) notes.push(`stopped at ${MAX_MATCHES} lines: use a narrower pattern or path`);
  if (search.readBytes >= MAX_SEARCHED_BYTES)
    notes.push(`stopped after ${MAX_SEARCHED_BYTES} bytes: use a narrower path, or code`);
  notes.push(...unlooked);
  if (search.others > 0) notes.push(`${search.others} links or special files were not followed`);
  if (search.unread > 0) notes.push(`${search.unread} files were not read to their end`);
  if (isCut) notes.push(`only the nearest ${MAX_SEARCHED_ENTRIES} entries were looked at`);
  return [...search.lines, `[${notes.join('; ')}]`].join('\n');
}

interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Cuts a stream of bytes into lines and holds no more than one line's limit. */
class LineCutter {
  readonly #decoder: InstanceType<typeof TextDecoder>;
  #rest = '';
  #number = 1;
  /** The first line of which only the beginning is searched. */
  #cutLine: number | undefined;
  #hasOddBytes = false;

  constructor(encoding = 'utf-8') {
    this.#decoder = new TextDecoder(encoding);
  }

  *push(chunk: Buffer): Generator<Line> {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#hasOddBytes ||= text.includes('\uFFFD');
    const parts = (this.#rest + text).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) yield this.#line(part);
    // Only the beginning of a too long line is kept; the rest is dropped on arrival.
    this.#rest = this.#cut(rest);
  }

  *end(): Generator<Line> {
    const text = this.#rest + this.#decoder.decode();
    this.#hasOddBytes ||= text.includes('\uFFFD');
    if (text !== '') yield this.#line(text);
    this.#rest = '';
  }

  /** Why not all of what was read could be searched. */
  faults(): string | undefined {
    const cut = `of line ${this.#cutLine} only ${MAX_LINE_CHARACTERS} characters`;
    const faults = [
      ...(this.#cutLine === undefined ? [] : [cut]),
      ...(this.#hasOddBytes ? [`bytes that are no text in ${this.#decoder.encoding.toUpperCase()}`] : []),
    ];
    return faults.length === 0 ? undefined : faults.join('; ');
  }

  #cut(text: string): string {
    if (text.length > MAX_LINE_CHARACTERS) this.#cutLine ??= this.#number;
    return text.slice(0, MAX_LINE_CHARACTERS);
  }

  #line(text: string): Line {
    const line = { number: this.#number, text: this.#cut(text).replace(/\r$/, '') };
    this.#number += 1;
    return line;
  }
}
