import { once } from 'node:events';
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

/**
 * Below the ports that Linux gives to connections going out (from 32,768 on): one of those may be taken by any connection of the
 * machine before the program under test listens on it.
 */
const PORTS = { first: 20_000, end: 32_768 } as const;
/** More tries than this mean that something else is wrong. */
const MAX_TRIES = 100;

/** A port, of any address, that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port between ${PORTS.first} and ${PORTS.end} in ${MAX_TRIES} tries`);
}

async function canListen(port: number): Promise<boolean> {
  const listener = createServer();
  const outcome = Promise.race([
    once(listener, 'listening').then(() => true),
    once(listener, 'error').then(() => false),
  ]);
  listener.listen(port);
  const isFree = await outcome;
  if (isFree) {
    listener.close();
    await once(listener, 'close');
  }
  return isFree;
}
