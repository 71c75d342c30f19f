/** Checks of the chart's programs: the operator, its leader, the egress proxy, the key. Pure. */
import { LABELS } from '@retainer/contract/api/names';
import type { KubeObject } from '@retainer/kube/kube-object';
import { leaseRecordOf } from '@retainer/kube/lease-record';
import type { Facts } from './facts.ts';
import { conditionOf, countAt, listAt, textAt } from './fields.ts';
import { NAMES, type Installation } from './installation.ts';
import { rolloutLines, rolloutOf } from '../cluster/rollout-story.ts';
import { isOverdue, isRenewed, renewalAgeMs } from './leader-lease.ts';
import { containerTrouble } from './pod-trouble.ts';
import { age, fail, installCommand, judged, named, ok, seenOr, warn, type CheckResult } from './check-result.ts';

export function operator(facts: Facts, installation: Installation): CheckResult {
  const { systemNamespace } = facts.scope;
  return judged(facts.operator, (deployment) => {
    if (deployment === undefined)
      return fail(`no Deployment ${NAMES.operator} in namespace ${systemNamespace}`, [
        `${installCommand(facts, installation)}   # or name its namespace: retainer doctor --system-namespace NAME`,
      ]);
    return deploymentVerdict(facts, deployment);
  });
}

export function egressProxy(facts: Facts, installation: Installation): CheckResult {
  if (installation.hasEgressProxy === false) return ok('off (egressProxy.enabled): code reaches no host');
  return judged(facts.egressProxy, (deployment) => {
    if (deployment !== undefined) return deploymentVerdict(facts, deployment);
    if (installation.hasEgressProxy === undefined)
      return {
        status: 'skip',
        seen: 'not installed; without an operator nobody knows whether it is needed; see the check operator',
      };
    return fail(`no Deployment ${NAMES.egressProxy}, but the operator is set to use it`, [
      installCommand(facts, installation),
    ]);
  });
}

function deploymentVerdict({ scope, systemPods }: Facts, deployment: KubeObject): CheckResult {
  const { systemNamespace } = scope;
  const { name } = deployment.metadata;
  const wanted = countAt(deployment, 'spec.replicas');
  const ready = countAt(deployment, 'status.readyReplicas');
  const component = deployment.metadata.labels?.[LABELS.name];
  const pods = seenOr(systemPods, []).filter(({ metadata }) => metadata.labels?.[LABELS.name] === component);
  const troubles = pods.flatMap((pod) => containerTrouble(pod).map((trouble) => `${pod.metadata.name}: ${trouble}`));
  const progress = conditionOf(deployment, 'ReplicaFailure');
  const details = [
    ...troubles,
    ...(progress?.status === 'True' ? [`pods cannot be created: ${progress.message}`] : []),
  ];
  const seen = `${ready} of ${wanted} pods of ${name} are Ready`;
  if (wanted === 0)
    return fail(`${name} is scaled to 0: no object is reconciled`, [
      `kubectl -n ${systemNamespace} scale deployment ${name} --replicas=2`,
    ]);
  if (ready >= wanted) return ok(seen);
  const fix = [
    `kubectl -n ${systemNamespace} describe deployment ${name}`,
    `kubectl -n ${systemNamespace} logs -l app.kubernetes.io/name=${component ?? ''} --tail=20 --prefix`,
  ];
  return ready === 0 ? fail(seen, fix, details) : warn(seen, fix, details);
}

/** One version everywhere: an older program does not understand a newer one. */
export function version(facts: Facts, installation: Installation): CheckResult {
  const { version: own } = facts;
  const { version: theirs } = installation;
  return judged(facts.operator, (deployment) => {
    if (deployment === undefined)
      return { status: 'skip', seen: 'no operator to compare with; see the check operator' };
    if (theirs === own) return ok(`both have version ${own}`);
    return warn(
      `the operator has ${theirs === '' ? 'an unknown version' : `version ${theirs}`}, this program version ${own}`,
      [`${installCommand(facts, installation)}   # upgrades the operator to ${own}`],
    );
  });
}

