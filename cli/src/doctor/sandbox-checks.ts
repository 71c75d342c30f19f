/** Checks of the sandboxes: their namespaces, the proof that these are closed, hanging pods. Pure. */
import { LABELS } from '@retainer/contract/api/names';
import { looseLabels } from '@retainer/contract/api/sandbox-standard';
import { CanaryEnd } from '@retainer/contract/wire/canary';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Facts } from './facts.ts';
import { conditionOf, listAt, momentOf, textAt } from './fields.ts';
import { NAMES, type Installation } from './installation.ts';
import { containerTrouble } from './pod-trouble.ts';
import {
  age,
  counted,
  fail,
  installCommand,
  judged,
  named,
  ok,
  placeOf,
  seenOr,
  warn,
  type CheckResult,
} from './check-result.ts';

/** Whether the namespaces exist, enforce their standard, and deny all traffic. */
export function sandboxNamespaces(facts: Facts, installation: Installation): CheckResult {
  const { namespaces, sandboxes: places } = facts;
  const { rootNamespace } = installation;
  const install = `${installCommand(facts, installation)}   # creates and labels the namespaces (sandbox.namespace.create)`;
  return judged(namespaces, (found) => {
    const faults = places.flatMap(({ namespace, denyAll }) => {
      const live = found.find(({ metadata }) => metadata.name === namespace);
      if (live === undefined)
        return [{ fault: `namespace ${namespace} does not exist: code cannot run`, fix: install }];
      const standard = namespace === rootNamespace ? 'baseline' : 'restricted';
      const open = `namespace ${namespace} has no NetworkPolicy ${NAMES.denyAll}: no code runs until the operator makes it again`;
      return [
        ...looseLabels(namespace, live.metadata.labels ?? {}, standard),
        ...(denyAll.type === 'Seen' && denyAll.value === undefined ? [{ fault: open, fix: install }] : []),
      ];
    });
    if (faults.length > 0)
      return fail(
        `${counted(faults.length, 'fault')} in the sandbox namespaces`,
        [...new Set(faults.map(({ fix }) => fix))],
        faults.map(({ fault }) => fault),
      );
    return ok(`${places.map(({ namespace }) => namespace).join(', ')}: standard enforced, all traffic denied`);
  });
}

/** The last proof decides, as for the operator, which refuses code without one. */
export function networkPolicy(
  { sandboxes, ofAgents, nowMs }: Facts,
  { sandboxNamespaces: places }: Installation,
): CheckResult {
  const [place = ''] = places;
  const unseen = sandboxes.map(({ pods }) => pods).find(({ type }) => type !== 'Seen');
  if (unseen !== undefined) return byAgents(ofAgents);
  const proofs = sandboxes.map(({ pods }) => lastProof(seenOr(pods, [])));
  const open = [...new Set(proofs.flatMap((proof) => proof?.end.open ?? []))];
  const look = `kubectl -n ${place} get jobs,pods -l ${LABELS.canary}=true`;
  if (open.length > 0)
    return fail(`code does not run: a sandbox reaches ${named(open)}`, [
      look,
      'use a network plugin that enforces NetworkPolicies, also for IPv6; the canary runs again every minute',
    ]);
  const closed = proofs.filter((proof) => proof?.end.reached === true);
  if (closed.length === sandboxes.length && sandboxes.length > 0) {
    const tried = closed.reduce((sum, proof) => sum + (proof?.end.tried ?? 0), 0);
    const oldestMs = Math.min(...closed.map((proof) => proof?.endedMs ?? nowMs));
    return ok(`checked ${age(nowMs - oldestMs)} ago: ${tried} forbidden flows tried, all closed`);
  }
  if (ofAgents.agents.type === 'Seen' && ofAgents.agents.value.length === 0)
    return ok('no canary needed: no Agent may run code');
  return warn('no result yet: code waits until the canary finds every forbidden flow closed', [
    `${look}   # it takes a minute`,
    `kubectl -n ${place} describe jobs -l ${LABELS.canary}=true`,
  ]);
}

interface Proof {
  readonly end: CanaryEnd;
  readonly endedMs: number;
}

function lastProof(pods: readonly KubeObject[]): Proof | undefined {
  return pods
    .filter(({ metadata }) => metadata.labels?.[LABELS.canary] === 'true')
    .flatMap((pod) => proofOf(pod) ?? [])
    .toSorted((a, b) => b.endedMs - a.endedMs)[0];
}

