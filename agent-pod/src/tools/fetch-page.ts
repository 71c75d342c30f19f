/**
 * Fetches one page within the guard. Each name is resolved once, every address is checked, and the connection goes to a checked
 * address: a second answer of a resolver cannot lead elsewhere.
 *
 * Through a company's proxy the proxy connects. Every address that this machine knows of the name is checked as before. A host that
 * the Agent names is asked for by its name, which the proxy may resolve: people vouch for it. Any other host, allowed by `*` alone,
 * is asked for by its checked address, and one that only the proxy can resolve is refused: else whoever owns a name could lead the
 * proxy to a private address. Pages always take a tunnel (CONNECT), so that no proxy reads or rewrites them.
 *
 * Differs: reliability-security 5 follows up to five redirects anywhere; here a redirect to another host is not
 * followed but told, because the gate has judged one host only, and the next one is its next question.
 */
import { lookup } from 'node:dns/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestTls } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { PassThrough, pipeline, Readable, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { http } from '@retainer/contract/std/node-http';
import { proxyOf, type Proxy, type ProxySettings } from '@retainer/contract/std/proxies';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { openTunnel, ProxyError, secured } from '@retainer/kube/proxy-agent';
import { addressFault, isAllowedHost, isTextType, mediaType, parseRedirect, portOf } from './fetch-guard.ts';

/** Hard limits: no setting raises them. Source: reliability-security 5. */
export const MAX_REDIRECTS = 5;
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
export const MAX_COMPRESSION_RATIO = 100;
/** A small body may exceed the ratio without being a bomb. */
const RATIO_FREE_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** The way to other machines. Tests end it at a loopback server; the guard before it is always complete. */
export interface FetchNetwork {
  resolve(host: string): Promise<readonly ResolvedAddress[]>;
  /** Where to connect to reach a checked address; the address itself, except in tests. */
  dial(target: ResolvedAddress, port: number): ResolvedAddress & { readonly port: number };
  /** The proxy that leads to an address; absent: none does. */
  proxyOf?(url: URL): Result<Proxy | undefined, string>;
}

export const systemNetwork: FetchNetwork = {
  resolve: (host) => lookup(host, { all: true, verbatim: true }),
  dial: (target, port) => ({ ...target, port }),
};

export function networkThrough(proxies: ProxySettings): FetchNetwork {
  return { ...systemNetwork, proxyOf: (url) => proxyOf(proxies, url) };
}

/** The Agent's settings for fetching. The hard limits above bound them. */
export interface FetchSettings {
  readonly allowedDomains: readonly string[];
  /** 80 and 443 when absent. */
  readonly ports?: readonly number[];
  /** Largest body, unpacked; `MAX_BODY_BYTES` when absent. */
  readonly bytesMax?: number;
  /** `MAX_REDIRECTS` when absent; 0 follows none. */
  readonly redirectsMax?: number;
  /** Longest fetch, milliseconds; the chokepoint enforces it. */
  readonly timeoutMs?: number;
}

export interface FetchOptions extends FetchSettings {
  readonly network: FetchNetwork;
  readonly signal: AbortSignal;
}

export type Fetched =
  | {
      readonly kind: 'Page';
      readonly url: string;
      readonly status: number;
      readonly mediaType: string;
      readonly text: string;
    }
  | { readonly kind: 'OtherHost'; readonly url: string };

/** @returns  the error is a sentence for the model */
export async function fetchPage(start: URL, options: FetchOptions): Promise<Result<Fetched, string>> {
  const redirectsMax = Math.min(options.redirectsMax ?? MAX_REDIRECTS, MAX_REDIRECTS);
  const bytesMax = Math.min(options.bytesMax ?? MAX_BODY_BYTES, MAX_BODY_BYTES);
  let url = start;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await requestOnce(url, options);
    if (!response.ok) return response;
    const location = REDIRECTS.has(response.value.statusCode ?? 0) ? response.value.headers.location : undefined;
    if (location === undefined) return readPage(url, response.value, bytesMax);
    response.value.destroy();
    const next = parseRedirect(url, location, options.ports);
    if (!next.ok) return err(`${url.hostname} redirects to an address that ${next.error}.`);
    if (next.value.hostname !== url.hostname) return ok({ kind: 'OtherHost', url: next.value.href });
    url = next.value;
  }
  return err(`${start.hostname} redirects more than ${redirectsMax} times.`);
}

async function requestOnce(url: URL, options: FetchOptions): Promise<Result<IncomingMessage, string>> {
  const { allowedDomains, network, signal } = options;
  if (!isAllowedHost(allowedDomains, url.hostname)) {
    return err(`${url.hostname} is not among the hosts that may be fetched: ${allowedDomains.join(', ') || 'none'}.`);
  }
  const proxy = network.proxyOf?.(url) ?? ok(undefined);
  if (!proxy.ok) return err(`${url.hostname} cannot be reached: a setting of the proxy is wrong.`);
  // A proxy knows names that this machine does not.
  const addresses = await network.resolve(url.hostname).catch((error: unknown) => {
    if (proxy.value === undefined) throw error;
    return [];
  });
  signal.throwIfAborted();
  // One refused address is enough: chance must not decide which address is used.
  const fault = addresses.map(({ address }) => addressFault(address)).find((it) => it !== undefined);
  if (fault !== undefined) return err(`${url.hostname} leads to an address that is refused (${fault}).`);
  const [first] = addresses;
  if (proxy.value !== undefined) return sendThrough(proxy.value, url, first, options);
  if (first === undefined) return err(`${url.hostname} has no address.`);
  return ok(await send(url, pinnedTo(network.dial(first, portOf(url))), signal));
}