export function leader(
  { leader: { first, second }, nowMs, scope }: Facts,
  { leaseSeconds }: Installation,
): CheckResult {
  const fix = [
    `kubectl -n ${scope.systemNamespace} get lease ${NAMES.leaderLease} -o yaml`,
    `kubectl -n ${scope.systemNamespace} logs -l app.kubernetes.io/name=operator --tail=50`,
  ];
  return judged(first, (lease) => {
    if (lease === undefined) return fail(`no Lease ${NAMES.leaderLease}: no operator has become leader yet`, fix);
    const { holder, transitions } = leaseRecordOf(lease);
    const ageMs = renewalAgeMs(lease, nowMs);
    const renewed = ageMs === undefined ? 'never renewed' : `renewed ${age(ageMs)} ago`;
    const later = second?.type === 'Seen' ? second.value : undefined;
    if (later !== undefined && isRenewed(lease, later))
      return ok(
        `${podOf(leaseRecordOf(later).holder)} leads, epoch ${transitions} (the clocks of this machine and the cluster differ)`,
      );
    if (holder === '') return fail(`no leader since epoch ${transitions}, ${renewed}`, fix);
    if (isOverdue(lease, leaseSeconds, nowMs))
      return fail(`no leader: ${podOf(holder)} holds the Lease, ${renewed}, and no longer renews it`, fix);
    return ok(`${podOf(holder)} leads, epoch ${transitions}, ${renewed}`);
  });
}

/** Holders are `POD_RANDOM`. */
function podOf(holder: string): string {
  return holder.replace(/_.*$/, '');
}

/** Whether there is a key; the key itself does not leave the API server. */
export function signingKey({ signingKey: secret, publicKey, scope }: Facts): CheckResult {
  const { systemNamespace } = scope;
  const restart = `kubectl -n ${systemNamespace} rollout restart deployment ${NAMES.operator}`;
  return judged(publicKey, (published) => {
    const isPublished = published !== undefined && textAt(published, 'data.public') !== '';
    const missing = secret.type === 'Seen' && secret.value === undefined;
    if (missing && !isPublished)
      return fail(`no Secret ${NAMES.signingKey} yet: the first leader creates it`, [
        `kubectl -n ${systemNamespace} logs -l app.kubernetes.io/name=operator --tail=50`,
      ]);
    if (missing)
      return fail(
        `Secret ${NAMES.signingKey} is gone; the leader still signs with the copy that it read at its start`,
        [`${restart}   # creates a new key, which the egress proxies read`],
      );
    if (!isPublished) return fail(`ConfigMap ${NAMES.publicKey} holds no key: egress proxies cannot start`, [restart]);
    return judged(secret, () => ok(`Secret ${NAMES.signingKey} exists, and its public half is published`));
  });
}

/** A release that is halted reaches nobody until a person acts. */
export function rollout({ rollout: object, nowMs, scope }: Facts): CheckResult {
  const own = scope.systemNamespace === 'retainer-system' ? '' : ` --system-namespace ${scope.systemNamespace}`;
  return judged(object, (found) => {
    const state = rolloutOf(found);
    if (state === undefined)
      return { status: 'skip', seen: 'no operator has told of a rollout yet; see the check leader' };
    const [first, ...rest] = rolloutLines(state, nowMs).map(({ text }) => text.trim());
    if (state.phase !== 'Halted')
      return ok(`${state.phase === 'Done' ? 'everywhere' : 'on its way'}: ${state.release.image}`);
    return fail(
      first ?? '',
      [`retainer rollout resume${own}   # once its cause is gone; or install another release`],
      rest,
    );
  });
}

/** Images that any of our pods cannot pull. */
export function images(facts: Facts, installation: Installation): CheckResult {
  const { systemPods, ofAgents, sandboxes } = facts;
  const pods = [systemPods, ofAgents.pods, ...sandboxes.map((one) => one.pods)].flatMap((fact) => seenOr(fact, []));
  const waiting = pods.flatMap((pod) => unpulled(pod).map((image) => ({ pod, image })));
  const [first] = waiting;
  if (first !== undefined) {
    const distinct = [...new Set(waiting.map(({ image }) => image))];
    const { metadata } = first.pod;
    return fail(
      `${waiting.length === 1 ? 'one container waits' : `${waiting.length} containers wait`} for ${named(distinct)}`,
      [
        `kubectl -n ${metadata.namespace ?? ''} describe pod ${metadata.name}   # the last events show the registry's answer`,
        `${installCommand(facts, installation)} --registry REGISTRY --tag TAG   # or --set 'image.pullSecrets={NAME}'`,
      ],
    );
  }
  return judged(systemPods, () => ok(`the images of ${pods.length} pods are pulled`));
}

function unpulled(pod: KubeObject): readonly string[] {
  return listAt(pod, 'status.containerStatuses')
    .filter((status) => IMAGE_REASONS.has(textAt(status, 'state.waiting.reason')))
    .map((status) => `${textAt(status, 'image')} (${textAt(status, 'state.waiting.reason')})`);
}

/** The kubelet's reasons for an image that it cannot pull. */
const IMAGE_REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'RegistryUnavailable',
]);
