/** Reads kubeconfig files by the client library, which is loaded only then. */
import type { RequestOptions } from 'node:https';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import {
  noProxies,
  parseProxy,
  proxyOf,
  proxyText,
  proxyUrlOf,
  type Proxy,
  type ProxySettings,
} from '@retainer/contract/std/proxies';
import type { Connection, Credentials, TlsMaterial } from './connection.ts';

export interface KubeconfigChoice {
  /** Files in the order of precedence, as `KUBECONFIG` lists them. */
  readonly paths: readonly string[];
  /** The file's own current context where absent. */
  readonly contextName?: string | undefined;
  /** Of the environment; the cluster's own `proxy-url` wins, as for kubectl. Absent: none. */
  readonly proxies?: ProxySettings | undefined;
}

/**
 * The API server that a kubeconfig names: client certificates, tokens, passwords, and programs that print a token.
 *
 * @throws on a file that cannot be read, an unknown context, and a proxy of an unknown kind
 */
export async function connectKubeconfig(choice: KubeconfigChoice): Promise<Connection> {
  const config = await loadKubeconfig(choice);
  const { server = '', proxyUrl } = config.getCurrentCluster() ?? {};
  const proxy = proxyUrl === undefined ? undefined : parsedProxy(proxyUrl);
  return {
    server: new URL(server),
    ...(proxy === undefined ? {} : { proxy }),
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    credentials: async () => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return credentialsOf(options);
    },
  };
}

/** @throws as {@link connectKubeconfig} */
export async function loadKubeconfig({
  paths,
  contextName,
  proxies = noProxies,
}: KubeconfigChoice): Promise<KubeConfig> {
  if (paths.length === 0)
    throw new Error('no kubeconfig is given, and this process does not run in a pod: set KUBECONFIG');
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  for (const [index, path] of paths.entries()) {
    const part = index === 0 ? config : new KubeConfig();
    part.loadFromFile(path);
    if (part !== config) merge(config, part);
  }
  if (contextName !== undefined) config.setCurrentContext(contextName);
  const context = config.getContextObject(config.getCurrentContext());
  const cluster = config.getCurrentCluster();
  if (context === null || cluster === null)
    throw new Error(
      `no context "${contextName ?? config.getCurrentContext()}" in ${paths.join(', ')}: use one of its contexts`,
    );
  const proxyUrl = proxyUrlTo(cluster, proxies);
  if (proxyUrl !== undefined)
    config.clusters = config.clusters.map((one) => (one.name === cluster.name ? { ...one, proxyUrl } : one));
  return config;
}

/** @throws where the proxy cannot be used, or would read what is said to the cluster */
function proxyUrlTo({ name, server, proxyUrl }: Cluster, proxies: ProxySettings): string | undefined {
  const found = proxyUrl ?? proxyOfEnvironment(server, proxies);
  if (found === undefined) return undefined;
  const proxy = parsedProxy(found);
  if (server.startsWith('https:')) return found;
  throw new Error(
    `cluster "${name}" is plain HTTP, and a proxy (${proxyText(proxy)}) leads to it: credentials would pass there in clear text. Name its host in NO_PROXY, or use https`,
  );
}

/** @throws where the variable is no address of a proxy */
function proxyOfEnvironment(server: string, proxies: ProxySettings): string | undefined {
  const proxy = proxyOf(proxies, new URL(server));
  if (!proxy.ok) throw new Error(proxy.error);
  return proxy.value === undefined ? undefined : proxyUrlOf(proxy.value);
}

/** @throws on a kind of proxy that nobody here speaks */
function parsedProxy(value: string): Proxy {
  const proxy = parseProxy({ variable: 'proxy-url', value });
  if (!proxy.ok) throw new Error(proxy.error);
  return proxy.value;
}

/** As kubectl does: of several files the first wins, its current context above all. */
function merge(config: KubeConfig, part: KubeConfig): void {
  const isNew = (known: readonly { readonly name: string }[], name: string): boolean =>
    known.every((one) => one.name !== name);
  for (const cluster of part.clusters) if (isNew(config.clusters, cluster.name)) config.addCluster(cluster);
  for (const user of part.users) if (isNew(config.users, user.name)) config.addUser(user);
  for (const context of part.contexts) if (isNew(config.contexts, context.name)) config.addContext(context);
  if (!config.currentContext) config.setCurrentContext(part.currentContext);
}

function credentialsOf({ headers = {}, auth, ca, cert, key, ...rest }: RequestOptions): Credentials {
  const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const { servername, rejectUnauthorized } = rest;
  return {
    headers: { ...Object.fromEntries(texts), ...basic },
    tls: withoutUndefined({ ca, cert, key, servername, rejectUnauthorized }),
  };
}

function withoutUndefined(material: object): TlsMaterial {
  return Object.fromEntries(Object.entries(material).filter(([, value]) => value !== undefined));
}
