/** A refusal of the API server, told with the right that is missing and the command that grants it. Pure. */
import { ApiError } from '@retainer/kube/api-error';
import { AccessError } from './agent-access.ts';
import { FOR_PEOPLE, type PeopleRole } from './people-roles.ts';

/** A right of Kubernetes, and the ClusterRole for people that has it. */
export interface Right {
  readonly verbs: string;
  readonly resource: string;
  readonly role: PeopleRole;
}

/** Rights of people in a namespace of agents. */
export const RIGHTS = {
  look: { verbs: 'get and list', resource: 'tasks and agents', role: 'view' },
  answer: { verbs: 'patch', resource: 'tasks', role: 'edit' },
  decide: { verbs: 'patch and approve', resource: 'tasks', role: 'approver' },
} as const satisfies Readonly<Record<string, Right>>;

export interface Lacking {
  readonly user: string;
  readonly namespace: string;
}

export function isForbidden(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 403;
}

interface LackedRight extends Lacking {
  readonly right: Right;
  /** Name of its ClusterRole; undefined if it cannot be known. */
  readonly role: string | undefined;
}

/** @param refusal  by the API server. @throws AccessError */
export function tellMissing(refusal: ApiError, lacking: LackedRight): never {
  throw new AccessError(`${missingRight(lacking)}\n${refusal.message}`, { cause: refusal });
}

/** Without its name, the role is named as in an installation for all namespaces. */
function missingRight({ user, namespace, right, role: known }: LackedRight): string {
  const role = known ?? `retainer-${right.role}`;
  return [
    `${user} lacks the right to ${right.verbs} ${right.resource} in namespace ${namespace}. Somebody who may grant it types:`,
    `  kubectl -n ${namespace} create rolebinding ${bindingName(role, user)} --clusterrole=${role} ${subjectOf(user)}`,
    ...(known === undefined ? [OTHER_NAMES] : []),
  ].join('\n');
}

const OTHER_NAMES = `A release for some namespaces gives its roles another name: kubectl get clusterroles -l ${FOR_PEOPLE}`;

/** The chart grants nobody `pods/exec`: it opens every pod where it is granted. So the Role names one pod. */
export function missingExec({ user, namespace, pod }: Lacking & { readonly pod: string }): string {
  const role = `${pod}-reader`;
  return [
    `${user} lacks the right to get and create pods/exec of pod ${pod} in namespace ${namespace}. Somebody who may grant it types:`,
    `  kubectl -n ${namespace} create role ${role} --verb=get,create --resource=pods/exec --resource-name=${pod}`,
    `  kubectl -n ${namespace} create rolebinding ${bindingName(role, user)} --role=${role} ${subjectOf(user)}`,
    "Kubernetes' own ClusterRole edit has it for every pod of a namespace.",
  ].join('\n');
}

function bindingName(role: string, user: string): string {
  return `${role}-${user}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function subjectOf(user: string): string {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return name === undefined ? `--user=${user}` : `--serviceaccount=${namespace}:${name}`;
}
