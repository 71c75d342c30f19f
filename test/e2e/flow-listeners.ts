/**
 * Somebody who listens behind every address that a sandbox must not reach, so that a closed flow means something.
 *
 * One pod listens in the network of the cluster, where pods have addresses, and one in the network of its node, where foreign
 * addresses (metadata services, the internet) are put on the loopback interface for the time of the test.
 */
import type { RenderedObject } from '../../scripts/render-chart.ts';

/** Ports of the pod, and of the node where nothing else is. Below 1024 too: its user is root. */
export const POD_PORT = 18_080;
export const HOST_PORT = 18_081;
const NODE_TCP_PORTS = [22, 25, 53, 80, 443, 32_526, POD_PORT];
const NODE_UDP_PORTS = [53, 123, 443, POD_PORT];
/** What a connection is greeted with. */
export const GREETING = 'here-is-the-listener';

export const METADATA_ADDRESSES = {
  aws: '169.254.169.254',
  awsClock: '169.254.169.123',
  ecs: '169.254.170.2',
  eks: '169.254.170.23',
  nodeDns: '169.254.20.10',
  alibaba: '100.100.100.200',
  azure: '168.63.129.16',
  oracle: '192.0.0.192',
} as const;
export const PUBLIC_ADDRESSES = { google: '8.8.8.8', cloudflare: '1.1.1.1' } as const;
export const PRIVATE_ADDRESSES = { ten: '10.250.250.1', twelve: '172.20.250.1', sixteen: '192.168.250.1' } as const;

/** All addresses that are lent to the node. */
export const LENT_ADDRESSES: readonly string[] = [
  ...Object.values(METADATA_ADDRESSES),
  ...Object.values(PUBLIC_ADDRESSES),
  ...Object.values(PRIVATE_ADDRESSES),
];

function program(tcpPorts: readonly number[], udpPorts: readonly number[]): string {
  return [
    `for (const port of ${JSON.stringify(tcpPorts)})`,
    `  require('node:net').createServer((socket) => socket.on('error', () => 0).end('${GREETING}\\n')).listen(port, '0.0.0.0');`,
    `for (const port of ${JSON.stringify(udpPorts)}) {`,
    `  const socket = require('node:dgram').createSocket('udp4');`,
    `  socket.on('message', (message, from) => socket.send(message, from.port, from.address)).bind(port, '0.0.0.0');`,
    `}`,
  ].join('\n');
}

const amounts = { cpu: '10m', memory: '64Mi' };

function nodePod(name: string, image: string, text: string, more: NodePodParts = {}): RenderedObject {
  const ports = more.ports === undefined ? {} : { ports: more.ports };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsUser: 0 },
      containers: [
        {
          name: 'node',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '-e', text],
          resources: { requests: amounts, limits: { cpu: '500m', memory: '128Mi' } },
          ...ports,
        },
      ],
      ...more.spec,
    },
  };
}

interface NodePodParts {
  readonly ports?: readonly object[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A pod that waits to be told programs. */
export function idlePod(name: string, image: string): RenderedObject {
  return nodePod(name, image, 'setInterval(() => 0, 60_000)');
}

/** @param image  that of the sandboxes: it has Node.js */
export function listenerObjects(image: string): readonly RenderedObject[] {
  const ports = [
    { name: 'tcp', protocol: 'TCP', port: POD_PORT },
    { name: 'udp', protocol: 'UDP', port: POD_PORT },
  ];
  return [
    nodePod('listener', image, program([POD_PORT], [POD_PORT]), {
      ports: [{ containerPort: POD_PORT, hostPort: HOST_PORT }],
    }),
    nodePod('node-listener', image, program(NODE_TCP_PORTS, NODE_UDP_PORTS), { spec: { hostNetwork: true } }),
    service('listener', { type: 'NodePort', selector: { app: 'listener' }, ports }),
    ...named('public', PUBLIC_ADDRESSES.google),
    ...named('other', PUBLIC_ADDRESSES.cloudflare),
    ...named('private', PRIVATE_ADDRESSES.ten),
  ];
}

/** A name that the cluster's DNS answers with this address: NAME.NAMESPACE.svc.cluster.local. */
function named(name: string, address: string): readonly RenderedObject[] {
  return [
    service(name, { clusterIP: 'None', ports: [{ name: 'https', protocol: 'TCP', port: 443 }] }),
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports: [{ name: 'https', protocol: 'TCP', port: 443 }],
    },
  ];
}

function service(name: string, spec: Readonly<Record<string, unknown>>): RenderedObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

/** Lets everybody in to the pods of a namespace, beside what its other policies allow; what the callers may send stays as it is. */
export function openPolicy(name: string, matchLabels: Readonly<Record<string, string>> = {}): RenderedObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name },
    spec: { podSelector: { matchLabels }, policyTypes: ['Ingress'], ingress: [{}] },
  };
}
