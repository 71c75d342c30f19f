/**
 * One consumer group of a stream, as one process takes part in it.
 *
 * I7  An entry is acknowledged after its handler resolved, and only then. Until then it is pending in Redis, where this process
 *     finds it again after a restart, and others when this one is silent for `reclaimAfterMs`.
 * I8  After every trouble the pending entries of this process are read first: an answer with entries may have been lost on
 *     its way. What is in hand already is not handed over twice.
 * I9  A group that is gone, since Redis lost its data, is made anew from the beginning of the stream, and `Lost` is reported.
 */
import type { Redis } from 'ioredis';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Receiver, Surroundings } from './receiver.ts';
import { pendingEntries, readEntries, unreadLost, type Entry } from './redis-replies.ts';
import { isGroupMissing, isGroupThere } from './redis-failure.ts';

/** Entries in hand at once, each a handler that runs or waits for its turn. What is over it stays in Redis. */
const IN_HAND_MAX = 256;
/** Entries of one read. */
const READ_MAX = 64;
/** After a refusal that reading again at once would meet again: no right, no memory, loading. */
const trouble: BackoffPolicy = { initialMs: 50, factor: 2, ceilingMs: 2000, jitterRatio: 0.2 };

/** Where a process reads on. */
type ReadPosition =
  /** In what it was handed before and has not acknowledged: after the entry of this id. */
  | { readonly pendingAfter: string }
  /** In what nobody of the group got yet, of which there may be much. */
  | 'Behind'
  /** At the end: it waits for the next entry. Nobody loses there. */
  | 'Waiting';

export interface RedisGroupParts extends Surroundings {
  readonly key: string;
  readonly consumer: string;
  readonly reclaimAfterMs: number;
  /** How long one read waits for an entry. */
  readonly blockMs: number;
  readonly receiver: Receiver;
  /** To whom entries go that are none of this group's business. */
  readonly passedOver: ReadonlySet<string>;
  /** A connection of its own: a read blocks it. */
  readonly reading: Redis;
  readonly writing: Redis;
}

export class RedisGroup {
  readonly #parts: RedisGroupParts;
  /** Ids of entries that were handed over and are not yet acknowledged. */
  readonly #inHand = new Map<string, Promise<void>>();
  #onRoom: (() => void) | undefined;
  #loops: readonly Promise<void>[] = [];
  /** Whether Redis had the group at some time. */
  #wasThere = false;
  /** Entries that were trimmed unread, as far as reported. */
  #lost = 0;

  constructor(parts: RedisGroupParts) {
    this.#parts = parts;
  }

  start(): void {
    const { reading, signal } = this.#parts;
    // Without a listener the client prints its errors. What failed is known from the command that failed.
    reading.on('error', () => undefined);
    signal.addEventListener('abort', () => reading.disconnect(), { once: true });
    this.#loops = [this.#read(), this.#sweep()];
  }

