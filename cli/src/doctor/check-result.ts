/** The result of a check, and the shared parts of checks. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Facts, Seen } from './facts.ts';
import type { Installation } from './installation.ts';

/** In order of severity. `skip`: it could not be checked. */
export const STATUSES = ['ok', 'skip', 'warn', 'fail'] as const;
export type Status = (typeof STATUSES)[number];

export interface CheckResult {
  readonly status: Status;
  /** The observation, in one line. */
  readonly seen: string;
  /** More lines of it, bounded. */
  readonly details?: readonly string[];
  /** Commands to type, or changes to make, in this order. */
  readonly fix?: readonly string[];
}

export interface Check {
  readonly name: string;
  /** The state that counts as ok. */
  readonly asks: string;
  readonly judge: (facts: Facts, installation: Installation) => CheckResult;
}

export const ok = (seen: string, details: readonly string[] = []): CheckResult => ({ status: 'ok', seen, details });

export const warn = (seen: string, fix: readonly string[], details: readonly string[] = []): CheckResult => ({
  status: 'warn',
  seen,
  details,
  fix,
});

export const fail = (seen: string, fix: readonly string[], details: readonly string[] = []): CheckResult => ({
  status: 'fail',
  seen,
  details,
  fix,
});

/** The verdict on the facts; if they are unreadable, the reason and the missing right or kind. */
export function judged<T>(fact: Seen<T>, judge: (value: T) => CheckResult): CheckResult {
  switch (fact.type) {
    case 'Seen':
      return judge(fact.value);
    case 'NotAllowed':
      return {
        status: 'skip',
        seen: `not checked: you have no permission to ${fact.right}`,
        fix: [`kubectl auth can-i ${fact.right}   # ask the administrator of the cluster for this permission`],
      };
    case 'NoSuchKind':
      return { status: 'skip', seen: `the cluster has no kind ${fact.kind}; see the check definitions` };
    case 'Unreadable':
      return fail(`could not be read: ${fact.message}`, ['kubectl get --raw /readyz?verbose']);
  }
}

/** For facts that only add to a verdict. */
export function seenOr<T>(fact: Seen<T>, otherwise: T): T {
  return fact.type === 'Seen' ? fact.value : otherwise;
}

/** The command that repairs the chart's own objects. */
export function installCommand({ scope }: Facts, { release }: Installation): string {
  return installInto({ namespace: scope.systemNamespace, name: release });
}

export function installInto({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `retainer install --namespace ${namespace}${name === 'retainer' ? '' : ` --release ${name}`}`;
}

/** Names in one line. */
const NAMED_MAX = 5;

/** `a, b and 3 more`. */
export function named(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more` : names.join(', ');
}

/** `NAMESPACE/NAME`, or `NAME` of an object of the cluster. */
export function placeOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** `45 s`, `12 min`, `3 h`, `5 d`. */
export function age(ms: number): string {
  if (ms < 90_000) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < 5_400_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** `one Agent`, `3 Agents`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