async function sendThrough(
  proxy: Proxy,
  url: URL,
  address: ResolvedAddress | undefined,
  { allowedDomains, signal }: FetchOptions,
): Promise<Result<IncomingMessage, string>> {
  const isNamed = isAllowedHost(
    allowedDomains.filter((domain) => domain !== '*'),
    url.hostname,
  );
  if (address === undefined && !isNamed)
    return err(
      `${url.hostname} has no address that can be checked here; behind a proxy only hosts that allowedDomains names are fetched without one.`,
    );
  const host = isNamed ? url.hostname : (address?.address ?? '');
  try {
    const socket = await openTunnel(proxy, host, portOf(url), signal);
    return ok(await send(url, tunnelled(socket, url), signal));
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    const { status, code = 'no answer' } = error;
    return err(
      `${url.hostname} is not reached: the proxy on the way ${status === undefined ? `cannot be used (${code})` : `answers ${status}`}.`,
    );
  }
}

type Route = Pick<RequestOptions, 'agent' | 'port' | 'lookup' | 'createConnection'>;

function pinnedTo({ address, family, port }: ReturnType<FetchNetwork['dial']>): Route {
  const lookup: LookupFunction = (_host, { all }, done) => {
    if (all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  return { agent: false, port, lookup };
}

function tunnelled(socket: Socket, { protocol, hostname }: URL): Route {
  return { createConnection: () => (protocol === 'https:' ? secured(socket, { host: hostname }) : socket) };
}

function send(url: URL, route: Route, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method: 'GET',
    host: url.hostname,
    path: `${url.pathname}${url.search}`,
    ...route,
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      host: url.host,
      'user-agent': 'retainer',
      accept: 'text/html, text/*, application/json, application/xml;q=0.9',
      'accept-encoding': 'gzip, deflate, br',
    },
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestTls(options, resolve) : http.request(options, resolve);
    request.on('error', reject);
    // The request asked for neither an upgrade nor a tunnel.
    request.on('upgrade', (_response, socket) => socket.destroy(new Error('the server wants to change the protocol')));
    request.end();
  });
}

async function readPage(url: URL, response: IncomingMessage, bytesMax: number): Promise<Result<Fetched, string>> {
  const contentType = response.headers['content-type'] ?? '';
  try {
    if (!isTextType(contentType)) {
      return err(
        `${url.hostname} answers with ${mediaType(contentType) || 'no content type'}; only text can be fetched.`,
      );
    }
    const body = await readBody(url, response, bytesMax);
    if (!body.ok) return body;
    const text = decoded(body.value, contentType);
    return ok({
      kind: 'Page',
      url: url.href,
      status: response.statusCode ?? 0,
      mediaType: mediaType(contentType),
      text,
    });
  } finally {
    response.destroy();
  }
}

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['identity', () => new PassThrough()],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Bytes received, packed or not, and their maximum. */
interface Received {
  bytes: number;
  readonly max: number;
}

async function readBody(url: URL, response: IncomingMessage, bytesMax: number): Promise<Result<Buffer, string>> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = DECODERS.get(encoding);
  if (decoder === undefined) {
    return err(`${url.hostname} answers in the unknown encoding ${JSON.stringify(encoding.slice(0, 40))}.`);
  }
  if (Number(response.headers['content-length'] ?? 0) > bytesMax) return err(tooLarge(url, bytesMax));
  const received = { bytes: 0, max: bytesMax };
  const source = Readable.from(counting(url, response, received), { objectMode: false });
  // An error of the source also ends the decoder, and comes out of the loop in `collect`.
  return collect(
    url,
    pipeline(source, decoder(), () => undefined),
    received,
  );
}

async function collect(url: URL, stream: AsyncIterable<Buffer>, received: Received): Promise<Result<Buffer, string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > received.max) return err(tooLarge(url, received.max));
    if (bytes > RATIO_FREE_BYTES && bytes > received.bytes * MAX_COMPRESSION_RATIO) {
      return err(`${url.hostname} answers with a body that is compressed more than ${MAX_COMPRESSION_RATIO} times.`);
    }
    chunks.push(chunk);
  }
  return ok(Buffer.concat(chunks));
}

async function* counting(url: URL, response: IncomingMessage, received: Received): AsyncGenerator<Buffer> {
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received.bytes += chunk.length;
    if (received.bytes > received.max) throw new Error(tooLarge(url, received.max));
    yield chunk;
  }
}

function tooLarge(url: URL, bytesMax: number): string {
  return `${url.hostname} answers with more than ${bytesMax} bytes.`;
}

function decoded(body: Buffer, contentType: string): string {
  const label = /charset\s*=\s*"?([A-Za-z0-9_.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    // An unknown label: most such pages are UTF-8 nevertheless, and other bytes show as U+FFFD.
    return body.toString('utf8');
  }
}
