import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../test/support/manual-clock.ts';
import { verifies } from '../../test/verifies.ts';
import { runCanary, SETTLE_MS, tryFlow } from './canary.ts';

const target = (id: string): Parameters<typeof tryFlow>[0] => ({
  id,
  protocol: 'tcp',
  host: '127.0.0.1',
  port: 1,
  isKnownListener: true,
});

async function canary(
  isOpen: (id: string, nowMs: number) => boolean,
): Promise<{ readonly open: readonly string[]; readonly tried: number }> {
  const clock = manualClock();
  const run = runCanary([target('early'), target('late'), target('never')], clock, async ({ id }) =>
    isOpen(id, clock.monotonicMs()),
  );
  let isDone = false;
  const result = run.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return result;
}

describe('the canary', () => {
  verifies(
    'sandbox-runner:canary-tells',
    'tells what is open once the rules had their time, and not what was before',
    async () => {
      expect(await canary((id, nowMs) => id === 'early' && nowMs < 1000)).toEqual({ open: [], tried: 3 });
      expect(await canary((id, nowMs) => id === 'late' && nowMs >= SETTLE_MS)).toEqual({ open: ['late'], tried: 3 });
      expect(await canary(() => true)).toMatchObject({ open: ['early', 'late', 'never'] });
    },
  );

  it('knows an open flow from a closed one', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    const udp = createSocket('udp4');
    udp.on('message', (_message, from) => udp.send('answer', from.port, from.address));
    udp.bind(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(udp, 'listening')]);
    const { port } = server.address() as AddressInfo;
    const on = { id: 'x', host: '127.0.0.1', isKnownListener: true } as const;
    expect(await tryFlow({ ...on, protocol: 'tcp', port })).toBe(true);
    expect(await tryFlow({ ...on, protocol: 'udp', port: udp.address().port })).toBe(true);
    expect(await tryFlow({ ...on, protocol: 'dns', port: udp.address().port })).toBe(true);
    const closed = port;
    server.close();
    udp.close();
    expect(await tryFlow({ ...on, protocol: 'tcp', port: closed })).toBe(false);
    expect(await tryFlow({ ...on, protocol: 'udp', port: 9 })).toBe(false);
    expect(await tryFlow({ ...on, protocol: 'tcp', host: '::1', port: 9 })).toBe(false);
  });
});
