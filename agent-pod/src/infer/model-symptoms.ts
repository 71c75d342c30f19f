/**
 * The table of what can be wrong on the way to a model: symptom, kind of failure, meaning, remedy. Pure.
 *
 * I1  A symptom that can end by itself has a kind that `canPass`; every other has one that nobody tries again.
 */
import type { ModelFailureKind } from '@retainer/mind/request/model-request';
import { failureKind } from './anthropic-failure.ts';
import type { Seen } from './model-wire.ts';

/** The settings of a model, as the person who set them knows them. */
export interface SettingNames {
  /** `spec.models.baseURL` or `ANTHROPIC_BASE_URL`. */
  readonly address: string;
  readonly key: string;
  /** What adds an authority to the trusted ones. */
  readonly authorities: string;
}

export interface Symptom {
  readonly seen: Seen;
  /** Of an error event within the stream. */
  readonly event?: { readonly type?: string | undefined; readonly text: string };
  /** The address is the provider's own, and nobody set another. */
  readonly isProviders: boolean;
  readonly model: string;
}

export interface Facts extends Symptom {
  readonly code: string;
  readonly status: number;
  /** Of a JSON error. */
  readonly errorType: string | undefined;
  /** What the server says of it, without pages and echoes. */
  readonly text: string;
  /** The refusal is a JSON error, so that something answered that knows the API. */
  readonly isApi: boolean;
  readonly names: SettingNames;
}

export interface Row {
  readonly symptom: (facts: Facts) => boolean;
  readonly kind: ModelFailureKind | ((facts: Facts) => ModelFailureKind);
  /** What it is; empty where the server's words say it. */
  readonly means: (facts: Facts) => string;
  readonly remedy: (facts: Facts) => string;
}

const UNTRUSTED =
  /^(SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF|CERT_UNTRUSTED|INVALID_CA|CERT_CHAIN_TOO_LONG)/;
/** Every other verdict of OpenSSL on a certificate. */
const REFUSED_CERTIFICATE =
  /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|PATH_LENGTH|INVALID_PURPOSE|HOSTNAME_MISMATCH|ERR_TLS_CERT|UNSPECIFIED$)/;
const NOT_TLS = /wrong.version.number|packet.length.too.long|http.request|unknown.protocol|record.layer.failure/i;
/** Both ends speak TLS, and agree on no way of it. */
const NO_COMMON_TLS =
  /handshake.failure|unsupported|protocol.version|certificate.required|bad.certificate|no.protocols|unrecognized.name|unknown.ca/i;
const WRONG_KEY_STATUS: ReadonlySet<number> = new Set([401, 402, 403]);
/** Statuses that something on the way sends while it is busy; its page is no sign of a wrong address. */
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429]);
/** The request is refused for what is in it. */
const REFUSED_STATUS: ReadonlySet<number> = new Set([400, 422]);
const PAYLOAD_TOO_LARGE = 413;
const PROXY_DENIES = 407;
const LOG_IN_TO_NETWORK = 511;

const setAddress = ({ names }: Facts): string =>
  `set ${names.address} to the address of a server with the Messages API`;
const nothing = (): string => '';

