import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { encodeGrant, grantText } from '@retainer/contract/wire/egress-grant';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { manualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { EgressProxy, type ProxyLine } from './egress-proxy.ts';
import { systemNetwork, type Network } from './network.ts';
import {
  CONNECT_MS_MAX,
  DEFAULT_LIMITS,
  IDLE_MS_MAX,
  RESOLVE_MS_MAX,
  TUNNEL_MS_MAX,
  type ProxyLimits,
} from './proxy-limits.ts';
import { createProxyMetrics } from './proxy-metrics.ts';
import type { parsePublicKey } from './read-grant.ts';

const operatorKey = generateKeyPairSync('ed25519');
const strangerKey = generateKeyPairSync('ed25519');
const publicHost = '93.184.216.34';
const nowSeconds = Date.UTC(2030, 0, 1) / 1000;

interface GrantParts {
  readonly hosts?: readonly string[];
  readonly subject?: string;
  readonly expiresAtSeconds?: number;
  readonly addresses?: readonly string[];
  readonly by?: KeyObject;
}

const allowed = ['api.example.com', '*.example.org', 'xn--bcher-kva.example', publicHost, '10.0.0.7', '127.0.0.1'];

function grant({
  hosts = allowed,
  subject = 'sandbox-run/team/run-1',
  by = operatorKey.privateKey,
  ...rest
}: GrantParts = {}): string {
  const payload = Buffer.from(JSON.stringify({ subject, hosts, ...rest })).toString('base64url');
  return encodeGrant(payload, sign(null, Buffer.from(grantText(payload)), by).toString('base64url'));
}

const basic = (user: string, password: string): string =>
  `Proxy-Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}\r\n`;
const good = basic('grant', grant());
const connectTo = (target: string, headers = good): string =>
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${headers}\r\n`;

let clock: ManualClock;
let proxy: EgressProxy;
let port: number;
let upstream: Server;
let lines: ProxyLine[];
let connected: string[];
let resolved: string[];
let addresses: Record<string, readonly (readonly string[])[]>;
const clients = new Set<Socket>();
const upstreams = new Set<Socket>();

/** A name service that may change its mind with every question, and machines that all are one on this machine. */
const network: Network = {
  resolve: async (host) => {
    const answers = addresses[host] ?? [[publicHost]];
    const answer = answers[Math.min(resolved.filter((it) => it === host).length, answers.length - 1)] ?? [];
    resolved.push(host);
    return answer;
  },
  connect: (address, to, signal) => {
    connected.push(`${address}:${to}`);
    return systemNetwork.connect('127.0.0.1', (upstream.address() as AddressInfo).port, signal);
  },
};

interface World {
  readonly network?: Network;
  readonly key?: () => Promise<ReturnType<typeof parsePublicKey>>;
}

async function startProxy(limits: Partial<ProxyLimits> = {}, world: World = {}): Promise<void> {
  proxy = new EgressProxy({
    clock,
    network: world.network ?? network,
    limits: { ...DEFAULT_LIMITS, ...limits },
    metrics: createProxyMetrics(),
    publicKey: world.key ?? (async () => operatorKey.publicKey),
    log: (line) => lines.push(line),
  });
  port = await proxy.listen(0, '127.0.0.1');
}

async function open(): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  clients.add(socket);
  await once(socket, 'connect');
  return socket;
}

/** All that comes back until the proxy closes. */
async function answerTo(text: string): Promise<string> {
  const socket = await open();
  const closed = once(socket, 'close');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  socket.on('end', () => socket.end());
  socket.write(text, 'latin1');
  await closed;
  return answer;
}

/** A tunnel, after its 200. */
async function tunnel(target = 'api.example.com:443', headers = good): Promise<Socket> {
  const socket = await open();
  socket.write(connectTo(target, headers));
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /);
  return socket;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(async () => {
  clock = manualClock();
  [lines, connected, resolved, addresses] = [[], [], [], {}];
  upstream = createServer({ allowHalfOpen: true }, (socket) => {
    upstreams.add(socket);
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  for (const socket of [...clients, ...upstreams]) socket.destroy();
  const stopped = proxy.stop(0);
  clock.advance(0);
  await stopped;
  await new Promise((resolve) => upstream.close(resolve));
});

interface Hostile {
  readonly name: string;
  readonly text: string;
  readonly status: number;
}

const target = (written: string, status = 400): Hostile => ({ name: written, text: connectTo(written), status });
const withHeaders = (name: string, headers: string, status = 407): Hostile => ({
  name,
  text: connectTo('api.example.com:443', headers),
  status,
});

/** What is no CONNECT, or one that could be read in two ways. */
const requests: readonly Hostile[] = [
  {
    name: 'GET of an absolute address',
    text: `GET http://api.example.com/ HTTP/1.1\r\nHost: api.example.com\r\n${good}\r\n`,
    status: 405,
  },
  { name: 'GET of a path', text: 'GET / HTTP/1.1\r\nHost: proxy\r\n\r\n', status: 405 },
  {
    name: 'POST',
    text: `POST http://api.example.com/ HTTP/1.1\r\nHost: a\r\n${good}Content-Length: 2\r\n\r\nhi`,
    status: 405,
  },
  { name: 'OPTIONS *', text: 'OPTIONS * HTTP/1.1\r\nHost: proxy\r\n\r\n', status: 405 },
  { name: 'TRACE', text: 'TRACE / HTTP/1.1\r\nHost: proxy\r\n\r\n', status: 405 },
  {
    name: 'an upgrade',
    text: 'GET / HTTP/1.1\r\nHost: proxy\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    status: 405,
  },
  { name: 'an upgrade to HTTP/2', text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 400 },
  { name: 'lower-case connect', text: connectTo('api.example.com:443').replace('CONNECT', 'connect'), status: 400 },
  { name: 'a TLS hello', text: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n', status: 400 },
  { name: 'SOCKS', text: '\u0005\u0001\u0000\r\n\r\n', status: 400 },
  { name: 'a body by length', text: connectTo('api.example.com:443', `${good}Content-Length: 5\r\n`), status: 400 },
  {
    name: 'a body in chunks',
    text: connectTo('api.example.com:443', `${good}Transfer-Encoding: chunked\r\n`),
    status: 400,
  },
  {
    name: 'both',
    text: connectTo('api.example.com:443', `${good}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`),
    status: 400,
  },
  {
    name: 'two lengths',
    text: connectTo('api.example.com:443', `${good}Content-Length: 5\r\nContent-Length: 6\r\n`),
    status: 400,
  },
  { name: 'credentials twice', text: connectTo('api.example.com:443', good + good), status: 400 },
  {
    name: 'a header that goes on in the next line',
    text: connectTo('api.example.com:443', `${good}X: a\r\n b: c\r\n\0\r\n`),
    status: 400,
  },
  { name: 'a space before the colon', text: connectTo('api.example.com:443', good.replace(':', ' :')), status: 400 },
  {
    name: 'a bare carriage return in a header',
    text: connectTo('api.example.com:443', `${good}X: a\rProxy: b\r\n`),
    status: 400,
  },
  {
    name: 'headers that are too large',
    text: connectTo('api.example.com:443', `${good}X: ${'a'.repeat(40_000)}\r\n`),
    status: 400,
  },
  { name: 'a target that is too long', text: connectTo(`${'a'.repeat(40_000)}.example.org:443`), status: 400 },
];

