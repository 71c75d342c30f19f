/** A program that asks the egress proxy of its environment for ways out, right and wrong ones, and what it is answered. */
import { GREETING, METADATA_ADDRESSES } from './flow-listeners.ts';

/** The Agent may reach these names, below the domain of the namespace of the listeners. */
export const NAMED_HOSTS = ['public', 'private'] as const;

export interface ConnectAttempt {
  readonly id: string;
  /** Of a name without a dot, in the namespace of the listeners. */
  readonly target: string;
  readonly method?: 'GET';
  /** What stands in the place of the grant. */
  readonly grant?: 'None' | 'Forged';
  /** Status of the proxy; `200 GREETING` where the other end has spoken. */
  readonly answer: string;
  /** Whether the listener has an address of somebody else. */
  readonly needsLentAddress?: true;
}

export const CONNECT_ATTEMPTS: readonly ConnectAttempt[] = [
  { id: 'named', target: 'public:443', answer: `200 ${GREETING}`, needsLentAddress: true },
  { id: 'other-port', target: 'public:80', answer: '403' },
  { id: 'not-named', target: 'other:443', answer: '403' },
  { id: 'named-but-private', target: 'private:443', answer: '403' },
  { id: 'below-a-named-host', target: 'x.public:443', answer: '403' },
  { id: 'address-of-a-named-host', target: '8.8.8.8:443', answer: '403' },
  { id: 'metadata', target: `${METADATA_ADDRESSES.aws}:443`, answer: '403' },
  { id: 'cluster-service', target: 'kubernetes.default.svc.cluster.local:443', answer: '403' },
  { id: 'loopback', target: '127.0.0.1:443', answer: '403' },
  { id: 'plain-http', target: 'public:443', method: 'GET', answer: '405' },
  { id: 'without-grant', target: 'public:443', grant: 'None', answer: '407' },
  { id: 'forged-grant', target: 'public:443', grant: 'Forged', answer: '407' },
];

/** The proxy's own limits are below this. */
const ANSWER_MS = 15_000;

const PROGRAM = String.raw`
const net = require('node:net');
const proxy = new URL(process.env.HTTPS_PROXY);
const right = decodeURIComponent(proxy.password);
const grants = { Right: right, Forged: right.slice(0, -6) + (right.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA') };
function ask([id, target, method, grant]) {
  return new Promise((resolve) => {
    const lines = method === 'GET' ? ['GET http://' + target + '/ HTTP/1.1'] : ['CONNECT ' + target + ' HTTP/1.1'];
    lines.push('Host: ' + target);
    if (grant !== 'None')
      lines.push('Proxy-Authorization: Basic ' + Buffer.from(proxy.username + ':' + grants[grant]).toString('base64'));
    let text = '';
    const socket = net.connect({ host: proxy.hostname, port: Number(proxy.port) });
    const end = () => {
      clearTimeout(timer);
      const [, status = 'none', rest = ''] = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n([^]*)$/.exec(text) || [];
      socket.destroy();
      resolve(id + '=' + (status === '200' ? status + ' ' + rest.trim() : status));
    };
    const timer = setTimeout(end, ANSWER_MS);
    socket.on('data', (bytes) => { text += bytes; }).on('close', end).on('error', end);
    socket.write(lines.join('\r\n') + '\r\n\r\n');
  });
}
Promise.all(ATTEMPTS.map(ask)).then((answers) => console.log('ASKED ' + answers.join(';') + '.'));
`;

/** @param domain  of the listeners' names */
export function connectScript(attempts: readonly ConnectAttempt[], domain: string): string {
  const rows = attempts.map(({ id, target, method = 'CONNECT', grant = 'Right' }) => {
    const [host = '', port = ''] = target.split(':');
    const isOurs = /^(x\.)?[a-z]+$/.test(host);
    return [id, `${isOurs ? `${host}.${domain}` : host}:${port}`, method, grant];
  });
  return `const ATTEMPTS = ${JSON.stringify(rows)};\nconst ANSWER_MS = ${ANSWER_MS};\n${PROGRAM}`;
}

/** @returns answers by id; undefined where the text holds none */
export function readAttempts(text: string): Readonly<Record<string, string>> | undefined {
  const [, list] = /ASKED ([^.]*)\./.exec(text) ?? [];
  if (list === undefined) return undefined;
  return Object.fromEntries(list.split(';').map((entry) => entry.split('=') as [string, string]));
}
