/**
 * What keeps a namespace of sandboxes closed, as the caches have it: the policy that denies everything, no stranger's policy, and the
 * labels of the namespace. By these, others judge its pods: Pod Security Admission, and policies of the whole cluster.
 */
import { DENY_ALL_NAME } from '@retainer/contract/api/names';
import { looseLabels, type SandboxStandard } from '@retainer/contract/api/sandbox-standard';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import { isOwn, type Signer } from './policy-seal.ts';
import type { Caches } from '../watch/caches.ts';

export interface SandboxGround {
  /** What opens it, each with what to do; empty where it is closed. */
  readonly openedBy: readonly string[];
  /** Of everything that a proof stands on. Another one: somebody else has changed it. */
  readonly digest: string;
}

/** Index over NetworkPolicies: those of the ground, by their namespace. */
export const GROUND_INDEX = 'policiesOfGround';

/** One of the namespaces of sandboxes. */
export interface SandboxPlace {
  readonly namespace: string;
  readonly standard: SandboxStandard;
}

export function observedGround(caches: Caches, { namespace, standard }: SandboxPlace, key: Signer): SandboxGround {
  const policies = caches.inSandboxes(resources.networkPolicies).byIndex(GROUND_INDEX, namespace);
  const denyAll = policies.find((policy) => isOwn(policy, key));
  const strangers = policies.filter((policy) => !isOwn(policy, key) && opensSomething(policy));
  const labels = caches.inSandboxes(resources.namespaces).get({ namespace, name: namespace })?.metadata.labels ?? {};
  const missing = `NetworkPolicy ${DENY_ALL_NAME} is missing or changed; the operator makes it again`;
  return {
    openedBy: [
      ...(denyAll === undefined ? [missing] : []),
      ...strangers.map(({ metadata }) => `NetworkPolicy ${metadata.name} is not the operator's; delete it`),
      ...looseLabels(namespace, labels, standard).map(({ fault, fix }) => `${fault}; ${fix}`),
    ],
    digest: digestOf([...(denyAll === undefined ? [] : [denyAll]), ...strangers], foreignLabels(labels)),
  };
}

/** Labels that an upgrade changes, and those of the standard, which are judged by what they say. */
const OWN_LABELS = /^(app\.kubernetes\.io|helm\.sh|pod-security\.kubernetes\.io)\//;

function foreignLabels(labels: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(labels)
    .filter(([name]) => !OWN_LABELS.test(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Digest of the operator's own policies. Another one: the operator has changed them. */
export function ownPoliciesDigest(caches: Caches, namespace: string, key: Signer): string {
  const policies = caches.inSandboxes(resources.networkPolicies).list(namespace);
  return digestOf(policies.filter((policy) => isOwn(policy, key)));
}

/** Whether a change of this policy may open a namespace: of a stranger's, or of the one that denies everything. */
export function isOfGround(policy: KubeObject, key: Signer): boolean {
  return policy.metadata.name === DENY_ALL_NAME || !isOwn(policy, key);
}

/** Policies only add to each other: one without a rule lets nothing pass that another one denies. */
function opensSomething({ spec }: KubeObject): boolean {
  const { ingress = [], egress = [] } = (spec ?? {}) as { readonly ingress?: unknown[]; readonly egress?: unknown[] };
  return ingress.length + egress.length > 0;
}

function digestOf(policies: readonly KubeObject[], labels: ReturnType<typeof foreignLabels> = []): string {
  const versions = policies.map(({ metadata: { name, uid = '', generation = 0 } }) => [name, uid, generation]);
  const sorted = versions.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return sha256Hex(canonicalJson([...sorted, ...labels]));
}