const targets: readonly Hostile[] = [
  ...[
    'api.example.com',
    ':443',
    'api.example.com:',
    'api.example.com:0',
    'api.example.com:65536',
    'api.example.com:0443',
    'api.example.com:+443',
    'api.example.com:443:443',
    'http://api.example.com:443',
    'api.example.com:443/path',
    'api.example.com.:443',
    'api.example.com..:443',
    '.api.example.com:443',
    'api..example.com:443',
    'evil.test@api.example.com:443',
    'api.example.com@evil.test:443',
    'user:password@api.example.com:443',
    'api.example.com%00.evil.test:443',
    'api.example.com%2eevil.test:443',
    'api.example.com#.evil.test:443',
    'api.example.com\\.evil.test:443',
    'api_.example.org:443',
    '-a.example.org:443',
    'localhost:443',
    'kubernetes:443',
    '2130706433:443',
    '0x7f000001:443',
    '017700000001:443',
    '127.1:443',
    '0177.0.0.1:443',
    '0x7f.0.0.1:443',
    '127.0.0.0x1:443',
    '127.0.0.1.:443',
    '[::1]:443',
    '[::ffff:127.0.0.1]:443',
    '[::ffff:7f00:1]:443',
    '[64:ff9b::7f00:1]:443',
    '[2002:7f00:1::]:443',
    '[fd00:ec2::254]:443',
    '[fe80::1%25eth0]:443',
    '[2606:2800:220:1::1]:443',
    '::1:443',
    'b\u00fccher.example:443',
    '\uff41pi.example.com:443'.normalize('NFC'),
    'api\u3002example.com:443',
    'xn--\u00fc.example.org:443',
  ].map((written) => target(Buffer.from(written, 'utf8').toString('latin1'))),
  target('169.254.169.254:443', 403),
  target('example.org:443', 403),
  target('notexample.org:443', 403),
  target('a.example.org.evil.test:443', 403),
  target('xapi.example.com:443', 403),
  target('sub.api.example.com:443', 403),
  target('93.184.216.35:443', 403),
  target('10.0.0.7:443', 403),
  target('127.0.0.1:443', 403),
  target('api.example.com:80', 403),
  target('api.example.com:22', 403),
  target('api.example.com:6443', 403),
];

