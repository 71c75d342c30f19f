/** The way to a mail server. */
import { lookup } from 'node:dns/promises';
import { proxyOf, type Proxy, type ProxySettings } from '@retainer/contract/std/proxies';
import { addressFault } from '../tools/fetch-guard.ts';

/**
 * The proxy on the way to a mail server. The egress proxy leads to public addresses alone, so a server with a private one is reached
 * directly: `pod.egressCidrs` lets the pod out to it, and nothing else does.
 *
 * @param resolve  addresses of a host; none where nobody knows it
 * @throws where the proxy's address is wrong
 */
export async function mailProxy(
  proxies: ProxySettings,
  { host, port }: { readonly host: string; readonly port: number },
  resolve: (host: string) => Promise<readonly string[]> = addressesOf,
): Promise<Proxy | undefined> {
  const proxy = proxyOf(proxies, new URL(`https://${host}:${port}`));
  if (!proxy.ok) throw new Error(proxy.error);
  if (proxy.value === undefined) return undefined;
  const addresses = await resolve(host);
  const isPrivate = addresses.length > 0 && addresses.every((address) => addressFault(address) !== undefined);
  return isPrivate ? undefined : proxy.value;
}

/** Where only the proxy knows a name, nobody else answers. */
async function addressesOf(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}
