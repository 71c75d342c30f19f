/** Names of the operator's objects for an Agent, shared by agent, operator and admission policies. */
import { sha256Hex } from '../std/hash.ts';

/** Name of the StatefulSet, ServiceAccount, Role, RoleBinding, headless Service, Lease and disruption budget. */
export function agentChildName(agentName: string): string {
  return `retainer-${agentName}`;
}

export function agentPodName(agentName: string): string {
  return `${agentChildName(agentName)}-0`;
}

/** Digits of a digest in a name: two contents of one agent collide once in a trillion. */
const DIGEST_DIGITS = 10;

/** `NAME-PURPOSE-DIGEST`, for an immutable ConfigMap. */
export function configMapName(agentName: string, purpose: string, digest: string): string {
  return `${agentChildName(agentName)}-${purpose}-${digest.replace('sha256:', '').slice(0, DIGEST_DIGITS)}`;
}

/** Longest readable part of a name in the sandbox namespace, which all agents share. */
const READABLE_LENGTH_MAX = 45;

/** Name for the child of an object in another namespace: readable, and unique over all namespaces. */
export function sandboxChildName(
  prefix: string,
  owner: { readonly namespace: string; readonly name: string; readonly uid?: string },
): string {
  const { namespace, name, uid = '' } = owner;
  const hash = sha256Hex(`${namespace}/${name}/${uid}`).slice(0, DIGEST_DIGITS);
  return `${prefix}-${name}`.slice(0, READABLE_LENGTH_MAX).replace(/[-.]+$/, '') + `-${hash}`;
}

/** `MOUNTS.secrets/NAME/KEY` of a mounted Secret. */
export function secretPath(root: string, ref: { readonly name: string; readonly key: string }): string {
  return `${root}/${ref.name}/${ref.key}`;
}
