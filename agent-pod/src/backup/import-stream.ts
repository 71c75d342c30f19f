/**
 * One commit as a stream for `git fast-import`: first its blobs, then the commit that names them. A process of git per commit, no
 * index, no work tree; objects and reference are synced before it ends.
 *
 * A stream that is broken off leaves no commit.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { GitFailedError, startGit, type StartedGit } from './git.ts';
import type { FileMode } from './objects.ts';
import { BRANCH, type Repository } from './repository.ts';

export interface PutFile {
  readonly path: string;
  readonly mode: FileMode;
  readonly content: { readonly bytes: Uint8Array } | { readonly file: string; readonly sizeBytes: number };
}

export interface CommitText {
  readonly message: string;
  /** Name and address, without signs that git gives a meaning: `<`, `>`, line ends. */
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

export class ImportStream {
  readonly #git: StartedGit;
  readonly #puts: { readonly path: string; readonly mode: FileMode }[] = [];
  readonly #removed = new Set<string>();
  readonly #head: string | undefined;
  #hasFailed = false;

  constructor(repository: Repository, signal: AbortSignal | undefined) {
    this.#head = repository.head;
    this.#git = startGit(repository.directory, ['fast-import', '--quiet', '--done', '--date-format=raw'], { signal });
    this.#git.child.stdout.resume();
    this.#git.ended.catch(() => {
      this.#hasFailed = true;
    });
  }

  async put({ path, mode, content }: PutFile): Promise<void> {
    this.#puts.push({ path, mode });
    const sizeBytes = 'bytes' in content ? content.bytes.length : content.sizeBytes;
    await this.#write(`blob\nmark :${this.#puts.length}\ndata ${sizeBytes}\n`);
    if ('bytes' in content) await this.#write(content.bytes);
    else await this.#copy(content.file, sizeBytes);
    await this.#write('\n');
  }

  /** Of the file, or of the directory with all that is in it. Counts before every {@link put}. */
  remove(path: string): void {
    this.#removed.add(path);
  }

  async commit({ message, author, atMs }: CommitText): Promise<void> {
    const bytes = Buffer.from(message);
    await this.#write(`commit ${BRANCH}\ncommitter ${author} ${Math.floor(atMs / 1000)} +0000\ndata ${bytes.length}\n`);
    await this.#write(bytes);
    await this.#write(`\n${this.#head === undefined ? '' : `from ${this.#head}\n`}`);
    for (const path of this.#removed) await this.#write(`D ${quoted(path)}\n`);
    for (const [index, { path, mode }] of this.#puts.entries())
      await this.#write(`M ${mode} :${index + 1} ${quoted(path)}\n`);
    await this.#write('\ndone\n');
    this.#git.child.stdin.end();
    await this.#git.ended;
  }

  /** Ends the process, if it still runs. */
  async end(): Promise<void> {
    this.#git.child.kill('SIGKILL');
    await this.#git.ended.catch(() => undefined);
  }

  async #copy(file: string, sizeBytes: number): Promise<void> {
    let copiedBytes = 0;
    if (sizeBytes > 0)
      for await (const piece of createReadStream(file, { end: sizeBytes - 1 }) as AsyncIterable<Buffer>) {
        await this.#write(piece);
        copiedBytes += piece.length;
      }
    if (copiedBytes !== sizeBytes)
      throw new GitFailedError('Failed', `${file} became shorter while it was copied: try again`);
  }

  async #write(data: string | Uint8Array): Promise<void> {
    if (this.#hasFailed) await this.#git.ended;
    const { stdin } = this.#git.child;
    if (stdin.write(data)) return;
    // A process that ended drains nothing any more, and its own words tell more than a broken pipe.
    const drained = once(stdin, 'drain').then(
      () => undefined,
      () => this.#git.ended,
    );
    await Promise.race([drained, this.#git.ended]);
  }
}

/** A string of C, by bytes. */
function quoted(path: string): string {
  const escaped = path.replaceAll(/["\\\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  return `"${escaped}"`;
}
