/**
 * Which proxy leads to an address, from the variables that other programs read too. Pure: one reader of the environment per
 * program, one decision for the model, for pages and for the API server.
 *
 * I1  This machine and, inside a cluster, the cluster's own services are never reached through a proxy.
 * I2  No fault contains a name or a password.
 *
 * Names, lower case first, and NO_PROXY are read as curl does; ranges in NO_PROXY, and that loopback is direct, as Go does.
 */
import { err, ok, type Result } from './result.ts';

export interface ProxySettings {
  /** Absent: no proxy for this protocol. */
  readonly https?: NamedValue;
  readonly http?: NamedValue;
  /** Entries of NO_PROXY, in lower case. */
  readonly direct: readonly string[];
}

interface NamedValue {
  readonly variable: string;
  readonly value: string;
}

export interface Proxy {
  /** The variable that names it, for people. */
  readonly variable: string;
  readonly protocol: 'http:' | 'https:';
  /** Version 6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** Nothing goes through a proxy. */
export const noProxies: ProxySettings = { direct: [] };

/** Entries beyond this are ignored: a company lists dozens. */
const ENTRIES_MAX = 1000;

/** Names that only a cluster's own resolver knows. */
const CLUSTER_NAMES = ['.svc', '.cluster.local'];

/** The lower-case name wins, as for curl. */
export function readProxies(environment: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string): NamedValue | undefined => {
    const variable = [name.toLowerCase(), name].find((it) => (environment[it] ?? '').trim() !== '');
    return variable === undefined ? undefined : { variable, value: (environment[variable] ?? '').trim() };
  };
  const [https, http, direct] = [read('HTTPS_PROXY'), read('HTTP_PROXY'), read('NO_PROXY')];
  const service = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  return {
    ...(https === undefined ? {} : { https }),
    ...(http === undefined ? {} : { http }),
    direct: [
      ...(direct?.value.toLowerCase().split(/[\s,]+/) ?? []).filter((entry) => entry !== '').slice(0, ENTRIES_MAX),
      ...(service === '' ? [] : [service.toLowerCase(), ...CLUSTER_NAMES]),
    ],
  };
}

/** @returns undefined: the address is reached directly; the error names the variable */
export function proxyOf(settings: ProxySettings, { protocol, hostname, port }: URL): Result<Proxy | undefined, string> {
  const named = protocol === 'https:' ? settings.https : settings.http;
  const host = bareHost(hostname);
  const target = { host, port: port === '' ? (protocol === 'https:' ? '443' : '80') : port };
  if (named === undefined || isThisMachine(host) || settings.direct.some((entry) => isNamed(entry, target)))
    return ok(undefined);
  return parseProxy(named);
}

/** @returns the proxy that the text names; without a scheme it is http */
export function parseProxy({ variable, value }: NamedValue): Result<Proxy, string> {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) return err(`${variable} is no address of a proxy: set it to http://HOST:PORT`);
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return err(`${variable}: a proxy of the kind ${protocol}// is not supported: set it to http://HOST:PORT`);
  if (hostname === '') return err(`${variable} is no address of a proxy: set it to http://HOST:PORT`);
  const [user, secret] = [decoded(username), decoded(password)];
  if (user === undefined || secret === undefined)
    return err(`${variable}: write special characters in its name and password as %XX`);
  return ok({
    variable,
    protocol,
    host: bareHost(hostname),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    ...(username === '' && password === '' ? {} : { credentials: { user, password: secret } }),
  });
}

/** For people: without name and password. */
export function proxyText({ protocol, host, port }: Proxy): string {
  return `${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** With name and password, for programs that read an address themselves. */
export function proxyUrlOf(proxy: Proxy): string {
  const { user, password } = proxy.credentials ?? { user: '', password: '' };
  const url = new URL(proxyText(proxy));
  // Its setters leave a percent sign as it is.
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.href;
}

/** Passwords in the addresses, which must not reach a record. */
export function proxySecrets({
  https,
  http,
}: ProxySettings): readonly { readonly name: string; readonly value: string }[] {
  return [https, http].flatMap((named) => {
    const proxy = named === undefined ? undefined : parseProxy(named);
    if (named === undefined || proxy?.ok !== true || (proxy.value.credentials?.password ?? '') === '') return [];
    return [{ name: named.variable, value: proxy.value.credentials?.password ?? '' }];
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

export function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

interface Target {
  readonly host: string;
  readonly port: string;
}

/** `*`, a name (which stands for those below it too), `name:port`, an address, or a range `10.0.0.0/8`. */
function isNamed(entry: string, { host, port }: Target): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(host, entry);
  const [, bracketed, plain, wanted] = /^(?:\[([^\]]*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  const name = (bracketed ?? plain ?? '').replace(/^\*?\./, '').replace(/\.$/, '');
  if (name === '' || (wanted !== undefined && wanted !== port)) return false;
  const bits = bitsOf(name);
  if (bits !== undefined) return bits === bitsOf(host);
  return host === name || host.endsWith(`.${name}`);
}

function isWithin(host: string, range: string): boolean {
  const [network = '', length = ''] = range.split('/');
  const [bits, wanted] = [bitsOf(bareHost(host)), bitsOf(bareHost(network))];
  if (bits === undefined || wanted === undefined || bits.length !== wanted.length) return false;
  return /^\d{1,3}$/.test(length) && Number(length) <= bits.length && bits.startsWith(wanted.slice(0, Number(length)));
}

/** Zeros and ones, 32 for version 4 and 128 for version 6; undefined for a name. */
function bitsOf(host: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return binary(host.split('.'), 10, 8);
  if (!host.includes(':') || !URL.canParse(`http://[${host}]`)) return undefined;
  const [left = [], right = []] = new URL(`http://[${host}]`).hostname
    .replace(/^\[|\]$/g, '')
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const missing = Math.max(0, 8 - left.length - right.length);
  return binary([...left, ...Array.from({ length: missing }, () => '0'), ...right], 16, 16);
}

function binary(numbers: readonly string[], base: number, digits: number): string {
  return numbers.map((text) => Number.parseInt(text, base).toString(2).padStart(digits, '0')).join('');
}
