/**
 * `fetch` to one server of models, and what was seen of the exchange. It decides nothing: `model-fault.ts` judges what was seen.
 *
 * I1  No redirect is followed: key and prompt reach the named origin only.
 * I2  What people set as the way is the way: their proxy, and the authorities that they trust beside the system's.
 * I3  A body is bounded before anybody decodes it ({@link BODY_BYTES_MAX}).
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline, type Duplex } from 'node:stream';
import { connect, rootCertificates } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { http } from '@retainer/contract/std/node-http';
import { proxyOf, proxyText, type Proxy, type ProxySettings } from '@retainer/contract/std/proxies';
import { ProxyAgent, ProxyError } from '@retainer/kube/proxy-agent';

/**
 * Maximum of one response body. An event adds about 150 bytes to its text, so the longest answer of 128,000 tokens stays
 * below 20 MB even with one event per token.
 */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

/** Of a refusal only its first words are told. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/** One look whether a port speaks TLS; a server at the other end of the world takes a second. */
const TLS_LOOK_MS = 3000;

/** Of a name in a header. */
const NAME_CHARS_MAX = 100;

export interface WireSettings {
  readonly proxies: ProxySettings;
  /** PEM; trusted beside the system's. */
  readonly authorities?: string;
}

/** What came of one request, so far. */
export interface Seen {
  readonly method: string;
  /** Without name, password and query. */
  readonly address: URL;
  /** The proxy on the way, with its variable. */
  readonly proxy?: string;
  /** Why no answer came: Node's code, or one of ours. */
  readonly broken?: { readonly code: string; readonly proxyStatus?: number; readonly variable?: string };
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: IncomingHttpHeaders;
  /** The origin that a redirect points to. */
  readonly pointsTo?: string;
  /** The body of a refusal, its head. */
  readonly refusal?: string;
  /** Bytes of the body that came. */
  readonly bodyBytes: number;
  /** An answer of 200 began like a page. */
  readonly isPage: boolean;
  readonly isTooLong: boolean;
}

export interface Wire {
  readonly fetch: typeof fetch;
  readonly seen: () => Seen | undefined;
}

/** @param progress  called for each piece of the answer, and not for its head: what comes later may be slow */
export function openWire(settings: WireSettings, progress: () => void): Wire {
  let seen: Seen | undefined;
  const see = (change: Partial<Seen>): void => {
    if (seen !== undefined) seen = { ...seen, ...change };
  };
  const fetchOnce: typeof fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init.method ?? 'GET';
    seen = { method, address: withoutSecrets(url), bodyBytes: 0, isPage: false, isTooLong: false };
    const proxy = proxyOf(settings.proxies, url);
    if (proxy.ok && proxy.value !== undefined) see({ proxy: `${proxyText(proxy.value)} (${proxy.value.variable})` });
    const response = await exchange(url, { ...init, method }, settings).catch(async (error: unknown) => {
      see({ broken: await brokenBy(error, url) });
      throw error;
    });
    const { statusCode: status = 0, headers } = response;
    see({ status, headers, contentType: mediaType(headers['content-type']), ...pointing(url, headers.location) });
    const isAnswer = status >= 200 && status < 300;
    const decoded = decodedBody(response);
    if (!isAnswer) {
      const refusal = await headOf(decoded);
      see({ refusal });
      return new Response(HAS_NO_BODY.has(status) ? null : refusal, { status, headers: flat(headers) });
    }
    const body = ReadableStream.from(watched(decoded, { see, progress }));
    return new Response(HAS_NO_BODY.has(status) ? null : body, { status, headers: flat(headers) });
  };
  return { fetch: fetchOnce, seen: () => seen };
}

/** `Response` takes no body with these. */
const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** @throws ProxyError, or the error of the connection; `Error` with a sentence where the way is refused */
async function exchange(url: URL, init: RequestInit, settings: WireSettings): Promise<IncomingMessage> {
  const fault = wayFault(url, settings.proxies);
  if (fault !== undefined) throw new Error(fault);
  const proxy = proxyOf(settings.proxies, url);
  if (!proxy.ok) throw new Error(proxy.error);
  const isSecure = url.protocol === 'https:';
  const tls = settings.authorities === undefined ? {} : { ca: [...systemAuthorities(), settings.authorities] };
  const options = {
    method: init.method,
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
    signal: init.signal ?? undefined,
    // A connection of its own: one that was kept may be closed by a server on the way while the request leaves.
    agent: isSecure && proxy.value !== undefined ? new ProxyAgent(proxy.value, tls) : (false as const),
    ...(isSecure ? tls : {}),
  };
  return new Promise((resolve, reject) => {
    const request = isSecure ? https.request(url, options) : http.request(url, options);
    request.once('response', resolve);
    request.on('error', reject);
    request.on('upgrade', (_response, socket) => socket.destroy(new Error('the server wants to change the protocol')));
    request.end(typeof init.body === 'string' ? init.body : undefined);
  });
}

