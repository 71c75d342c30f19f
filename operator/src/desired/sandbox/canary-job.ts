/**
 * The canary: a sandbox like any other, under the same policies, that tries every forbidden destination. Code runs only after
 * a canary found nothing open; see `status/sandbox/canary-state.ts`.
 *
 * Source: reliability-security 3, 7.
 */
import { ANNOTATIONS, LABELS, PORTS } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import { CANARY_ENV, NODE_LINK_LOCAL, type CanaryTarget } from '@retainer/contract/wire/canary';
import { RUNNER_ENV } from '@retainer/contract/wire/runner';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Settings } from '../../settings/settings.ts';
import { CANARY_MARK } from './network-policies.ts';
import { sandboxLabels } from './sandbox-labels.ts';
import { CANARY_PROGRAM, LISTENING_PATH, sandboxPodTemplate } from './sandbox-pod.ts';

/** Seconds that the canary waits for the operator to reach it. */
const WAIT_SECONDS = 60;
/** Seconds after which Kubernetes ends it: for scheduling, the wait, and the time limits of all targets. */
const DEADLINE_SECONDS = 300;
/** Seconds between two proofs if nothing has changed. */
export const CANARY_INTERVAL_SECONDS = 21_600;
/** A proof outlives the making of the next one, or no code could start in between. */
const KEPT_SECONDS = CANARY_INTERVAL_SECONDS + 3600;

/** The kubelet substitutes the address of the API server. */
export const API_SERVICE = { host: '$(KUBERNETES_SERVICE_HOST)', port: 443 } as const;
/** The kubelet substitutes the address of the canary's node. */
export const HOST_IP = `$(${CANARY_ENV.hostIp})`;

export interface CanaryJobInput {
  readonly namespace: string;
  readonly settings: Settings;
  readonly targets: readonly CanaryTarget[];
  /** Digest of the image and of the operator's own policies. */
  readonly world: string;
  /** Digest of what keeps the namespace closed. */
  readonly ground: string;
  /** Gives a repeated proof another name. */
  readonly startedAtMs: number;
}

/** @param policies  digest of the operator's own */
export function canaryWorld(settings: Settings, policies: string): string {
  const { images, sandboxRuntimeClassName, hasUserNamespaces } = settings;
  return sha256Hex(canonicalJson({ image: images.sandbox, sandboxRuntimeClassName, hasUserNamespaces, policies }));
}

export function canaryJob({ namespace, settings, targets, world, ground, startedAtMs }: CanaryJobInput): KubeObject {
  const name = `canary-${sha256Hex(`${world}/${startedAtMs}`).slice(0, 10)}`;
  const labels = { ...sandboxLabels('canary', settings), [LABELS.instance]: name, ...CANARY_MARK };
  const amounts = { cpu: '50m', memory: '96Mi', 'ephemeral-storage': '32Mi' };
  const pod = sandboxPodTemplate(
    {
      identity: name,
      image: settings.images.sandbox,
      program: CANARY_PROGRAM,
      env: {
        [CANARY_ENV.targets]: JSON.stringify(targets),
        [CANARY_ENV.waitSeconds]: String(WAIT_SECONDS),
        [RUNNER_ENV.maxRunSeconds]: String(DEADLINE_SECONDS),
      },
      hostIpEnv: CANARY_ENV.hostIp,
      resources: { requests: amounts, limits: { ...amounts, cpu: '500m', memory: '256Mi' } },
      scratchBytes: 1_048_576,
      readyPath: LISTENING_PATH,
      isRoot: false,
      placement: { runtimeClassName: settings.sandboxRuntimeClassName },
    },
    labels,
    settings,
  );
  return {
    metadata: {
      name,
      namespace,
      labels,
      annotations: {
        [ANNOTATIONS.canaryWorld]: world,
        [ANNOTATIONS.canaryGround]: ground,
        [ANNOTATIONS.canaryTargets]: String(targets.length),
      },
    },
    spec: {
      parallelism: 1,
      completions: 1,
      completionMode: 'NonIndexed',
      backoffLimit: 0,
      activeDeadlineSeconds: DEADLINE_SECONDS,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: pod,
    },
  };
}

export interface CanaryPlaces {
  /** The API server as services name it, and as endpoints do. */
  readonly apiServers: readonly { readonly host: string; readonly port: number }[];
  readonly dnsServers: readonly string[];
  /** Its health port listens there. */
  readonly operatorIp: string | undefined;
  /** Addresses of pods of agents. */
  readonly agentIps: readonly string[];
}

const AGENT_TARGETS_MAX = 2;

const METADATA: readonly (readonly [id: string, host: string, port: number])[] = [
  ['metadata-aws', '169.254.169.254', 80],
  ['metadata-aws-v6', 'fd00:ec2::254', 80],
  ['metadata-ecs', '169.254.170.2', 80],
  ['metadata-eks', '169.254.170.23', 80],
  ['metadata-alibaba', '100.100.100.200', 80],
  ['metadata-azure', '168.63.129.16', 80],
  ['public', '1.1.1.1', 443],
  ['public-v6', '2606:4700:4700::1111', 443],
];

export function canaryTargets(places: CanaryPlaces): readonly CanaryTarget[] {
  const tcp = (id: string, host: string, port: number, isKnownListener: boolean): CanaryTarget => ({
    id,
    protocol: 'tcp',
    host,
    port,
    isKnownListener,
  });
  return [
    ...places.apiServers.map(({ host, port }, index) => tcp(`api-server-${index}`, host, port, true)),
    tcp('kubelet', HOST_IP, 10_250, true),
    tcp('kubelet-read-only', HOST_IP, 10_255, false),
    tcp('node-ssh', HOST_IP, 22, false),
    tcp('kubelet-link-local', NODE_LINK_LOCAL, 10_250, false),
    tcp('node-ssh-link-local', NODE_LINK_LOCAL, 22, false),
    ...places.dnsServers.flatMap((host, index): readonly CanaryTarget[] => [
      { id: `dns-udp-${index}`, protocol: 'dns', host, port: 53, isKnownListener: true },
      tcp(`dns-tcp-${index}`, host, 53, true),
    ]),
    ...(places.operatorIp === undefined ? [] : [tcp('operator', places.operatorIp, PORTS.operatorHealth, true)]),
    ...places.agentIps
      .slice(0, AGENT_TARGETS_MAX)
      .map((host, index) => tcp(`agent-${index}`, host, PORTS.agentHttp, true)),
    ...METADATA.map(([id, host, port]) => tcp(id, host, port, false)),
    { id: 'public-dns', protocol: 'dns', host: '1.1.1.1', port: 53, isKnownListener: false },
    { id: 'public-udp', protocol: 'udp', host: '1.1.1.1', port: 443, isKnownListener: false },
  ];
}
