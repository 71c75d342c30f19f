/** A small HTTP server: fixed paths without input, for probes, scrapers and people, and at most one subtree. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { http } from '@retainer/contract/std/node-http';

/** The answer at a path. No page takes a body, a query or a secret. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type Routes = Readonly<Record<string, () => Page | Promise<Page>>>;

/** Answers requests of every method below its path, and all upgrade requests. */
export interface Subtree {
  isFor(request: IncomingMessage): boolean;
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<void>;
  /** Ends upgraded connections, which the server no longer closes. */
  close(): void;
}

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface ListenOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** All addresses by default. */
  readonly host?: string | undefined;
  readonly routes: Routes;
  readonly subtree?: Subtree;
  /** Absent: plain HTTP. Read again every minute, because the mount may replace the files. */
  readonly certificate?: CertificateFiles | undefined;
  /** Called after each reading. */
  readonly onCertificateRead?: (isRead: boolean) => void;
}

export interface Listener {
  readonly port: number;
  /** Accepts no more connections, ends the open ones, and resolves. */
  close(): Promise<void>;
}

/** A probe or a scrape is one short request. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Probes, a few scrapers, and a person. */
const CONNECTIONS_MAX = 64;
const CERTIFICATE_EVERY_MS = 60_000;

/** @throws if the port is taken, or the certificate is unreadable or of another key */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { certificate, onCertificateRead } = options;
  const answer = answerFrom(options);
  const limits = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
  if (certificate === undefined) return opened(http.createServer(limits, answer), options, () => undefined);
  // Without a certificate, no TLS need be in memory.
  const https = await import('node:https');
  const server = https.createServer({ ...limits, ...(await readCertificate(certificate)) }, answer);
  onCertificateRead?.(true);
  const renewal = setInterval(() => {
    // During its replacement a file may be missing, written in part or of another key; until the next reading the last one serves.
    readCertificate(certificate)
      .then((files) => server.setSecureContext(files))
      .then(
        () => onCertificateRead?.(true),
        () => onCertificateRead?.(false),
      );
  }, CERTIFICATE_EVERY_MS);
  renewal.unref();
  return opened(server, options, () => clearInterval(renewal));
}

async function opened(
  server: Server | HttpsServer,
  { port, host, subtree }: ListenOptions,
  onClose: () => void,
): Promise<Listener> {
  if (subtree === undefined) server.maxConnections = CONNECTIONS_MAX;
  else
    server.on('upgrade', (request, socket, head) => {
      subtree.upgrade(request, socket, head).catch(() => socket.destroy());
    });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        onClose();
        server.close(() => resolve());
        subtree?.close();
        server.closeAllConnections();
      }),
  };
}

function answerFrom({ routes, subtree }: ListenOptions): RequestListener {
  return (request, response) => {
    if (subtree?.isFor(request) === true) {
      // A broken connection, or an invalid answer: the client sees it cut off.
      subtree.answer(request, response).catch(() => response.destroy());
      return;
    }
    const [path = ''] = (request.url ?? '').split('?');
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    const page = async (): Promise<Page> => {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return plain(405, 'only the methods GET and HEAD are supported');
      return route === undefined ? plain(404, 'no such page') : route();
    };
    // A failed page is a fault of this program; the client gets no details.
    void page()
      .catch(() => plain(500, 'the page could not be created'))
      .then(({ status, contentType, body }) => {
        response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
        response.end(request.method === 'HEAD' ? undefined : body);
      });
  };
}

function plain(status: number, text: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}

/** @throws where a file is missing, is none of its kind, or belongs to another: a server would take an empty one */
async function readCertificate({ cert, key }: CertificateFiles): Promise<CertificateFiles> {
  const [certText, keyText] = await Promise.all([readFile(cert, 'utf8'), readFile(key, 'utf8')]);
  const belongs = new X509Certificate(certText).checkPrivateKey(createPrivateKey(keyText));
  if (!belongs) throw new Error(`the certificate ${cert} is of another key than ${key}: replace both`);
  return { cert: certText, key: keyText };
}