/** Newer Nodes know those of the system and of NODE_EXTRA_CA_CERTS. */
function systemAuthorities(): readonly string[] {
  const { getCACertificates } = process.getBuiltinModule('node:tls') as {
    readonly getCACertificates?: (type: 'default') => readonly string[];
  };
  return getCACertificates?.('default') ?? rootCertificates;
}

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Nothing packed is asked for; some servers pack nevertheless. */
function decodedBody(response: IncomingMessage): AsyncIterable<Buffer> {
  const decoder = DECODERS.get((response.headers['content-encoding'] ?? '').trim().toLowerCase());
  // An error of the response also ends the decoder, and comes out of whoever reads it.
  return decoder === undefined ? response : pipeline(response, decoder(), () => undefined);
}

interface Watch {
  readonly see: (change: Partial<Seen>) => void;
  readonly progress: () => void;
}

async function* watched(body: AsyncIterable<Buffer>, { see, progress }: Watch): AsyncGenerator<Uint8Array> {
  let bodyBytes = 0;
  let isBegun = false;
  for await (const chunk of body) {
    progress();
    bodyBytes += chunk.length;
    see({ bodyBytes });
    const first: string | undefined = isBegun
      ? undefined
      : /^[\s\uFEFF]*(\S)/u.exec(chunk.subarray(0, 64).toString('utf8'))?.[1];
    isBegun ||= first !== undefined;
    if (first === '<') {
      see({ isPage: true });
      throw new Error('the answer is a page');
    }
    if (bodyBytes > BODY_BYTES_MAX) {
      see({ isTooLong: true });
      throw new Error('the response is too long');
    }
    yield new Uint8Array(chunk);
  }
}

async function headOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > REFUSAL_BYTES_MAX) break;
    }
  } catch {
    // The status is the refusal; its words are not needed.
  }
  return Buffer.concat(chunks).subarray(0, REFUSAL_BYTES_MAX).toString('utf8');
}

/** True of the body as it came, and not as it is handed on. */
const OF_THE_WIRE: ReadonlySet<string> = new Set(['content-length', 'content-encoding']);

/** What stands between Node's headers and those of `fetch`. */
function flat(headers: IncomingHttpHeaders): Headers {
  const flattened = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && !OF_THE_WIRE.has(name)) flattened.set(name, value);
  return flattened;
}

async function brokenBy(error: unknown, url: URL): Promise<NonNullable<Seen['broken']>> {
  if (error instanceof ProxyError) {
    const { proxy, status, code = 'PROXY' } = error;
    return { code, variable: proxy.variable, ...(status === undefined ? {} : { proxyStatus: status }) };
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' && url.protocol === 'http:' && (await speaksTls(url))) return { code: 'HTTPS_PORT' };
  if (code === 'EPROTO') return { code: /:SSL routines:[^:]*:([^:]+)/.exec(message)?.[1]?.trim() ?? code };
  return { code: code ?? message };
}

/** A server of TLS hangs up on plain HTTP without a word, as a broken one does. Nothing but a greeting is sent. */
function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    // The certificate does not matter, because nothing is said.
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
    const end = (isTls: boolean): void => {
      socket.destroy();
      resolve(isTls);
    };
    socket.setTimeout(TLS_LOOK_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

function withoutSecrets(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  bare.search = '';
  bare.hash = '';
  return bare;
}

function pointing(from: URL, location: string | undefined): Pick<Seen, 'pointsTo'> {
  if (location === undefined || !URL.canParse(location, from.href)) return {};
  const { origin } = new URL(location, from);
  return { pointsTo: origin.slice(0, NAME_CHARS_MAX) };
}

function mediaType(text = ''): string {
  return (text.split(';')[0] ?? '').trim().toLowerCase().slice(0, NAME_CHARS_MAX);
}

/**
 * Why requests to this address must not leave: they would pass a proxy unencrypted, with the key.
 *
 * @returns  a sentence without its setting; undefined if they may leave
 */
export function wayFault(base: URL, proxies: ProxySettings): string | undefined {
  const proxy: ReturnType<typeof proxyOf> = proxyOf(proxies, base);
  if (!proxy.ok) return proxy.error;
  if (proxy.value === undefined || base.protocol === 'https:') return undefined;
  return plainProxyFault(base, proxy.value);
}

function plainProxyFault({ origin, hostname }: URL, proxy: Proxy): string {
  return `${origin} is plain HTTP, and ${proxy.variable} leads it through ${proxyText(proxy)}: key and prompt would pass there in clear text. Begin the address with https://, or name ${hostname} in NO_PROXY`;
}
