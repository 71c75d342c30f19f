/** Every flow that no sandbox may have, with where its listener is on this very cluster. */
import { PORTS } from '@retainer/contract/api/names';
import { RELEASE } from '../../scripts/render-chart.ts';
import {
  HOST_PORT,
  METADATA_ADDRESSES as METADATA,
  POD_PORT,
  PRIVATE_ADDRESSES,
  PUBLIC_ADDRESSES,
} from './flow-listeners.ts';
import { NODE_LINK_LOCAL, type Flow } from './flow-probe.ts';
import type { World } from './world.ts';

/** Addresses, and ports that the cluster has drawn. */
export interface FlowPlaces {
  readonly node: string;
  readonly apiService: string;
  readonly dnsService: string;
  readonly dnsPod: string;
  readonly listenerPod: string;
  readonly listenerService: string;
  readonly nodePorts: { readonly tcp: number; readonly udp: number };
  readonly ownAgent: string;
  readonly otherAgent: string;
  readonly otherSandbox: string;
  readonly operatorPod: string;
  readonly operatorService: string;
  readonly proxyPod: string;
  readonly proxyService: string;
}

export interface FlowNamespaces {
  readonly agents: string;
  readonly listeners: string;
  readonly sandboxes: string;
}

/** @param agents  names: whose sandbox tries the flows, and another one with a sandbox that stands ready */
export async function findPlaces(
  world: World,
  { agents: namespace, listeners, sandboxes }: FlowNamespaces,
  agents: readonly [own: string, other: string],
): Promise<FlowPlaces> {
  const pod = (place: string, selector: string) => podAddress(world, place, selector);
  const service = (place: string, name: string) => serviceOf(world, place, name);
  const component = (name: string) => pod(RELEASE.namespace, `app.kubernetes.io/name=${name}`);
  const agentPod = (name: string) => pod(namespace, `app.kubernetes.io/name=agent,retainer.dev/agent=${name}`);
  const listener = await service(listeners, 'listener');
  const nodePort = (name: string) => listener.ports.find((port) => port.name === name)?.nodePort ?? 0;
  return {
    node: await world.kubectl.run(['get', 'nodes', '-o', 'jsonpath={.items[0].status.addresses[0].address}']),
    apiService: (await service('default', 'kubernetes')).clusterIP,
    dnsService: (await service('kube-system', 'kube-dns')).clusterIP,
    dnsPod: await pod('kube-system', 'k8s-app=kube-dns'),
    listenerPod: await pod(listeners, 'app=listener'),
    listenerService: listener.clusterIP,
    nodePorts: { tcp: nodePort('tcp'), udp: nodePort('udp') },
    ownAgent: await agentPod(agents[0]),
    otherAgent: await agentPod(agents[1]),
    otherSandbox: await pod(
      sandboxes,
      `retainer.dev/agent-namespace=${namespace},retainer.dev/agent=${agents[1]},retainer.dev/sandbox-pool`,
    ),
    operatorPod: await component('operator'),
    operatorService: (await service(RELEASE.namespace, 'retainer-operator-metrics')).clusterIP,
    proxyPod: await component('egress-proxy'),
    proxyService: (await service(RELEASE.namespace, 'retainer-egress-proxy')).clusterIP,
  };
}

async function podAddress(world: World, namespace: string, selector: string): Promise<string> {
  interface Pod {
    readonly status: { readonly podIP?: string; readonly conditions?: readonly { type: string; status: string }[] };
  }
  const find = async (): Promise<string | undefined> => {
    const pods = await world.kubectl.list<Pod>('pods', '-n', namespace, '-l', selector);
    const isReady = ({ status }: Pod) => status.conditions?.some((it) => it.type === 'Ready' && it.status === 'True');
    return pods.find(isReady)?.status.podIP;
  };
  return world.until(`a ready pod ${selector} in ${namespace}`, find, 60_000);
}

interface ServiceSpec {
  readonly clusterIP: string;
  readonly ports: readonly { readonly name: string; readonly nodePort?: number }[];
}

async function serviceOf(world: World, namespace: string, name: string): Promise<ServiceSpec> {
  return (await world.get('service', name, namespace)).spec as unknown as ServiceSpec;
}

type Row = readonly [id: string, protocol: Flow['protocol'], host: string, port: number];
const flow = ([id, protocol, host, port]: Row): Flow => ({ id, protocol, host, port });

/** @param hasLentAddresses  whether the node has the addresses of others, which our own cluster can give it */
export function forbiddenFlows(places: FlowPlaces, hasLentAddresses: boolean): readonly Flow[] {
  const rows = [...clusterFlows(places), ...retainerFlows(places)];
  return [...rows, ...(hasLentAddresses ? lentFlows(places) : [])].map(flow);
}

