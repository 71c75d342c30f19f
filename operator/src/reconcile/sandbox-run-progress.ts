/** Advances a run that has a place by one step: makes its Job, signs its claim, or reads its end. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { LABELS } from '@retainer/contract/api/names';
import { claimText } from '@retainer/contract/wire/runner';
import { signedGrant } from '../desired/sandbox/egress-grant.ts';
import { START_GRACE_SECONDS, runJobName, timeoutSeconds } from '../desired/sandbox/run-job.ts';
import { ApiError } from '@retainer/kube/api-error';
import { keyText } from '@retainer/kube/kube-object';
import { sandboxJob, sandboxPod, type SandboxPod } from '../observe/observe-sandbox-objects.ts';
import { SANDBOX_INDEXES, type ObservedRun } from '../observe/observe-sandbox-run.ts';
import { resources } from '@retainer/kube/resources';
import { secondTime } from '@retainer/kube/lease-record';
import { failedEnd, type RunEnd } from '../status/sandbox/run-end.ts';
import { coldPhase, warmPhase, type RunPhase } from '../status/sandbox/run-phase.ts';
import { readyStatus, type Binding, type RunStatus } from '../status/sandbox/run-status.ts';
import { agentKeyOfRun } from './sandbox-run-admission.ts';
import type { Holder } from './sandbox-run-ledger.ts';
import type { SandboxParts } from './sandbox-run-parts.ts';

export type Progress =
  | { readonly type: 'Starting'; readonly reason: ConditionReason<'SandboxRun'>; readonly message: string }
  | { readonly type: 'Ready'; readonly status: RunStatus }
  | { readonly type: 'Ended'; readonly end: RunEnd }
  /** The API server did not accept the Job; the next attempt follows with back-off. */
  | {
      readonly type: 'Blocked';
      readonly reason: ConditionReason<'SandboxRun'>;
      readonly message: string;
      readonly error: Error;
    }
  | { readonly type: 'BehindCache' };

type Step = RunPhase | Exclude<Progress, { readonly type: 'Ready' }>;

interface Given {
  readonly run: ObservedRun;
  readonly holder: Holder;
}

export async function progressOf(parts: SandboxParts, given: Given, signal: AbortSignal): Promise<Progress> {
  const opened = openedUnder(parts, given.holder);
  if (opened !== undefined) return { type: 'Ended', end: failedEnd('NetworkOpened', opened) };
  const phase =
    given.holder.pod === undefined ? await coldOf(parts, given, signal) : await warmOf(parts, given, signal);
  const { run } = given;
  // A runner under load may miss a probe but stays the run's own.
  const wasReady = run.status.endpoint !== undefined;
  if (phase.type === 'Starting' && wasReady) return { type: 'Ready', status: statusOf(run, run.status) };
  if (phase.type !== 'Ready') return phase;
  return { type: 'Ready', status: statusOf(run, wasReady ? run.status : await bindingOf(parts, given, phase)) };
}

/** Why code must not go on, though its proof held when it began. */
function openedUnder({ canary }: SandboxParts, { namespace, ground }: Holder): string | undefined {
  const state = canary.state(namespace);
  if (state.type === 'Opened') return `the code was ended: ${state.by.join('; ')}`;
  if (ground === undefined || ground === canary.ground(namespace)) return undefined;
  return `the code was ended: somebody changed NetworkPolicies or labels of namespace ${namespace}`;
}

function statusOf({ spec, object }: ObservedRun, binding: Binding): RunStatus {
  return readyStatus(binding, spec.mode, object.metadata.generation);
}

async function coldOf(parts: SandboxParts, given: Given, signal: AbortSignal): Promise<Step> {
  const { caches, clock, applier } = parts;
  const { run, holder } = given;
  const key = { namespace: holder.namespace, name: runJobName({ ...holder.run, uid: run.uid }) };
  const job = caches.inSandboxes(resources.jobs).get(key);
  if (job === undefined) {
    if (holder.job !== undefined) return makeJob(parts, { run, holder }, signal);
    if (!(await applier.isGone(resources.jobs, key, signal))) return { type: 'BehindCache' };
    return { type: 'Ended', end: failedEnd('InfrastructureFailed', 'the sandbox was removed; run the code again') };
  }
  const [cached] = caches.inSandboxes(resources.pods).byIndex(SANDBOX_INDEXES.podsByRun, run.uid).map(sandboxPod);
  const isBehind = sandboxJob(job).isEnded && cached?.isEnded !== true;
  const pod = isBehind ? await livePodOf(parts, { run, holder }, signal) : cached;
  return coldPhase({ job: sandboxJob(job), pod, nowMs: clock.nowMs() });
}

/** Asks the API server: a Job's end may arrive before its pod's, and only the pod tells how the run ended. */
async function livePodOf(
  { client }: SandboxParts,
  { run, holder }: Given,
  signal: AbortSignal,
): Promise<SandboxPod | undefined> {
  const labelSelector = `${LABELS.sandboxRunUid}=${run.uid}`;
  const { items } = await client.list(resources.pods, { namespace: holder.namespace, labelSelector, limit: 1, signal });
  return items[0] === undefined ? undefined : sandboxPod(items[0]);
}

