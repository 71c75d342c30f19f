/**
 * Publishes the messages of a run on a socket of the agent's process, or on the stream of a Redis if one is configured. The run
 * waits for neither.
 */
import type { Clock } from '@retainer/contract/std/clock';
import type { BusReport, Publisher } from './bus.ts';
import type { RedisAddress } from './redis-address.ts';
import { TapSocket } from './tap-socket.ts';
import type { BusWatch } from '../audit/message-audit.ts';

export { redisAddress } from './redis-address.ts';

const AUDITOR = 'auditor';

export interface SharedBusOptions {
  readonly address: RedisAddress;
  /** `namespace/name`. */
  readonly agent: string;
  /** The same after a restart. */
  readonly consumer: string;
  readonly clock: Clock;
  readonly onNotice: (notice: string) => void;
}

/** A bus without listeners: the journal has every message. */
export const unheard: Publisher = { publish: () => Promise.resolve(), close: () => Promise.resolve() };

/**
 * Loads the Redis client only if needed. While Redis is unreachable, messages are in the journal alone.
 *
 * @returns  after the first connection or failure: `publish` would reject while connecting
 */
export async function openSharedBus({ onNotice, ...options }: SharedBusOptions): Promise<Publisher> {
  const { RedisBus } = await import('./redis-bus.ts');
  return new Promise((resolve) => {
    const report = (it: BusReport): void => {
      tell(it, onNotice);
      if (it.kind === 'Back' || it.kind === 'Away') resolve(bus);
    };
    const bus = new RedisBus({ ...options, random: Math.random, report });
  });
}

/** Notices for people, not faults: the agent works on without a bus. */
function tell(report: BusReport, onNotice: (notice: string) => void): void {
  if (report.kind === 'Away') onNotice(`the bus is unreachable, so the auditor gets no messages: ${report.reason}`);
  if (report.kind === 'Back') onNotice('the bus is reachable again');
}

export interface WatchedBusOptions {
  readonly socketPath: string;
  readonly clock: Clock;
  readonly onNotice: (notice: string) => void;
}

/** A socket for the auditor or, if it cannot be created, a bus without listeners. */
export async function openWatchedBus({ socketPath: path, clock, onNotice }: WatchedBusOptions): Promise<Publisher> {
  const socket = await TapSocket.open({ path, clock }).catch((error: unknown) => {
    onNotice(`the auditor cannot read the messages of the bus: ${String(error)}`);
    return undefined;
  });
  if (socket === undefined) return unheard;
  return {
    publish: (message) => {
      socket.show(message);
      return Promise.resolve();
    },
    close: () => socket.close(),
  };
}

/** Listens as the auditor, in its own consumer group. Resolves when the signal is aborted. */
export async function watchSharedBus(
  { address, agent, clock }: Omit<SharedBusOptions, 'consumer' | 'onNotice'>,
  watch: BusWatch,
  signal: AbortSignal,
): Promise<void> {
  const { RedisBus } = await import('./redis-bus.ts');
  const report = (it: BusReport): void => {
    if (it.kind === 'Away') watch.away();
    if (it.kind === 'Back') watch.back();
    if (it.kind === 'Lost') watch.lost();
    if (it.kind === 'Garbage') watch.garbage(it.reason);
  };
  const bus = new RedisBus({ address, agent, consumer: AUDITOR, clock, random: Math.random, report });
  bus.tap(AUDITOR, (message) => watch.heard(message));
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await bus.close();
}