function clusterFlows(places: FlowPlaces): readonly Row[] {
  const { node, apiService, dnsService, dnsPod, listenerPod, listenerService, nodePorts } = places;
  return [
    ['api-service', 'tcp', apiService, 443],
    ['api-node', 'tcp', node, 6443],
    ['kubelet', 'tcp', node, 10_250],
    ['kube-proxy', 'tcp', node, 10_256],
    ['node-ssh', 'tcp', node, 22],
    ['node-http', 'tcp', node, 80],
    ['node-dns-tcp', 'tcp', node, 53],
    ['node-dns-udp', 'udp', node, 53],
    ['node-tcp', 'tcp', node, POD_PORT],
    ['node-udp', 'udp', node, POD_PORT],
    ['host-port', 'tcp', node, HOST_PORT],
    ['node-port-tcp', 'tcp', node, nodePorts.tcp],
    ['node-port-udp', 'udp', node, nodePorts.udp],
    ['dns-service-udp', 'udp', dnsService, 53],
    ['dns-service-tcp', 'tcp', dnsService, 53],
    ['dns-pod-udp', 'udp', dnsPod, 53],
    ['dns-pod-tcp', 'tcp', dnsPod, 53],
    ['dns-pod-health', 'tcp', dnsPod, 8080],
    ['pod-tcp', 'tcp', listenerPod, POD_PORT],
    ['pod-udp', 'udp', listenerPod, POD_PORT],
    ['service-tcp', 'tcp', listenerService, POD_PORT],
    ['service-udp', 'udp', listenerService, POD_PORT],
  ];
}

/** Of the egress proxy, in the list of forbidden flows: allowed to a sandbox with egress. */
export const PROXY_FLOWS = ['proxy-pod', 'proxy-service'] as const;

function retainerFlows(places: FlowPlaces): readonly Row[] {
  const { ownAgent, otherAgent, otherSandbox, operatorPod, operatorService, proxyPod, proxyService } = places;
  return [
    ['own-agent-http', 'tcp', ownAgent, PORTS.agentHttp],
    ['own-agent-metrics', 'tcp', ownAgent, PORTS.agentMetrics],
    ['own-auditor', 'tcp', ownAgent, PORTS.auditorMetrics],
    ['other-agent-http', 'tcp', otherAgent, PORTS.agentHttp],
    ['other-agent-metrics', 'tcp', otherAgent, PORTS.agentMetrics],
    ['other-auditor', 'tcp', otherAgent, PORTS.auditorMetrics],
    ['other-sandbox', 'tcp', otherSandbox, PORTS.sandboxRunner],
    ['operator-health', 'tcp', operatorPod, PORTS.operatorHealth],
    ['operator-metrics', 'tcp', operatorPod, PORTS.operatorMetrics],
    ['operator-service', 'tcp', operatorService, PORTS.operatorMetrics],
    ['proxy-pod', 'tcp', proxyPod, PORTS.egressProxy],
    ['proxy-service', 'tcp', proxyService, PORTS.egressProxy],
    ['proxy-metrics', 'tcp', proxyPod, 9092],
  ];
}

function lentFlows({ node }: FlowPlaces): readonly Row[] {
  const { google, cloudflare } = PUBLIC_ADDRESSES;
  return [
    // IPv6: pods of our cluster have no other address than the one that their kernel gives itself.
    ['api-link-local', 'tcp', NODE_LINK_LOCAL, 6443],
    ['kubelet-link-local', 'tcp', NODE_LINK_LOCAL, 10_250],
    ['controllers', 'tcp', node, 10_257],
    ['scheduler', 'tcp', node, 10_259],
    ['metadata-aws', 'tcp', METADATA.aws, 80],
    ['metadata-aws-dns', 'udp', METADATA.aws, 53],
    ['metadata-aws-clock', 'udp', METADATA.awsClock, 123],
    ['metadata-ecs', 'tcp', METADATA.ecs, 80],
    ['metadata-eks', 'tcp', METADATA.eks, 80],
    ['node-local-dns-udp', 'udp', METADATA.nodeDns, 53],
    ['node-local-dns-tcp', 'tcp', METADATA.nodeDns, 53],
    ['metadata-alibaba', 'tcp', METADATA.alibaba, 80],
    ['metadata-azure', 'tcp', METADATA.azure, 80],
    ['metadata-azure-host', 'tcp', METADATA.azure, 32_526],
    ['metadata-oracle', 'tcp', METADATA.oracle, 80],
    ['private-10', 'tcp', PRIVATE_ADDRESSES.ten, 80],
    ['private-172', 'tcp', PRIVATE_ADDRESSES.twelve, 443],
    ['private-192', 'tcp', PRIVATE_ADDRESSES.sixteen, 80],
    ['public-dns-udp', 'udp', google, 53],
    ['public-dns-tcp', 'tcp', google, 53],
    ['public-https', 'tcp', google, 443],
    ['public-quic', 'udp', cloudflare, 443],
    ['public-http', 'tcp', cloudflare, 80],
    ['public-mail', 'tcp', cloudflare, 25],
  ];
}
