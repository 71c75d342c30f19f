/** Mode Serve: forwards a signed request to a port of the code, and returns the answer. All content is data. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { http } from '@retainer/contract/std/node-http';
import { RUNNER_HEADERS, RUNNER_PATHS } from '@retainer/contract/wire/runner';
import type { Fault } from './fault.ts';

/** `/serve/NAME/PATH?QUERY` taken apart; undefined for anything else. */
export function servedPath(url: string): { readonly name: string; readonly path: string } | undefined {
  if (!url.startsWith(RUNNER_PATHS.serve)) return undefined;
  const rest = url.slice(RUNNER_PATHS.serve.length);
  const slash = rest.indexOf('/');
  return slash < 1 ? undefined : { name: rest.slice(0, slash), path: rest.slice(slash) };
}

const HOST = '127.0.0.1';
/** Headers that concern one connection, or only the runner. */
const OWN_HEADERS = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-length', 'expect', 'host', ...Object.values(RUNNER_HEADERS)],
]);

/** The first status that ends a request. */
const STATUS_MIN = 200;

export interface Served {
  readonly port: number;
  readonly path: string;
}

/** @param onFault  called at most once, before any part of the answer was sent */
export function forwardRequest(
  from: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: Buffer },
  to: Served,
  onFault: (fault: Fault) => void,
): void {
  const { request, response, body } = from;
  const headers = { ...passedHeaders(request.headers), host: `${HOST}:${to.port}`, 'content-length': body.length };
  const forwarded = http.request({
    ...{ host: HOST, port: to.port, path: to.path, method: request.method, headers },
  });
  forwarded.on('response', (answer) => {
    const status = answer.statusCode ?? 0;
    // Writing a status that no server may send would end this process.
    if (status < STATUS_MIN) return void forwarded.destroy(new Error('not an HTTP status'));
    response.writeHead(status, passedHeaders(answer.headers));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  forwarded.on('error', () => {
    if (response.headersSent) response.destroy();
    else onFault(noAnswer);
  });
  // A protocol upgrade that nobody asked for closes the connection without an error.
  forwarded.on('close', () => {
    if (!response.headersSent) onFault(noAnswer);
  });
  response.on('close', () => forwarded.destroy());
  forwarded.end(body);
}

/** Joins both connections until one of them ends. */
export function forwardUpgrade(from: { request: IncomingMessage; socket: Duplex; head: Buffer }, to: Served): void {
  const { request, socket, head } = from;
  const upstream = connect(to.port, HOST);
  const end = (): void => {
    socket.destroy();
    upstream.destroy();
  };
  upstream.on('error', end).on('close', end);
  socket.on('error', end).on('close', end);
  upstream.on('connect', () => {
    const headers = { ...passedHeaders(request.headers), host: `${HOST}:${to.port}` };
    const lines = Object.entries({ ...headers, connection: 'Upgrade', upgrade: request.headers.upgrade ?? '' });
    const text = lines.map(([name, value]) => `${name}: ${String(value)}`).join('\r\n');
    upstream.write(`${request.method ?? 'GET'} ${to.path} HTTP/1.1\r\n${text}\r\n\r\n`);
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
}

function passedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name)));
}

export const noAnswer: Fault = { status: 502, reason: 'NoAnswer', message: 'nothing answers at this port' };
