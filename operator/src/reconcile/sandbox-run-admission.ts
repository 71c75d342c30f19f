/**
 * Gives a run its sandbox, or the reason to wait: no code may run, its Agent has no free place, or no sandbox is ready.
 */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { ANNOTATIONS, LABELS } from '@retainer/contract/api/names';
import { judgeRun, type RunRefusal } from '../desired/sandbox/judge-run.ts';
import { IDLE_MARGIN_SECONDS, IDLE_SECONDS, poolTemplateDigest } from '../desired/sandbox/pool-job.ts';
import { runJob, sandboxNamespaceOf } from '../desired/sandbox/run-job.ts';
import { sandboxResources } from '../desired/sandbox/sandbox-resources.ts';
import { keyOf, keyText, type KubeObject, type ObjectKey } from '@retainer/kube/kube-object';
import { sandboxPod, type SandboxPod } from '../observe/observe-sandbox-objects.ts';
import {
  agentOfRun,
  inOrderOfCreation,
  isRunFinished,
  observedRun,
  observedSandboxAgent,
  podOfRun,
  SANDBOX_INDEXES,
  type ObservedRun,
  type ObservedSandboxAgent,
} from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import type { CanaryState } from '../status/sandbox/canary-state.ts';
import type { Holder } from './sandbox-run-ledger.ts';
import type { SandboxParts } from './sandbox-run-parts.ts';
import { seedLedger } from './sandbox-run-seed.ts';
import { settle } from './sandbox-run-settle.ts';

export type Admission =
  | { readonly type: 'Given'; readonly holder: Holder; readonly run: ObservedRun }
  | { readonly type: 'Refused'; readonly refusal: RunRefusal }
  /** `isUsual`: usually passes within moments, so the status need not show it at once. */
  | {
      readonly type: 'Waiting';
      readonly reason: ConditionReason<'SandboxRun'>;
      readonly message: string;
      readonly isUsual: boolean;
      /** Many runs are before it, so rare looks suffice. */
      readonly isFar?: boolean;
    }
  /** The cache lags: the API server shows that this run was judged already. An event will come. */
  | { readonly type: 'BehindCache' };

type Waiting = Extract<Admission, { readonly type: 'Waiting' }>;

/** For one Agent: several times its concurrent runs. Bounded, because the operator looks at each again and again. */
export const UNFINISHED_RUNS_MAX = 200;
const TOO_MANY: RunRefusal = {
  reason: 'QuotaExceeded',
  message: `the Agent has ${UNFINISHED_RUNS_MAX} unfinished SandboxRuns before this one; wait until some end, or delete them`,
};

/** @param run  unfinished, and without a sandbox as far as the caches know */
export async function admit(parts: SandboxParts, run: ObservedRun, signal: AbortSignal): Promise<Admission> {
  const agentKey = agentKeyOfRun(run);
  if (runsBefore(parts, run).length >= UNFINISHED_RUNS_MAX) return { type: 'Refused', refusal: TOO_MANY };
  const found = findAgent(parts, agentKey);
  if (found.type === 'Waiting') return found;
  // This waits for the API server the first time, so the caches are read again.
  await seedLedger(parts, agentKey, signal);
  const current = findAgent(parts, agentKey);
  if (current.type === 'Waiting') return current;
  const { agent } = current;
  const refusal = judgeRun({ run: run.spec, sandbox: agent.sandbox, settings: parts.settings });
  if (refusal !== undefined) return { type: 'Refused', refusal };
  const closed = unprovenNetwork(parts, sandboxNamespaceOf(run.spec.root, parts.settings));
  if (closed !== undefined) return closed;
  return give(parts, { run, agent, agentKey }, signal);
}

export function agentKeyOfRun({ object, spec }: ObservedRun): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: spec.agentRef.name };
}

