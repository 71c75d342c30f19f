/** `pods/exec` of an API server for tests: the command of a container is a program of this machine. Source: RFC 6455; Kubernetes, v5.channel.k8s.io. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex, Writable } from 'node:stream';

export interface Container {
  /** HTTP status of a refusal; undefined where the command may begin. */
  readonly refusal: (request: {
    readonly user: string;
    readonly namespace: string;
    readonly pod: string;
  }) => number | undefined;
  /** What runs in place of the command. */
  readonly program: (command: readonly string[]) => readonly string[];
  /** It has ended, whether or not anybody hears of it. */
  readonly onExit?: (code: number | null) => void;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
/** Its message names the stream that the client ends. */
const CLOSE = 255;
const MASK_BYTES = 4;

/** For `upgrade` of a server. */
export function serveExec(message: IncomingMessage, socket: Duplex, { refusal, program, onExit }: Container): void {
  const url = new URL(message.url ?? '', 'http://server');
  const [, namespace = '', pod = ''] = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/.exec(url.pathname) ?? [];
  const user = /^Bearer (.+)$/.exec(message.headers.authorization ?? '')?.[1] ?? 'anonymous';
  const refused = refusal({ user, namespace, pod });
  if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} Refused\r\ncontent-length: 0\r\n\r\n`);
  const key = createHash('sha1')
    .update(`${message.headers['sec-websocket-key'] ?? ''}${GUID}`)
    .digest('base64');
  const protocol = 'Sec-WebSocket-Protocol: v5.channel.k8s.io';
  const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', protocol];
  socket.write(`${[...head, `Sec-WebSocket-Accept: ${key}`].join('\r\n')}\r\n\r\n`);
  socket.on('error', () => undefined);
  const [file = '', ...args] = program(url.searchParams.getAll('command'));
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  if (url.searchParams.get('stdin') === 'true') takeInput(socket, child.stdin);
  else child.stdin.end();
  child.stdout.on('data', (data: Buffer) => socket.write(frame(STDOUT, data)));
  child.stderr.on('data', (data: Buffer) => socket.write(frame(STDERR, data)));
  child.on('close', (code) => {
    socket.write(frame(STATUS, Buffer.from(JSON.stringify(statusOf(code ?? 1)))));
    onExit?.(code);
  });
}

/** Its standard input, which the client may end or leave open. */
function takeInput(socket: Duplex, input: Writable): void {
  input.on('error', () => undefined);
  let held: Buffer = Buffer.alloc(0);
  socket.on('data', (data: Buffer) => {
    held = Buffer.concat([held, data]);
    for (let message = takeFrame(held); message !== undefined; message = takeFrame(held)) {
      held = held.subarray(message.sizeBytes);
      const [channel, stream] = message.payload;
      if (channel === STDIN) input.write(message.payload.subarray(1));
      if (channel === CLOSE && stream === STDIN) input.end();
    }
  });
  // A client that was killed ends only its half of the connection.
  for (const name of ['end', 'close']) socket.on(name, () => input.end());
}

interface Frame {
  readonly sizeBytes: number;
  readonly payload: Buffer;
}

/** A client masks its frames, and sends no message in parts. @returns undefined while it is not whole */
function takeFrame(bytes: Buffer): Frame | undefined {
  const length = (bytes[1] ?? 0) & 0x7f;
  const headBytes = length === 127 ? 10 : length === 126 ? 4 : 2;
  if (bytes.length < headBytes + MASK_BYTES) return undefined;
  const payloadBytes =
    length === 127 ? Number(bytes.readBigUInt64BE(2)) : length === 126 ? bytes.readUInt16BE(2) : length;
  const sizeBytes = headBytes + MASK_BYTES + payloadBytes;
  if (bytes.length < sizeBytes) return undefined;
  const mask = bytes.subarray(headBytes, headBytes + MASK_BYTES);
  const payload = Buffer.from(bytes.subarray(headBytes + MASK_BYTES, sizeBytes));
  for (let at = 0; at < payload.length; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at % MASK_BYTES] ?? 0);
  return { sizeBytes, payload };
}

function statusOf(code: number): object {
  if (code === 0) return { status: 'Success' };
  return {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: `${code}` }] },
  };
}

/** One binary message. */
function frame(channel: number, data: Buffer): Buffer {
  const size = data.length + 1;
  const head = Buffer.alloc(size < 126 ? 2 : 10);
  head[0] = 0x82;
  if (size < 126) head[1] = size;
  else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(size), 2);
  }
  return Buffer.concat([head, Buffer.from([channel]), data]);
}