const grants: readonly Hostile[] = [
  withHeaders('no credentials', ''),
  withHeaders('another user', basic('agent', grant())),
  withHeaders('no user', basic('', grant())),
  withHeaders('another scheme', `Proxy-Authorization: Bearer ${grant()}\r\n`),
  withHeaders('credentials for the server instead', good.replace('Proxy-', '')),
  withHeaders('text that is no base64', 'Proxy-Authorization: Basic ###\r\n'),
  withHeaders('a stranger’s signature', basic('grant', grant({ by: strangerKey.privateKey }))),
  withHeaders(
    'a signature of zeros',
    basic('grant', `${grant().split('.')[0]}.${Buffer.alloc(64).toString('base64url')}`),
  ),
  withHeaders('a signature that is cut', basic('grant', grant().slice(0, -4))),
  withHeaders('no signature', basic('grant', `${grant().split('.')[0]}.`)),
  withHeaders(
    'a payload with more hosts under an old signature',
    basic('grant', `${grant({ hosts: ['evil.test', ...allowed] }).split('.')[0]}.${grant().split('.')[1]}`),
  ),
  withHeaders('three parts', basic('grant', `${grant()}.x`)),
  withHeaders('a grant that ends now', basic('grant', grant({ expiresAtSeconds: nowSeconds }))),
  withHeaders('a grant that ended long ago', basic('grant', grant({ expiresAtSeconds: 0 }))),
  withHeaders('a signed grant with a host that is none', basic('grant', grant({ hosts: ['*'] }))),
  withHeaders('a signed grant without a subject', basic('grant', grant({ subject: '' }))),
  withHeaders('a grant for another host', basic('grant', grant({ hosts: ['other.example.com'] })), 403),
  withHeaders('a grant for no host', basic('grant', grant({ hosts: [] })), 403),
  withHeaders('a grant of another pod', basic('grant', grant({ addresses: ['10.0.1.7', 'fd00::7'] })), 403),
];

