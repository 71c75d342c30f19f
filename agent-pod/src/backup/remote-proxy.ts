/** The proxy on the way to a git remote. */
import { proxyOf, proxyUrlOf, type ProxySettings } from '@retainer/contract/std/proxies';

/** A remote by SSH is reached directly. @throws where the proxy's address is wrong */
export function remoteProxyUrl(url: string, proxies: ProxySettings): string | undefined {
  if (!url.startsWith('https:')) return undefined;
  const proxy = proxyOf(proxies, new URL(url));
  if (!proxy.ok) throw new Error(proxy.error);
  return proxy.value === undefined ? undefined : proxyUrlOf(proxy.value);
}
