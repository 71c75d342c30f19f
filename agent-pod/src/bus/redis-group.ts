/**
 * One process's membership in a consumer group of a stream.
 *
 * I7  An entry is acknowledged only after its handler resolved. Until then it is pending in Redis: this process finds it again
 *     after a restart, other processes after this one was silent for `reclaimAfterMs`.
 * I8  After every failure this process first reads its pending entries, since a reply with entries may have been lost. Entries
 *     in hand are not delivered twice.
 * I9  If the group is missing because Redis lost its data, it is created anew from the beginning of the stream, and `Lost` is
 *     reported.
 */
import type { Redis } from 'ioredis';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Receiver, Surroundings } from './receiver.ts';
import { pendingEntries, readEntries, unreadLost, type Entry } from './redis-replies.ts';
import { isGroupMissing, isGroupThere } from './redis-failure.ts';

/** Entries in hand at once, each with a running or waiting handler. Further entries stay in Redis. */
const IN_HAND_MAX = 256;
const READ_MAX = 64;
/** For refusals that last: no permission, no memory, loading. */
const trouble: BackoffPolicy = { initialMs: 50, factor: 2, ceilingMs: 2000, jitterRatio: 0.2 };

type ReadPosition =
  /** This process's unacknowledged entries after this id. */
  | { readonly pendingAfter: string }
  /** Entries new to the group, possibly many. */
  | 'Behind'
  /** The end of the stream, where no entry can be lost. */
  | 'Waiting';

export interface RedisGroupParts extends Surroundings {
  readonly key: string;
  readonly consumer: string;
  readonly reclaimAfterMs: number;
  readonly blockMs: number;
  readonly receiver: Receiver;
  /** Receivers whose entries this group acknowledges without delivery. */
  readonly passedOver: ReadonlySet<string>;
  /** A separate connection, since a read blocks it. */
  readonly reading: Redis;
  readonly writing: Redis;
}

export class RedisGroup {
  readonly #parts: RedisGroupParts;
  /** Delivered entries without an acknowledgement, by id. */
  readonly #inHand = new Map<string, Promise<void>>();
  #onRoom: (() => void) | undefined;
  #loops: readonly Promise<void>[] = [];
  #wasThere = false;
  #lost = 0;

  constructor(parts: RedisGroupParts) {
    this.#parts = parts;
  }

  start(): void {
    const { reading, signal } = this.#parts;
    // Without a listener the client prints its errors. The failed command reports them anyway.
    reading.on('error', () => undefined);
    signal.addEventListener('abort', () => reading.disconnect(), { once: true });
    this.#loops = [this.#read(), this.#sweep()];
  }

  /** Call it after the signal was aborted. */
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

  /** Counts lost entries in one transaction with the read: between two commands, more could be trimmed. */
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
        // The read loop handles the same failure. Repeats the acknowledgement only, never the handler.
        if (signal.aborted) return;
        await clock.sleep(backoffMs(trouble, failures, random()), signal).catch(() => undefined);
      }
    }
  }

  /** Renews the entries in hand, and takes over those of dead consumers. */
  async #sweep(): Promise<void> {
    const { signal, clock, reclaimAfterMs } = this.#parts;
    while (!signal.aborted) {
      await clock.sleep(reclaimAfterMs / 3, signal).catch(() => undefined);
      if (signal.aborted) return;
      // The read loop handles the same failure.
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

  /** If so, resolves after the reconnection or when the bus is closed; the client paces its own attempts. */
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
