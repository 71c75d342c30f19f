/** What an agent must reach outside the cluster, read from its spec. Pure. */
import type { BootAgent } from '@retainer/contract/wire/boot';
import type { EgressGrant } from '@retainer/contract/wire/egress-grant';

interface EgressNeed {
  /** Undefined: any public host. */
  readonly host: string | undefined;
  readonly port: number;
}

const HTTPS_PORT = 443;
const HTTP_PORT = 80;
const SSH_PORT = 22;

const MODEL_HOST = 'api.anthropic.com';
const SEARCH_HOSTS: Readonly<Record<string, string>> = { Brave: 'api.search.brave.com', Kagi: 'kagi.com' };

/** Hosts in one grant of the proxy; the schema of EgressGrant has the same limit. */
const GRANT_HOSTS_MAX = 64;

/** In the order of importance: model, mail, then tools, memory and copies. */
export function egressNeeds({ spec }: BootAgent): readonly EgressNeed[] {
  const { models, channels, tools, memory } = spec;
  const { email } = channels;
  const searchHost = SEARCH_HOSTS[tools.search.provider];
  return [
    ...(models.provider === 'Anthropic' ? [urlNeed(models.baseURL ?? `https://${MODEL_HOST}`)] : []),
    ...(email === undefined ? [] : [email.imap, email.smtp].map(({ host, port }) => ({ host, port }))),
    ...tools.mcpServers.map(({ url }) => urlNeed(url)),
    ...(searchHost === undefined ? [] : [{ host: searchHost, port: HTTPS_PORT }]),
    ...(memory.embedding.baseURL === undefined ? [] : [urlNeed(memory.embedding.baseURL)]),
    ...(memory.gitRemote === undefined ? [] : [urlNeed(memory.gitRemote.url)]),
    ...(tools.fetch.enabled ? fetchNeeds(tools.fetch) : []),
  ];
}

function fetchNeeds({
  allowedDomains,
  allowAnyPublicHost,
  ports,
}: BootAgent['spec']['tools']['fetch']): readonly EgressNeed[] {
  const hosts = allowAnyPublicHost ? [undefined] : allowedDomains;
  return hosts.flatMap((host) => ports.map((port) => ({ host, port })));
}

/** Parses `https://host:port/…`, `ssh://git@host/…` and `git@host:path`; the schema admits no other form. */
function urlNeed(url: string): EgressNeed {
  const [, scheme = 'ssh', authority = ''] = /^(?:(https?|ssh):\/\/)?([^/]*)/.exec(url) ?? [];
  const [, host = '', port] = /^(?:[^@]*@)?(\[[^\]]*\]|[^:]*)(?::([0-9]+))?/.exec(authority) ?? [];
  const usual = { https: HTTPS_PORT, http: HTTP_PORT, ssh: SSH_PORT }[scheme] ?? HTTPS_PORT;
  return { host: host.toLowerCase(), port: port === undefined ? usual : Number(port) };
}

/** Ascending. */
export function egressPorts(agent: BootAgent): readonly number[] {
  return [...new Set(egressNeeds(agent).map(({ port }) => port))].toSorted((a, b) => a - b);
}

export function agentGrant(agent: BootAgent): EgressGrant {
  const { namespace, name } = agent.metadata;
  return { subject: `agent/${namespace}/${name}`, hosts: namedHosts(agent).slice(0, GRANT_HOSTS_MAX) };
}

function namedHosts(agent: BootAgent): readonly string[] {
  return [...new Set(egressNeeds(agent).flatMap(({ host }) => (host === undefined ? [] : [host])))];
}

/** Why the egress that the spec asks for is impossible; undefined if it is possible. */
export function egressFault(agent: BootAgent, egressProxy: string | undefined): string | undefined {
  if (!agent.spec.pod.egressProxy) return undefined;
  if (egressProxy === undefined)
    return 'spec.pod.egressProxy is set, but this installation has no egress proxy; install one, or unset the field';
  if (egressNeeds(agent).some(({ host }) => host === undefined))
    return 'the egress proxy allows only named hosts; list them in spec.tools.fetch.allowedDomains and unset allowAnyPublicHost';
  const hosts = namedHosts(agent).length;
  if (hosts > GRANT_HOSTS_MAX)
    return `the egress proxy allows at most ${GRANT_HOSTS_MAX} hosts, but the spec names ${hosts}; shorten spec.tools.fetch.allowedDomains`;
  return undefined;
}

/** Why the remote of the second copy is out of reach; undefined if it may be reached. The agent works without it. */
export function gitEgressFault({ spec: { pod, memory } }: BootAgent): string | undefined {
  const isSsh = memory.gitRemote !== undefined && !memory.gitRemote.url.startsWith('https:');
  if (!isSsh || !pod.egressProxy || pod.egressCidrs.length > 0) return undefined;
  return (
    'spec.memory.gitRemote is reached by ssh, which the egress proxy does not take: name its https address, or the addresses of its ' +
    'server in spec.pod.egressCidrs'
  );
}
