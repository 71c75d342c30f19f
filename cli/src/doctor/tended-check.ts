/** Whether every Agent has one operator, and no second one, where several releases share the cluster. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import {
  counted,
  fail,
  installCommand,
  installInto,
  judged,
  named,
  ok,
  placeOf,
  seenOr,
  type CheckResult,
} from './check-result.ts';
import type { Facts } from './facts.ts';
import { installationOf, type Installation } from './installation.ts';

const DETAILS_MAX = 8;

/** An operator may write nothing in a namespace that was taken from it, so no condition there says that it is gone. */
export function tended(facts: Facts, installation: Installation): CheckResult {
  const [both] = clashesOf(facts);
  if (both !== undefined) return tendedTwice(both);
  return judged(facts.everyAgent, () => {
    const open = untendedOf(facts);
    const [first] = open;
    if (first === undefined) return ok('every Agent has an operator');
    const places = [...new Set(open.map(({ metadata }) => metadata.namespace ?? ''))].toSorted();
    const all = [...installation.watchNamespaces, ...places].join(',');
    return fail(
      `${counted(open.length, 'Agent')} without an operator: no installation has ${named(places)} in its watchNamespaces`,
      [
        `${installCommand(facts, installation)} --set 'watchNamespaces={${all}}'   # or install another release there: docs/operations.md`,
      ],
      open
        .slice(0, DETAILS_MAX)
        .map((agent) => `${placeOf(agent)}: changes have no effect, and Tasks are not admitted`),
    );
  });
}

/** Agents in namespaces that no installation of the cluster names; none where they may not be read. */
export function untendedOf({ everyAgent, operator, operators }: Facts): readonly KubeObject[] {
  const known = [...seenOr(operators, []), seenOr(operator, undefined)].map(
    (one) => installationOf(one).watchNamespaces,
  );
  if (known.some((places) => places.length === 0)) return [];
  const tendedPlaces = new Set(known.flat());
  return seenOr(everyAgent, []).filter(({ metadata }) => !tendedPlaces.has(metadata.namespace ?? ''));
}

/** A release, as its operator's Deployment tells it. */
interface Release {
  readonly name: string;
  readonly namespace: string;
  /** Empty: all of the cluster. */
  readonly watchNamespaces: readonly string[];
}

interface Clash {
  readonly releases: readonly [Release, Release];
  /** Namespaces that both tend; empty: all of the cluster. */
  readonly places: readonly string[];
}

/** Pairs of releases with a namespace in common. helm refuses the second one, but manifests that were rendered without a cluster pass. */
function clashesOf({ operator, operators }: Facts): readonly Clash[] {
  const own = seenOr(operator, undefined);
  const found = [...(own === undefined ? [] : [own]), ...seenOr(operators, [])].map(releaseOf);
  const all = [...new Map(found.map((release) => [release.namespace, release])).values()];
  return all.flatMap((one, index) =>
    all.slice(index + 1).flatMap((other): readonly Clash[] => {
      const places = commonOf(one.watchNamespaces, other.watchNamespaces);
      return places === undefined ? [] : [{ releases: [one, other], places }];
    }),
  );
}

function releaseOf(operator: KubeObject): Release {
  const { release, watchNamespaces } = installationOf(operator);
  return { name: release, namespace: operator.metadata.namespace ?? '', watchNamespaces };
}

/** @returns undefined if they have none in common */
function commonOf(one: readonly string[], other: readonly string[]): readonly string[] | undefined {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const common = one.filter((place) => other.includes(place));
  return common.length === 0 ? undefined : common;
}

function tendedTwice({ releases: [one, other], places }: Clash): CheckResult {
  const what = places.length === 0 ? 'all namespaces' : `namespace${places.length === 1 ? '' : 's'} ${named(places)}`;
  return fail(`${what} tended by two operators: ${told(one)} and ${told(other)}`, [
    ...without(other, one, places),
    ...without(one, other, places),
  ]);
}

const told = ({ name, namespace }: Release): string => `release ${name} in ${namespace}`;

/** What ends the clash by taking from `release`; nothing if it tends all namespaces and the other one some of them. */
function without(release: Release, other: Release, places: readonly string[]): readonly string[] {
  const { name, namespace, watchNamespaces } = release;
  const rest = watchNamespaces.filter((place) => !places.includes(place));
  const left = `   # leaves them to ${told(other)}`;
  if (rest.length > 0) return [`${installInto(release)} --set 'watchNamespaces={${rest.join(',')}}'${left}`];
  const isWide = watchNamespaces.length === 0 && other.watchNamespaces.length > 0;
  return isWide ? [] : [`helm uninstall ${name} --namespace ${namespace}${left}`];
}
