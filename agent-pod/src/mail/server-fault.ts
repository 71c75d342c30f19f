/**
 * What can be wrong with a mail server, and what to do: the words of `ServerHealth`, of errors and of refused letters.
 *
 * I1  No text here comes from a server, a letter or a Secret. Texts of a server are looked at, and never quoted.
 */

/** Names of the manifest stand in them; `{server}` is `host:port`, `{mailbox}` the mailbox that is read. */
const TEXTS = {
  CredentialsMissing:
    'there is no user name or no password for {server}: put both into the Secret of credentialsSecretRef, or, without a cluster, into the environment or a file',
  LoginRefused:
    '{server} refuses the user name or the password: put those that it takes into the Secret of credentialsSecretRef; a change is tried at once',
  CertificateExpired:
    'the certificate of {server} is over: whoever runs the server must renew it; compare the clock of this machine too',
  CertificateNotYetValid:
    'the certificate of {server} is not valid yet: compare the clocks of this machine and of the server',
  CertificateUntrusted:
    'the certificate of {server} is signed by an authority that is not trusted here: put the certificate of that authority into the ConfigMap of caConfigMapRef',
  NameMismatch:
    'the certificate of {server} is for another name: write the name that stands in the certificate into the field host',
  NoTls:
    '{server} answers without TLS: compare the field port, and for outgoing mail the field tls, with what the provider says',
  UnknownHost: 'no address is known for {server}: compare the field host with what the provider says',
  NoConnection:
    '{server} cannot be reached: compare the fields host and port, and let the network of the agent out to it',
  ProxyRefused:
    'the proxy lets nobody through to {server}: allow its port there, and a private address in pod.egressCidrs',
  ProxyUnreachable: 'the proxy on the way to {server} cannot be reached: see whether it runs',
  MailboxMissing: '{server} has no mailbox {mailbox}: compare the field imap.mailbox with what the provider says',
  MailboxFull:
    'the mailbox at {server} is full, or almost: it takes few or no more letters until somebody deletes some or gives it more room',
  TooManyConnections:
    '{server} has too many connections of this user: end other programs that read the mailbox, or ask the provider for more',
  ServerUnavailable: '{server} says that it cannot serve now: this passes, or the provider knows why it does not',
  ConnectionLost: 'the connection to {server} broke: it is made again by itself',
  NoAnswer:
    'the connection to {server} is open, but nothing comes back: it is made again by itself; where that does not help, compare the fields port and tls',
  UnexpectedAnswer:
    '{server} answers in a way that this program does not understand: compare the fields host and port with what the provider says',
  AnswerTooLarge:
    '{server} sends more than it is asked for, so the connection was ended: the head alone of such a letter is read',
  NoIdle:
    '{server} does not tell of new mail by itself: it is asked each pollInterval, so an answer may take that much longer',
  NumberedAnew:
    '{server} numbers all letters of {mailbox} anew: they are read once more, and none that was read is taken twice',
  SenderRefused:
    '{server} refuses to send for this address: let the user of credentialsSecretRef send as the address of the channel',
  RecipientRefused: '{server} refuses a recipient: the letter was sent to nobody; compare the address',
  RecipientFull: '{server} says that the mailbox of a recipient is full: the letter was sent to nobody',
  LetterTooLarge: '{server} refuses the letter for its size: it was sent to nobody',
  LetterRefused: '{server} refuses the letter: it was sent to nobody; the provider knows the reason',
  TryLater: '{server} does not take the letter now: it was sent to nobody, and is tried again',
  BrokenWhileSent:
    'the connection to {server} broke when the letter was on its way: nobody knows whether the server took it',
  Stopped: 'the agent stopped before the letter was on its way to {server}: it was sent to nobody',
} as const;

export type ServerFault = keyof typeof TEXTS;

export const SERVER_FAULTS = Object.keys(TEXTS) as readonly ServerFault[];

/** What is shown of a server: fields of the manifest. */
export interface ServerName {
  readonly host: string;
  readonly port: number;
  readonly mailbox?: string;
}

/** One sentence: what is wrong and what to do. */
export function faultText(fault: ServerFault, { host, port, mailbox = '' }: ServerName): string {
  return TEXTS[fault].replaceAll('{server}', `${host}:${port}`).replaceAll('{mailbox}', mailbox);
}

/** A server does not do what is asked of it. Its message is {@link faultText}. */
export class MailServerError extends Error {
  override readonly name = 'MailServerError';
  readonly fault: ServerFault;

  constructor(fault: ServerFault, server: ServerName) {
    super(faultText(fault, server));
    this.fault = fault;
  }
}

