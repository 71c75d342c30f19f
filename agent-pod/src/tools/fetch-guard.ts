/**
 * Decides without I/O what may be fetched: by the text of the address, and by the machine that its name resolves to.
 *
 * I1  One parser reads every address, and the text must contain the host exactly as that parser reads it: no second reading is
 *     possible.
 * I2  A machine is reachable only when its address lies in a range that is known to be public. Any unknown address is refused.
 *
 * Source: reliability-security 5.
 */
import { BlockList, isIP } from 'node:net';
import { err, ok, type Result } from '@retainer/contract/std/result';

/** Characters. Longer addresses carry data rather than name a page. */
export const MAX_URL_CHARACTERS = 2048;
/** The reachable ports when the Agent lists none. Source: reliability-security 5. */
const DEFAULT_PORTS: readonly number[] = [80, 443];
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_HOST_CHARACTERS = 253;

/** Names that mean this machine, this network or no network, whatever a resolver says. Sources: RFC 6761, 6762, 7686, 8375. */
const PRIVATE_SUFFIXES = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'arpa',
  'onion',
  'invalid',
  'svc',
  'cluster',
] as const;

/**
 * Parses an address to fetch.
 *
 * @param ports  the reachable ports, whether the address names one or not
 * @returns the address without its fragment; the error is the end of a sentence
 */
export function parseFetchUrl(text: string, ports: readonly number[] = DEFAULT_PORTS): Result<URL, string> {
  if (text.length > MAX_URL_CHARACTERS) return err(`is longer than ${MAX_URL_CHARACTERS} characters`);
  if (!/^[!-~]+$/.test(text))
    return err('holds white space or characters outside ASCII; write the host in its xn-- form and escape the rest');
  if (text.includes('\\')) return err('holds a backslash');
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text)) return err('is no address of the form https://host/path');
  const url = new URL(text);
  const fault = authorityFault(authority, url, ports);
  if (fault !== undefined) return err(fault);
  url.hash = '';
  return ok(url);
}

function authorityFault(authority: string, url: URL, ports: readonly number[]): string | undefined {
  if (authority.includes('@')) return 'holds credentials';
  if (!ports.includes(portOf(url))) return `leads to port ${portOf(url)}; allowed: ${ports.join(', ')}`;
  const written = authority.toLowerCase().replace(/:([1-9][0-9]{0,4})?$/, '');
  if (written !== url.hostname) return 'spells its host in a way that can be read as another';
  return hostFault(url.hostname);
}

/** The port of the connection, whether the address names it or not. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function hostFault(host: string): string | undefined {
  if (host.startsWith('[') || isIP(host) !== 0) return 'names a number instead of a host';
  if (host.endsWith('.')) return 'has a dot at the end of its host';
  const labels = host.split('.');
  if (host.length > MAX_HOST_CHARACTERS || !labels.every((label) => LABEL.test(label))) return 'has no valid host name';
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'names a number instead of a host';
  if (labels.length < 2 || PRIVATE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))) {
    return 'names a host of a private network';
  }
  return undefined;
}

/** A redirect's target, under the same rules. @param location  as the server wrote it, relative or absolute */
export function parseRedirect(
  from: URL,
  location: string,
  ports: readonly number[] = DEFAULT_PORTS,
): Result<URL, string> {
  if (!URL.canParse(location, from.href)) return err('cannot be read');
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(location);
  const next = parseFetchUrl(isAbsolute ? location : new URL(location, from).href, ports);
  if (next.ok && from.protocol === 'https:' && next.value.protocol === 'http:') {
    return err('gives up the protection of https');
  }
  return next;
}

interface Range {
  readonly name: string;
  readonly subnets: readonly (readonly [network: string, prefix: number])[];
}

/** Sources: IANA special-purpose address registries for IPv4 and IPv6. */
const REFUSED_RANGES_4: readonly Range[] = [
  { name: 'this network', subnets: [['0.0.0.0', 8]] },
  { name: 'loopback', subnets: [['127.0.0.0', 8]] },
  {
    name: 'private',
    subnets: [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
    ],
  },
  { name: 'carrier-grade', subnets: [['100.64.0.0', 10]] },
  { name: 'link-local', subnets: [['169.254.0.0', 16]] },
  {
    name: 'documentation',
    subnets: [
      ['192.0.2.0', 24],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
    ],
  },
  { name: 'benchmark', subnets: [['198.18.0.0', 15]] },
  {
    name: 'special-purpose',
    subnets: [
      ['192.0.0.0', 24],
      ['192.31.196.0', 24],
      ['192.52.193.0', 24],
      ['192.88.99.0', 24],
      ['192.175.48.0', 24],
    ],
  },
  { name: 'multicast', subnets: [['224.0.0.0', 4]] },
  { name: 'reserved', subnets: [['240.0.0.0', 4]] },
];

const PUBLIC_RANGE_6 = blockList([['2000::', 3]], 'ipv6');
const REFUSED_RANGES_6: readonly Range[] = [
  // Contains Teredo, benchmark, ORCHID and other protocol assignments.
  { name: 'special-purpose', subnets: [['2001::', 23]] },
  {
    name: 'documentation',
    subnets: [
      ['2001:db8::', 32],
      ['3fff::', 20],
    ],
  },
  { name: '6to4', subnets: [['2002::', 16]] },
  { name: 'special-purpose', subnets: [['2620:4f:8000::', 48]] },
];

const LISTS_4 = REFUSED_RANGES_4.map((range) => ({ name: range.name, list: blockList(range.subnets, 'ipv4') }));
const LISTS_6 = REFUSED_RANGES_6.map((range) => ({ name: range.name, list: blockList(range.subnets, 'ipv6') }));

function blockList(subnets: Range['subnets'], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

/**
 * Why this machine must not be reached; undefined for a public one.
 *
 * IPv6 is public only within 2000::/3: that leaves out loopback, mapped, compatible, NAT64, unique-local, link-local,
 * site-local and multicast addresses in every spelling.
 *
 * @param address  as a resolver returns it
 */
export function addressFault(address: string): string | undefined {
  switch (isIP(address)) {
    case 4:
      return LISTS_4.find(({ list }) => list.check(address, 'ipv4'))?.name;
    case 6:
      if (address.includes('%')) return 'link-local';
      if (!PUBLIC_RANGE_6.check(address, 'ipv6')) return 'not public';
      return LISTS_6.find(({ list }) => list.check(address, 'ipv6'))?.name;
    default:
      return 'no address';
  }
}

/** Whether an allow-list names the host. `*` means every public host, `*.example.org` every host below it. */
export function isAllowedHost(allowedDomains: readonly string[], host: string): boolean {
  return allowedDomains.some(
    (domain) => domain === '*' || domain === host || (domain.startsWith('*.') && host.endsWith(domain.slice(1))),
  );
}

/** Whether a model may see it: text, nothing that must be run or drawn. */
export function isTextType(contentType: string): boolean {
  const type = mediaType(contentType);
  return type.startsWith('text/') || TEXT_APPLICATIONS.test(type);
}

const TEXT_APPLICATIONS = /^application\/(json|xml|yaml|x-yaml|x-ndjson|xhtml\+xml|([a-z0-9.-]+\+(json|xml|yaml)))$/;

export function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}
