/** PodReady: whether the agent works; if not, the cause and the remedy. The first judgement that applies decides. Pure. */
import { agentChildName, agentPodName } from '@retainer/contract/api/child-names';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { AGENT_EXIT_CODES } from '@retainer/contract/wire/agent-exit';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { ContainerStatus, ObservedPod } from '../../observe/observe-agent-pod.ts';
import type { AgentCondition } from './agent-condition.ts';
import { imagePullAdvice, isImagePull } from './image-pull.ts';
import { auditorsWord } from './record-intact.ts';
import { terminationReason } from './termination-reason.ts';

type Judgement = Pick<AgentCondition, 'reason' | 'message'> & { readonly changesAtMs?: number };

export interface PodJudgement {
  readonly condition: AgentCondition;
  /** When the judgement changes without an event; undefined if never. Milliseconds since 1970. */
  readonly changesAtMs: number | undefined;
}

/** The Lease of a pod that was lost with its node runs out after 90 s; then the next pod opens the record. */
export const READY_GRACE_MS = 120_000;
/** After this many starts in a row that another process ended, the cause is permanent. */
const LOST_LEASES_MAX = 3;
/** A start after a life this long counts as the first. Source: Kubernetes, the kubelet forgets its back-off after as long. */
const LONG_LIFE_MS = 600_000;

/** Reasons of the kubelet for a container that it cannot make. */
const CREATE_REASONS: ReadonlySet<string | undefined> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);
/** Longest quoted text of Kubernetes itself. */
const QUOTE_LENGTH_MAX = 400;

/** The part of an observation that the judgement needs. */
export type SeenPod = Pick<ObservedAgent, 'agent' | 'statefulSet' | 'pod' | 'missingConfigMaps'> &
  Partial<Pick<ObservedAgent, 'renewedAccount'>>;

export function podReady(observed: SeenPod, nowMs: number): PodJudgement {
  const { pod } = observed;
  const found = suspended(observed) ?? accountChanged(observed) ?? withoutPod(observed);
  if (found !== undefined || pod === undefined) return condition(found ?? STARTING, 'False');
  if (pod.isReady) return condition({ reason: 'AgentReady', message: 'the agent works' }, 'True');
  for (const judge of JUDGEMENTS) {
    const judged = judge(pod, observed, nowMs);
    if (judged !== undefined) return condition(judged, 'False');
  }
  return condition(STARTING, 'False');
}

const STARTING: Judgement = starting('the pod starts');

function suspended({ agent, pod }: SeenPod): Judgement | undefined {
  if (!agent.spec.suspend) return undefined;
  return pod === undefined
    ? { reason: 'Suspended', message: 'the agent is suspended' }
    : { reason: 'Draining', message: 'the agent is suspended; its pod is stopping' };
}

/** The kubelet keeps a token until it has to renew it, even if its account is another one by now. */
function accountChanged({ agent, pod, renewedAccount }: SeenPod): Judgement | undefined {
  if (pod === undefined || renewedAccount === undefined) return undefined;
  if (pod.annotations[ANNOTATIONS.accountUid] === renewedAccount) return undefined;
  const account = agentChildName(agent.metadata.name);
  return {
    reason: 'AccountChanged',
    message: `ServiceAccount ${account} was deleted and made again, so the API server refuses the pod's token; the pod restarts in its turn`,
  };
}

/** There is no pod, or the present one is ending. */
function withoutPod({ agent, statefulSet, pod }: SeenPod): Judgement | undefined {
  const set = agentChildName(agent.metadata.name);
  if (statefulSet === undefined) return starting(`StatefulSet ${set} does not exist yet`);
  if (pod === undefined)
    return starting(`StatefulSet ${set} has no pod yet; if this lasts, see kubectl describe statefulset ${set}`);
  if (pod.isBeingDeleted) return starting('the pod is terminating; a new one follows');
  const { updateRevision } = statefulSet;
  return pod.isReady && updateRevision !== undefined && pod.revision !== updateRevision
    ? starting('the pod is about to restart with the new configuration')
    : undefined;
}

type Judge = (pod: ObservedPod, observed: SeenPod, nowMs: number) => Judgement | undefined;

const JUDGEMENTS: readonly Judge[] = [
  notScheduled,
  ended,
  missingVolumes,
  imageNotPulled,
  ownWord,
  notCreated,
  keptOut,
  auditorTold,
  crashing,
  notReady,
];

function notScheduled({ scheduling }: ObservedPod): Judgement | undefined {
  if (scheduling === undefined || scheduling.isDone) return undefined;
  return { reason: 'PodNotScheduled', message: `no node accepts the pod: ${quote(scheduling.message)}` };
}

function ended({ phase, reason }: ObservedPod): Judgement | undefined {
  if (phase !== 'Failed') return undefined;
  return { reason: 'PodNotReady', message: `the pod has ended (${reason ?? phase}); a new one follows` };
}

function missingVolumes(_: ObservedPod, { missingConfigMaps }: SeenPod): Judgement | undefined {
  if (missingConfigMaps.length === 0) return undefined;
  const names = missingConfigMaps.join(', ');
  return {
    reason: 'ConfigMapNotFound',
    message: `the pod waits for ConfigMap ${names} of spec.workspace.seeds; create it in this namespace`,
  };
}