/** No answer came. */
const connectionRows: readonly Row[] = [
  {
    symptom: ({ seen }) => seen.broken?.proxyStatus === PROXY_DENIES,
    kind: 'Misconfigured',
    means: () => 'the proxy wants a name and a password',
    remedy: ({ seen }) => `write NAME:PASSWORD@ before its host in ${seen.broken?.variable}`,
  },
  {
    symptom: ({ seen }) => (seen.broken?.proxyStatus ?? 0) >= 500,
    kind: 'Network',
    means: ({ seen }) => `the proxy cannot reach the server, and answers ${seen.broken?.proxyStatus}`,
    remedy: ({ seen, names }) => `check ${names.address} and ${seen.broken?.variable}`,
  },
  {
    symptom: ({ seen }) => seen.broken?.proxyStatus !== undefined,
    kind: 'Misconfigured',
    means: ({ seen }) => `the proxy opens no way to the server, and answers ${seen.broken?.proxyStatus}`,
    remedy: ({ seen }) =>
      `let the proxy allow ${seen.address.host}, or name that host in NO_PROXY; check ${seen.broken?.variable}`,
  },
  {
    symptom: ({ seen }) => seen.broken?.variable !== undefined,
    kind: ({ code }) => (code === 'ENOTFOUND' || isCertificate(code) ? 'Misconfigured' : 'Network'),
    means: ({ code }) => `the proxy cannot be reached (${code})`,
    remedy: ({ seen }) => `check ${seen.broken?.variable}`,
  },
  {
    symptom: ({ code }) => UNTRUSTED.test(code),
    kind: 'Misconfigured',
    means: ({ code, seen }) =>
      `nobody that is trusted here vouches for the certificate of ${seen.address.host} (${code})`,
    remedy: ({ names }) => names.authorities,
  },
  {
    symptom: ({ code }) => code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID',
    kind: 'Misconfigured',
    means: ({ code, seen }) =>
      `the certificate of ${seen.address.host} is ${code === 'CERT_HAS_EXPIRED' ? 'over' : 'not valid yet'} (${code})`,
    remedy: ({ names }) => `check the clock of this machine; else the server of ${names.address} needs a new one`,
  },
  {
    symptom: ({ code }) => code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH',
    kind: 'Misconfigured',
    means: ({ code, seen }) => `the certificate is not one for ${seen.address.hostname} (${code})`,
    remedy: ({ names }) => `set ${names.address} to a host that the certificate names`,
  },
  {
    symptom: ({ code }) => isCertificate(code),
    kind: 'Misconfigured',
    means: ({ code, seen }) => `the certificate of ${seen.address.host} is refused (${code})`,
    remedy: ({ names }) => `the server of ${names.address} needs another one`,
  },
  {
    symptom: ({ code }) => NOT_TLS.test(code),
    kind: 'Misconfigured',
    means: ({ code, seen }) => `no TLS is spoken at ${seen.address.host} (${code})`,
    remedy: ({ names, seen }) => `set ${names.address} to http://${seen.address.host}, or to the port for HTTPS`,
  },
  {
    symptom: ({ code }) => NO_COMMON_TLS.test(code),
    kind: 'Misconfigured',
    means: ({ code, seen }) => `${seen.address.host} agrees on no TLS with this program (${code})`,
    remedy: ({ names }) => `check the server of ${names.address}`,
  },
  {
    symptom: ({ code, seen, text }) =>
      code === 'HTTPS_PORT' || (seen.status === 400 && /\bHTTP request\b.*\bHTTPS\b/i.test(`${seen.refusal} ${text}`)),
    kind: 'Misconfigured',
    means: ({ seen }) => `${seen.address.host} speaks HTTPS, and was asked in plain HTTP`,
    remedy: ({ names, seen }) => `set ${names.address} to https://${seen.address.host}`,
  },
  {
    symptom: ({ code }) => /^ERR_(INVALID|UNESCAPED|HTTP)_/.test(code),
    kind: 'Misconfigured',
    means: ({ code }) => `such a request cannot be sent (${code})`,
    remedy: ({ names }) => `check ${names.address} and ${names.key}`,
  },
  {
    symptom: ({ code }) => code.startsWith('HPE_'),
    kind: 'Misconfigured',
    means: ({ code, seen }) => `what ${seen.address.host} answers is not HTTP (${code})`,
    remedy: setAddress,
  },
  {
    symptom: ({ code, isProviders }) => code === 'ENOTFOUND' && !isProviders,
    kind: 'Misconfigured',
    means: ({ seen }) => `no host has the name ${seen.address.hostname} (ENOTFOUND)`,
    remedy: ({ names }) => `correct ${names.address}; where only a proxy knows the name, set HTTPS_PROXY`,
  },
  {
    symptom: ({ code }) => code !== '',
    kind: 'Network',
    means: ({ code }) => `no answer came (${code})`,
    remedy: ({ names, isProviders }) =>
      isProviders
        ? 'check the network; behind a proxy set HTTPS_PROXY'
        : `check the network, and that a server runs at ${names.address}`,
  },
];