describe('a hostile request', () => {
  const refused = async ({ text, status }: Hostile): Promise<void> => {
    await startProxy();
    const answer = await answerTo(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect({ connected, resolved }).toEqual({ connected: [], resolved: [] });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.verdict).not.toBe('Allowed');
  };
  for (const it of requests) verifies('egress-proxy:connect-only', `${it.name}: ${it.status}`, () => refused(it));
  for (const it of targets) verifies('egress-proxy:public-only', `target ${it.name}: ${it.status}`, () => refused(it));
  for (const it of grants) verifies('egress-proxy:grant-only', `${it.name}: ${it.status}`, () => refused(it));

  verifies('egress-proxy:grant-only', 'before there is a key: 503', async () => {
    await startProxy({}, { key: async () => undefined });
    expect(await answerTo(connectTo('api.example.com:443'))).toMatch(/^HTTP\/1\.1 503 /);
  });

  verifies('egress-proxy:connect-only', 'hidden behind another in one packet is not served', async () => {
    await startProxy();
    const answer = await answerTo(`GET / HTTP/1.1\r\nHost: a\r\n\r\n${connectTo('api.example.com:443')}`);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(connected).toEqual([]);
  });
});

describe('the address of a name', () => {
  const notPublic = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.53',
    '168.63.129.16',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:5db8:d822::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'not an address',
    '0177.0.0.1',
    '',
  ];
  for (const address of notPublic)
    verifies('egress-proxy:public-only', `${address || 'empty'} is refused`, async () => {
      await startProxy();
      addresses['api.example.com'] = [[address]];
      expect(await answerTo(connectTo('api.example.com:443'))).toMatch(/^HTTP\/1\.1 403 AddressNotPublic/);
      expect(connected).toEqual([]);
    });

  verifies('egress-proxy:checked-address', 'is refused where a single one of many is not public', async () => {
    await startProxy();
    addresses['api.example.com'] = [[publicHost, '2606:2800:220:1::1', '10.0.0.1']];
    expect(await answerTo(connectTo('api.example.com:443'))).toMatch(/^HTTP\/1\.1 403 AddressNotPublic/);
    expect(connected).toEqual([]);
  });

  verifies(
    'egress-proxy:checked-address',
    'is asked for once: one that changes after the check is never seen',
    async () => {
      await startProxy();
      addresses['api.example.com'] = [[publicHost], ['169.254.169.254']];
      (await tunnel()).destroy();
      expect({ connected, resolved }).toEqual({ connected: [`${publicHost}:443`], resolved: ['api.example.com'] });
    },
  );

  verifies('egress-proxy:checked-address', 'is none: 502', async () => {
    await startProxy();
    addresses['api.example.com'] = [[]];
    expect(await answerTo(connectTo('api.example.com:443'))).toMatch(/^HTTP\/1\.1 502 ResolveFailed/);
  });

  verifies('egress-proxy:capped', 'that nobody tells in time: 502', async () => {
    await startProxy({}, { network: { ...network, resolve: () => new Promise(() => undefined) } });
    const answer = answerTo(connectTo('api.example.com:443'));
    await clock.untilSleeping(RESOLVE_MS_MAX);
    clock.advance(RESOLVE_MS_MAX);
    expect(await answer).toMatch(/^HTTP\/1\.1 502 ResolveFailed/);
  });
});