/** Codes of Node, OpenSSL and the libraries. */
const CODES: Readonly<Record<string, ServerFault>> = {
  CERT_HAS_EXPIRED: 'CertificateExpired',
  CERT_NOT_YET_VALID: 'CertificateNotYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'NameMismatch',
  ERR_SSL_WRONG_VERSION_NUMBER: 'NoTls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'NoTls',
  ETLS: 'NoTls',
  ENOTFOUND: 'UnknownHost',
  EAI_AGAIN: 'UnknownHost',
  EAI_NODATA: 'UnknownHost',
  EDNS: 'UnknownHost',
  ECONNREFUSED: 'NoConnection',
  EHOSTUNREACH: 'NoConnection',
  ENETUNREACH: 'NoConnection',
  EADDRNOTAVAIL: 'NoConnection',
  CONNECT_TIMEOUT: 'NoConnection',
  GREETING_TIMEOUT: 'NoAnswer',
  ETIMEOUT: 'NoAnswer',
  ETIMEDOUT: 'NoAnswer',
  ECONNRESET: 'ConnectionLost',
  EPIPE: 'ConnectionLost',
  ECONNECTION: 'ConnectionLost',
  ESOCKET: 'ConnectionLost',
  NoConnection: 'ConnectionLost',
  EConnectionClosed: 'ConnectionLost',
  ClosedAfterConnectTLS: 'ConnectionLost',
  ClosedAfterConnectText: 'ConnectionLost',
  StateLogout: 'ConnectionLost',
  LiteralTooLarge: 'AnswerTooLarge',
  ResponseTooLarge: 'AnswerTooLarge',
  LineTooLarge: 'AnswerTooLarge',
  TooManyTokens: 'AnswerTooLarge',
  EAUTH: 'LoginRefused',
};

/** Of what OpenSSL cannot lead back to an authority that is trusted. */
const UNTRUSTED =
  /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED|CERT_CHAIN_TOO_LONG|CERT_REJECTED|INVALID_CA|CERT_SIGNATURE_FAILURE)/;

/** What the libraries say of an error. All of it may come from a server, so nothing of it is shown. */
interface LibraryError {
  readonly name?: string;
  readonly code?: string;
  /** Of nodemailer: the code of the system. */
  readonly originalCode?: string;
  /** Of a refused CONNECT. */
  readonly status?: number;
  /** Of IMAP: `LIMIT` … */
  readonly serverResponseCode?: string;
  readonly responseText?: string;
  readonly response?: unknown;
  /** Of the farewell of a server. */
  readonly reason?: string;
  readonly authenticationFailed?: boolean;
  readonly mailboxMissing?: boolean;
  readonly message?: string;
}

/** Codes of RFC 5530 by which a server refuses for a while what it would take at another time. */
const PASSING: Readonly<Record<string, ServerFault>> = {
  LIMIT: 'TooManyConnections',
  UNAVAILABLE: 'ServerUnavailable',
  SERVERBUG: 'ServerUnavailable',
  INUSE: 'ServerUnavailable',
  CONTACTADMIN: 'ServerUnavailable',
  OVERQUOTA: 'MailboxFull',
};

const TOO_MANY = /too many|connection limit|maximum number of connections|simultaneous/i;
/** Exchange takes the password and cannot reach the mailbox. */
const NOT_NOW = /authenticated but not connected|temporar|try again|system error|internal error/i;

/** Why a connection could not be made, or broke. @param otherwise  where nothing tells */
export function faultOf(error: unknown, otherwise: ServerFault): ServerFault {
  if (error instanceof MailServerError) return error.fault;
  const known: LibraryError = typeof error === 'object' && error !== null ? error : {};
  if (known.name === 'ProxyError') return known.status === undefined ? 'ProxyUnreachable' : 'ProxyRefused';
  const refused = refusalOf(known);
  if (refused !== undefined) return refused;
  return ofCode(known.originalCode) ?? ofCode(known.code) ?? otherwise;
}

function ofCode(code = ''): ServerFault | undefined {
  if (UNTRUSTED.test(code)) return 'CertificateUntrusted';
  return CODES[code] ?? (/^(ERR_SSL_|EPROTO$)/.test(code) ? 'NoTls' : undefined);
}

function refusalOf(error: LibraryError): ServerFault | undefined {
  const { serverResponseCode, mailboxMissing, authenticationFailed } = error;
  const passing = PASSING[serverResponseCode ?? ''];
  if (passing !== undefined) return passing;
  if (mailboxMissing === true || serverResponseCode === 'NONEXISTENT') return 'MailboxMissing';
  const words = [error.responseText, error.response, error.reason].filter((it) => typeof it === 'string').join(' ');
  if (TOO_MANY.test(words)) return 'TooManyConnections';
  if (authenticationFailed !== true) return undefined;
  return NOT_NOW.test(words) ? 'ServerUnavailable' : 'LoginRefused';
}
