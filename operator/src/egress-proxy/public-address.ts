/**
 * Which addresses are public. An address counts as public only if it is known to be. Of IPv6 that is 2000::/3 without its
 * special parts, which excludes loopback, link-local, unique-local (with the metadata addresses of clouds), multicast, mapped,
 * compatible and NAT64 forms in every spelling.
 *
 * An independent second layer below the agent's fetch guard, which judges addresses too.
 * Source: reliability-security 3; IANA special-purpose address registries.
 */
import { BlockList, isIP } from 'node:net';

type Subnet = readonly [network: string, prefix: number];

const NOT_PUBLIC_4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Carrier-grade NAT; also the metadata address 100.100.100.200.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local: the metadata addresses of most clouds.
  ['169.254.0.0', 16],
  // The host agent of Azure, which is public by its number alone.
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
]);

const GLOBAL_6 = blockList('ipv6', [['2000::', 3]]);
const NOT_PUBLIC_6 = blockList('ipv6', [
  // Protocol assignments: Teredo, benchmark, ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: any IPv4 address may be inside.
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]);

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

/** @param address  as a resolver returns it; anything that is no address is not public */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !NOT_PUBLIC_4.check(address, 'ipv4');
    case 6:
      return !address.includes('%') && GLOBAL_6.check(address, 'ipv6') && !NOT_PUBLIC_6.check(address, 'ipv6');
    default:
      return false;
  }
}
