/** Serves `/metrics`, `/healthz` and `/report` of the auditor. Takes no input but the path. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MetricsSource {
  metrics(): string;
  /** The present report on runs. JSON. */
  report(): object;
  /** The reason why the auditor is not working; undefined when it is. Alarms do not make it unhealthy. */
  unwell(): string | undefined;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A scraper that keeps a connection waiting this long has gone. */
const REQUEST_TIMEOUT_MS = 5_000;

/** @param address  port 0 takes any free port; loopback only, unless `all` */
export async function serveMetrics(
  { port, all }: { readonly port: number; readonly all: boolean },
  source: MetricsSource,
): Promise<MetricsServer> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      answer(request.url ?? '', response, source);
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(all ? {} : { host: '127.0.0.1' }) }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

function answer(url: string, response: ServerResponse, source: MetricsSource): void {
  const unwell = source.unwell();
  switch (url) {
    case '/metrics':
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(source.metrics());
      return;
    case '/healthz':
      response.writeHead(unwell === undefined ? 200 : 503, { 'content-type': 'text/plain' }).end(`${unwell ?? 'ok'}\n`);
      return;
    case '/report':
      response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(source.report())}\n`);
      return;
    default:
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
