/**
 * Connections to mail servers: over TLS whose certificate and name are checked, through the proxy where there is one.
 *
 * I1  No byte of a login goes over a connection that is not encrypted to a server with the right name.
 */
import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect, createSecureContext, rootCertificates, type ConnectionOptions, type SecureContext } from 'node:tls';
import type { Proxy } from '@retainer/contract/std/proxies';
import { openTunnel } from '@retainer/kube/proxy-agent';
import { MailServerError, faultOf, type ServerName } from './server-fault.ts';

/** Address, proxy and TLS together: a server that is far away needs a second. */
export const CONNECT_MS = 30_000;
/** Of one address of several: Node gives up after a quarter of a second, which a busy line exceeds. */
const ADDRESS_MS = 5_000;

/** Older ones are broken. Source: RFC 8996. */
const TLS_VERSION_MIN = 'TLSv1.2';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

export interface ServerAccess extends ServerName {
  /** Read anew at each connection. Undefined: there are none. May reject. */
  readonly credentials: () => Promise<Credentials | undefined>;
  /** PEM texts of authorities that are trusted beside the public ones. Read anew at each connection. May reject. */
  readonly authorities: () => Promise<readonly string[]>;
  /** Asked anew at each connection. Undefined, and absent: the server is reached directly. */
  readonly proxy?: () => Promise<Proxy | undefined>;
}

/** @throws MailServerError */
export async function credentialsOf(access: ServerAccess): Promise<Credentials> {
  const credentials = await access.credentials().catch(() => undefined);
  if (credentials === undefined || credentials.user === '' || credentials.password === '')
    throw new MailServerError('CredentialsMissing', access);
  return credentials;
}

/** Without the authorities that are to be read, the server is not trusted. */
export async function tlsOptions(access: Pick<ServerAccess, 'host' | 'authorities'>): Promise<ConnectionOptions> {
  const { host } = access;
  const authorities = await access.authorities().catch(() => []);
  return {
    minVersion: TLS_VERSION_MIN,
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authorities.length === 0 ? {} : { secureContext: contextOf(authorities) }),
  };
}

/** The newest: reading all public authorities takes the process 60 ms, and both servers of an agent have the same. */
let newest: { readonly authorities: string; readonly context: SecureContext } | undefined;

function contextOf(authorities: readonly string[]): SecureContext {
  const text = authorities.join('\n');
  if (newest?.authorities !== text) {
    const ca = [...rootCertificates, ...authorities];
    newest = { authorities: text, context: createSecureContext({ ca, minVersion: TLS_VERSION_MIN }) };
  }
  return newest.context;
}

/** A connection whose server has shown its certificate. @throws MailServerError */
export async function connectTls(access: ServerAccess, signal: AbortSignal): Promise<Socket> {
  const { host, port } = access;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  try {
    const proxy = await access.proxy?.();
    const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, host, port, limit);
    const way = tunnel === undefined ? { port, autoSelectFamilyAttemptTimeout: ADDRESS_MS } : { socket: tunnel };
    return await opened(connect({ ...(await tlsOptions(access)), host, ...way }), 'secureConnect', limit);
  } catch (error) {
    throw connectionError(error, access, signal);
  }
}

/** For STARTTLS, which encrypts it later. @throws MailServerError */
export async function connectForStartTls(access: ServerAccess, signal: AbortSignal): Promise<Socket> {
  const { host, port } = access;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  try {
    const proxy = await access.proxy?.();
    if (proxy !== undefined) return await openTunnel(proxy, host, port, limit);
    const socket = connectPlain({ host, port, autoSelectFamilyAttemptTimeout: ADDRESS_MS });
    return await opened(socket, 'connect', limit);
  } catch (error) {
    throw connectionError(error, access, signal);
  }
}

async function opened<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const waiting = new AbortController();
  try {
    const either = { signal: AbortSignal.any([signal, waiting.signal]) };
    // A server that hangs up in the middle of the handshake is no error to Node.
    const closed = once(socket, 'close', either).then(() => Promise.reject(lost()));
    await Promise.race([once(socket, event, either), closed]);
    // Whoever takes it listens from now on.
    closed.catch(() => undefined);
    return socket;
  } catch (error) {
    // Its last error has no listener any more.
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  } finally {
    waiting.abort();
  }
}

function lost(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

function connectionError(error: unknown, access: ServerAccess, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return new MailServerError(faultOf(error, 'NoConnection'), access);
}
