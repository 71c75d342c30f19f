/** Name lookup and connection as ports, so that tests supply a name service and machines of their own. */
import { Resolver } from 'node:dns/promises';
import { connect, isIPv6, type Socket } from 'node:net';

export interface Network {
  /** All addresses of a name; empty where it has none. Rejects where nobody could say. */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** A connection to this very address: no name is looked up. Rejects where there is none. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Socket>;
}

/** Of one question to the name service; asked twice. */
const QUESTION_MS_MAX = 2000;

/**
 * Asks the name service itself: no search domains, through which a name could turn into one of the cluster, and no hosts file.
 */
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
      // Not the option `signal` of the socket: that one would cut the connection long after it was made.
      const cancel = (): void => void socket.destroy(signal.reason as Error);
      signal.addEventListener('abort', cancel, { once: true });
      socket.on('error', reject);
      socket.once('connect', () => {
        signal.removeEventListener('abort', cancel);
        resolve(socket);
      });
    }),
};
