/**
 * Shows the messages between the roles of this process to the auditor: a socket in the data directory, which the auditor's user may
 * connect to and the files of which it cannot write.
 *
 * I1  Nobody waits for who looks: what a looker does not take in time ends its connection, and it comes back.
 * I2  A message has the next number whether somebody looks or not, so whoever missed one can tell.
 * I3  Nothing that comes in is read.
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

/** Kept for who comes back: minutes of a busy agent, two megabytes. */
const KEPT_LINES_MAX = 4096;
/** Not yet taken by one looker, above what is kept: then it is gone, or stands still. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** The auditor, its successor, and a person. */
const LOOKERS_MAX = 4;
/** Paths of sockets are cut at 108 bytes by Linux, at 104 by others. */
const PATH_BYTES_MAX = 100;
/** Owner and group, which the auditor is in: to connect is to write. */
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
  /** From when on nothing is missing in what is kept. */
  #sinceMs: number;

  private constructor(options: TapSocketOptions) {
    this.#options = options;
    this.#sinceMs = options.clock.nowMs();
    this.#server = createServer((socket) => this.#greet(socket));
    this.#server.maxConnections = LOOKERS_MAX;
    // Of a single connection that could not be taken: the looker tries again.
    this.#server.on('error', () => undefined);
  }

  /** @throws  where no socket can be made there */
  static async open(options: TapSocketOptions): Promise<TapSocket> {
    const { path } = options;
    if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new RangeError(`the path ${path} is too long for a socket`);
    const tap = new TapSocket(options);
    // Left by a process that was killed: the data directory has one owner at a time.
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
    // By the half, so that not every message moves all.
    if (this.#kept.length > 2 * keptLinesMax) this.#forget(this.#kept.length - keptLinesMax);
    for (const looker of this.#lookers) this.#write(looker, text);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    // What was written goes out first.
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