/** Its termination message; undefined if it still runs, or broke and proved nothing. */
function proofOf(pod: KubeObject): Proof | undefined {
  const [status] = listAt(pod, 'status.containerStatuses');
  try {
    const end = CanaryEnd.safeParse(JSON.parse(textAt(status, 'state.terminated.message')));
    if (!end.success || (!end.data.reached && end.data.open.length === 0)) return undefined;
    return { end: end.data, endedMs: momentOf(textAt(status, 'state.terminated.finishedAt')) ?? 0 };
  } catch {
    // No JSON: not ended, or broken.
    return undefined;
  }
}

/** The operator's report in each Agent, for people who may not read the namespaces of sandboxes. */
function byAgents({ agents }: Facts['ofAgents']): CheckResult {
  return judged(agents, (found) => {
    const told = found.flatMap((agent) => {
      const condition = conditionOf(agent, 'NetworkPolicyEnforced');
      return condition === undefined ? [] : [{ agent, condition }];
    });
    const bad = told.find(({ condition }) => condition.status !== 'True');
    if (bad === undefined) return ok(`${counted(told.length, 'Agent')} report all forbidden flows closed`);
    const { agent, condition } = bad;
    const seen = `${placeOf(agent)}: ${condition.message}`;
    const fix = [`kubectl describe agent ${agent.metadata.name} -n ${agent.metadata.namespace ?? ''}`];
    return condition.status === 'False' ? fail(seen, fix) : warn(seen, fix);
  });
}

/** A pod that waits longer has no node, no image or no quota: Kubernetes needs seconds. */
const PENDING_MS = 120_000;
/** Sandboxes end within 30 s of a delete. */
const ENDING_MS = 300_000;
const DETAILS_MAX = 8;

/** Stuck pods and Jobs in the namespaces of sandboxes. */
export function sandboxes({ sandboxes: all, nowMs }: Facts): CheckResult {
  const [unseen] = all.map(({ pods }) => pods).filter(({ type }) => type !== 'Seen');
  if (unseen !== undefined) return judged(unseen, () => ok(''));
  const pods = all.flatMap((one) => seenOr(one.pods, []));
  const jobs = all.flatMap((one) => seenOr(one.jobs, []));
  const stuck = [
    ...pods.flatMap((pod) => stuckPod(pod, nowMs).map((line) => ({ object: pod, kind: 'pod', line }))),
    ...jobs.flatMap((job) => stuckJob(job, nowMs).map((line) => ({ object: job, kind: 'job', line }))),
  ];
  const [first] = stuck;
  if (first === undefined) return ok(`${counted(jobs.length, 'Job')}, ${counted(pods.length, 'pod')}, none stuck`);
  const { namespace = '', name } = first.object.metadata;
  const details = stuck.map(({ object, line }) => `${placeOf(object)}: ${line}`);
  return warn(
    `${stuck.length === 1 ? 'one is' : `${stuck.length} are`} stuck`,
    [`kubectl -n ${namespace} describe ${first.kind} ${name}`],
    details.slice(0, DETAILS_MAX),
  );
}

function stuckPod(pod: KubeObject, nowMs: number): readonly string[] {
  const leavingMs = momentOf(pod.metadata.deletionTimestamp ?? '');
  if (leavingMs !== undefined)
    return nowMs - leavingMs > ENDING_MS ? [`terminating for ${age(nowMs - leavingMs)}`] : [];
  const ageMs = nowMs - (momentOf(pod.metadata.creationTimestamp ?? '') ?? nowMs);
  if (textAt(pod, 'status.phase') !== 'Pending' || ageMs <= PENDING_MS) return [];
  const [why = 'Kubernetes gives no reason'] = containerTrouble(pod);
  return [`waiting for ${age(ageMs)}: ${why}`];
}

/** A Job without a pod: no controller handles it, or a policy or quota refuses its pods. */
function stuckJob(job: KubeObject, nowMs: number): readonly string[] {
  const ageMs = nowMs - (momentOf(job.metadata.creationTimestamp ?? '') ?? nowMs);
  const isOver = ['Complete', 'Failed'].some((type) => conditionOf(job, type)?.status === 'True');
  const hasPods = ['active', 'succeeded', 'failed'].some((field) => Number(statusField(job, field) ?? 0) > 0);
  if (isOver || hasPods || ageMs <= PENDING_MS) return [];
  return [`without a pod for ${age(ageMs)}: a quota or a policy refuses it`];
}

function statusField({ status }: KubeObject, field: string): unknown {
  return (status as Readonly<Record<string, unknown>> | undefined)?.[field];
}
