/** HTTP in front of a runner: one route for each path of the protocol. The content of requests is never logged. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { http } from '@retainer/contract/std/node-http';
import type { Result } from '@retainer/contract/std/result';
import {
  Claim,
  RUNNER_HEARTBEAT_MS,
  RUNNER_JSON_BYTES_MAX,
  RUNNER_PATHS,
  RunRequest,
  UNCLAIMED_QUERY,
  type RunnerError,
} from '@retainer/contract/wire/runner';
import type { Fault } from './fault.ts';
import { archiveOf } from './files-out.ts';
import { parseBody, readBody, readSigned } from './request-body.ts';
import type { Runner } from './runner.ts';
import { forwardRequest, forwardUpgrade, noAnswer, servedPath } from './serve-forward.ts';
import { bodyDigest, EMPTY_DIGEST, type RequestFacts } from './signed-request.ts';

/** A claim is a few hundred bytes. */
const CLAIM_BYTES_MAX = 4096;
/** One claimant needs three; the rest is for probes and strangers. */
const CONNECTIONS_MAX = 64;
const HEADERS_TIMEOUT_MS = 10_000;
/** 256 MiB in this time are 0.9 MB/s; a slower network is unusable. */
const BODY_TIMEOUT_MS = 300_000;

export interface RunnerServerOptions {
  readonly runner: Runner;
  readonly workDirectory: string;
  /** Called for each request of the claimant. */
  readonly onActivity: () => void;
  /** The claimant asked to stop and has received the answer. */
  readonly onStop: () => void;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Required digest of the body. */
  readonly digest: string;
}

/** Not listening yet. */
export function createRunnerServer(options: RunnerServerOptions): Server {
  const server = http.createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: BODY_TIMEOUT_MS,
    connectionsCheckingInterval: HEADERS_TIMEOUT_MS,
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('request', (request, response) => {
    answer(options, request, response).catch(() => {
      // A connection that broke, or a disk that failed under a file: the claimant sees an answer that is cut off.
      if (response.headersSent) response.destroy();
      else refuse(response, brokenFault);
    });
  });
  server.on('upgrade', (request, socket, head) => upgrade(options, request, { socket, head }));
  return server;
}

async function answer(options: RunnerServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { runner, onActivity } = options;
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const route = `${request.method ?? ''} ${path}`;
  if (route === `GET ${RUNNER_PATHS.health}`) {
    const isRefused = query === UNCLAIMED_QUERY && runner.phase !== 'Idle';
    response.writeHead(isRefused ? 503 : 200).end();
  } else if (route === `POST ${RUNNER_PATHS.claim}`) {
    reply(response, 204, await claim(runner, request));
    onActivity();
  } else await answerSigned(options, { request, response }, route);
}

async function answerSigned(
  options: RunnerServerOptions,
  { request, response }: Omit<Exchange, 'digest'>,
  route: string,
): Promise<void> {
  const { runner, onActivity } = options;
  const handler = handlers[route] ?? (servedPath(request.url ?? '') === undefined ? undefined : serve);
  if (handler === undefined) return refuse(response, unknownFault);
  const authorized = runner.authorize(factsOf(request));
  if (!authorized.ok) return refuse(response, authorized.error);
  onActivity();
  await handler(options, { request, response, digest: authorized.value.digest });
  onActivity();
}

type Handler = (options: RunnerServerOptions, exchange: Exchange) => Promise<void>;

const handlers: Readonly<Record<string, Handler>> = {
  [`POST ${RUNNER_PATHS.files}`]: async ({ runner }, { request, response, digest }) => {
    reply(response, 204, await runner.receive(request, digest));
  },
  [`POST ${RUNNER_PATHS.run}`]: async ({ runner }, { request, response, digest }) => {
    const body = await readSigned(request, RUNNER_JSON_BYTES_MAX, digest);
    if (!body.ok) return refuse(response, body.error);
    const parsed = parseBody(body.value, RunRequest);
    if (!parsed.ok) return refuse(response, parsed.error);
    reply(response, 202, runner.start(parsed.value, digest));
  },
  [`GET ${RUNNER_PATHS.output}`]: withoutBody(output),
  [`GET ${RUNNER_PATHS.files}`]: withoutBody(async ({ runner, workDirectory }, response) => {
    const changes = await runner.changes();
    if (!changes.ok) return refuse(response, changes.error);
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    await pipeline(Readable.from(archiveOf(workDirectory, changes.value), { objectMode: false }), response);
  }),
  [`POST ${RUNNER_PATHS.stop}`]: withoutBody(async ({ onStop }, response) => {
    response.once('close', onStop);
    response.writeHead(204, { connection: 'close' }).end();
    return Promise.resolve();
  }),
};

