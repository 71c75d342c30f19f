/**
 * Shows the messages between the roles of this process to the auditor, on a socket in the data directory. The auditor's user may
 * connect, but cannot write to the directory's files.
 *
 * I1  The process never waits for a reader: a slow reader is disconnected, and reconnects.
 * I2  Every message has a number, read or not, so a reader can detect missed ones.
 * I3  The socket ignores all input.
 *
 * Source: artoo A.12. Differs: envelopes alone; contents are read from the journal, and held against the hash.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '@retainer/contract/std/clock';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import type { TapLine } from '@retainer/contract/wire/bus/tap';

/** Kept for reconnecting readers: minutes of a busy agent, two megabytes. */
const KEPT_LINES_MAX = 4096;
/** Unsent bytes of one reader. More than all kept lines, so a reader beyond it is stuck or gone. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** The auditor, its successor, and a person. */
const LOOKERS_MAX = 4;
/** Linux cuts socket paths at 108 bytes, other systems at 104. */
const PATH_BYTES_MAX = 100;
/** For owner and group, which includes the auditor. Connecting requires write permission. */
const SOCKET_MODE = 0o660;

export interface TapSocketOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly keptLinesMax?: number;
  readonly waitingBytesMax?: number;
}

interface Kept {
  readonly number: number;
  readonly shownMs: number;
  readonly text: string;
}

export class TapSocket {
  readonly #options: TapSocketOptions;
  readonly #process = randomUUID();
  readonly #server: Server;
  readonly #lookers = new Set<Socket>();
  #kept: Kept[] = [];
  #number = 0;
  /** The kept lines are complete since this time. */
  #sinceMs: number;

  private constructor(options: TapSocketOptions) {
    this.#options = options;
    this.#sinceMs = options.clock.nowMs();
    this.#server = createServer((socket) => this.#greet(socket));
    this.#server.maxConnections = LOOKERS_MAX;
    // Concerns a single connection: its reader tries again.
    this.#server.on('error', () => undefined);
  }

  /** @throws  if the socket cannot be created */
  static async open(options: TapSocketOptions): Promise<TapSocket> {
    const { path } = options;
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new RangeError(`the path ${path} is too long for a socket`);
    const tap = new TapSocket(options);
    // A killed process may have left it; the data directory has one owner at a time.
    await rm(path, { force: true });
    const listening = once(tap.#server, 'listening');
    tap.#server.listen(path);
    await listening;
    await chmod(path, SOCKET_MODE);
    return tap;
  }

  show({ runId, seq, atMs, type, from, to, contentHash }: BusMessage): void {
    this.#number += 1;
    const text = lineOf({
      line: 'Shown',
      number: this.#number,
      message: { runId, seq, atMs, type, from, to, contentHash },
    });
    this.#kept.push({ number: this.#number, shownMs: this.#options.clock.nowMs(), text });
    const { keptLinesMax = KEPT_LINES_MAX } = this.#options;
    // Drops half at once, so that not every message copies the list.
    if (this.#kept.length > 2 * keptLinesMax) this.#forget(this.#kept.length - keptLinesMax);
    for (const looker of this.#lookers) this.#write(looker, text);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    // Sends pending lines first.
    for (const looker of this.#lookers) looker.destroySoon();
    await closed;
    await rm(this.#options.path, { force: true });
  }

  #greet(socket: Socket): void {
    this.#lookers.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#lookers.delete(socket));
    socket.resume();
    const first = this.#kept[0]?.number ?? this.#number + 1;
    socket.write(lineOf({ line: 'Hello', process: this.#process, first, sinceMs: this.#sinceMs }));
    for (const { text } of this.#kept) socket.write(text);
  }

  #write(looker: Socket, text: string): void {
    const { waitingBytesMax = WAITING_BYTES_MAX } = this.#options;
    if (looker.writableLength > waitingBytesMax) looker.destroy();
    else looker.write(text);
  }

  #forget(lines: number): void {
    this.#sinceMs = this.#kept[lines - 1]?.shownMs ?? this.#sinceMs;
    this.#kept = this.#kept.slice(lines);
  }
}

function lineOf(line: TapLine): string {
  return `${JSON.stringify(line)}\n`;
}
