/**
 * Tries what an agent needs of its mail servers, one step after the other: its way to them, TLS, the logins, IDLE, and the look-ups by
 * which a signature is verified. Nothing is read, sent or changed.
 *
 * I1  No result has a text that a server wrote, a letter, or a part of a password.
 */
import { BlockList, isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '@retainer/contract/std/clock';
import { utcDate } from '@retainer/contract/std/utc-date';
import { connectTls, type ServerAccess } from './connect.ts';
import { ImapSession, SESSION_LIMITS } from './imap-session.ts';
import { faultOf, faultText, MailServerError, type ServerFault } from './server-fault.ts';
import { converse, type SmtpAccess } from './smtp-session.ts';

export const MAIL_TRIALS = [
  'incoming-name',
  'incoming-tls',
  'incoming-login',
  'incoming-idle',
  'outgoing-name',
  'outgoing-tls',
  'outgoing-login',
  'signatures',
] as const;
export type MailTrial = (typeof MAIL_TRIALS)[number];

/** `skip`: it could not be tried, because what comes before it failed. */
export const TRIAL_STATUSES = ['ok', 'skip', 'warn', 'fail'] as const;

export interface TrialResult {
  readonly trial: MailTrial;
  readonly status: (typeof TRIAL_STATUSES)[number];
  /** One sentence: what was seen; of a fault with what to do. */
  readonly seen: string;
}

/** What the trials need of DNS, as `node:dns/promises` has it. */
export interface Names {
  readonly lookup: (host: string) => Promise<readonly { readonly address: string }[]>;
  readonly resolveTxt: (name: string) => Promise<readonly (readonly string[])[]>;
}

export interface TriedServers {
  readonly incoming: ServerAccess & { readonly mailbox: string };
  readonly outgoing: SmtpAccess;
  /** Of `spec.pod.egressCidrs`; undefined: the agent runs where no policy holds it. */
  readonly egressCidrs: readonly string[] | undefined;
}

interface Surroundings {
  readonly names: Names;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** In the order of {@link MAIL_TRIALS}. Never rejects for what a server or DNS did. */
export async function tryServers(servers: TriedServers, around: Surroundings): Promise<readonly TrialResult[]> {
  const { incoming, outgoing, egressCidrs } = servers;
  const [ofIncoming, ofOutgoing, signatures] = await Promise.all([
    tryIncoming(incoming, egressCidrs, around),
    tryOutgoing(outgoing, egressCidrs, around),
    trySignatures(outgoing.address, around.names),
  ]);
  return [...ofIncoming, ...ofOutgoing, signatures];
}

type Trials = Extract<MailTrial, `incoming-${string}` | `outgoing-${string}`>;

const ok = (trial: MailTrial, seen: string): TrialResult => ({ trial, status: 'ok', seen });
const fail = (trial: MailTrial, seen: string): TrialResult => ({ trial, status: 'fail', seen });
const skip = (...trials: readonly Trials[]): readonly TrialResult[] =>
  trials.map((trial) => ({ trial, status: 'skip', seen: 'not tried, because of the fault above' }));

async function tryIncoming(
  access: TriedServers['incoming'],
  egressCidrs: TriedServers['egressCidrs'],
  around: Surroundings,
): Promise<readonly TrialResult[]> {
  const name = await tryName('incoming-name', access, { egressCidrs, names: around.names });
  if (name.status === 'fail') return [name, ...skip('incoming-tls', 'incoming-login', 'incoming-idle')];
  const tls = await tryTls('incoming-tls', access, around);
  if (tls.status === 'fail') return [name, tls, ...skip('incoming-login', 'incoming-idle')];
  try {
    const session = await ImapSession.open(access, SESSION_LIMITS, ANSWER_BYTES_MAX, around.signal);
    try {
      await session.select(access.mailbox, around.signal);
      return [name, tls, ok('incoming-login', `logs in, and opens ${access.mailbox}`), idleOf(session, access)];
    } finally {
      await session.close();
    }
  } catch (error) {
    return [name, tls, fail('incoming-login', seenOf(error, access)), ...skip('incoming-idle')];
  }
}

/** No letter is asked for. */
const ANSWER_BYTES_MAX = 65_536;

function idleOf({ hasIdle }: ImapSession, access: ServerAccess): TrialResult {
  if (hasIdle) return ok('incoming-idle', 'tells of new mail by itself');
  return { trial: 'incoming-idle', status: 'warn', seen: faultText('NoIdle', access) };
}

async function tryOutgoing(
  access: SmtpAccess,
  egressCidrs: TriedServers['egressCidrs'],
  around: Surroundings,
): Promise<readonly TrialResult[]> {
  const name = await tryName('outgoing-name', access, { egressCidrs, names: around.names });
  if (name.status === 'fail') return [name, ...skip('outgoing-tls', 'outgoing-login')];
  const isImplicit = access.tls === 'Implicit';
  const tls = isImplicit ? await tryTls('outgoing-tls', access, around) : undefined;
  if (tls?.status === 'fail') return [name, tls, ...skip('outgoing-login')];
  const byStartTls = ok('outgoing-tls', 'the connection is encrypted by STARTTLS, and the certificate is right');
  try {
    await converse(access, undefined, around.signal);
    return [name, tls ?? byStartTls, ok('outgoing-login', 'logs in')];
  } catch (error) {
    const fault = faultOf(error, 'UnexpectedAnswer');
    if (tls === undefined && BEFORE_LOGIN.has(fault))
      return [name, fail('outgoing-tls', seenOf(error, access)), ...skip('outgoing-login')];
    return [name, tls ?? byStartTls, fail('outgoing-login', seenOf(error, access))];
  }
}

/** Of a connection by STARTTLS: nobody has tried to log in yet. */
const BEFORE_LOGIN: ReadonlySet<ServerFault> = new Set([
  ...(['CertificateExpired', 'CertificateNotYetValid', 'CertificateUntrusted', 'NameMismatch', 'NoTls'] as const),
  ...(['NoConnection', 'NoAnswer', 'ProxyRefused', 'ProxyUnreachable', 'ConnectionLost'] as const),
]);

async function tryName(
  trial: MailTrial,
  access: ServerAccess,
  { egressCidrs, names }: { readonly egressCidrs: TriedServers['egressCidrs']; readonly names: Names },
): Promise<TrialResult> {
  const { host } = access;
  const proxy = await access.proxy?.();
  if (proxy !== undefined) return ok(trial, `the proxy of ${proxy.variable} looks up ${host}`);
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? (await names.lookup(host)).map(({ address }) => address) : [host];
  } catch {
    return fail(trial, faultText('UnknownHost', access));
  }
  const closed = egressCidrs === undefined ? [] : addresses.filter((it) => isPrivate(it) && !isIn(egressCidrs, it));
  if (closed.length === 0) return ok(trial, `${host} is ${addresses.join(', ')}`);
  return fail(
    trial,
    `${host} is the private address ${closed.join(', ')}, which the network of the agent does not let it reach: add it to spec.pod.egressCidrs of the Agent, as ${closed[0] ?? ''}/${isIP(closed[0] ?? '') === 6 ? 128 : 32}`,
  );
}

const PRIVATE: readonly string[] = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10', '::1/128'],
];

