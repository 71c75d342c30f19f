/** Name lookup and connection as ports, so that tests supply a name service and machines of their own. */
import { Resolver } from 'node:dns/promises';
import { connect, isIPv6, type Socket } from 'node:net';

export interface Network {
  /** All addresses of a name; empty if it has none. Rejects if no name service answered. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** A connection to exactly this address, without a look-up. Rejects on failure. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Socket>;
}

/** For one of two tries at the name service. */
const QUESTION_MS_MAX = 2000;

/** Asks the name service directly: no hosts file, and no search domain that turns a name into one of the cluster. */
export const systemNetwork: Network = {
  async resolve(host, signal) {
    const resolver = new Resolver({ timeout: QUESTION_MS_MAX, tries: 2 });
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  },
  connect: (address, port, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const socket = connect({ host: address, port, family: isIPv6(address) ? 6 : 4, allowHalfOpen: true });
      // Not the socket's option `signal`, which could cut the established connection later.
      const cancel = (): void => void socket.destroy(signal.reason as Error);
      signal.addEventListener('abort', cancel, { once: true });
      socket.on('error', reject);
      socket.once('connect', () => {
        signal.removeEventListener('abort', cancel);
        resolve(socket);
      });
    }),
};