describe('an allowed request', () => {
  const cases = [
    ['api.example.com:443', `${publicHost}:443`],
    ['API.Example.COM:443', `${publicHost}:443`],
    ['a.example.org:443', `${publicHost}:443`],
    ['a.b.c.example.org:443', `${publicHost}:443`],
    ['xn--bcher-kva.example:443', `${publicHost}:443`],
    [`${publicHost}:443`, `${publicHost}:443`],
  ] as const;
  for (const [written, expected] of cases)
    verifies('egress-proxy:grant-only', `${written} is connected`, async () => {
      await startProxy();
      const socket = await tunnel(written);
      socket.write('ping');
      const [echo] = (await once(socket, 'data')) as [Buffer];
      expect(echo.toString()).toBe('ping');
      expect(connected).toEqual([expected]);
    });

  verifies(
    'egress-proxy:grant-only',
    'by a grant that has not ended yet, on a port that the installation allows',
    async () => {
      await startProxy({ ports: [443, 993] });
      await tunnel('api.example.com:993', basic('grant', grant({ expiresAtSeconds: nowSeconds + 1 })));
      expect(connected).toEqual([`${publicHost}:993`]);
    },
  );

  verifies('egress-proxy:grant-only', 'by the grant of an agent on a port of mail, and of no code', async () => {
    await startProxy({ agentPorts: [993] });
    await tunnel('api.example.com:993', basic('grant', grant({ subject: 'agent/team/ada' })));
    expect(connected).toEqual([`${publicHost}:993`]);
    for (const subject of ['sandbox-run/agent/run-1', 'agents/team/ada', ' agent/team/ada'])
      expect(await answerTo(connectTo('api.example.com:993', basic('grant', grant({ subject }))))).toMatch(
        /403[^]*this port is not allowed/,
      );
    expect(connected).toHaveLength(1);
  });

  verifies('egress-proxy:grant-only', 'by a grant of the pod that shows it', async () => {
    await startProxy();
    await tunnel('api.example.com:443', basic('grant', grant({ addresses: ['fd00::7', '127.0.0.1'] })));
    expect(connected).toEqual([`${publicHost}:443`]);
  });

  verifies('egress-proxy:grant-only', 'by a grant of any pod, where the network hides addresses', async () => {
    await startProxy({ bindsGrants: false });
    await tunnel('api.example.com:443', basic('grant', grant({ addresses: ['10.0.1.7'] })));
    expect(connected).toEqual([`${publicHost}:443`]);
  });

  verifies(
    'egress-proxy:one-line-each',
    'is told once it has ended, with its bytes and without credentials',
    async () => {
      await startProxy();
      const socket = await open();
      socket.write(`${connectTo('api.example.com:443')}early`);
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      await until(() => answer.endsWith('early'));
      clock.advance(1500);
      socket.end();
      await until(() => lines.length > 0);
      expect(lines).toEqual([
        {
          subject: 'sandbox-run/team/run-1',
          host: 'api.example.com',
          port: 443,
          verdict: 'Allowed',
          endedBy: 'Closed',
          address: publicHost,
          bytesOut: 5,
          bytesIn: 5,
          durationMs: 1500,
        },
      ]);
      expect(JSON.stringify(lines)).not.toContain(grant().slice(0, 20));
    },
  );

  verifies('egress-proxy:capped', 'carries a megabyte through slow readers', async () => {
    await startProxy();
    const socket = await tunnel();
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    for (let part = 0; part < 16; part++) {
      socket.write(Buffer.alloc(65_536));
      socket.pause();
      await new Promise((resolve) => setImmediate(resolve));
      socket.resume();
    }
    await until(() => received === 1_048_576);
    socket.end();
    await until(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ bytesIn: 1_048_576, bytesOut: 1_048_576, endedBy: 'Closed' });
  });
});

