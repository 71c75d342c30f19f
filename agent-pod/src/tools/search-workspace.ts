/** Searches text files line by line within fixed limits, so that even many files keep the agent busy only briefly. */
import { ok, type Result } from '@retainer/contract/std/result';
import type { Pattern } from '@retainer/mind/gate/pattern';
import { join, type Label } from '@retainer/mind/gate/provenance/label';
import { printable } from '@retainer/contract/std/printable';
import { openWorkspaceFile, resolveDirectory, type OpenedFile } from './workspace-file.ts';
import { ownWords, type WorkspaceLabels } from './workspace-labels.ts';
import { fingerprintOf, walkWorkspace } from './workspace-walk.ts';

export const MAX_SEARCHED_ENTRIES = 10_000;
/** Most bytes that one search reads: a few seconds of one core. */
export const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
export const MAX_MATCHES = 100;
/** Characters of a line that are searched; the rest of a longer line is skipped. */
export const MAX_LINE_CHARACTERS = 100_000;
const MAX_SHOWN_CHARACTERS = 240;
const CHUNK_BYTES = 256 * 1024;

interface Place {
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
  unread: number;
}

/**
 * @param start  file or directory, as `parseWorkspacePath` returns it
 * @returns      `path:line: text` for each match, then a line that says what was searched
 */
export async function searchWorkspace(
  { workspaceDirectory, labels }: Place,
  start: string,
  pattern: Pattern,
  signal: AbortSignal,
): Promise<Result<{ readonly text: string; readonly label: Label }, string>> {
  const found = { lines: [], label: ownWords, readBytes: 0, files: 0, unread: 0 };
  const search: Search = { workspaceDirectory, labels, pattern, signal, ...found };
  const directory = await resolveDirectory(workspaceDirectory, start);
  if (!directory.ok) {
    const opened = await openWorkspaceFile(workspaceDirectory, start);
    if (!opened.ok) return opened;
    await opened.value.handle.close();
    await searchFile(search, start);
    return ok({ text: render(search, false), label: search.label });
  }
  const walk = await walkWorkspace(workspaceDirectory, directory.value, { entries: MAX_SEARCHED_ENTRIES });
  for (const entry of walk.entries) {
    if (entry.kind !== 'File') continue;
    if (isFull(search)) search.unread += 1;
    else await searchFile(search, entry.path);
  }
  return ok({ text: render(search, walk.isCut), label: search.label });
}

function isFull(search: Search): boolean {
  return search.lines.length >= MAX_MATCHES || search.readBytes >= MAX_SEARCHED_BYTES;
}

async function searchFile(search: Search, file: string): Promise<void> {
  const opened = await openWorkspaceFile(search.workspaceDirectory, file);
  if (!opened.ok) {
    search.unread += 1;
    return;
  }
  search.files += 1;
  const shown = search.lines.length;
  try {
    const before = fingerprintOf(await opened.value.handle.stat());
    await searchLines(search, file, opened.value);
    // A file needs no label if nothing of it is shown.
    if (search.lines.length > shown)
      search.label = join(await search.labels.ofRead(file, opened.value, before), search.label);
  } finally {
    await opened.value.handle.close();
  }
}

async function searchLines(search: Search, file: string, { handle }: OpenedFile): Promise<void> {
  const lines = new LineCutter();
  for (let offset = 0; !isFull(search);) {
    search.signal.throwIfAborted();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
    const chunk = buffer.subarray(0, bytesRead);
    // A zero byte near the start marks a binary file, as in other search tools.
    if (offset === 0 && chunk.includes(0)) return;
    offset += bytesRead;
    search.readBytes += bytesRead;
    for (const line of bytesRead === 0 ? lines.end() : lines.push(chunk)) match(search, file, line);
    if (bytesRead === 0) return;
  }
  search.unread += 1;
}

function match(search: Search, file: string, line: Line): void {
  if (search.lines.length >= MAX_MATCHES || !search.pattern.isFoundIn(line.text)) return;
  const shown = line.text.length <= MAX_SHOWN_CHARACTERS ? line.text : `${line.text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
  search.lines.push(`${printable(file)}:${line.number}: ${printable(shown)}`);
}

function render(search: Search, isCut: boolean): string {
  const notes = [`${search.lines.length} matching lines in ${search.files} files`];
  if (search.lines.length >= MAX_MATCHES) notes.push(`stopped at ${MAX_MATCHES} lines: use a narrower pattern or path`);
  if (search.readBytes >= MAX_SEARCHED_BYTES)
    notes.push(`stopped after ${MAX_SEARCHED_BYTES} bytes: use a narrower path, or code`);
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
  readonly #decoder = new TextDecoder();
  #rest = '';
  #number = 1;

  *push(chunk: Buffer): Generator<Line> {
    const parts = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) yield this.#line(part);
    // Only the beginning of a too long line is kept; the rest is dropped on arrival.
    this.#rest = rest.slice(0, MAX_LINE_CHARACTERS);
  }

  *end(): Generator<Line> {
    if (this.#rest !== '') yield this.#line(this.#rest);
    this.#rest = '';
  }

  #line(text: string): Line {
    const line = { number: this.#number, text: text.slice(0, MAX_LINE_CHARACTERS).replace(/\r$/, '') };
    this.#number += 1;
    return line;
  }
}
