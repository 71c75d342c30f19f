/** All checks of the doctor; each comes after those that it depends on. */
import { agents, characters, skills, suspended, tasks, volumes, writers } from './agent-checks.ts';
import { admissionPolicies, apiServer, definitions, podSecurity, storage } from './cluster-checks.ts';
import { fieldsInEffect } from './effect-check.ts';
import type { Facts } from './facts.ts';
import { installationOf } from './installation.ts';
import { egressProxy, images, leader, operator, signingKey, version } from './operator-checks.ts';
import { networkPolicy, sandboxes, sandboxNamespaces } from './sandbox-checks.ts';
import { STATUSES, type Check, type Status, type CheckResult } from './check-result.ts';

export const CHECKS = [
  { name: 'api-server', asks: 'the API server answers, in a version that Retainer supports', judge: apiServer },
  { name: 'definitions', asks: 'the five kinds are installed as this program knows them', judge: definitions },
  { name: 'operator', asks: 'the operator runs', judge: operator },
  { name: 'version', asks: 'operator and command line are of one version', judge: version },
  { name: 'leader', asks: 'one operator leads and renews its Lease', judge: leader },
  { name: 'signing-key', asks: 'the key is there that grants and claims are signed with', judge: signingKey },
  { name: 'egress-proxy', asks: 'the proxy runs through which code reaches allowed hosts', judge: egressProxy },
  { name: 'images', asks: 'every image comes', judge: images },
  { name: 'pod-security', asks: 'namespaces of agents are held to the restricted standard', judge: podSecurity },
  { name: 'admission', asks: 'the admission policies are bound and deny', judge: admissionPolicies },
  { name: 'sandbox-namespaces', asks: 'where code runs is held and closed', judge: sandboxNamespaces },
  { name: 'network-policy', asks: 'a canary proved that forbidden flows are closed', judge: networkPolicy },
  { name: 'sandboxes', asks: 'no Job and no pod of code is stuck', judge: sandboxes },
  { name: 'storage', asks: 'agents get volumes', judge: storage },
  { name: 'characters', asks: 'every CharacterSpec can be followed', judge: characters },
  { name: 'skills', asks: 'every Skill can be mounted', judge: skills },
  { name: 'agents', asks: 'every Agent works', judge: agents },
  { name: 'suspended', asks: 'who was stopped by a person', judge: suspended },
  { name: 'fields', asks: 'nothing is set in vain', judge: fieldsInEffect },
  { name: 'volumes', asks: 'every claim of an agent has its volume', judge: volumes },
  { name: 'writers', asks: 'every agent that works renews the Lease of its journal', judge: writers },
  { name: 'tasks', asks: 'no Task waits for somebody', judge: tasks },
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
