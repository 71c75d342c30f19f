/** Names of the operator's objects for an Agent. The agent, the operator and the admission policies must agree on them. */
import { sha256Hex } from '../std/hash.ts';

/** Of a StatefulSet, its ServiceAccount, Role, RoleBinding, headless Service, Lease and disruption budget. */
export function agentChildName(agentName: string): string {
  return `retainer-${agentName}`;
}

/** Its one pod. */
export function agentPodName(agentName: string): string {
  return `${agentChildName(agentName)}-0`;
}

/** The claim of the agent's memory. */
export function agentClaimName(agentName: string): string {
  return `data-${agentPodName(agentName)}`;
}

/** Digits of a digest in a name: a trillion to one that two contents of one agent meet. */
const DIGEST_DIGITS = 10;

/** `NAME-PURPOSE-DIGEST`: the immutable ConfigMap of one content. */
export function configMapName(agentName: string, purpose: string, digest: string): string {
  return `${agentChildName(agentName)}-${purpose}-${digest.replace('sha256:', '').slice(0, DIGEST_DIGITS)}`;
}

/** Longest readable part of a name in the namespace of sandboxes, which all agents share. */
const READABLE_LENGTH_MAX = 45;

/** Name of what belongs to an object of another namespace: readable, and unique over all namespaces. */
export function sandboxChildName(
  prefix: string,
  owner: { readonly namespace: string; readonly name: string; readonly uid?: string },
): string {
  const { namespace, name, uid = '' } = owner;
  const hash = sha256Hex(`${namespace}/${name}/${uid}`).slice(0, DIGEST_DIGITS);
  return `${prefix}-${name}`.slice(0, READABLE_LENGTH_MAX).replace(/[-.]+$/, '') + `-${hash}`;
}

/** Where a mounted secret is: `MOUNTS.secrets/NAME/KEY`. */
export function secretPath(root: string, ref: { readonly name: string; readonly key: string }): string {
  return `${root}/${ref.name}/${ref.key}`;
}
