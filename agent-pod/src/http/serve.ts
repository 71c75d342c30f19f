/** A small HTTP server: fixed paths without input for probes and scrapers, and at most one subtree. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type Routes = Readonly<Record<string, () => Answer | Promise<Answer>>>;

/** Answers requests of every method below its path, and all upgrade requests. */
export interface Subtree {
  isFor(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<void>;
  /** Ends upgraded connections, which the server no longer closes. */
  close(): void;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A prober that is silent for so long has gone. */
const REQUEST_TIMEOUT_MS = 5_000;

/** @param port  0 for any free one. Listens on all addresses, for the kubelet and the scraper */
export async function serve(port: number, routes: Routes, subtree?: Subtree): Promise<RunningServer> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      if (subtree?.isFor(request) === true) {
        // A broken connection, or an invalid answer: the client sees it cut off.
        subtree.answer(request, response).catch(() => response.destroy());
        return;
      }
      const path = (request.url ?? '').split('?')[0] ?? '';
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      void respond(response, request.method === 'GET' ? route : undefined);
    },
  );
  if (subtree !== undefined)
    server.on('upgrade', (request, socket, head) => {
      subtree.upgrade(request, socket, head).catch(() => socket.destroy());
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => closeServer(server, subtree) };
}

async function respond(response: ServerResponse, route: Routes[string] | undefined): Promise<void> {
  const { status, contentType, body } = await answerOf(route);
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

async function answerOf(route: Routes[string] | undefined): Promise<Answer> {
  if (route === undefined) return { status: 404, contentType: 'text/plain', body: 'not found\n' };
  try {
    return await route();
  } catch {
    return { status: 500, contentType: 'text/plain', body: 'it cannot be told\n' };
  }
}

function closeServer(server: Server, subtree: Subtree | undefined): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    subtree?.close();
    server.closeAllConnections();
  });
}
