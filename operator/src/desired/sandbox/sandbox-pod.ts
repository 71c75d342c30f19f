/**
 * The pod of every sandbox, the canary's included. There is one template, and no field of a run changes its rules.
 *
 * I1  No host namespace, port or path, no token, no volume but scratch; every capability dropped; a read-only root file
 *     system. Each sandbox has a user id of its own, so that limits on processes count it alone. The sandboxes of one pool
 *     share a user id: there the runner counts processes, and the kernel's limit covers all of them together.
 * I2  Only the operator chooses labels: no text of a person or a model reaches them, except the name of an object.
 *
 * Source: reliability-security 3, 7; design 7 (sandbox.root).
 */
import { LABELS, PORTS } from '@retainer/contract/api/names';
import { sha256Hex } from '@retainer/contract/std/hash';
import { RUNNER_ENV, RUNNER_PATHS, RUNNER_TMP_DIRECTORY, RUNNER_WORK_DIRECTORY } from '@retainer/contract/wire/runner';
import type { Settings } from '../../settings/settings.ts';
import { SANDBOX_ROLE } from './sandbox-labels.ts';
import { TMP_BYTES, type SandboxResources } from './sandbox-resources.ts';

/** ServiceAccount of all sandboxes: without rights, and without a token in any pod. */
const SANDBOX_ACCOUNT = 'retainer-sandbox';
export const RUNNER_PROGRAM = '/app/sandbox-runner/dist/main.js';
export const CANARY_PROGRAM = '/app/sandbox-runner/dist/canary-main.js';
/** Seconds after which the kubelet kills a runner that did not end at once. */
const GRACE_SECONDS = 2;

export interface SandboxPodSpec {
  /** Determines the user id: the name of the run's Job, or of the pool. */
  readonly identity: string;
  readonly image: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly resources: SandboxResources;
  readonly scratchBytes: number;
  /** Path and query that answer 200 while the sandbox is free. */
  readonly readyPath: string;
  readonly isRoot: boolean;
  readonly placement: SandboxPlacement;
  readonly hostIpEnv?: string;
  /** For a pod whose Job has no deadline of its own. */
  readonly activeDeadlineSeconds?: number;
}

export interface SandboxPlacement {
  readonly runtimeClassName?: string | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly object[] | undefined;
}

export function sandboxPodTemplate(
  spec: SandboxPodSpec,
  labels: Readonly<Record<string, string>>,
  settings: Settings,
): object {
  return {
    metadata: { labels: { ...labels, [LABELS.networkRole]: SANDBOX_ROLE } },
    spec: {
      restartPolicy: 'Never',
      serviceAccountName: SANDBOX_ACCOUNT,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostname: SANDBOX_ROLE,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      // A root run always gets a user namespace: no sandbox is ever root of the node.
      ...(settings.hasUserNamespaces || spec.isRoot ? { hostUsers: false } : {}),
      // A look-up fails at once, and the node's own domain stays unknown.
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['127.0.0.1'] },
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...(spec.activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds: spec.activeDeadlineSeconds }),
      ...placementFields(spec.placement),
      ...(settings.images.pullSecrets.length === 0
        ? {}
        : { imagePullSecrets: settings.images.pullSecrets.map((name) => ({ name })) }),
      securityContext: podSecurity(spec, settings),
      containers: [container(spec, settings)],
      volumes: [
        { name: 'workspace', emptyDir: { sizeLimit: String(spec.scratchBytes) } },
        { name: 'tmp', emptyDir: { sizeLimit: String(TMP_BYTES) } },
      ],
    },
  };
}

function placementFields({ runtimeClassName, nodeSelector, tolerations }: SandboxPlacement): object {
  return {
    ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
  };
}

function podSecurity({ identity, isRoot }: SandboxPodSpec, settings: Settings): object {
  const uid = isRoot ? 0 : sandboxUid(identity, settings.hasUserNamespaces);
  return {
    runAsNonRoot: !isRoot,
    runAsUser: uid,
    runAsGroup: uid,
    fsGroup: uid,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** Root in its own user namespace needs these to own files and to drop root. Source: Pod Security Standards, baseline. */
const ROOT_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

function container(spec: SandboxPodSpec, settings: Settings): object {
  return {
    name: 'runner',
    image: spec.image,
    imagePullPolicy: settings.images.pullPolicy,
    command: ['node', spec.program],
    workingDir: RUNNER_WORK_DIRECTORY,
    ports: [{ name: 'runner', containerPort: PORTS.sandboxRunner, protocol: 'TCP' }],
    env: [
      fieldEnv(RUNNER_ENV.podUid, 'metadata.uid'),
      ...(spec.hostIpEnv === undefined ? [] : [fieldEnv(spec.hostIpEnv, 'status.hostIP')]),
      ...Object.entries(spec.env).map(([name, value]) => ({ name, value })),
    ],
    resources: spec.resources,
    securityContext: {
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: !spec.isRoot,
      capabilities: { drop: ['ALL'], ...(spec.isRoot ? { add: ROOT_CAPABILITIES } : {}) },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    readinessProbe: {
      httpGet: { path: spec.readyPath, port: PORTS.sandboxRunner, scheme: 'HTTP' },
      periodSeconds: 1,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 1,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    volumeMounts: [
      { name: 'workspace', mountPath: RUNNER_WORK_DIRECTORY },
      { name: 'tmp', mountPath: RUNNER_TMP_DIRECTORY },
    ],
  };
}

function fieldEnv(name: string, fieldPath: string): object {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } };
}

const UID_FIRST = 100_000;
const UID_COUNT = 1_000_000_000;
/** A user namespace of a pod has 65,536 ids; those below are for the image's own users. */
const MAPPED_UID_FIRST = 10_000;
const MAPPED_UID_COUNT = 55_000;

export function sandboxUid(identity: string, isMapped: boolean): number {
  const drawn = Number.parseInt(sha256Hex(identity).slice(0, 12), 16);
  return isMapped ? MAPPED_UID_FIRST + (drawn % MAPPED_UID_COUNT) : UID_FIRST + (drawn % UID_COUNT);
}

export const LISTENING_PATH = RUNNER_PATHS.health;
