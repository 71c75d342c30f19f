/** The proxy's answers to a request: the word for logs and metrics, the status, and the text for the client. */

interface Answer {
  readonly status: number;
  readonly text: string;
}

export const REFUSALS = {
  MethodNotAllowed: { status: 405, text: 'only the method CONNECT is supported' },
  Malformed: { status: 400, text: 'the request is not valid HTTP' },
  TooSlow: { status: 408, text: 'the request did not come in time' },
  Unauthenticated: { status: 407, text: 'a valid egress grant is required: proxy user `grant`, the grant as password' },
  HostMalformed: { status: 400, text: 'the target must be HOST:PORT, the host a full name in lower-case ASCII' },
  HostNotAllowed: { status: 403, text: 'the host is not on the allow-list of this grant' },
  AddressNotGranted: {
    status: 403,
    text: 'this grant belongs to another pod; if the network hides the addresses of pods, set egressProxy.bindsGrants to false',
  },
  PortNotAllowed: { status: 403, text: 'this port is not allowed' },
  AddressNotPublic: { status: 403, text: 'the host has an address that is not public' },
  TooManyTunnels: { status: 429, text: 'too many open connections; close some first' },
  TooManyConnections: { status: 429, text: 'too many open connections from one address; close some first' },
  ResolveFailed: { status: 502, text: 'the host has no address' },
  ConnectFailed: { status: 502, text: 'the host refuses the connection' },
  NoKey: { status: 503, text: 'the operator has not published its key yet; try again' },
  Draining: { status: 503, text: 'this proxy is stopping; try again' },
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
