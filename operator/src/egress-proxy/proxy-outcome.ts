/** The proxy's answers to a request: the word for logs and metrics, the status, and the text for the client. */

interface Answer {
  readonly status: number;
  readonly text: string;
}

export const REFUSALS = {
  MethodNotAllowed: { status: 405, text: 'only CONNECT is served here' },
  Malformed: { status: 400, text: 'the request cannot be read' },
  TooSlow: { status: 408, text: 'the request did not come in time' },
  Unauthenticated: { status: 407, text: 'a valid egress grant is needed: proxy user `grant`, password the grant' },
  HostMalformed: { status: 400, text: 'the target must be HOST:PORT, the host a full name in lower-case ASCII' },
  HostNotAllowed: { status: 403, text: 'the host is not on the allow-list of this grant' },
  AddressNotGranted: {
    status: 403,
    text: 'this grant was given to another pod; where the network hides the addresses of pods, set egressProxy.bindsGrants to false',
  },
  PortNotAllowed: { status: 403, text: 'this port may not be reached' },
  AddressNotPublic: { status: 403, text: 'the host leads to an address that is not public' },
  TooManyTunnels: { status: 429, text: 'too many connections at once; close some first' },
  TooManyConnections: { status: 429, text: 'too many connections of one address; close some first' },
  ResolveFailed: { status: 502, text: 'the host has no address' },
  ConnectFailed: { status: 502, text: 'the host does not take the connection' },
  NoKey: { status: 503, text: 'the operator has published no key yet' },
  Draining: { status: 503, text: 'this proxy is going down; try again' },
} as const satisfies Readonly<Record<string, Answer>>;

export type ProxyRefusal = keyof typeof REFUSALS;
export type ProxyOutcome = 'Allowed' | ProxyRefusal;

/** All outcomes, so that metrics exist before the first request. */
export const PROXY_OUTCOMES: readonly ProxyOutcome[] = ['Allowed', ...(Object.keys(REFUSALS) as ProxyRefusal[])];

/** The whole answer of a refusal, after which the proxy closes the connection. */
export function refusalText(refusal: ProxyRefusal): string {
  const { status, text } = REFUSALS[refusal];
  const body = `${text}\n`;
  const extra =
    status === 407 ? 'Proxy-Authenticate: Basic realm="retainer"\r\n' : status === 405 ? 'Allow: CONNECT\r\n' : '';
  return (
    `HTTP/1.1 ${status} ${refusal}\r\n${extra}Content-Type: text/plain; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}
