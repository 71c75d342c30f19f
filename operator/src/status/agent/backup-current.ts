/**
 * BackupCurrent: whether the second copy of the record keeps up, as the agent notes it on its Lease. It stands beside Ready, since an
 * agent works without it. The last verdict stands while the agent is not at work, and where its Lease was not read. Pure.
 */
import { LATE_INTERVALS, type BackupNote } from '@retainer/contract/api/backup-note';
import { agentPodName } from '@retainer/contract/api/child-names';
import { CONDITION_REASONS } from '@retainer/contract/api/conditions';
import { durationMs } from '@retainer/contract/api/fields';
import type { BootAgent } from '@retainer/contract/wire/boot';
import type { KubeObject } from '@retainer/kube/kube-object';
import { z } from 'zod';
import type { SeenBackupNote } from '../../observe/observe-backup-note.ts';
import type { ObservedAgent } from '../../observe/observe-agent.ts';
import type { AgentCondition } from './agent-condition.ts';

type Times = Pick<BackupNote, 'lastAt' | 'pushedAt' | 'unsavedSince' | 'unpushedSince'>;
type Verdict = Pick<AgentCondition, 'status' | 'reason' | 'message'>;

export interface JudgedBackup {
  readonly condition: AgentCondition;
  /** Undefined before the agent told anything. */
  readonly backup: Times | undefined;
}

const TYPE = 'BackupCurrent';

const StoredVerdict = z.object({
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.enum(CONDITION_REASONS.Agent),
  message: z.string(),
});

export interface SeenBackup {
  /** Undefined if there is none, or this pass did not read the Lease. */
  readonly note: SeenBackupNote | undefined;
  /** Why the remote is out of reach. */
  readonly egressFault: string | undefined;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export function judgeBackup(observed: ObservedAgent, seen: SeenBackup): JudgedBackup {
  const { backup } = (observed.root['status'] ?? {}) as { readonly backup?: Times };
  const note = isAtWork(observed) ? seen.note : undefined;
  if (note === undefined) return { condition: { type: TYPE, ...(standingOf(observed.root) ?? UNTOLD) }, backup };
  const { unsavedSince, unpushedSince, lastAt = backup?.lastAt, pushedAt = backup?.pushedAt } = note;
  const condition = { type: TYPE, ...verdict(observed, { ...seen, note, lastAt, pushedAt }) } as const;
  return { condition, backup: told({ lastAt, pushedAt, unsavedSince, unpushedSince }) };
}

/** One request for each working agent in this time at the most. */
const LOOK_MS_MIN = 60_000;
/** An agent makes its first copy some seconds after its start. */
const YOUNG_MS_MAX = 300_000;

/** @returns milliseconds between two looks at what a working agent notes */
export function backupLookMs(
  { root, agent, pod }: Pick<ObservedAgent, 'root' | 'agent' | 'pod'>,
  nowMs: number,
): number {
  const isYoung = nowMs - (pod?.readySinceMs ?? nowMs) < YOUNG_MS_MAX;
  if (isYoung && standingOf(root)?.status !== 'True') return LOOK_MS_MIN;
  return Math.max(LOOK_MS_MIN, durationMs(agent.spec.memory.gitCommitInterval));
}

function standingOf({ status }: KubeObject): Verdict | undefined {
  const { conditions } = (status ?? {}) as { readonly conditions?: readonly { readonly type: string }[] };
  return StoredVerdict.safeParse(conditions?.find((one) => one.type === TYPE)).data;
}

/** An agent at work notes how its second copy stands. */
export function isAtWork({ agent, pod }: Pick<ObservedAgent, 'agent' | 'pod'>): boolean {
  return pod?.isReady === true && !agent.spec.suspend;
}

/** As the API server keeps it: without what is undefined. */
function told(times: { readonly [key in keyof Times]: string | undefined }): Times {
  return Object.fromEntries(Object.entries(times).filter(([, at]) => at !== undefined));
}

const UNTOLD: Verdict = {
  status: 'Unknown',
  reason: 'NoBackupYet',
  message: 'the agent has not told yet that its record is copied',
};

interface Standing extends SeenBackup {
  readonly note: SeenBackupNote;
  readonly lastAt: string | undefined;
  readonly pushedAt: string | undefined;
}

function verdict(observed: ObservedAgent, standing: Standing): Verdict {
  const { note, lastAt, nowMs } = standing;
  const { gitCommitInterval, gitRemote } = observed.agent.spec.memory;
  const commitMs = durationMs(gitCommitInterval);
  if (note.trouble === 'CommitLate' || isLate(note.unsavedSinceMs, commitMs, nowMs))
    return stale(`no commit for over ${LATE_INTERVALS} intervals of spec.memory.gitCommitInterval`, observed);
  // Without a commit there is nothing to push.
  if (gitRemote !== undefined)
    return remoteVerdict(observed, standing, Math.max(commitMs, durationMs(gitRemote.pushInterval)));
  return lastAt === undefined ? UNTOLD : current('the record is committed to git on its own volume');
}

function remoteVerdict(observed: ObservedAgent, standing: Standing, pushMs: number): Verdict {
  const { note, pushedAt, egressFault, nowMs } = standing;
  if (note.trouble === 'RemoteDiverged') return diverged(observed.agent);
  if (observed.missingGitAuthorities) return withoutAuthorities(observed.agent);
  if (egressFault !== undefined) return { status: 'False', reason: 'EgressNotPossible', message: egressFault };
  if (note.trouble === 'PushLate' || isLate(note.unpushedSinceMs, pushMs, nowMs))
    return stale(`no push for over ${LATE_INTERVALS} intervals of spec.memory.gitRemote.pushInterval`, observed);
  return pushedAt === undefined ? UNTOLD : current('the record is committed to git and pushed to its remote');
}

function isLate(sinceMs: number | undefined, intervalMs: number, nowMs: number): boolean {
  return sinceMs !== undefined && nowMs - sinceMs > LATE_INTERVALS * intervalMs;
}

function current(message: string): Verdict {
  return { status: 'True', reason: 'BackupCurrent', message };
}

function stale(what: string, observed: ObservedAgent): Verdict {
  return { status: 'False', reason: 'BackupStale', message: `${what}; ${logCommand(observed)} tells why` };
}

function diverged({ spec }: BootAgent): Verdict {
  const message =
    `branch ${spec.memory.gitRemote?.branch ?? ''} of the remote has another history, so nothing more is pushed, and nothing there is ` +
    'overwritten; if another agent has the same record, suspend one of the two; if the record was restored as of an older commit, or ' +
    'the branch is of somebody else, name a new branch in spec.memory.gitRemote.branch: RetainerBackupDiverged in docs/runbooks.md';
  return { status: 'False', reason: 'RemoteDiverged', message };
}

function withoutAuthorities({ spec }: BootAgent): Verdict {
  const { name, key } = spec.memory.gitRemote?.caBundleRef ?? { name: '', key: '' };
  const create = `kubectl create configmap ${name} --from-file=${key}=FILE`;
  const message = `spec.memory.gitRemote.caBundleRef: ConfigMap ${name} has no key ${key}, or does not exist: ${create}`;
  return { status: 'False', reason: 'ConfigMapNotFound', message };
}

function logCommand({ agent }: ObservedAgent): string {
  const { namespace, name } = agent.metadata;
  return `kubectl logs ${agentPodName(name)} -c agent -n ${namespace}`;
}
