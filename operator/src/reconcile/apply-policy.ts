/** A NetworkPolicy of the operator, where code runs. */
import { keyOf, keyText, type KubeObject } from '@retainer/kube/kube-object';
import { resources } from '@retainer/kube/resources';
import type { ChildResult } from '../apply/applier.ts';
import { isOwn, sealed } from '../observe/policy-seal.ts';
import type { SandboxParts } from './sandbox-run-parts.ts';

export interface PolicyToApply {
  /** Whose policy it is; absent where a label identifies it. */
  readonly root?: KubeObject;
  readonly policy: KubeObject;
  /** As last seen in a cache. */
  readonly live: KubeObject | undefined;
}

/** Makes it as desired, and takes out what somebody else has set in it: a rule of theirs would stay open. */
export async function applyPolicy(
  { applier, signingKey }: Pick<SandboxParts, 'applier' | 'signingKey'>,
  { root, policy, live }: PolicyToApply,
  signal: AbortSignal,
): Promise<ChildResult> {
  const resource = resources.networkPolicies;
  const object = sealed(policy, signingKey);
  const result = await applier.applyChild(root ?? object, { resource, object, isOutsideNamespace: true }, live, signal);
  const isThere = result.type === 'Unchanged' || result.type === 'Written';
  if (isThere && !isOwn(result.live, signingKey)) await applier.restore(resource, result.live, object, signal);
  return result;
}

/** @throws where it was not made */
export function checkMade(object: KubeObject, result: ChildResult): void {
  if (result.type === 'Failed') throw result.error;
  if (result.type === 'NameTaken') throw new Error(`${keyText(keyOf(object))}: ${result.message}`);
}