describe('a limit', () => {
  verifies('egress-proxy:capped', 'of bytes cuts the tunnel', async () => {
    await startProxy({ bytes: 1000 });
    const socket = await tunnel();
    socket.resume();
    socket.write(Buffer.alloc(1001));
    await once(socket, 'close');
    await until(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ endedBy: 'ByteLimit' });
  });

  verifies('egress-proxy:capped', 'of silence cuts the tunnel, and talking puts it off', async () => {
    await startProxy();
    const socket = await tunnel();
    await clock.untilSleeping(IDLE_MS_MAX);
    clock.advance(IDLE_MS_MAX - 1000);
    socket.write('ping');
    await once(socket, 'data');
    clock.advance(1000);
    await clock.untilSleeping(IDLE_MS_MAX - 1000);
    expect(lines).toEqual([]);
    clock.advance(IDLE_MS_MAX - 1000);
    await until(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ endedBy: 'Idle' });
  });

  verifies('egress-proxy:capped', 'of time cuts the tunnel, and a grant that ends does so earlier', async () => {
    await startProxy({ idleMs: 10 * TUNNEL_MS_MAX });
    await tunnel();
    await clock.untilSleeping(TUNNEL_MS_MAX);
    await tunnel('api.example.com:443', basic('grant', grant({ subject: 'short', expiresAtSeconds: nowSeconds + 60 })));
    await clock.untilSleeping(60_000);
    clock.advance(60_000);
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ subject: 'short', endedBy: 'TimeLimit' }]);
    clock.advance(TUNNEL_MS_MAX);
    await until(() => lines.length > 1);
    expect(lines[1]).toMatchObject({ endedBy: 'TimeLimit' });
  });

  verifies(
    'egress-proxy:capped',
    'of tunnels of one subject leaves the others alone, and room when one ends',
    async () => {
      await startProxy({ tunnelsPerSubject: 1 });
      const first = await tunnel();
      expect(await answerTo(connectTo('api.example.com:443'))).toMatch(/^HTTP\/1\.1 429 /);
      await tunnel('api.example.com:443', basic('grant', grant({ subject: 'agent/team/ada' })));
      first.destroy();
      await until(() => lines.length === 2);
      await tunnel();
    },
  );

  verifies('egress-proxy:capped', 'of connections of one address, before any grant is shown', async () => {
    await startProxy({ connectionsPerAddress: 2 });
    const [idle] = [await open(), await open()];
    const third = await open();
    if (!third.destroyed) await once(third, 'close');
    const other = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' });
    clients.add(other);
    other.write(connectTo('api.example.com:443'));
    const [chunk] = (await once(other, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 /);
    idle.destroy();
    await once(idle, 'close');
    // The proxy hears of the end a moment later.
    while (!(await answerTo('GET / HTTP/1.1\r\nHost: x\r\n\r\n')).startsWith('HTTP/1.1 405 '));
  });

  verifies('egress-proxy:capped', 'of tunnels in all', async () => {
    await startProxy({ tunnels: 1 });
    await tunnel();
    const other = basic('grant', grant({ subject: 'agent/team/ada' }));
    expect(await answerTo(connectTo('api.example.com:443', other))).toMatch(/^HTTP\/1\.1 429 /);
  });

  verifies('egress-proxy:capped', 'of time for the request: a client that trickles is told and cut off', async () => {
    await startProxy({ requestMs: 50 });
    const answer = await answerTo('CONNECT api.example.com:443 HTTP/1.1\r\nHost: a');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(lines).toMatchObject([{ verdict: 'TooSlow' }]);
  });

  verifies('egress-proxy:capped', 'of time to connect holds for a client that is gone, too', async () => {
    const hanging: Network = {
      ...network,
      connect: (address, to, signal) => {
        connected.push(`${address}:${to}`);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      },
    };
    await startProxy({}, { network: hanging });
    const socket = await open();
    socket.write(connectTo('api.example.com:443'));
    await until(() => connected.length > 0);
    socket.destroy();
    clock.advance(CONNECT_MS_MAX);
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ verdict: 'ConnectFailed' }]);
  });
});

describe('going down', () => {
  verifies('egress-proxy:drains', 'lets a tunnel end, and takes no new connection', async () => {
    await startProxy();
    const socket = await tunnel();
    const stopped = proxy.stop(25_000);
    expect(proxy.isDraining).toBe(true);
    const late = connect({ host: '127.0.0.1', port });
    await once(late, 'error');
    socket.write('ping');
    expect(String((await once(socket, 'data'))[0])).toBe('ping');
    socket.end();
    await stopped;
    expect(lines).toMatchObject([{ endedBy: 'Closed' }]);
  });

  verifies('egress-proxy:drains', 'refuses a request on a connection that was there', async () => {
    await startProxy();
    await tunnel();
    const early = await open();
    early.write('CONNECT api.example.com:443 HTTP/1.1\r\n');
    await new Promise((resolve) => setImmediate(resolve));
    const stopped = proxy.stop(25_000);
    early.write(`${good}\r\n`);
    const answer = await Promise.race([
      once(early, 'data').then(([chunk]) => String(chunk)),
      once(early, 'close').then(() => ''),
    ]);
    expect(answer === '' || answer.startsWith('HTTP/1.1 503 ')).toBe(true);
    clock.advance(25_000);
    await stopped;
  });

  verifies('egress-proxy:drains', 'cuts what is left after the grace', async () => {
    await startProxy();
    await tunnel();
    const stopped = proxy.stop(25_000);
    await clock.untilSleeping(25_000);
    clock.advance(25_000);
    await stopped;
    expect(lines).toMatchObject([{ endedBy: 'Drained' }]);
  });
});
