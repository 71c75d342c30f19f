/**
 * The bus between processes: one Redis stream per agent, one consumer group per role and observer.
 *
 * I5  Nothing is queued while Redis is unreachable: `publish` rejects at once, or within `silenceMs` if Redis does not answer.
 * I6  Reports and errors contain no secret and no message content.
 *
 * The stream keeps about `streamMessagesMax` entries; each new one removes the oldest. If a receiver missed removed entries, or
 * Redis lost its data, the bus reports `Lost`, and the publisher has to publish again.
 *
 * The user of the URL needs XADD, XGROUP, XREADGROUP, XACK, XCLAIM, XAUTOCLAIM and XINFO on the stream, from Redis 7.0.
 *
 * Source: artoo A.2, C; reliability-security 1 (bus), 7. Differs: `XADD` trims, so a publisher's user can; the
 * record of what was there is the journal.
 */
import { setMaxListeners } from 'node:events';
import { Redis } from 'ioredis';
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import { invariant } from '@retainer/contract/std/invariant';
import type { BusMessage } from '@retainer/contract/wire/bus/envelope';
import { BUS_ROLES, type BusRole } from '@retainer/contract/wire/bus/roles';
import { BusUnavailableError, type Bus, type BusHandler, type BusObserver } from './bus.ts';
import { encodeMessage } from './message-text.ts';
import { Receiver, type Surroundings } from './receiver.ts';
import type { RedisAddress } from './redis-address.ts';
import { redisFailure } from './redis-failure.ts';
import { RedisGroup } from './redis-group.ts';

/** A day of a busy agent at some kilobytes each: about half a gigabyte at the very most. Source: artoo C. */
const STREAM_MESSAGES_MAX = 100_000;
/** A consumer silent for so long counts as dead. A live one sends a sign of life every third of it. Source: artoo C. */
const RECLAIM_AFTER_MS = 60_000;
/** An answer within a data centre takes a millisecond; after thousands of them the connection counts as broken. */
const SILENCE_MS = 5000;
/** Longest wait of a read for an entry, as a share of `silenceMs`: an idle connection must not look broken. */
const BLOCK_RATIO = 0.5;
/** Unanswered publishes. More are refused, so that a slow Redis does not fill the memory. */
const UNANSWERED_MAX = 20_000;
/** Frequent enough to reconnect within 10 s of Redis's return. Source: reliability-security 7. */
const reconnection: BackoffPolicy = { initialMs: 50, factor: 2, ceilingMs: 2000, jitterRatio: 0.2 };

export interface RedisBusOptions extends Omit<Surroundings, 'signal'> {
  readonly address: RedisAddress;
  /** PEM of the certificate authorities for TLS; Node's own if absent. */
  readonly caCertificates?: string;
  /** `namespace/name`. */
  readonly agent: string;
  /** Consumer name, the same after a restart, such as the pod's name: the process then resumes its pending entries at once. */
  readonly consumer: string;
  readonly streamMessagesMax?: number;
  readonly reclaimAfterMs?: number;
  readonly silenceMs?: number;
}

/** `rt:NAMESPACE:NAME:bus`. Source: artoo C. */
export function streamKey(agent: string): string {
  return `rt:${agent.replace('/', ':')}:bus`;
}

/** Reconnects by itself. While Redis is unreachable, only `publish` rejects. */
export class RedisBus implements Bus {
  readonly #options: RedisBusOptions;
  readonly #key: string;
  readonly #closing = new AbortController();
  readonly #connection: Redis;
  readonly #groups = new Map<string, RedisGroup>();
  #unanswered = 0;
  #isBack: boolean | undefined;
  #trouble = 'the connection is not open yet';

  constructor(options: RedisBusOptions) {
    this.#options = options;
    // Each receiver adds several listeners.
    setMaxListeners(0, this.#closing.signal);
    this.#key = streamKey(options.agent);
    this.#connection = openConnection(options);
    this.#connection.on('error', (error) => {
      this.#trouble = redisFailure(error);
    });
    this.#connection.on('ready', () => this.#is('Back'));
    this.#connection.on('close', () => this.#is('Away'));
  }

  async publish(message: BusMessage): Promise<void> {
    const text = encodeMessage(message);
    if (this.#closing.signal.aborted) throw new BusUnavailableError(message.id, 'the bus is closed');
    if (this.#unanswered >= UNANSWERED_MAX) {
      throw new BusUnavailableError(message.id, `Redis has not answered ${String(UNANSWERED_MAX)} messages`);
    }
    const { streamMessagesMax = STREAM_MESSAGES_MAX, report } = this.#options;
    this.#unanswered += 1;
    try {
      const fields = ['to', message.to, 'message', text];
      await this.#connection.xadd(this.#key, 'MAXLEN', '~', streamMessagesMax, '*', ...fields);
    } catch (error) {
      const isAnswer = error instanceof Error && error.name === 'ReplyError';
      throw new BusUnavailableError(message.id, isAnswer ? redisFailure(error) : this.#trouble);
    } finally {
      this.#unanswered -= 1;
    }
    report({ kind: 'Published', type: message.type });
  }

  consume(role: BusRole, handler: BusHandler): void {
    this.#open(
      role,
      Receiver.ofRole(role, handler, this.#surroundings()),
      new Set(BUS_ROLES.filter((it) => it !== role)),
    );
  }

  tap(name: string, observer: BusObserver): void {
    this.#open(name, Receiver.ofObserver(name, observer, this.#surroundings()), new Set());
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the bus is closed'));
    await Promise.all([...this.#groups.values()].map((group) => group.closed()));
    this.#connection.disconnect();
  }

  #open(name: string, receiver: Receiver, passedOver: ReadonlySet<string>): void {
    invariant(!this.#groups.has(name), `${name} already receives on this bus`);
    const { consumer, reclaimAfterMs = RECLAIM_AFTER_MS, silenceMs = SILENCE_MS } = this.#options;
    const group = new RedisGroup({
      ...this.#surroundings(),
      key: this.#key,
      consumer,
      reclaimAfterMs,
      blockMs: Math.ceil(silenceMs * BLOCK_RATIO),
      receiver,
      passedOver,
      reading: openConnection(this.#options),
      writing: this.#connection,
    });
    this.#groups.set(name, group);
    group.start();
  }

  #surroundings(): Surroundings {
    const { clock, random, report } = this.#options;
    return { clock, random, report, signal: this.#closing.signal };
  }

  #is(kind: 'Back' | 'Away'): void {
    const isBack = kind === 'Back';
    if (this.#isBack === isBack || this.#closing.signal.aborted) return;
    this.#isBack = isBack;
    this.#options.report(isBack ? { kind: 'Back' } : { kind: 'Away', reason: this.#trouble });
    if (isBack) this.#trouble = 'the connection to Redis broke';
  }
}

function openConnection({ address, caCertificates, random, silenceMs = SILENCE_MS }: RedisBusOptions): Redis {
  const { isTls, ...endpoint } = address;
  return new Redis({
    ...endpoint,
    ...(isTls ? { tls: caCertificates === undefined ? {} : { ca: caCertificates } } : {}),
    connectTimeout: silenceMs,
    socketTimeout: silenceMs,
    enableOfflineQueue: false,
    // A command rejects if the connection breaks; the client must not send it again on its own.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
    retryStrategy: (times) => backoffMs(reconnection, times - 1, random()),
  });
}
