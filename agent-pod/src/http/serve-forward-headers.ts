/**
 * What passes between people and served code, which nobody trusts. Pure.
 *
 * I1  Only the named headers pass, in both directions: no cookie, no credential, nothing that belongs to one connection.
 * I2  A browser gives every answer an origin of its own, keeps it in no cache, and lets it reach its own addresses only.
 *
 * No CORS header passes: what a port answers to `fetch` can be read neither by a foreign page nor by its own, which is
 * foreign to it. Scripts, styles, images, forms, links and WebSockets below its own address work.
 */

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Where one served port is reached, and by which name of the agent. */
export interface ServedAddress {
  /** `/serve/ID/NAME` */
  readonly prefix: string;
  /** Of the request; whatever the client wrote. */
  readonly host: string | undefined;
  /** Where the code listens. */
  readonly port: number;
}

const REQUEST_HEADERS = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'cache-control', 'content-type', 'content-encoding', 'range'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'last-event-id'],
]);
/** `origin` is not among them: it would be the agent's own address. */
const UPGRADE_REQUEST_HEADERS = new Set([
  ...['upgrade', 'sec-websocket-key', 'sec-websocket-version', 'sec-websocket-protocol', 'sec-websocket-extensions'],
]);
const ANSWER_HEADERS = new Set([
  ...['content-type', 'content-encoding', 'content-language', 'content-disposition', 'content-range', 'content-length'],
  ...['accept-ranges', 'allow', 'etag', 'last-modified', 'retry-after', 'vary'],
]);
const UPGRADED_HEADERS = new Set([
  ...['upgrade', 'sec-websocket-accept', 'sec-websocket-protocol', 'sec-websocket-extensions'],
]);

export function requestHeaders(headers: Headers): Record<string, string> {
  return picked(headers, REQUEST_HEADERS);
}

/** Of a request for another protocol. */
export function upgradeRequestHeaders(headers: Headers): Record<string, string> {
  return picked(headers, UPGRADE_REQUEST_HEADERS);
}

/** Of the answer that agrees on another protocol. */
export function upgradedHeaders(headers: Headers): Record<string, string> {
  return { ...picked(headers, UPGRADED_HEADERS), connection: 'Upgrade' };
}

export function answerHeaders(headers: Headers, address: ServedAddress): Record<string, string> {
  const location = locationOf(headers['location'], address);
  return {
    ...picked(headers, ANSWER_HEADERS),
    ...(location === undefined ? {} : { location }),
    ...isolation(address),
  };
}

/** For every answer below `/serve/`, the agent's own among them. */
export const guardedHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** A host name or an address, with or without a port: nothing that could end a directive. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

function isolation({ prefix, host }: ServedAddress): Record<string, string> {
  const isKnown = host !== undefined && HOST.test(host);
  // No scheme: that of the page. It does not cover WebSockets, which are named.
  const own = isKnown ? `${host}${prefix}/` : "'none'";
  const sockets = isKnown ? ` ws://${host}${prefix}/ wss://${host}${prefix}/` : '';
  const content = isKnown ? `${own} 'unsafe-inline' 'unsafe-eval' data: blob:` : "'none'";
  const policy = [
    'sandbox allow-scripts allow-forms',
    `default-src ${content}`,
    `connect-src ${own}${sockets}`,
    `form-action ${own}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return { ...guardedHeaders, 'content-security-policy': policy.join('; ') };
}

/** The code believes that it is at `/`. Undefined for a way to anywhere else. */
function locationOf(given: Headers[string], { prefix, port }: ServedAddress): string | undefined {
  const base = `http://127.0.0.1:${port}`;
  if (typeof given !== 'string' || !URL.canParse(given, base)) return undefined;
  const { origin, pathname, search, hash } = new URL(given, base);
  if (origin !== base) return undefined;
  // A relative one is left to the browser, which knows the page that it is relative to.
  const isRelative = !given.startsWith('/') && !given.includes('\\') && !URL.canParse(given);
  return isRelative ? given : `${prefix}${pathname}${search}${hash}`;
}

function picked(headers: Headers, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && names.has(name) ? [[name, value]] : [],
    ),
  );
}
