/**
 * Denies the agent's pod all traffic both ways by default, and allows the few flows that its spec needs. Pure.
 *
 * Source: reliability-security 3.
 */
import { LABELS, PORTS } from '@retainer/contract/api/names';
import type { BootAgent } from '@retainer/contract/wire/boot';
import { resources } from '@retainer/kube/resources';
import type { Settings } from '../../settings/settings.ts';
import { agentChild, type AgentChild } from './agent-child.ts';
import { egressPorts } from './egress-needs.ts';
import { podSelector } from './labels.ts';

const DNS_PORT = 53;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;
/** Kubernetes sets it on every namespace. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** Metadata services, which give out credentials of the node: never reachable. */
const METADATA_V4 = ['169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32'] as const;
const METADATA_V6 = ['fe80::/10', 'fd00:ec2::/32'] as const;

/** Ranges that are not the public internet. Source: IANA special-purpose registries. */
const PRIVATE_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;
const PRIVATE_V6 = ['::/127', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'ff00::/8'] as const;

interface Rule {
  readonly ports?: readonly object[];
  readonly to?: readonly object[];
  readonly from?: readonly object[];
}

export function desiredNetworkPolicy(agent: BootAgent, settings: Settings): AgentChild {
  return agentChild(agent, resources.networkPolicies, {
    spec: {
      podSelector: { matchLabels: podSelector(agent) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: ingressRules(settings),
      egress: egressRules(agent, settings),
    },
  });
}

/** The console for labelled pods of the same namespace, metrics for the scraper. Probes come from the node. */
function ingressRules({ network }: Settings): readonly Rule[] {
  const clients = { podSelector: { matchLabels: { [LABELS.networkRole]: 'client' } } };
  const console = { ports: tcp(PORTS.agentHttp), from: [clients] };
  if (network.metricsNamespace === undefined) return [console];
  const scrapers = { namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: network.metricsNamespace } } };
  return [console, { ports: tcp(PORTS.agentMetrics, PORTS.auditorMetrics), from: [scrapers] }];
}

function egressRules(agent: BootAgent, settings: Settings): readonly Rule[] {
  const { egressCidrs, egressProxy } = agent.spec.pod;
  return [
    dnsRule(settings),
    apiServerRule(settings),
    ...(agent.spec.sandbox.enabled ? [sandboxRule(agent, settings)] : []),
    ...(egressProxy ? proxyRules(settings) : [...publicRules(agent), ...companyProxyRules(settings)]),
    ...namedRules(egressCidrs),
  ];
}

/** A person named these ranges, so private ones are allowed too, such as that of a local model server. */
function namedRules(cidrs: readonly string[]): readonly Rule[] {
  const metadata = [...METADATA_V4, ...METADATA_V6];
  const to = cidrs
    .filter((cidr) => !metadata.some((range) => isWithin(cidr, range)))
    .map((cidr) => {
      const except = metadata.filter((range) => isWithin(range, cidr));
      return except.length === 0 ? { ipBlock: { cidr } } : block(cidr, except);
    });
  // A rule without peers would allow everything.
  return to.length === 0 ? [] : [{ to }];
}

/** False if either text is no range; the API server then reports it. */
function isWithin(inner: string, outer: string): boolean {
  const [innerAddress = '', innerLength = ''] = inner.split('/');
  const [address = '', length = ''] = outer.split('/');
  const [innerBits, bits] = [bitsOf(innerAddress), bitsOf(address)];
  const isNarrower = Number(length) <= Number(innerLength);
  return isNarrower && innerBits.length === bits.length && innerBits.startsWith(bits.slice(0, Number(length)));
}

/** Zeros and ones: 32 for IPv4, 128 for IPv6. */
function bitsOf(address: string): string {
  if (!address.includes(':')) return binary(address.split('.'), 10, 8);
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const missing = Math.max(0, 8 - left.length - right.length);
  return binary([...left, ...Array.from({ length: missing }, () => '0'), ...right], 16, 16);
}

function binary(numbers: readonly string[], base: number, digits: number): string {
  return numbers.map((text) => Number.parseInt(text, base).toString(2).padStart(digits, '0')).join('');
}

function dnsRule({ network: { dns } }: Settings): Rule {
  return {
    ports: [
      { protocol: 'UDP', port: DNS_PORT },
      { protocol: 'TCP', port: DNS_PORT },
    ],
    to: [
      {
        namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: dns.namespace } },
        podSelector: { matchLabels: dns.podLabels },
      },
    ],
  };
}

/** A policy cannot name the API server and sees the address behind its service. Without ranges it can restrict only ports. */
function apiServerRule({ network: { apiServerCidrs, apiServerPorts } }: Settings): Rule {
  return { ports: tcp(...apiServerPorts), to: rangesOr(apiServerCidrs) };
}

/** Without ranges any address but those that give out credentials. */
function rangesOr(cidrs: readonly string[]): readonly object[] {
  if (cidrs.length > 0) return cidrs.map((cidr) => ({ ipBlock: { cidr } }));
  return [block('0.0.0.0/0', METADATA_V4), block('::/0', METADATA_V6)];
}

function sandboxRule({ metadata }: BootAgent, settings: Settings): Rule {
  const { sandboxNamespace, sandboxRootNamespace } = settings;
  const values = [sandboxNamespace, ...(sandboxRootNamespace === undefined ? [] : [sandboxRootNamespace])];
  return {
    ports: tcp(PORTS.sandboxRunner),
    to: [
      {
        namespaceSelector: { matchExpressions: [{ key: NAMESPACE_NAME, operator: 'In', values }] },
        podSelector: {
          matchLabels: {
            [LABELS.networkRole]: 'sandbox',
            [LABELS.agent]: metadata.name,
            [LABELS.agentNamespace]: metadata.namespace,
          },
        },
      },
    ],
  };
}

function proxyRules({ namespace, network }: Settings): readonly Rule[] {
  if (network.egressProxy === undefined) return [];
  return [
    {
      ports: tcp(PORTS.egressProxy),
      to: [
        {
          namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: namespace } },
          podSelector: { matchLabels: { [LABELS.networkRole]: 'egress-proxy' } },
        },
      ],
    },
  ];
}

/** A proxy of the company mostly has a private address. */
function companyProxyRules({ network: { companyProxy } }: Settings): readonly Rule[] {
  if (companyProxy === undefined) return [];
  const { protocol, port } = new URL(companyProxy.url);
  const number = port === '' ? (protocol === 'https:' ? HTTPS_PORT : HTTP_PORT) : Number(port);
  return [{ ports: tcp(number), to: rangesOr(companyProxy.cidrs) }];
}

/** A policy cannot name hosts, so this allows all public addresses on the ports that the spec needs. */
function publicRules(agent: BootAgent): readonly Rule[] {
  const ports = egressPorts(agent);
  if (ports.length === 0) return [];
  return [{ ports: tcp(...ports), to: [block('0.0.0.0/0', PRIVATE_V4), block('::/0', PRIVATE_V6)] }];
}

function block(cidr: string, except: readonly string[]): object {
  return { ipBlock: { cidr, except } };
}

function tcp(...ports: readonly number[]): readonly object[] {
  return ports.map((port) => ({ protocol: 'TCP', port }));
}
