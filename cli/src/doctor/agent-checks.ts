/** Checks of people's objects and their results: characters, skills, agents, their volumes and writers, tasks. Pure. */
import type { ConditionReason } from '@retainer/contract/api/conditions';
import { agentChildName } from '@retainer/contract/api/child-names';
import { looksSecret } from '@retainer/contract/api/looks-secret';
import type { KubeObject } from '@retainer/kube/kube-object';
import { leaseRecordOf } from '@retainer/kube/lease-record';
import type { Facts, SeenObjects } from './facts.ts';
import { conditionOf, conditionsOf, momentOf, textAt, valueAt, type SeenCondition } from './fields.ts';
import { renewalAgeMs } from './leader-lease.ts';
import { groupLines, unready, type Level, type Levels } from './ready-groups.ts';
import { age, counted, fail, judged, ok, placeOf, seenOr, warn, type CheckResult } from './check-result.ts';

const SKILL_LEVELS = { Deprecated: 'Person', DependencyDeprecated: 'Person' } as const satisfies Partial<
  Record<ConditionReason<'Skill'>, Level>
>;

const AGENT_LEVELS = {
  Suspended: 'Normal',
  Starting: 'Passing',
  StoragePending: 'Passing',
  Draining: 'Passing',
  LeaseLost: 'Passing',
  AccountChanged: 'Passing',
  BackupStale: 'Person',
  SafeMode: 'Person',
} as const satisfies Partial<Record<ConditionReason<'Agent'>, Level>>;

/** The outcome of a Task is not a fault of the installation. */
const TASK_LEVELS = {
  Admitted: 'Normal',
  Queued: 'Normal',
  Running: 'Normal',
  Scheduled: 'Normal',
  Accepted: 'Normal',
  Succeeded: 'Normal',
  RequiredUnmet: 'Normal',
  Abandoned: 'Normal',
  Refused: 'Normal',
  Cancelled: 'Normal',
  DependencyPending: 'Normal',
  DependencyFailed: 'Normal',
  DeadlinePassed: 'Normal',
  BudgetExhausted: 'Normal',
  ApprovalTimedOut: 'Normal',
  QuestionAsked: 'Person',
  ApprovalRequested: 'Person',
  ModelOutOfReach: 'Fault',
  AgentNotFound: 'Person',
  AgentNotReady: 'Person',
  AgentSuspended: 'Person',
  InfrastructureFailed: 'Person',
  SetAside: 'Person',
  Held: 'Person',
  CharacterChanged: 'Normal',
  ScheduleInvalid: 'Fault',
  SpecInvalid: 'Fault',
  DependencyCycle: 'Fault',
} as const satisfies Record<ConditionReason<'Task'>, Level>;

export const characters = ({ ofAgents, nowMs }: Facts): CheckResult =>
  readyVerdict(ofAgents.characters, { kind: 'CharacterSpec', levels: {}, nowMs });

/** A persona is not private unless its author says so. */
export const personas = ({ ofAgents: { characters: seen } }: Facts): CheckResult =>
  judged(seen, (found) => {
    const open = found.filter(
      (it) => valueAt(it, 'spec.confidential') !== true && looksSecret(textAt(it, 'spec.persona')),
    );
    const [first] = open;
    if (first === undefined) return ok('no persona holds what looks like a secret, or it is confidential');
    return warn(
      `${counted(open.length, 'persona')} with what looks like a secret, and not confidential`,
      [`set spec.confidential: true in CharacterSpec ${placeOf(first)}, or take the secret out`],
      open.map((it) => `CharacterSpec ${placeOf(it)}`),
    );
  });

export const skills = ({ ofAgents, nowMs }: Facts): CheckResult =>
  readyVerdict(ofAgents.skills, { kind: 'Skill', levels: SKILL_LEVELS, nowMs });