function findAgent(
  { caches }: SandboxParts,
  key: ObjectKey,
): Waiting | { readonly type: 'Found'; readonly agent: ObservedSandboxAgent } {
  const object = caches.of(resources.agents).get(key);
  const agent = object === undefined ? undefined : observedSandboxAgent(object);
  if (agent === undefined)
    return {
      type: 'Waiting',
      reason: 'AgentNotFound',
      message: `no valid Agent ${key.name} in this namespace; create it, or delete this SandboxRun`,
      isUsual: false,
    };
  if (agent.isSuspended)
    return {
      type: 'Waiting',
      reason: 'AgentSuspended',
      message: `Agent ${key.name} is suspended; set its spec.suspend to false to continue`,
      isUsual: false,
    };
  return { type: 'Found', agent };
}

function unprovenNetwork({ canary }: SandboxParts, namespace: string): Waiting | undefined {
  const state = canary.state(namespace);
  if (state.type === 'Enforced') return undefined;
  return {
    type: 'Waiting',
    reason: 'NetworkPolicyNotEnforced',
    message: unprovenMessage(state, namespace),
    isUsual: state.type === 'Unknown',
  };
}

function unprovenMessage(state: Exclude<CanaryState, { readonly type: 'Enforced' }>, namespace: string): string {
  switch (state.type) {
    case 'Unknown':
      return `code waits until the canary finds the network of namespace ${namespace} closed: ${state.message}`;
    case 'Opened':
      return `no code starts in namespace ${namespace}: ${state.by.join('; ')}`;
    case 'NotEnforced':
      return `no code starts: a sandbox in namespace ${namespace} reaches ${state.open.join(', ')}; check that the network plugin enforces NetworkPolicies`;
  }
}

interface Candidate {
  readonly run: ObservedRun;
  readonly agent: ObservedSandboxAgent;
  readonly agentKey: ObjectKey;
}

async function give(parts: SandboxParts, candidate: Candidate, signal: AbortSignal): Promise<Admission> {
  const { ledger, client } = parts;
  const { run, agent, agentKey } = candidate;
  const known = ledger.holder(run.uid);
  if (known !== undefined) return { type: 'Given', holder: known, run };
  if (ledger.isKnown(run.uid)) return { type: 'BehindCache' };
  const missing = placesMissing(parts, candidate);
  if (missing > 0) {
    await settleLost(parts, agentKey, signal);
    const { maxConcurrent } = agent.sandbox.pool;
    const message = `all ${maxConcurrent} sandboxes of the Agent are in use; the run gets the next free one`;
    return { type: 'Waiting', reason: 'Scheduling', message, isUsual: true, isFar: missing > WAKE_MAX };
  }
  const holder = newHolder(parts, candidate);
  ledger.enter(keyText(agentKey), holder);
  // The cache may show a run that was deleted, or that an earlier operator judged.
  const live = await client.get(resources.sandboxRuns, holder.run, { signal }).catch((error: unknown) => {
    ledger.withdraw(run.uid);
    throw error;
  });
  if (live === undefined || live.metadata.uid !== run.uid || isRunFinished(live) || podOfRun(live) !== undefined) {
    ledger.withdraw(run.uid);
    return { type: 'BehindCache' };
  }
  return { type: 'Given', holder, run: observedRun(live) ?? run };
}

/** Runs get places in the order of creation, so earlier waiting runs count. */
function placesMissing(parts: SandboxParts, { run, agent, agentKey }: Candidate): number {
  const before = runsBefore(parts, run).filter(({ metadata }) => !parts.ledger.isKnown(metadata.uid ?? ''));
  return parts.ledger.holders(keyText(agentKey)).length + before.length + 1 - agent.sandbox.pool.maxConcurrent;
}

/** Unfinished runs of its Agent that were created before it. */
function runsBefore({ caches }: SandboxParts, run: ObservedRun): readonly KubeObject[] {
  return caches
    .of(resources.sandboxRuns)
    .byIndex(SANDBOX_INDEXES.unfinishedByAgent, agentOfRun(run.object))
    .filter((other) => other.metadata.uid !== run.uid && inOrderOfCreation(other, run.object) < 0);
}