async function makeJob(parts: SandboxParts, { run, holder }: Given, signal: AbortSignal): Promise<Step> {
  const { applier, ledger, clock } = parts;
  if (holder.job === undefined) return { type: 'BehindCache' };
  const child = { resource: resources.jobs, object: holder.job, isOutsideNamespace: true };
  const result = await applier.applyChild(run.object, child, undefined, signal);
  switch (result.type) {
    case 'Written':
    case 'Unchanged': {
      // Never write the Job again, or the code could run twice.
      const { job: _, ...made } = holder;
      ledger.enter(keyText(agentKeyOfRun(run)), made);
      return { type: 'Starting', reason: 'Scheduling', message: 'the sandbox starts' };
    }
    case 'NameTaken':
      return { type: 'Ended', end: failedEnd('InfrastructureFailed', result.message) };
    case 'Failed': {
      const blocked = blockedBy(result.error);
      const isTooLate = clock.nowMs() - run.createdAtMs > START_GRACE_SECONDS * 1000;
      const isFinal = isTooLate || statusCodeOf(result.error) === 422;
      return isFinal ? { type: 'Ended', end: failedEnd(blocked.reason, blocked.message) } : blocked;
    }
  }
}

/** Longest quoted text of the API server: it names fields, quotas and rights. */
const SERVER_TEXT_MAX = 400;

function blockedBy(error: Error): Extract<Progress, { type: 'Blocked' }> {
  const isQuota = statusCodeOf(error) === 403 && error.message.includes('exceeded quota');
  return {
    type: 'Blocked',
    reason: isQuota ? 'QuotaExceeded' : 'InfrastructureFailed',
    message: `the Job of the sandbox cannot be created: ${error.message.slice(0, SERVER_TEXT_MAX)}`,
    error,
  };
}

function statusCodeOf({ cause }: Error): number | undefined {
  return cause instanceof ApiError ? cause.status : undefined;
}

async function warmOf(parts: SandboxParts, { run, holder }: Given, signal: AbortSignal): Promise<Step> {
  const { caches, client, clock } = parts;
  const key = { namespace: holder.namespace, name: holder.pod?.name ?? '' };
  const cached = caches.inSandboxes(resources.pods).get(key);
  const isIt = cached?.metadata.uid === holder.pod?.uid;
  const object = isIt ? cached : await client.get(resources.pods, key, { signal });
  if (object === undefined || object.metadata.uid !== holder.pod?.uid)
    return { type: 'Ended', end: failedEnd('InfrastructureFailed', 'the sandbox is gone; run the code again') };
  const claimedAtMs = Date.parse(run.status.startedAt ?? '') || clock.nowMs();
  return warmPhase({
    pod: sandboxPod(object),
    claimedAtMs,
    timeoutSeconds: timeoutSeconds(run.spec),
    nowMs: clock.nowMs(),
  });
}

interface Listening {
  readonly pod: SandboxPod;
  readonly endpoint: string;
}

/** The binding of a run, made once: the address of its sandbox, its claim, and its egress. */
async function bindingOf(parts: SandboxParts, { run, holder }: Given, { pod, endpoint }: Listening): Promise<Binding> {
  const { signingKey, clock } = parts;
  const { runnerPublicKey: publicKey } = run.spec;
  const claim = { podUid: pod.uid, runUid: run.uid, publicKey };
  const isWarm = holder.pod !== undefined;
  const egress = await egressOf(parts, run, pod);
  return {
    endpoint,
    podName: pod.name,
    podUid: pod.uid,
    ...(isWarm ? { claim: { runUid: run.uid, signature: signingKey.sign(claimText(claim)) } } : {}),
    // For a cold run, its Job says it. Another leader must know under what it began.
    ...(isWarm && holder.ground !== undefined ? { networkDigest: holder.ground } : {}),
    ...(egress === undefined ? {} : { egress }),
    startedAt: secondTime(clock.nowMs()),
  };
}

/** The grant is valid only for the run's own pod, because every reader of the run can read it. */
async function egressOf(parts: SandboxParts, run: ObservedRun, pod: SandboxPod): Promise<Binding['egress']> {
  const { settings, signingKey, lookup, clock } = parts;
  const { egressProxy } = settings.network;
  const hosts = run.spec.egress;
  if (hosts.length === 0 || egressProxy === undefined) return undefined;
  const at = egressProxy.lastIndexOf(':');
  const address = await lookup(egressProxy.slice(0, at));
  const endsAtMs = clock.nowMs() + timeoutSeconds(run.spec) * 1000;
  const grant = {
    subject: `sandbox-run/${run.object.metadata.namespace ?? ''}/${run.object.metadata.name}`,
    hosts,
    addresses: pod.addresses,
    expiresAtSeconds: Math.ceil(endsAtMs / 1000) + START_GRACE_SECONDS,
  };
  const host = address.includes(':') ? `[${address}]` : address;
  return { proxy: `${host}${egressProxy.slice(at)}`, grant: signedGrant(grant, signingKey) };
}
