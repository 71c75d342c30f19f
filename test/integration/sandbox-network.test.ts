/**
 * Row 22 of the goal table for the local sandbox: more than forty flows that must not leave.
 *
 * Every listener is first reached from outside, so a flow that does not arrive was stopped by the sandbox. The other
 * addresses have no listener here; the sandbox's own kernel must answer that there is no way to them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { openFixture, type Fixture } from './sandbox-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

/** Tried inside: prints one JSON object, flow name → 'reached' or the error's code. */
function flowScript(flows: readonly Flow[]): string {
  return `
const net = require('node:net'), dgram = require('node:dgram');
function stream(options) {
  return new Promise((resolve) => {
    const socket = net.connect(options);
    socket.setTimeout(2000, () => { socket.destroy(); resolve('silence'); });
    socket.once('connect', () => { socket.destroy(); resolve('reached'); });
    socket.once('error', (error) => resolve(error.code));
  });
}
function datagram({ host, port }) {
  return new Promise((resolve) => {
    const socket = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', (error) => resolve(error.code));
    socket.send('x', port, host, (error) => { resolve(error ? error.code : 'sent'); socket.close(); });
  });
}
const flows = ${JSON.stringify(flows)};
Promise.all(flows.map(async (flow) => [flow.name, flow.kind === 'udp' ? await datagram(flow) : await stream(flow)]))
  .then((results) => console.log(JSON.stringify(Object.fromEntries(results))));
`;
}

interface Flow {
  readonly name: string;
  readonly kind: 'tcp' | 'udp' | 'unix';
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
}

async function tried(flows: readonly Flow[]): Promise<Readonly<Record<string, string>>> {
  const result = await fixture.run('javascript', flowScript(flows));
  expect(result, result.stderr).toMatchObject({ end: 'Exited', exitCode: 0 });
  const answers: unknown = JSON.parse(result.stdout);
  return answers as Readonly<Record<string, string>>;
}

/** What the host can be reached at: loopback of both families, and its own address where it has one. */
function hostAddresses(): readonly string[] {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outward = own.filter(
    ({ internal, family, address }) => !internal && family === 'IPv4' && !address.startsWith('169.254.'),
  );
  const hasIpv6 = own.some(({ address }) => address === '::1');
  return ['127.0.0.1', ...(hasIpv6 ? ['::1'] : []), ...outward.slice(0, 1).map(({ address }) => address)];
}

async function reachFromOutside(options: NetConnectOpts): Promise<void> {
  const socket = connect(options);
  await once(socket, 'connect');
  socket.destroy();
}