  /** To be called after the signal was aborted. */
  async closed(): Promise<void> {
    await Promise.all(this.#loops);
    await this.#parts.receiver.settled();
    await Promise.all(this.#inHand.values());
  }

  async #read(): Promise<void> {
    const { signal, clock, random } = this.#parts;
    let next: ReadPosition = { pendingAfter: '0' };
    let failures = 0;
    while (!signal.aborted) {
      try {
        next = await this.#readOnce(next);
        failures = 0;
      } catch (error) {
        next = { pendingAfter: '0' };
        if (isGroupMissing(error) && (await this.#makeGroup())) continue;
        if (await this.#wasDisconnected()) continue;
        await clock.sleep(backoffMs(trouble, failures, random()), signal).catch(() => undefined);
        failures += 1;
      }
    }
  }

  async #readOnce(place: ReadPosition): Promise<ReadPosition> {
    await this.#untilRoom();
    const most = Math.min(READ_MAX, IN_HAND_MAX - this.#inHand.size);
    const entries = readEntries(await this.#entriesFrom(place, most));
    this.#wasThere = true;
    await this.#take(entries);
    if (place === 'Behind' || place === 'Waiting') return entries.length === most ? 'Behind' : 'Waiting';
    const last = entries.at(-1);
    return last === undefined ? 'Behind' : { pendingAfter: last.id };
  }

  #entriesFrom(place: ReadPosition, most: number): Promise<unknown> {
    const { reading, key, consumer, blockMs, receiver } = this.#parts;
    const who = ['GROUP', receiver.name, consumer, 'COUNT', most] as const;
    if (place === 'Behind') return this.#readNoticingLoss(who);
    if (place === 'Waiting') return reading.xreadgroup(...who, 'BLOCK', blockMs, 'STREAMS', key, '>');
    return reading.xreadgroup(...who, 'STREAMS', key, place.pendingAfter);
  }

  /** Compares what was added with what the group has read, in one step with the read: between two, more could be trimmed. */
  async #readNoticingLoss(who: readonly ['GROUP', string, string, 'COUNT', number]): Promise<unknown> {
    const { reading, key, receiver, report } = this.#parts;
    const transaction = reading.multi().xinfo('STREAM', key).xinfo('GROUPS', key);
    const results = await transaction.xreadgroup(...who, 'STREAMS', key, '>').exec();
    const [[, stream] = [], [, groups] = [], [error, reply] = []] = results ?? [];
    if (error instanceof Error) throw error;
    const lost = unreadLost(stream, groups, receiver.name);
    if (lost > this.#lost) report({ kind: 'Lost', receiver: receiver.name, messages: lost - this.#lost });
    this.#lost = Math.max(this.#lost, lost);
    return reply;
  }

  async #take(entries: readonly Entry[]): Promise<void> {
    const fresh = entries.filter(({ id }) => !this.#inHand.has(id));
    const isForOthers = ({ to }: Entry): boolean => to !== undefined && this.#parts.passedOver.has(to);
    for (const entry of fresh) {
      if (isForOthers(entry)) continue;
      const done = this.#handle(entry).finally(() => {
        this.#inHand.delete(entry.id);
        this.#onRoom?.();
      });
      this.#inHand.set(entry.id, done);
    }
    const others = fresh.filter(isForOthers).map(({ id }) => id);
    if (others.length > 0) await this.#parts.writing.xack(this.#parts.key, this.#parts.receiver.name, ...others);
  }

  async #handle({ id, text, isTrimmed }: Entry): Promise<void> {
    const { receiver, report, writing, key, signal, clock, random } = this.#parts;
    if (isTrimmed) report({ kind: 'Lost', receiver: receiver.name, messages: 1 });
    else if (!(await receiver.take(text))) return;
    for (let failures = 0; ; failures += 1) {
      try {
        await writing.xack(key, receiver.name, id);
        return;
      } catch {
        // The read loop meets the same trouble. Handled is handled: only the acknowledgement is tried again.
        if (signal.aborted) return;
        await clock.sleep(backoffMs(trouble, failures, random()), signal).catch(() => undefined);
      }
    }
  }

  /** Says for what is in hand that this process lives, and takes over what others left. */
  async #sweep(): Promise<void> {
    const { signal, clock, reclaimAfterMs } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(reclaimAfterMs / 3, signal).catch(() => undefined);
      if (signal.aborted) return;
      // The read loop meets the same trouble and waits for its end.
      await this.#reclaim().catch(() => undefined);
    }
  }

  async #reclaim(): Promise<void> {
    const { writing, key, consumer, reclaimAfterMs, receiver, report } = this.#parts;
    const inHand = [...this.#inHand.keys()];
    if (inHand.length > 0) await writing.xclaim(key, receiver.name, consumer, 0, ...inHand, 'JUSTID');
    let cursor = '0-0';
    do {
      const room = IN_HAND_MAX - this.#inHand.size;
      if (room <= 0) return;
      const most = Math.min(READ_MAX, room);
      const reply = await writing.xautoclaim(key, receiver.name, consumer, reclaimAfterMs, cursor, 'COUNT', most);
      const claimed = pendingEntries(reply);
      if (claimed.entries.length > 0) {
        report({ kind: 'Reclaimed', receiver: receiver.name, messages: claimed.entries.length });
      }
      if (claimed.trimmed > 0) report({ kind: 'Lost', receiver: receiver.name, messages: claimed.trimmed });
      await this.#take(claimed.entries);
      cursor = claimed.cursor;
    } while (cursor !== '0-0');
  }

  /** @returns  whether it is there now */
  async #makeGroup(): Promise<boolean> {
    const { writing, key, receiver, report } = this.#parts;
    try {
      await writing.xgroup('CREATE', key, receiver.name, '0', 'MKSTREAM');
    } catch (error) {
      return isGroupThere(error);
    }
    this.#lost = 0;
    if (this.#wasThere) report({ kind: 'Lost', receiver: receiver.name });
    return true;
  }

  #untilRoom(): Promise<void> | void {
    if (this.#inHand.size < IN_HAND_MAX) return;
    return new Promise((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** @returns  whether it was, after it is connected again or the bus is closed; the client paces its own attempts */
  #wasDisconnected(): Promise<boolean> {
    const { reading, signal } = this.#parts;
    if (reading.status === 'ready' || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (): void => {
        reading.off('ready', done);
        signal.removeEventListener('abort', done);
        resolve(true);
      };
      reading.once('ready', done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
