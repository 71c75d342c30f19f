/** All checks of the doctor; each comes after those that it depends on. */
import { agents, backups, characters, personas, skills, suspended, tasks, volumes, writers } from './agent-checks.ts';
import { admissionPolicies, apiServer, definitions, podSecurity, storage } from './cluster-checks.ts';
import { fieldsInEffect } from './effect-check.ts';
import type { Facts } from './facts.ts';
import { installationOf } from './installation.ts';
import { jobs } from './job-check.ts';
import { mail } from './mail-check.ts';
import { models } from './model-check.ts';
import { egressProxy, images, leader, operator, rollout, signingKey, version } from './operator-checks.ts';
import { networkPolicy, sandboxes, sandboxNamespaces } from './sandbox-checks.ts';
import { tended } from './tended-check.ts';
import { STATUSES, type Check, type Status, type CheckResult } from './check-result.ts';

export const CHECKS = [
  { name: 'api-server', asks: 'API server answers and has a supported version', judge: apiServer },
  { name: 'definitions', asks: 'definitions of the five kinds are installed and up to date', judge: definitions },
  { name: 'operator', asks: 'operator is ready', judge: operator },
  { name: 'version', asks: 'operator and command line have the same version', judge: version },
  { name: 'leader', asks: 'operator has a leader that renews its Lease', judge: leader },
  { name: 'rollout', asks: 'the newest release is halted at no agent', judge: rollout },
  { name: 'signing-key', asks: 'signing key exists and its public half is published', judge: signingKey },
  { name: 'egress-proxy', asks: 'egress proxy is ready', judge: egressProxy },
  { name: 'images', asks: 'images can be pulled', judge: images },
  { name: 'pod-security', asks: 'agent namespaces enforce the restricted Pod Security standard', judge: podSecurity },
  { name: 'admission', asks: 'admission policies are bound and deny', judge: admissionPolicies },
  {
    name: 'sandbox-namespaces',
    asks: 'sandbox namespaces enforce Pod Security and deny network traffic',
    judge: sandboxNamespaces,
  },
  { name: 'network-policy', asks: 'canary found all forbidden network flows closed', judge: networkPolicy },
  { name: 'sandboxes', asks: 'no sandbox Job or pod is stuck', judge: sandboxes },
  { name: 'storage', asks: 'StorageClass for agent volumes exists', judge: storage },
  { name: 'characters', asks: 'CharacterSpecs are Ready', judge: characters },
  { name: 'personas', asks: 'a persona with a secret is confidential', judge: personas },
  { name: 'skills', asks: 'Skills are Ready', judge: skills },
  { name: 'agents', asks: 'Agents are Ready', judge: agents },
  { name: 'tended', asks: 'every Agent has one operator', judge: tended },
  { name: 'suspended', asks: 'suspended Agents', judge: suspended },
  { name: 'fields', asks: 'every field that is set has an effect', judge: fieldsInEffect },
  { name: 'models', asks: 'Agents name models that are known and answer', judge: models },
  { name: 'volumes', asks: 'volume claims of agents are bound', judge: volumes },
  { name: 'writers', asks: 'working agents renew the Lease of their journal', judge: writers },
  { name: 'backups', asks: 'second copies of agents are not late', judge: backups },
  { name: 'jobs', asks: 'no job of an agent stands still, and none failed last', judge: jobs },
  { name: 'mail', asks: 'Agents with mail reach their mail servers', judge: mail },
  { name: 'tasks', asks: 'no Task waits for a person or a fix', judge: tasks },
] as const satisfies readonly Check[];

export interface Finding extends CheckResult {
  readonly check: string;
  readonly asks: string;
}

export interface Diagnosis {
  /** The worst status of the findings, without skipped checks. */
  readonly status: Exclude<Status, 'skip'>;
  readonly findings: readonly Finding[];
}

/** If the server does not answer, only the first check runs. */
export function diagnose(facts: Facts): Diagnosis {
  const installation = installationOf(facts.operator.type === 'Seen' ? facts.operator.value : undefined);
  const asked: readonly Check[] = facts.server.type === 'Unreadable' ? CHECKS.slice(0, 1) : CHECKS;
  const findings = asked.map(({ name, asks, judge }) => ({ check: name, asks, ...judge(facts, installation) }));
  const found = new Set(findings.map(({ status }) => status));
  return { status: found.has('fail') ? 'fail' : found.has('warn') ? 'warn' : 'ok', findings };
}

export function countsOf({ findings }: Diagnosis): Readonly<Record<Status, number>> {
  const count = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  const counts = Object.fromEntries(STATUSES.map((status) => [status, count(status)]));
  return counts as Readonly<Record<Status, number>>;
}