export const tasks = ({ ofAgents, nowMs }: Facts): CheckResult =>
  readyVerdict(ofAgents.tasks, { kind: 'Task', levels: TASK_LEVELS, nowMs });

export function agents({ ofAgents, scope, nowMs }: Facts): CheckResult {
  const { agent: wanted, namespace } = scope;
  const verdict = readyVerdict(ofAgents.agents, { kind: 'Agent', levels: AGENT_LEVELS, nowMs });
  const [only] = seenOr(ofAgents.agents, []);
  if (wanted === undefined || ofAgents.agents.type !== 'Seen') return verdict;
  if (only === undefined) {
    const place = namespace === undefined ? 'the inspected namespaces' : `namespace ${namespace}`;
    return fail(`no Agent ${wanted} in ${place}`, ['kubectl get agents --all-namespaces']);
  }
  const lines = conditionsOf(only).map(
    ({ type, status, reason, message, sinceMs }) =>
      `${type} ${status} ${reason}${sinceMs === undefined ? '' : ` (${age(nowMs - sinceMs)})`}: ${message}`,
  );
  const individual = textAt(only, 'status.individual');
  return { ...verdict, details: individual === '' ? lines : [`individual ${individual}`, ...lines] };
}

interface ReadyQuestion {
  readonly kind: string;
  readonly levels: Levels;
  readonly nowMs: number;
}

function readyVerdict(fact: SeenObjects, { kind, levels, nowMs }: ReadyQuestion): CheckResult {
  return judged(fact, (found) => {
    const faults = unready(found, levels, nowMs);
    const [worst] = faults;
    const all = counted(found.length, kind);
    if (worst === undefined) return ok(found.length === 0 ? `none yet` : `${all}, nothing to do`);
    const { namespace = '', name } = worst.object.metadata;
    const fix = [`kubectl describe ${kind.toLowerCase()} ${name} -n ${namespace}`];
    const seen = `${faults.length} of ${all} with a problem`;
    return worst.status === 'fail' ? fail(seen, fix, groupLines(faults)) : warn(seen, fix, groupLines(faults));
  });
}

/** A claim that waits longer has no provisioner. */
const CLAIM_MS = 120_000;
const DETAILS_MAX = 8;

export function volumes({ ofAgents, nowMs }: Facts): CheckResult {
  return judged(ofAgents.claims, (claims) => {
    const bad = claims.flatMap((claim) => {
      const phase = textAt(claim, 'status.phase');
      const ageMs = nowMs - (momentOf(claim.metadata.creationTimestamp ?? '') ?? nowMs);
      const isBad = phase === 'Lost' || (phase !== 'Bound' && ageMs > CLAIM_MS);
      return isBad ? [{ claim, line: `${placeOf(claim)}: ${phase || 'no status'} since ${age(ageMs)}` }] : [];
    });
    const [first] = bad;
    if (first === undefined) return ok(`${counted(claims.length, 'claim')}, all bound`);
    const { namespace = '', name } = first.claim.metadata;
    return fail(
      `${bad.length} of ${counted(claims.length, 'claim')} without a volume`,
      [`kubectl -n ${namespace} describe pvc ${name}`, 'kubectl get storageclass'],
      bad.map(({ line }) => line).slice(0, DETAILS_MAX),
    );
  });
}

/** An agent renews its Lease every 30 s and can work without the API server: only a long silence matters. */
const SILENT_MS = 300_000;