/** An answer came, and is none of a model. */
const answerRows: readonly Row[] = [
  {
    symptom: ({ seen }) => seen.isPage,
    kind: 'Misconfigured',
    means: () => 'a page came instead of an answer, such as one to log in',
    remedy: setAddress,
  },
  {
    symptom: ({ status }) => status >= 300 && status < 400,
    kind: 'Misconfigured',
    means: ({ seen }) =>
      `a redirect${seen.pointsTo === undefined ? '' : ` to ${seen.pointsTo}`}, which is not followed: key and prompt go to the named address only`,
    remedy: ({ names, seen }) =>
      `set ${names.address} to the address of the model itself${seen.pointsTo === seen.address.origin ? ', without a page to log in before it' : ''}`,
  },
  {
    symptom: ({ status, seen }) => isNoSuchPath(status) && /\/v1\/v1\//.test(seen.address.pathname),
    kind: 'Misconfigured',
    means: () => 'the address must not end with /v1, because /v1/messages is added to it',
    remedy: ({ names, seen }) => `set ${names.address} to ${baseOf(seen)}`,
  },
  {
    symptom: ({ status, isApi, text, model }) =>
      status === 404 && isApi && (text.includes(model) || /\bmodel\b/i.test(text)),
    kind: 'Misconfigured',
    means: ({ text }) => `the server has no such model: ${text}`,
    remedy: ({ model }) => `name another than ${model} in spec.models.fast, spec.models.capable or spec.models.roles`,
  },
  {
    symptom: ({ status, isApi }) => isNoSuchPath(status) || (status === 403 && !isApi),
    kind: 'Misconfigured',
    means: ({ status, text }) =>
      withText(
        status === 403 ? 'something before the model refuses' : 'there is no Messages API at this address',
        text,
      ),
    remedy: (facts) => `${setAddress(facts)}; without /v1/messages at its end`,
  },
  {
    symptom: ({ status }) => status === PROXY_DENIES || status === LOG_IN_TO_NETWORK,
    kind: 'Misconfigured',
    means: ({ status }) =>
      status === PROXY_DENIES ? 'a proxy wants a name and a password' : 'this network wants a person to log in',
    remedy: ({ status }) =>
      status === PROXY_DENIES ? 'write NAME:PASSWORD@ before its host in HTTPS_PROXY' : 'log in with a browser',
  },
  {
    symptom: ({ status, errorType }) =>
      WRONG_KEY_STATUS.has(status) || failureKind(undefined, errorType ?? 'api_error') === 'Authentication',
    kind: 'Authentication',
    means: ({ isApi, text }) =>
      isApi ? text : withText('the key is refused, and not in words of the Messages API', text),
    remedy: ({ names, status, isApi }) =>
      status === 402
        ? 'check what the account of the key may spend'
        : `check ${names.key}${isApi ? '' : ` and ${names.address}`}`,
  },
  {
    symptom: ({ status, isApi }) => status === PAYLOAD_TOO_LARGE && !isApi,
    kind: 'InvalidRequest',
    means: () => 'the request is larger than a server on the way takes',
    remedy: ({ names }) => `raise the limit of bodies at ${names.address}, or lower limits.contextTokens of the Agent`,
  },
  {
    symptom: (facts) => facts.status >= 400 && facts.status < 500 && !facts.isApi && !isOfServer(facts),
    kind: 'Misconfigured',
    means: ({ text }) => withText('this is no refusal of the Messages API', text),
    remedy: setAddress,
  },
  {
    symptom: ({ status, event }) => status >= 400 || event !== undefined,
    kind: ({ seen, event, errorType }) => failureKind(event === undefined ? seen.status : undefined, errorType),
    means: ({ text }) => text,
    remedy: nothing,
  },
  {
    symptom: ({ status }) => status === 204 || status === 205,
    kind: 'MalformedAnswer',
    means: () => 'the answer is empty',
    remedy: setAddress,
  },
  { symptom: () => true, kind: 'Network', means: () => 'the connection broke within the answer', remedy: nothing },
];

/** Read from the top; the first row whose symptom holds speaks. The last row always holds. */
export const symptomRows: readonly Row[] = [...connectionRows, ...answerRows];

function isCertificate(code: string): boolean {
  return UNTRUSTED.test(code) || REFUSED_CERTIFICATE.test(code);
}

/** A refusal that a server of the API may give without its words: some say in a line of text what they do not take. */
function isOfServer({ status, seen }: Facts): boolean {
  const isPage = seen.contentType === 'text/html' || /^\s*</.test(seen.refusal ?? '');
  return PASSING_STATUS.has(status) || status === PAYLOAD_TOO_LARGE || (!isPage && REFUSED_STATUS.has(status));
}

/** Not there, or there for other methods. */
function isNoSuchPath(status: number): boolean {
  return status === 404 || status === 405 || status === 410;
}

function baseOf({ address }: Seen): string {
  return `${address.origin}${address.pathname.replace(/\/v1\/v1\/.*$/, '')}`;
}

function withText(sentence: string, text: string): string {
  return text === '' ? sentence : `${sentence}: ${text}`;
}
