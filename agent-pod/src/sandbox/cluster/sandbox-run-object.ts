/** Makes the SandboxRun for a run, and reads its status. Pure. */
import { SandboxRun } from '@retainer/contract/api/sandbox-run';
import { ANNOTATIONS, API_VERSION, LABELS } from '@retainer/contract/api/names';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { SandboxLanguage, SandboxRequest } from '../../ports/sandbox-run.ts';
import type { ServedPort } from '../../ports/serving-port.ts';

export interface SandboxRunOwner {
  readonly namespace: string;
  /** Of the Agent. */
  readonly name: string;
  /** Of the Agent, which owns its SandboxRuns. */
  readonly uid: string;
  readonly egress: readonly string[];
  /** The code is root in its own user namespace. */
  readonly root: boolean;
}

/** One run, or, with ports, code that serves them. */
export type PodRequest = SandboxRequest & { readonly ports?: readonly ServedPort[] };

export const LANGUAGES = {
  bash: 'Bash',
  javascript: 'JavaScript',
  python: 'Python',
} as const satisfies Readonly<Record<SandboxLanguage, string>>;

/** Digits of the key's hash. With a billion runs per agent, one agent in millions has a collision. */
const KEY_DIGITS = 20;
const NAME_LENGTH_MAX = 63;

/** Equal for equal keys, so that a second attempt finds the object of the first. */
export function sandboxRunName(agentName: string, idempotencyKey: string): string {
  const hash = sha256Hex(idempotencyKey).slice(0, KEY_DIGITS);
  const readable = agentName.slice(0, NAME_LENGTH_MAX - KEY_DIGITS - 1).replace(/[-.]+$/, '');
  return `${readable}-${hash}`;
}

/** Contains digests and sizes, no content. */
export function sandboxRunObject(
  owner: SandboxRunOwner,
  request: PodRequest,
  identity: { readonly name: string; readonly publicKey: string },
): KubeObject {
  const { idempotencyKey, language, script, stdin, limits, ports = [] } = request;
  return {
    apiVersion: API_VERSION,
    kind: 'SandboxRun',
    metadata: {
      name: identity.name,
      namespace: owner.namespace,
      labels: { [LABELS.agent]: owner.name },
      annotations: { [ANNOTATIONS.toolCallId]: idempotencyKey },
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'Agent', name: owner.name, uid: owner.uid }],
    },
    spec: {
      agentRef: { name: owner.name },
      ...(ports.length === 0 ? { mode: 'Run' } : { mode: 'Serve', ports: [...ports] }),
      script: contentOf(script),
      language: LANGUAGES[language],
      ...(stdin === '' ? {} : { stdin: contentOf(stdin) }),
      timeout: `${limits.timeoutMs}ms`,
      egress: [...owner.egress],
      root: owner.root,
      runnerPublicKey: identity.publicKey,
    },
  };
}

function contentOf(text: string): { readonly digest: string; readonly sizeBytes: number } {
  return { digest: `sha256:${sha256Hex(text)}`, sizeBytes: Buffer.byteLength(text) };
}

export type SandboxRunView =
  | { readonly type: 'Waiting'; readonly why: string }
  | ({ readonly type: 'Reachable' } & Reachable)
  | Over;

/** Refused or ended. `message` comes from the operator. */
export interface Over {
  readonly type: 'Over';
  readonly reason: string;
  readonly message: string;
  readonly exitCode: number | undefined;
}

export interface Reachable {
  readonly host: string;
  readonly port: number;
  readonly podUid: string;
  readonly claim?: { readonly runUid: string; readonly signature: string };
  readonly proxyUrl?: string;
}

/** Total: an object that is no SandboxRun is `Waiting`. */
export function viewSandboxRun(object: KubeObject): SandboxRunView {
  const parsed = SandboxRun.safeParse(object);
  if (!parsed.success) return { type: 'Waiting', why: 'its object cannot be read' };
  const { status } = parsed.data;
  const conditions = status?.conditions ?? [];
  const over = conditions.find((one) => (one.type === 'Failed' || one.type === 'Complete') && one.status === 'True');
  if (over !== undefined)
    return { type: 'Over', reason: over.reason, message: over.message, exitCode: status?.exitCode };
  const ready = conditions.find(({ type }) => type === 'Ready');
  const why = ready === undefined ? 'no operator has answered' : `${ready.reason}: ${ready.message}`;
  return reachable(status) ?? { type: 'Waiting', why };
}

function reachable(status: SandboxRun['status']): SandboxRunView | undefined {
  const address = parseEndpoint(status?.endpoint ?? '');
  if (status?.podUid === undefined || address === undefined) return undefined;
  const { podUid, claim, egress } = status;
  return {
    type: 'Reachable',
    ...address,
    podUid,
    ...(claim === undefined ? {} : { claim }),
    ...(egress === undefined ? {} : { proxyUrl: `http://grant:${egress.grant}@${egress.proxy}` }),
  };
}

/** `1.2.3.4:7070` or `[fd00::1]:7070`. */
export function parseEndpoint(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, six, four, port] = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = six ?? four;
  return host === undefined ? undefined : { host, port: Number(port) };
}
