/**
 * The bus between processes: one stream of Redis for each agent, one consumer group for each role and observer.
 *
 * I5  Nothing is queued while Redis is away: `publish` rejects at once, and within `silenceMs` where Redis is there and says
 *     nothing.
 * I6  No secret and no content is in what is reported or thrown.
 *
 * The stream keeps about `streamMessagesMax` entries; adding one takes the oldest away. A receiver that was so far behind is
 * told with `Lost`, as it is when Redis lost everything: what it did not get has to be published again.
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
/** A consumer that is silent for so long is taken for dead. A live one says within a third of it that it works. Source: artoo C. */
const RECLAIM_AFTER_MS = 60_000;
/** Within a data centre an answer takes a millisecond; what takes thousands of it is gone. */
const SILENCE_MS = 5000;
/** How long a read waits for an entry, as a share of the silence: an idle connection must not look dead. */
const BLOCK_RATIO = 0.5;
/** Publishes that Redis did not answer yet. What is over it is refused, so that a slow Redis fills no memory. */
const UNANSWERED_MAX = 20_000;
/** Redis is back within 10 s of its return, so it is looked for often. Source: reliability-security 7. */
const reconnection: BackoffPolicy = { initialMs: 50, factor: 2, ceilingMs: 2000, jitterRatio: 0.2 };

export interface RedisBusOptions extends Omit<Surroundings, 'signal'> {
  readonly address: RedisAddress;
  /** PEM of the authorities that vouch for a Redis with TLS; those that Node knows where absent. */
  readonly caCertificates?: string;
  /** `namespace/name`. */
  readonly agent: string;
  /** Of this process, the same after a restart, such as the pod's name: it then takes up at once what it had in hand. */
  readonly consumer: string;
  readonly streamMessagesMax?: number;
  readonly reclaimAfterMs?: number;
  readonly silenceMs?: number;
}

/** `rt:NAMESPACE:NAME:bus`. Source: artoo C. */
export function streamKey(agent: string): string {
  return `rt:${agent.replace('/', ':')}:bus`;
}

/** Connects by itself, again and again. Rejects and throws nothing while Redis is away but from `publish`. */
export class RedisBus implements Bus {
  readonly #options: RedisBusOptions;
  readonly #key: string;
  readonly #closing = new AbortController();
  readonly #connection: Redis;
  readonly #groups = new Map<string, RedisGroup>();
  #unanswered = 0;
  #isBack: boolean | undefined;
  #trouble = 'it is being connected to';

  constructor(options: RedisBusOptions) {
    this.#options = options;
    // Each receiver listens some times.
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
      throw new BusUnavailableError(message.id, `Redis has ${String(UNANSWERED_MAX)} messages to answer for`);
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
    invariant(!this.#groups.has(name), `${name} receives twice on one bus`);
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
    // A command in flight when the connection breaks rejects, and nothing sends it again behind the caller's back.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
    retryStrategy: (times) => backoffMs(reconnection, times - 1, random()),
  });
}