const isPrivate = (address: string): boolean => isIn(PRIVATE, address);

function isIn(cidrs: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [net = '', bits = ''] = cidr.split('/');
    if (isIP(net) !== 0 && bits !== '') list.addSubnet(net, Number(bits), isIP(net) === 6 ? 'ipv6' : 'ipv4');
  }
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** A certificate that ends so soon is told before it does. */
const EXPIRY_WARNED_MS = 14 * 86_400_000;

async function tryTls(trial: MailTrial, access: ServerAccess, { clock, signal }: Surroundings): Promise<TrialResult> {
  try {
    const socket = await connectTls(access, signal);
    const until = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN;
    socket.destroy();
    if (Number.isNaN(until)) return ok(trial, 'the certificate is right');
    const seen = `the certificate is for ${access.host}, of an authority that is trusted, and valid until ${utcDate(until)}`;
    if (until - clock.nowMs() > EXPIRY_WARNED_MS) return ok(trial, seen);
    return { trial, status: 'warn', seen: `${seen}: see that it is renewed` };
  } catch (error) {
    return fail(trial, seenOf(error, access));
  }
}

function seenOf(error: unknown, access: ServerAccess): string {
  if (error instanceof MailServerError) return error.message;
  return faultText(faultOf(error, 'UnexpectedAnswer'), access);
}

/** What a name server says of a name that has no record of the type, while there are names below it; or of no name at all. */
const NO_RECORD: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Whether a look-up works from here, and whether the own domain has keys: other servers take letters without a signature for spam,
 * and this agent could not know its peers by theirs.
 */
async function trySignatures(address: string, { resolveTxt }: Names): Promise<TrialResult> {
  const domain = address.replace(/^.*@/, '').toLowerCase();
  const has = async (name: string): Promise<boolean | 'Empty' | undefined> => {
    try {
      return (await resolveTxt(name)).length > 0;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!NO_RECORD.has(code)) return undefined;
      return code === 'ENODATA' ? 'Empty' : false;
    }
  };
  // A name without a record of its own exists if there are keys below it. Source: RFC 8020.
  const [keys, policy] = [await has(`_domainkey.${domain}`), await has(`_dmarc.${domain}`)];
  if (keys === undefined || policy === undefined)
    return fail(
      'signatures',
      `TXT records cannot be looked up from here, so no DKIM signature can be verified: let the agent reach a name server, or set trustedAuthenticationService`,
    );
  const missing = [...(keys === false ? ['DKIM key'] : []), ...(policy === true ? [] : ['DMARC record'])];
  if (missing.length === 0) return ok('signatures', `look-ups work; ${domain} has DKIM keys and a DMARC record`);
  return {
    trial: 'signatures',
    status: 'warn',
    seen: `look-ups work; ${domain} has no ${missing.join(' and no ')}: other servers may take its mails for spam; whoever runs the domain can add it`,
  };
}
