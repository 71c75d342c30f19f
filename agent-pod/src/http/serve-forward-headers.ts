/**
 * Filters the headers between clients and served code, which is untrusted. Pure.
 *
 * I1  Only the listed headers pass, in both directions: no cookie, no credential, no connection header.
 * I2  A browser gives every answer its own origin, caches none, and lets it request only addresses below its own prefix.
 *
 * No CORS header passes, so no page can read an answer to `fetch`, not even the port's own page, which has another origin.
 * Scripts, styles, images, forms, links and WebSockets below its own address work.
 */

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface ServedAddress {
  /** `/serve/ID/NAME` */
  readonly prefix: string;
  /** The request's Host header, unchecked. */
  readonly host: string | undefined;
  /** The port on which the code listens. */
  readonly port: number;
}

const REQUEST_HEADERS = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'cache-control', 'content-type', 'content-encoding', 'range'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'last-event-id'],
]);
/** Without `origin`, which would be the agent's own address. */
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

export function upgradeRequestHeaders(headers: Headers): Record<string, string> {
  return picked(headers, UPGRADE_REQUEST_HEADERS);
}

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

/** For every answer below `/serve/`, including the agent's own. */
export const guardedHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** A host name or an address, with or without a port; no character that could end a directive. */
const HOST = /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

function isolation({ prefix, host }: ServedAddress): Record<string, string> {
  const isKnown = host !== undefined && HOST.test(host);
  // Without a scheme the page's scheme applies. WebSockets need an entry of their own.
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

/** Adds the prefix, since the code sees itself at `/`. Undefined for a redirect elsewhere. */
function locationOf(given: Headers[string], { prefix, port }: ServedAddress): string | undefined {
  const base = `http://127.0.0.1:${port}`;
  if (typeof given !== 'string' || !URL.canParse(given, base)) return undefined;
  const { origin, pathname, search, hash } = new URL(given, base);
  if (origin !== base) return undefined;
  // The browser resolves a relative location.
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