/** Each agent's Lease names the writer of its journal, and the number of changes: the epoch. */
export function writers({ ofAgents, nowMs }: Facts): CheckResult {
  return judged(ofAgents.leases, (leases) =>
    judged(ofAgents.agents, (found) => {
      const working = found.filter((agent) => conditionOf(agent, 'Ready')?.status === 'True');
      const held = working.map((agent) => ({ agent, lease: leases.find((one) => isOf(one, agent)) }));
      const silent = held.filter(({ lease }) => lease === undefined || isSilent(lease, nowMs));
      const [first] = silent;
      if (first !== undefined) {
        const { namespace = '', name } = first.agent.metadata;
        return warn(
          `${silent.length} of ${counted(working.length, 'working Agent')} do not renew their Lease: they do not reach the API server`,
          [`kubectl -n ${namespace} logs ${agentChildName(name)}-0 -c agent --tail=50`],
          silent.map(({ agent, lease }) => `${placeOf(agent)}: ${leaseText(lease, nowMs)}`).slice(0, DETAILS_MAX),
        );
      }
      const [only, ...others] = held;
      if (only !== undefined && others.length === 0) return ok(leaseText(only.lease, nowMs));
      return ok(working.length === 0 ? 'no Agent is Ready' : `${counted(working.length, 'Agent')} renew their Lease`);
    }),
  );
}

function isOf({ metadata }: KubeObject, agent: KubeObject): boolean {
  return metadata.namespace === agent.metadata.namespace && metadata.name === agentChildName(agent.metadata.name);
}

function isSilent(lease: KubeObject, nowMs: number): boolean {
  return (renewalAgeMs(lease, nowMs) ?? Infinity) > SILENT_MS;
}

function leaseText(lease: KubeObject | undefined, nowMs: number): string {
  if (lease === undefined) return 'no Lease';
  const { holder, transitions } = leaseRecordOf(lease);
  const ageMs = renewalAgeMs(lease, nowMs);
  const renewed = ageMs === undefined ? 'never renewed' : `renewed ${age(ageMs)} ago`;
  return `${holder === '' ? 'nobody' : holder.replace(/_.*$/, '')} writes, epoch ${transitions}, ${renewed}`;
}

/** The reasons for which an agent tells more in its log. */
const TOLD_IN_LOG: ReadonlySet<string> = new Set(['BackupStale'] satisfies ConditionReason<'Agent'>[]);

/** Second copies that are late or diverged: the agents work without them, and nobody else would notice. */
export function backups({ ofAgents, nowMs }: Facts): CheckResult {
  return judged(ofAgents.agents, (found) => {
    const bad = found.flatMap((agent) => {
      const condition = conditionOf(agent, 'BackupCurrent');
      return condition?.status === 'False' ? [{ agent, condition }] : [];
    });
    const [first] = bad;
    if (first === undefined) return ok(found.length === 0 ? 'no Agent yet' : 'no second copy is late');
    const { namespace = '', name } = first.agent.metadata;
    const look = TOLD_IN_LOG.has(first.condition.reason)
      ? `kubectl logs ${agentChildName(name)}-0 -c agent -n ${namespace}`
      : `kubectl describe agent ${name} -n ${namespace}`;
    return warn(
      `the second copy of ${bad.length} of ${counted(found.length, 'Agent')} is not current`,
      [look],
      bad.map(({ agent, condition }) => backupLine(agent, condition, nowMs)).slice(0, DETAILS_MAX),
    );
  });
}

function backupLine(agent: KubeObject, { reason, message, sinceMs }: SeenCondition, nowMs: number): string {
  const since = sinceMs === undefined ? '' : ` (${age(nowMs - sinceMs)})`;
  return `${placeOf(agent)}: ${reason}${since}: ${message}`;
}

/** Agents that people stopped, since nothing else explains why they do nothing. */
export function suspended({ ofAgents }: Facts): CheckResult {
  return judged(ofAgents.agents, (found) => {
    const stopped = found.filter((agent) => valueAt(agent, 'spec.suspend') === true);
    const [first] = stopped;
    if (first === undefined) return ok('no Agent is suspended');
    const { namespace = '', name } = first.metadata;
    return {
      ...ok(`${counted(stopped.length, 'Agent')} suspended`),
      fix: [`kubectl -n ${namespace} patch agent ${name} --type=merge -p '{"spec":{"suspend":false}}'   # to go on`],
    };
  });
}