/** For requests without a body: their signed digest must be that of no bytes. */
function withoutBody(
  handler: (options: RunnerServerOptions, response: ServerResponse, request: IncomingMessage) => Promise<void>,
): Handler {
  return (options, { request, response, digest }) => {
    if (digest === EMPTY_DIGEST) return handler(options, response, request);
    refuse(response, { status: 400, reason: 'DigestMismatch', message: 'this request has no body' });
    return Promise.resolve();
  };
}

async function claim(runner: Runner, request: IncomingMessage): Promise<Result<undefined, Fault>> {
  const body = await readBody(request, CLAIM_BYTES_MAX);
  if (!body.ok) return body;
  const parsed = parseBody(body.value, Claim);
  if (!parsed.ok) return parsed;
  return runner.claim(parsed.value, factsOf(request), bodyDigest(body.value));
}

const FROM = /^(0|[1-9][0-9]{0,8})$/;

/** Streams events at the reader's own pace; unread ones stay in the log, which is bounded. */
async function output(
  { runner }: RunnerServerOptions,
  response: ServerResponse,
  request: IncomingMessage,
): Promise<void> {
  const from = (request.url ?? '').split('?from=')[1] ?? '0';
  if (!FROM.test(from)) return refuse(response, { status: 400, reason: 'Malformed', message: 'from must be a number' });
  const { log } = runner;
  if (log === undefined) return refuse(response, { status: 409, reason: 'NotRunning', message: 'nothing has run yet' });
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  let next = Number(from);
  let wake = (): void => undefined;
  const canWrite = (): boolean =>
    response.destroyed || (!response.writableNeedDrain && (log.isEnded || log.line(next) !== undefined));
  const wakeIfDue = (): void => {
    if (canWrite()) wake();
  };
  const unwatch = log.watch(wakeIfDue);
  response.on('drain', wakeIfDue);
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write('\n');
  }, RUNNER_HEARTBEAT_MS);
  response.on('close', wakeIfDue);
  try {
    while (!response.destroyed) {
      const line = log.line(next);
      if (line === undefined && log.isEnded) break;
      if (line !== undefined) next += 1;
      const canGoOn = line !== undefined && response.write(line);
      if (canGoOn) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        // Catches an event, a drain or an end that came before the wait began.
        if (canWrite()) resolve();
      });
    }
  } finally {
    unwatch();
    clearInterval(heartbeat);
  }
  response.end();
}

async function serve({ runner }: RunnerServerOptions, { request, response, digest }: Exchange): Promise<void> {
  const served = servedPath(request.url ?? '');
  const port = served === undefined ? undefined : runner.servedPort(served.name);
  if (served === undefined) return refuse(response, unknownFault);
  // A claimant that asks whether a port answers must not take the runner's answer for the code's.
  if (port === undefined) return refuse(response, runner.hasPort(served.name) ? noAnswer : unknownFault);
  const body = await readSigned(request, RUNNER_JSON_BYTES_MAX, digest);
  if (!body.ok) return refuse(response, body.error);
  forwardRequest({ request, response, body: body.value }, { port, path: served.path }, (fault) =>
    refuse(response, fault),
  );
}

function upgrade(
  { runner, onActivity }: RunnerServerOptions,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const served = servedPath(request.url ?? '');
  const authorized = runner.authorize(factsOf(request));
  const port = served === undefined || !authorized.ok ? undefined : runner.servedPort(served.name);
  if (served === undefined || port === undefined) {
    const status = authorized.ok ? '404 Not Found' : '401 Unauthorized';
    socket.on('error', () => undefined);
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  onActivity();
  forwardUpgrade({ request, socket, head }, { port, path: served.path });
}

function factsOf(request: IncomingMessage): RequestFacts {
  return { method: request.method ?? '', path: request.url ?? '', headers: request.headers };
}

function reply(response: ServerResponse, status: 202 | 204, result: Result<undefined, Fault>): void {
  if (result.ok) response.writeHead(status).end();
  else refuse(response, result.error);
}

/** Closes the connection: nobody reads the rest of a refused body. */
function refuse(response: ServerResponse, { status, reason, message }: Fault | typeof brokenFault): void {
  const error: RunnerError = { reason, message };
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(error));
}

const unknownFault: Fault = { status: 404, reason: 'NotFound', message: 'no such path' };
const brokenFault = { status: 500, reason: 'Broken', message: 'internal error of the runner' } as const;
