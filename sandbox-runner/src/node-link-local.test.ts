import { isIPv6 } from 'node:net';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { linkLocalHosts, nodeLinkLocalHosts } from './node-link-local.ts';

const NEIGHBOURS = `IP address       HW type     Flags       HW address            Mask     Device
10.244.0.1       0x1         0x2         0a:58:0a:f4:00:01     *        eth0
10.244.0.9       0x1         0x0         00:00:00:00:00:00     *        eth0
`;
const nowhere = '0'.repeat(32);
const route = (nextHop: string, flags: string): string =>
  `${nowhere} 00 ${nowhere} 00 ${nextHop} 00000400 00000001 00000000 ${flags} eth0`;
const GATEWAY = 'fe80000000000000eceeeefffeeeeeee';

describe('linkLocalHosts', () => {
  verifies('sandbox-runner:canary-tells', 'derives the node’s address from its hardware address', () => {
    const hosts = linkLocalHosts(NEIGHBOURS, '');
    expect(hosts).toEqual(['fe80:0000:0000:0000:0858:0aff:fef4:0001%eth0']);
    expect(hosts.every((host) => isIPv6(host))).toBe(true);
  });

  verifies('sandbox-runner:canary-tells', 'takes the gateway of IPv6, and no other route', () => {
    const routes = [route(nowhere, '00000001'), route(GATEWAY, '00000003'), route(GATEWAY, '80000001')].join('\n');
    expect(linkLocalHosts('', routes)).toEqual(['fe80:0000:0000:0000:ecee:eeff:feee:eeee%eth0']);
    expect(linkLocalHosts('', route(`20010db8${'0'.repeat(24)}`, '00000003'))).toEqual([]);
  });

  it('names each once, and not more than a few', () => {
    const same = NEIGHBOURS.replace('0a:58:0a:f4:00:01', 'ee:ee:ee:ee:ee:ee');
    expect(linkLocalHosts(same, route(GATEWAY, '00000003'))).toHaveLength(1);
    const many = Array.from(
      { length: 99 },
      (_, at) => `10.0.0.1 0x1 0x2 0a:58:0a:f4:00:${(at + 10).toString()} * eth0`,
    );
    expect(linkLocalHosts(many.join('\n'), '')).toHaveLength(8);
  });

  it('finds nothing in what is no table', () => {
    expect(linkLocalHosts('', '')).toEqual([]);
    expect(linkLocalHosts('a\nb c d e f g', 'x y z')).toEqual([]);
  });
});

it('reads the tables of this machine, whatever they hold', async () => {
  for (const host of await nodeLinkLocalHosts()) expect(host).toMatch(/^fe[89ab][0-9a-f:]+%\S+$/);
});