function imageNotPulled({ containers }: ObservedPod, { agent }: SeenPod): Judgement | undefined {
  const found = containers.find(({ state }) => isImagePull(state.waiting ?? {}));
  if (found === undefined) return undefined;
  const { reason = '', message = '' } = found.state.waiting ?? {};
  const field = agent.spec.pod.image === undefined ? "the installation's image.agent" : 'spec.pod.image';
  return {
    reason: 'ImagePullFailed',
    message: `the image of container ${found.name} cannot be pulled (${reason}): ${quote(message)}; ${imagePullAdvice({ reason, message }, field)}`,
  };
}

/** The agent's own message comes first, because it knows the cause best. */
function ownWord({ containers }: ObservedPod): Judgement | undefined {
  const agent = containers.find(({ name }) => name === 'agent');
  if (agent === undefined || agent.state.running !== undefined) return undefined;
  return terminationReason((agent.state.terminated ?? agent.lastState.terminated)?.message);
}

function notCreated({ containers }: ObservedPod): Judgement | undefined {
  const found = containers.find(({ state }) => CREATE_REASONS.has(state.waiting?.reason));
  if (found === undefined) return undefined;
  const { reason = '', message = '' } = found.state.waiting ?? {};
  return { reason: 'PodNotReady', message: `container ${found.name} cannot be created (${reason}): ${quote(message)}` };
}

/** To give way to another process is normal once, or after a long life. */
function keptOut({ containers }: ObservedPod, { agent }: SeenPod): Judgement | undefined {
  const found = containers.find(({ name }) => name === 'agent');
  const end = found?.state.terminated ?? found?.lastState.terminated;
  if (found === undefined || found.state.running !== undefined) return undefined;
  if (end?.exitCode !== AGENT_EXIT_CODES.anotherWriter) return undefined;
  const why = `another process holds the Lease or the volume of this agent (exit code ${end.exitCode})`;
  const log = `see kubectl logs ${agentPodName(agent.metadata.name)} -c agent --previous`;
  const livedMs = (end.finishedAt ?? 0) - (end.startedAt ?? 0);
  const isRepeated = found.restartCount >= LOST_LEASES_MAX && livedMs < LONG_LIFE_MS;
  return isRepeated
    ? { reason: 'PodCrashing', message: `container agent crashes repeatedly: ${why}; ${log}` }
    : { reason: 'LeaseLost', message: `${why}; the agent stopped and tries again; ${log}` };
}

/** The auditor ends to tell what it found, and starts again: RecordIntact says what. */
function auditorTold(pod: ObservedPod): Judgement | undefined {
  const isAway = pod.containers.some(({ name, state }) => name === 'auditor' && state.running === undefined);
  return isAway && auditorsWord(pod) !== undefined
    ? starting('the auditor starts again after it told what it found; see RecordIntact')
    : undefined;
}

function crashing({ containers }: ObservedPod, { agent }: SeenPod): Judgement | undefined {
  const found = containers.find(
    ({ state }) => state.waiting?.reason === 'CrashLoopBackOff' || state.terminated !== undefined,
  );
  if (found === undefined) return undefined;
  const pod = agentPodName(agent.metadata.name);
  const log = `see kubectl logs ${pod} -c ${found.name} --previous`;
  return { reason: 'PodCrashing', message: `container ${found.name} crashes repeatedly${exitText(found)}; ${log}` };
}

function exitText({ state, lastState }: ContainerStatus): string {
  const terminated = state.terminated ?? lastState.terminated;
  if (terminated === undefined) return '';
  return ` (${terminated.reason ?? 'Error'}, exit code ${terminated.exitCode})`;
}

/** All containers run, and one is not ready. That is normal at a start, for a limited time. */
function notReady(
  { containers, unreadySinceMs }: ObservedPod,
  { agent }: SeenPod,
  nowMs: number,
): Judgement | undefined {
  const waiting = containers.filter(
    ({ state, started, ready }) => state.running !== undefined && started === true && !ready,
  );
  const inTime = ({ state }: ContainerStatus): boolean => graceEndMs(state, unreadySinceMs) > nowMs;
  const found = waiting.find((container) => !inTime(container)) ?? waiting[0];
  if (found === undefined) return undefined;
  if (inTime(found)) {
    const message = `container ${found.name} runs and starts its work`;
    return { reason: 'Starting', message, changesAtMs: graceEndMs(found.state, unreadySinceMs) };
  }
  const pod = agentPodName(agent.metadata.name);
  return {
    reason: 'PodNotReady',
    message: `container ${found.name} runs but is not ready; see kubectl logs ${pod} -c ${found.name}`,
  };
}

/** No grace for a container if the pod was ready before during its life. */
function graceEndMs({ running }: ContainerStatus['state'], unreadySinceMs: number | undefined): number {
  const startedAtMs = running?.startedAt;
  if (startedAtMs === undefined || (unreadySinceMs ?? 0) > startedAtMs) return 0;
  return startedAtMs + READY_GRACE_MS;
}

function quote(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, QUOTE_LENGTH_MAX);
}

function starting(message: string): Judgement {
  return { reason: 'Starting', message };
}

function condition({ changesAtMs, ...judgement }: Judgement, status: AgentCondition['status']): PodJudgement {
  return { condition: { type: 'PodReady', status, ...judgement }, changesAtMs };
}
