/**
 * Parses the target of a CONNECT so strictly that only one reading is possible: a full name in lower-case ASCII or four plain
 * decimal numbers, and a port.
 */
import { isIPv4 } from 'node:net';

export interface ConnectTarget {
  readonly host: string;
  readonly port: number;
  /** Four decimal numbers rather than a name. */
  readonly isAddress: boolean;
}

const HOST_CHARACTERS_MAX = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const AUTHORITY = /^([^:]+):([1-9][0-9]{0,4})$/;
const PORT_MAX = 65_535;

/** @param text  the target in the request line, unchanged */
export function parseTarget(text: string): ConnectTarget | undefined {
  const [, written = '', portText = ''] = AUTHORITY.exec(text) ?? [];
  const host = written.toLowerCase();
  const port = Number(portText);
  if (port === 0 || port > PORT_MAX) return undefined;
  if (isIPv4(host)) return { host, port, isAddress: true };
  return isFullName(host) ? { host, port, isAddress: false } : undefined;
}

/** At least two labels, the last of them no number in any notation: `1`, `0x7f` and `127.1` are addresses to some resolvers. */
function isFullName(host: string): boolean {
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  return (
    host.length <= HOST_CHARACTERS_MAX &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    !/^(\d+|0x[0-9a-f]*)$/.test(last)
  );
}

/**
 * Whether an allow-list names the target. `*.example.org` is every name below that domain, not the domain itself; an address
 * must be listed literally.
 *
 * @param patterns  lower case, as in the grant
 */
export function isAllowed(patterns: readonly string[], { host, isAddress }: ConnectTarget): boolean {
  return patterns.some(
    (pattern) => pattern === host || (!isAddress && pattern.startsWith('*.') && host.endsWith(pattern.slice(1))),
  );
}