/** Frees the places of ended and deleted runs. */
async function settleLost(parts: SandboxParts, agentKey: ObjectKey, signal: AbortSignal): Promise<void> {
  for (const holder of parts.ledger.holders(keyText(agentKey))) {
    const run = parts.caches.of(resources.sandboxRuns).get(holder.run);
    const isLost = run === undefined || run.metadata.uid !== holder.runUid;
    if (isLost && !(await parts.applier.isGone(resources.sandboxRuns, { ...holder.run, uid: holder.runUid }, signal)))
      continue;
    if (isLost || isRunFinished(run)) await settle(parts, holder, signal);
  }
}

function newHolder(parts: SandboxParts, candidate: Candidate): Holder {
  const { run, agent } = candidate;
  const { settings } = parts;
  const key = keyOf(run.object);
  const pod = readySandbox(parts, candidate);
  const namespace = sandboxNamespaceOf(run.spec.root, settings);
  const ground = parts.canary.ground(namespace);
  const basis = { runUid: run.uid, run: key, namespace, ground };
  if (pod !== undefined) return { ...basis, pod: { name: pod.name, uid: pod.uid } };
  const job = runJob({ owner: { ...key, uid: run.uid }, run: run.spec, sandbox: agent.sandbox, settings, ground });
  return { ...basis, job };
}

/** The oldest ready sandbox for exactly this version of the Agent; undefined if the run needs its own Job. */
function readySandbox(
  { caches, ledger, settings, signingKey, clock }: SandboxParts,
  candidate: Candidate,
): SandboxPod | undefined {
  const { run, agent, agentKey } = candidate;
  if (agent.sandbox.pool.size === 0 || run.spec.root || !fitsPool(run, agent)) return undefined;
  const template = poolTemplateDigest({
    owner: { ...agentKey, uid: agent.uid },
    sandbox: agent.sandbox,
    settings,
    operatorKey: signingKey.publicKeyBase64,
  });
  const runs = caches.of(resources.sandboxRuns);
  const youngestMs = clock.nowMs() - (IDLE_SECONDS - IDLE_MARGIN_SECONDS) * 1000;
  return caches
    .inSandboxes(resources.jobs)
    .byIndex(SANDBOX_INDEXES.poolsByAgent, keyText(agentKey))
    .filter(({ metadata }) => metadata.annotations?.[ANNOTATIONS.poolTemplate] === template)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !ledger.isRetiring(metadata.name))
    .flatMap(({ metadata }) => caches.inSandboxes(resources.pods).byIndex(SANDBOX_INDEXES.podsByPool, metadata.name))
    .map(sandboxPod)
    .filter(({ isReady, isBeingDeleted, endpoint }) => isReady && !isBeingDeleted && endpoint !== undefined)
    .filter(({ createdAtMs, uid }) => createdAtMs > youngestMs && !ledger.isGiven(uid))
    .filter(({ uid }) => runs.byIndex(SANDBOX_INDEXES.runsByPod, uid).length === 0)
    .toSorted((a, b) => inOrderOfCreation(a.object, b.object))[0];
}

/** Whether the run needs no other resources than those of the ready sandboxes. */
function fitsPool({ spec }: ObservedRun, { sandbox }: ObservedSandboxAgent): boolean {
  if (spec.resources === undefined) return true;
  return JSON.stringify(sandboxResources(sandbox, spec.resources)) === JSON.stringify(sandboxResources(sandbox));
}

/** Some of the Agent's waiting runs in the caches, in no order. */
export function waitingRuns({ caches, ledger }: SandboxParts, agent: string): readonly ObjectKey[] {
  return caches
    .of(resources.sandboxRuns)
    .byIndex(SANDBOX_INDEXES.unfinishedByAgent, agent)
    .filter((run) => !ledger.isKnown(run.metadata.uid ?? ''))
    .toSorted(inOrderOfCreation)
    .slice(0, WAKE_MAX)
    .map(keyOf);
}

/** More than an Agent can run at once; these wake all later ones. */
const WAKE_MAX = 64;

/** The Agent that the labels of an object in the namespaces of sandboxes name. */
export function agentTextOf(labels: Readonly<Record<string, string>> | undefined): string {
  return keyText({ namespace: labels?.[LABELS.agentNamespace] ?? '', name: labels?.[LABELS.agent] ?? '' });
}
