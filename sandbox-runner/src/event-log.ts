/**
 * The output of a run so far, as numbered events. Every reader may begin at any number.
 *
 * I1  Memory is bounded whatever the code prints and however slow a reader is. It keeps the first bytes of each stream and counts the rest;
 *     the number of events has a limit of its own.
 * I2  The event of a number never changes: a second read gives the same event.
 */
import type { RunEvent } from '@retainer/contract/wire/runner';

export type OutputStream = 'stdout' | 'stderr';
export type RunEnded = RunEvent & { type: 'Ended' };

/** How long output waits for more: a program that prints letter by letter must not make an event of each. */
export const FLUSH_AFTER_MS = 50;
/** Content of one event, at most. */
const EVENT_BYTES_MAX = 65_536;
/** Beyond this number output waits for the end, so that a slow drip costs no more than a flood. */
const EVENTS_MAX = 20_000;

type Entry = { readonly type: 'Started' } | Output | RunEnded;

interface Output {
  readonly type: 'Output';
  readonly stream: OutputStream;
  readonly bytes: Buffer;
}

/** Waiting output, in one buffer for any number of small chunks. */
class Pending {
  #bytes = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#bytes.length) {
      const larger = Buffer.alloc(2 * (this.#length + chunk.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length += chunk.length;
  }

  take(): Buffer {
    const bytes = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}

export class EventLog {
  readonly #entries: Entry[] = [];
  /** Bytes kept of each stream. */
  readonly outputBytesMax: number;
  readonly #kept = { stdout: 0, stderr: 0 };
  readonly #pending = { stdout: new Pending(), stderr: new Pending() };
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #droppedBytes = 0;
  #totalBytes = 0;
  #isEnded = false;

  /** @param outputBytesMax  bytes kept of each stream */
  constructor(outputBytesMax: number) {
    this.outputBytesMax = outputBytesMax;
  }

  /** Bytes of both streams, kept and dropped. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  get droppedBytes(): number {
    return this.#droppedBytes;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  start(): void {
    this.#push({ type: 'Started' });
  }

  add(stream: OutputStream, chunk: Uint8Array): void {
    if (this.#isEnded) return;
    this.#totalBytes += chunk.length;
    const room = Math.max(0, this.outputBytesMax - this.#kept[stream]);
    const kept = chunk.subarray(0, room);
    this.#droppedBytes += chunk.length - kept.length;
    if (kept.length === 0) return;
    this.#kept[stream] += kept.length;
    const pending = this.#pending[stream];
    pending.add(kept);
    if (pending.length >= EVENT_BYTES_MAX) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_AFTER_MS);
  }

  /** Adds the last event. Later output is ignored. */
  end(ended: RunEnded): void {
    if (this.#isEnded) return;
    this.#flush(true);
    this.#isEnded = true;
    this.#push(ended);
  }

  /** One event as a line; undefined if it does not exist yet. */
  line(index: number): string | undefined {
    const entry = this.#entries[index];
    return entry === undefined ? undefined : `${JSON.stringify(eventOf(entry))}\n`;
  }

  /** Calls back after every new event, until the returned function is called. */
  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  #flush(isLast = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!isLast && this.#entries.length >= EVENTS_MAX) return;
    for (const stream of ['stdout', 'stderr'] as const) {
      const bytes = this.#pending[stream].take();
      for (let at = 0; at < bytes.length; at += EVENT_BYTES_MAX)
        this.#push({ type: 'Output', stream, bytes: bytes.subarray(at, at + EVENT_BYTES_MAX) });
    }
  }

  #push(entry: Entry): void {
    this.#entries.push(entry);
    for (const onChange of this.#watchers) onChange();
  }
}

function eventOf(entry: Entry): RunEvent {
  if (entry.type !== 'Output') return entry;
  return { type: 'Output', stream: entry.stream, base64: entry.bytes.toString('base64') };
}