describe('a sandbox', () => {
  verifies('sandbox:reaches-nothing', 'does not reach TCP listeners of the host', async () => {
    let accepted = 0;
    const hosts = hostAddresses();
    const servers = hosts.map((host) => createServer(() => (accepted += 1)).listen(0, host));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    const flows = servers.map((server, index): Flow => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      return { name: `tcp ${hosts[index] ?? ''}`, kind: 'tcp', host: hosts[index] ?? '', port };
    });
    for (const { host = '', port = 0 } of flows) await reachFromOutside({ host, port });
    const answers = await tried(flows);
    for (const { name } of flows) expect(['ECONNREFUSED', 'ENETUNREACH', 'EADDRNOTAVAIL']).toContain(answers[name]);
    expect(accepted).toBe(flows.length);
    for (const server of servers) server.close();
  });

  verifies('sandbox:reaches-nothing', 'does not reach UDP listeners of the host', async () => {
    const received: string[] = [];
    const hosts = hostAddresses();
    const sockets = hosts.map((host) =>
      createSocket(host.includes(':') ? 'udp6' : 'udp4').on('message', (message) =>
        received.push(`${host} ${message.toString()}`),
      ),
    );
    await Promise.all(sockets.map((socket, index) => once(socket.bind(0, hosts[index] ?? ''), 'listening')));
    const flows = sockets.map((socket, index): Flow => ({
      name: `udp ${hosts[index] ?? ''}`,
      kind: 'udp',
      host: hosts[index] ?? '',
      port: socket.address().port,
    }));
    await tried(flows);
    // Sent after the attempts: once these are here, anything sent before would be as well.
    for (const { host = '', port = 0 } of flows) {
      const sender = createSocket(host.includes(':') ? 'udp6' : 'udp4');
      await new Promise((resolve) => sender.send('outside', port, host, resolve));
      sender.close();
    }
    await expect.poll(() => received.toSorted()).toEqual(hosts.map((host) => `${host} outside`).toSorted());
    for (const socket of sockets) socket.close();
  });

  verifies('sandbox:reaches-nothing', 'does not reach named or abstract sockets of the host', async () => {
    let accepted = 0;
    const paths = [join(fixture.outside, 'host.sock'), `\0retainer-test-${String(process.pid)}`];
    const servers = paths.map((path) => createServer(() => (accepted += 1)).listen(path));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    for (const path of paths) await reachFromOutside({ path });
    const answers = await tried(paths.map((path, index) => ({ name: String(index), kind: 'unix', path })));
    expect(answers).toEqual({ '0': 'ENOENT', '1': 'ECONNREFUSED' });
    expect(accepted).toBe(paths.length);
    for (const server of servers) server.close();
  });

  const forbidden = [
    ...[
      '169.254.169.254',
      '169.254.170.2',
      '169.254.170.23',
      '100.100.100.200',
      '168.63.129.16',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fe80::1',
    ],
    ...[
      '10.0.0.1',
      '10.96.0.1',
      '10.43.0.1',
      '172.17.0.1',
      '172.20.0.1',
      '192.168.0.1',
      '192.168.1.1',
      '100.64.0.1',
      'fc00::1',
    ],
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '2606:4700:4700::1111',
      '192.0.2.1',
      '2001:db8::1',
      '224.0.0.251',
      '255.255.255.255',
      '::ffff:169.254.169.254',
    ],
  ];

  verifies(
    'sandbox:reaches-nothing',
    `finds no way to ${String(forbidden.length)} addresses by TCP and UDP: metadata, private, DNS, public`,
    async () => {
      const flows = forbidden.flatMap((host): readonly Flow[] => [
        { name: `tcp ${host}`, kind: 'tcp', host, port: 80 },
        { name: `udp ${host}`, kind: 'udp', host, port: 53 },
      ]);
      const answers = await tried(flows);
      expect(flows.length).toBeGreaterThanOrEqual(40);
      const noWay = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EINVAL', 'EACCES', 'EADDRNOTAVAIL']);
      expect(Object.entries(answers).filter(([, answer]) => !noWay.has(answer))).toEqual([]);
    },
  );

  verifies('sandbox:reaches-nothing', 'resolves no name', async () => {
    const script = `
const dns = require('node:dns');
const names = ['example.com', 'metadata.google.internal', 'kubernetes.default.svc', 'host.docker.internal'];
Promise.all(names.map((name) => new Promise((resolve) => dns.lookup(name, (error) => resolve(error ? error.code : 'resolved')))))
  .then((codes) => console.log(codes.join(' ')));`;
    const result = await fixture.run('javascript', script);
    expect(result.stdout).toMatch(/^((EAI_AGAIN|ENOTFOUND) ?){4}$/m);
  });

  verifies('sandbox:reaches-nothing', 'has only a loopback of its own, which works', async () => {
    const script = `
const net = require('node:net');
const server = net.createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1', () => {
  net.connect(server.address().port, '127.0.0.1').on('data', (data) => { console.log(String(data)); server.close(); });
});
console.log(require('node:fs').readFileSync('/proc/net/dev', 'utf8').split('\\n').slice(2).map((line) => line.split(':')[0].trim()).join(' '));`;
    const result = await fixture.run('javascript', script);
    expect(result.stdout).toBe('lo \nhello\n');
  });
});
