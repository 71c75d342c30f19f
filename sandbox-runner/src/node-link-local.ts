/**
 * The link-local IPv6 address of the node's end of the pod's cable. Nobody assigns it, no service names it, and rules made for
 * IPv4 do not cover it. A pod learns it in two places: its own IPv6 gateway, and the hardware address of its IPv4 neighbour,
 * from which the node's kernel forms the address.
 *
 * Source: RFC 4291, appendix A; Linux, `arp_seq_show` and `rt6_info_route`.
 */
import { readFile } from 'node:fs/promises';

/** A pod has one cable, or a few; each is one more connection for every target. */
const HOSTS_MAX = 8;
/** Flag of a route whose next hop is a gateway. */
const ROUTE_GATEWAY = 0x2;
const NO_HARDWARE_ADDRESS = '00:00:00:00:00:00';
const HARDWARE_ADDRESS = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;

/** Addresses with their interface, `fe80::…%eth0`. Empty while the pod knows none: it meets neighbours at the first try. */
export async function nodeLinkLocalHosts(): Promise<readonly string[]> {
  const [neighbours, routes] = await Promise.all([textOf('/proc/net/arp'), textOf('/proc/net/ipv6_route')]);
  return linkLocalHosts(neighbours, routes);
}

/**
 * @param neighbours  as `/proc/net/arp`: address, type, flags, hardware address, mask, interface
 * @param routes      as `/proc/net/ipv6_route`: the fifth field is the next hop, the ninth the flags, the last the interface
 */
export function linkLocalHosts(neighbours: string, routes: string): readonly string[] {
  const derived = rowsOf(neighbours).flatMap(([, , , hardware = '', , device]) =>
    device === undefined || hardware === NO_HARDWARE_ADDRESS || !HARDWARE_ADDRESS.test(hardware)
      ? []
      : [`${fromHardwareAddress(hardware)}%${device}`],
  );
  const gateways = rowsOf(routes).flatMap((fields) => {
    const [next = '', flags = '', device] = [fields[4], fields[8], fields[9]];
    const isGateway = (Number.parseInt(flags, 16) & ROUTE_GATEWAY) !== 0;
    return device !== undefined && isGateway && /^fe[89ab][0-9a-f]{29}$/.test(next)
      ? [`${grouped(next)}%${device}`]
      : [];
  });
  return [...new Set([...gateways, ...derived])].slice(0, HOSTS_MAX);
}

function rowsOf(table: string): readonly (readonly (string | undefined)[])[] {
  return table.split('\n').map((line) => line.trim().split(/\s+/));
}

function fromHardwareAddress(text: string): string {
  const [first = '', second = '', third = '', ...rest] = text.split(':');
  // One bit says whether the address was assigned by hand; IPv6 has it the other way round.
  const flipped = (Number.parseInt(first, 16) ^ 0x02).toString(16).padStart(2, '0');
  return grouped(`fe80000000000000${[flipped, second, third, 'ff', 'fe', ...rest].join('')}`);
}

function grouped(digits: string): string {
  return (digits.match(/.{4}/g) ?? []).join(':');
}

/** A machine without IPv6 has no such file. */
function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
