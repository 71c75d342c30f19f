/**
 * The status of an Agent: its conditions, and the versions that the pod runs with. Judged from the observation and the results
 * of the writes. Pure.
 */
import type { AgentJobs } from '@retainer/contract/api/agent-jobs';
import type { AgentMail } from '@retainer/contract/api/agent-mail';
import { agentChildName, agentPodName } from '@retainer/contract/api/child-names';
import { ANNOTATIONS, PORTS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { DesiredAgent } from '../../desired/agent/index.ts';
import type { SeenBackupNote } from '../../observe/observe-backup-note.ts';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { CanaryState } from '../sandbox/canary-state.ts';
import type { AgentCondition } from './agent-condition.ts';
import { judgeJobs } from './agent-jobs.ts';
import { isAtWork, judgeBackup } from './backup-current.ts';
import { agentFieldsInEffect } from '../fields-in-effect.ts';
import { judgeMail } from './mail-ready.ts';
import { networkPolicyEnforced } from './network-policy-enforced.ts';
import { podReady } from './pod-ready.ts';
import { ready, type Obstacle } from './ready.ts';
import { judgeRecord } from './record-intact.ts';
import { characterResolved, skillsResolved } from './references-resolved.ts';
import { storageReady, type JudgedClaim } from './storage-ready.ts';
import { suspended } from './suspended.ts';

export interface AgentJudgement {
  readonly observed: ObservedAgent;
  readonly desired: Pick<DesiredAgent, 'references' | 'egressFault' | 'gitEgressFault'>;
  readonly claims: readonly JudgedClaim[];
  /** The agent's Lease as it is now; undefined if it could not be read. */
  readonly lease: KubeObject | undefined;
  /** What the agent tells there of its second copy. */
  readonly backupNote: SeenBackupNote | undefined;
  /** What it tells there of its jobs. */
  readonly jobsNote: AgentJobs | undefined;
  /** What it tells there of its mail. */
  readonly mailNote: AgentMail | undefined;
  /** Undefined where the agent runs no code. */
  readonly canary: CanaryState | undefined;
  /** Children that could not be made. */
  readonly obstacles: readonly Obstacle[];
  /** Why a change has not reached the pod yet. */
  readonly waiting: string | undefined;
  /** Time until the Lease of a working agent is read again. */
  readonly leaseDueAfterMs: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * An agent names its individual before it is ready, unless the API server is slow. Nobody watches its Lease, so it is read again:
 * soon while the pod is young, and seldom later, since an older version never names it.
 */
const UNNAMED_LOOK_MS = 5_000;
const YOUNG_MS_MAX = 30_000;
const UNNAMED_LATE_LOOK_MS = 60_000;

export interface AgentStatus {
  readonly conditions: readonly AgentCondition[];
  readonly fields: Readonly<Record<string, unknown>>;
  /** When the judgement changes without an event; undefined if never. Milliseconds since 1970. */
  readonly changesAtMs: number | undefined;
}

export function agentStatus(judgement: AgentJudgement): AgentStatus {
  const { observed, desired, claims, lease, backupNote: note, canary, obstacles, waiting, nowMs } = judgement;
  const { character } = observed;
  const pod = podReady(observed, nowMs);
  const record = judgeRecord(observed, lease);
  const backup = judgeBackup(observed, { note, egressFault: desired.gitEgressFault, nowMs });
  const mail = judgeMail(observed, judgement.mailNote);
  const conditions = [
    suspended(observed.agent.spec.suspend),
    characterResolved(desired.references),
    skillsResolved(desired.references),
    storageReady(claims),
    pod.condition,
    record.condition,
    backup.condition,
    ...(mail.condition === undefined ? [] : [mail.condition]),
    ...(canary === undefined ? [] : [networkPolicyEnforced(canary)]),
    agentFieldsInEffect(observed.agent, character.type === 'Found' ? character.value.document : undefined),
  ];
  const egress: readonly Obstacle[] =
    desired.egressFault === undefined ? [] : [{ reason: 'EgressNotPossible', message: desired.egressFault }];
  return {
    conditions: [ready(conditions, [...egress, ...obstacles], waiting), ...conditions],
    fields: {
      individual: record.individual,
      backup: backup.backup,
      jobs: judgeJobs(observed, judgement.jobsNote),
      mail: mail.mail,
      ...statusFields(judgement),
    },
    changesAtMs:
      pod.changesAtMs ?? (record.individual === undefined ? nextLookMs(observed, nowMs) : leaseDueAtMs(judgement)),
  };
}

function leaseDueAtMs({ observed, leaseDueAfterMs, nowMs }: AgentJudgement): number | undefined {
  return isAtWork(observed) ? nowMs + leaseDueAfterMs : undefined;
}

/** @returns when a working agent may have named its individual; undefined for one that does not work, whose pod is watched */
function nextLookMs({ pod }: ObservedAgent, nowMs: number): number | undefined {
  if (pod?.readySinceMs === undefined) return undefined;
  return nowMs + (nowMs - pod.readySinceMs < YOUNG_MS_MAX ? UNNAMED_LOOK_MS : UNNAMED_LATE_LOOK_MS);
}

function statusFields({ observed }: AgentJudgement): AgentStatus['fields'] {
  const { root, agent, statefulSet, pod } = observed;
  const { name, namespace } = agent.metadata;
  // Between two pods, this shows the versions of the next one.
  const running = pod?.annotations ?? statefulSet?.template.annotations ?? {};
  const service = `${agentChildName(name)}.${namespace}.svc:${PORTS.agentHttp}`;
  return {
    observedGeneration: root.metadata.generation,
    characterDigest: running[ANNOTATIONS.characterDigest],
    skillsDigest: running[ANNOTATIONS.skillsDigest],
    configDigest: running[ANNOTATIONS.configDigest],
    skills: statefulSet === undefined ? undefined : mountedSkills(observed),
    podName: statefulSet === undefined ? undefined : agentPodName(name),
    endpoint: statefulSet === undefined ? undefined : service,
    tasks: observed.tasks,
  };
}

function mountedSkills({ agent, pod, statefulSet }: ObservedAgent): number {
  const prefix = `${agentChildName(agent.metadata.name)}-skill-`;
  const names = pod?.configMapNames ?? statefulSet?.template.configMapNames ?? [];
  return names.filter((name) => name.startsWith(prefix)).length;
}
