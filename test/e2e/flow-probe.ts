/** A program that tries many flows at once, for Node.js in any pod, and what it finds. */

/** In the place of a host: the node's end of the pod's cable, by its link-local IPv6 address, which no one has to assign. */
export const NODE_LINK_LOCAL = 'node-link-local';

export interface Flow {
  /** Unique. */
  readonly id: string;
  /** Open is: a connection; an answer to a datagram. */
  readonly protocol: 'tcp' | 'udp';
  readonly host: string;
  readonly port: number;
}

/** A connection inside one machine takes milliseconds; a busy one, a hundred times as long. */
const TRY_MS = 2500;
/** What stayed closed is tried once more. */
const ROUNDS = 2;
/** Every flow of the test in one line of text, which a Task's summary carries whole. */
const MARK = 'PROBED';

/**
 * Derives the node's link-local address from its hardware address, as its kernel does (RFC 4291, appendix A). Datagrams are DNS
 * queries, so that a DNS server answers them as an echo does.
 */
const PROGRAM = String.raw`
const net = require('node:net'), dgram = require('node:dgram'), fs = require('node:fs');
const flows = FLOWS.map((text) => text.split(' '));
const query = Buffer.from('00070100000100000000000001610000010001', 'hex');
function nodeLinkLocal() {
  const rows = fs.readFileSync('/proc/net/arp', 'utf8').split('\n').slice(1).map((line) => line.split(/\s+/));
  const row = rows.find((fields) => fields[3] && fields[3] !== '00:00:00:00:00:00');
  if (!row) return undefined;
  const b = row[3].split(':').map((text) => parseInt(text, 16));
  const bytes = [b[0] ^ 2, b[1], b[2], 255, 254, b[3], b[4], b[5]].map((byte) => byte.toString(16).padStart(2, '0'));
  return 'fe80::' + [0, 2, 4, 6].map((at) => bytes[at] + bytes[at + 1]).join(':') + '%' + row[5];
}
function tcp(host, port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port });
    const end = (isOpen) => { clearTimeout(timer); socket.destroy(); resolve(isOpen); };
    const timer = setTimeout(end, TRY_MS, false);
    socket.on('connect', () => end(true)).on('error', () => end(false));
  });
}
function udp(host, port) {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    const send = () => socket.send(query, port, host, () => undefined);
    const again = setInterval(send, TRY_MS / 4);
    const end = (isOpen) => { clearTimeout(timer); clearInterval(again); socket.close(); resolve(isOpen); };
    const timer = setTimeout(end, TRY_MS, false);
    socket.on('message', () => end(true)).on('error', () => end(false));
    send();
  });
}
function attempt([, protocol, host, port]) {
  const target = host === 'node-link-local' ? nodeLinkLocal() : host;
  if (target === undefined) return false;
  return protocol === 'tcp' ? tcp(target, Number(port)) : udp(target, Number(port));
}
async function main() {
  const open = new Set();
  for (let round = 0; round < ROUNDS; round += 1) {
    const closed = flows.filter(([id]) => !open.has(id));
    await Promise.all(closed.map(async (flow) => { if (await attempt(flow)) open.add(flow[0]); }));
  }
  console.log('PROBED ' + flows.length + ' [' + [...open].join(' ') + ']');
}
void main();
`;

/** @returns a script for Node.js without `>>>` in it */
export function probeScript(flows: readonly Flow[]): string {
  const texts = flows.map(({ id, protocol, host, port }) => `${id} ${protocol} ${host} ${port}`);
  const constants = { FLOWS: texts, TRY_MS, ROUNDS };
  const head = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  return [...head, PROGRAM].join('\n');
}

export interface Probed {
  readonly tried: number;
  /** Ids, sorted. */
  readonly open: readonly string[];
}

/** @param text  whatever holds the program's output; undefined where it does not */
export function readProbe(text: string): Probed | undefined {
  const [, tried, open] = new RegExp(String.raw`${MARK} (\d+) \[([^\]]*)\]`).exec(text) ?? [];
  if (tried === undefined || open === undefined) return undefined;
  return {
    tried: Number(tried),
    open: open
      .split(' ')
      .filter((id) => id !== '')
      .toSorted(),
  };
}
