/**
 * Standard output and standard error. Whoever reads them may go away, and what holds them may be full: neither ends the work.
 *
 * I1  A write never throws, and no error of a stream ends the process. What could not be written is dropped and counted.
 * I2  A file takes a text whole, or its loss is counted: a disk that is almost full takes a part of a write without an error.
 *
 * A descriptor that was closed (`>&-`) is as /dev/null here: Node opens it so, and nobody wants what goes there.
 */
import { fstatSync, writeSync } from 'node:fs';

export interface Loss {
  /** Of the texts that were not written whole. */
  readonly lines: number;
  /** Of the first of them, as the operating system names it. */
  readonly code: string;
}

/** A file or device that somebody made non-blocking is asked again after so long. */
const BUSY_MS = 10;
/** Two seconds: a device that takes nothing for longer is no place for output. */
const BUSY_TRIES_MAX = 200;

export class StandardStream {
  readonly #fd: number;
  readonly #stream: () => NodeJS.WriteStream;
  #isGuarded = false;
  #isGone = false;
  #loss: Loss | undefined;
  #open: Promise<void> = Promise.resolve();

  /** @param stream  made at the first use: Node opens what it stands for */
  constructor(fd: number, stream: () => NodeJS.WriteStream) {
    this.#fd = fd;
    this.#stream = stream;
  }

  get loss(): Loss | undefined {
    return this.#loss;
  }

  write(text: string): void {
    this.guard();
    if (this.#isGone) this.#lose(text, 'EPIPE');
    else if (this.#isFile()) this.#writeFile(text);
    else this.#open = Promise.all([this.#open, this.#writeStream(text)]).then(() => undefined);
  }

  /** Resolves when nothing is under way any more: a slow reader is waited for. */
  flushed(): Promise<void> {
    return this.#open;
  }

  /** An error that nobody hears would end the process, also one of a prompt that goes to the stream directly. */
  guard(): void {
    if (this.#isGuarded) return;
    this.#isGuarded = true;
    this.#stream().on('error', () => undefined);
  }

  #isFile(): boolean {
    if (this.#stream().isTTY) return false;
    try {
      const stat = fstatSync(this.#fd);
      return stat.isFile() || stat.isCharacterDevice();
    } catch {
      return false;
    }
  }

  #writeFile(text: string): void {
    const bytes = Buffer.from(text);
    let busyTries = 0;
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeSync(this.#fd, bytes, at);
      } catch (error) {
        const code = codeOf(error);
        if (code === 'EINTR') continue;
        if (code !== 'EAGAIN' || busyTries >= BUSY_TRIES_MAX) return this.#lose(text, code);
        busyTries += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
      }
    }
  }

  #writeStream(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#stream().write(text, (error) => {
        if (error !== null && error !== undefined) this.#lose(text, codeOf(error));
        resolve();
      });
    });
  }

  #lose(text: string, code: string): void {
    // Whoever closed a pipe does not come back; a disk may have room again.
    if (code === 'EPIPE') this.#isGone = true;
    const lines = Math.max(1, text.split('\n').length - 1);
    this.#loss = { lines: (this.#loss?.lines ?? 0) + lines, code: this.#loss?.code ?? code };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'an unknown error';
}

/** Of this process. */
export const standard = {
  out: new StandardStream(1, () => process.stdout),
  err: new StandardStream(2, () => process.stderr),
} as const;
