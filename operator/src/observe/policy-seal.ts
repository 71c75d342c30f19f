/**
 * The operator's mark on its own NetworkPolicies where code runs: a signature that nobody else can make. So every other policy
 * there, and every one that somebody changed, is told from them without knowing any Agent.
 */
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { parseJson } from '@retainer/contract/std/parse-json';
import type { KubeObject } from '@retainer/kube/kube-object';

/** Signs the same text always in the same way, as Ed25519 does. */
export interface Signer {
  sign(text: string): string;
}

export function sealed(policy: KubeObject, key: Signer): KubeObject {
  const { metadata } = policy;
  const annotations = { ...metadata.annotations, [ANNOTATIONS.seal]: sealOf(policy, key) };
  return { ...policy, metadata: { ...metadata, annotations } };
}

/** Judged once for each version of a policy: a signature costs a tenth of a millisecond. */
const judged = new WeakMap<KubeObject, boolean>();

/** Whether the operator made it, and nobody has changed it since. */
export function isOwn(policy: KubeObject, key: Signer): boolean {
  const known = judged.get(policy);
  if (known !== undefined) return known;
  const isOurs = isSealed(policy, key);
  judged.set(policy, isOurs);
  return isOurs;
}

function isSealed(policy: KubeObject, key: Signer): boolean {
  return policy.metadata.annotations?.[ANNOTATIONS.seal] === sealOf(policy, key);
}

function sealOf({ metadata: { name, namespace = '' }, spec }: KubeObject, key: Signer): string {
  // An object of the API server is JSON.
  const plain = parseJson(JSON.stringify({ kind: 'NetworkPolicy', namespace, name, spec: spec ?? null }));
  return key.sign(canonicalJson(plain));
}
