/** Whether every Agent has one operator, and no second one, where several releases share the cluster. Pure. */
import { AGENTS_TENDED } from '@retainer/contract/wire/rollout';
import type { KubeObject } from '@retainer/kube/kube-object';
import {
  counted,
  fail,
  installInto,
  judged,
  named,
  ok,
  placeOf,
  seenOr,
  warn,
  type CheckResult,
} from './check-result.ts';
import type { Facts } from './facts.ts';
import { conditionOf } from './fields.ts';
import { installationOf, NAMES, type Installation } from './installation.ts';

const DETAILS_MAX = 8;

/** An operator may write nothing in a namespace that was taken from it, so no condition there says that it is gone. */
export function tended(facts: Facts, installation: Installation): CheckResult {
  return judged(facts.operators, () => {
    const [both] = clashesOf(facts);
    if (both !== undefined) return tendedTwice(both);
    return judged(facts.everyAgent, () => {
      const open = untendedOf(facts);
      return open.length === 0 ? allTended(facts, installation) : notTended(open, facts, installation);
    });
  });
}

/** The operator may not see that another release took over what it gave up, so a person removes what it told of that. */
function allTended({ scope, operator }: Facts, { watchNamespaces }: Installation): CheckResult {
  const isAllSeen = watchNamespaces.length > 0 && scope.namespace === undefined;
  const isTold = conditionOf(seenOr(operator, undefined), AGENTS_TENDED) !== undefined;
  if (!isAllSeen || !isTold) return ok('every Agent has an operator');
  return warn(
    `every Agent has an operator, but condition ${AGENTS_TENDED} of the operator still names namespaces that this release gave up`,
    [
      `kubectl -n ${scope.systemNamespace} patch deployment ${NAMES.operator} --subresource=status -p '{"status":{"conditions":[{"type":"${AGENTS_TENDED}","$patch":"delete"}]}}'`,
    ],
  );
}

function notTended(open: readonly KubeObject[], facts: Facts, installation: Installation): CheckResult {
  const places = [...new Set(open.map(({ metadata }) => metadata.namespace ?? ''))].toSorted();
  const all = [...installation.watchNamespaces, ...places];
  const source = sourceOf(seenOr(facts.operator, undefined));
  const own = { name: installation.release, namespace: facts.scope.systemNamespace, source };
  return fail(
    `${counted(open.length, 'Agent')} without an operator: no installation has ${named(places)} in its watchNamespaces`,
    [`${watching(own, all)}   # or install another release there: docs/operations.md`],
    [
      ...open
        .slice(0, DETAILS_MAX)
        .map((agent) => `${placeOf(agent)}: changes have no effect, and Tasks are not admitted`),
      ...sourceTold(own),
    ],
  );
}

/** Agents in namespaces that no installation of the cluster names; none where they or the operators may not be read. */
export function untendedOf({ everyAgent, operator, operators }: Facts): readonly KubeObject[] {
  if (operators.type !== 'Seen') return [];
  const known = [...operators.value, seenOr(operator, undefined)].map((one) => installationOf(one).watchNamespaces);
  if (known.some((places) => places.length === 0)) return [];
  const tendedPlaces = new Set(known.flat());
  return seenOr(everyAgent, []).filter(({ metadata }) => !tendedPlaces.has(metadata.namespace ?? ''));
}

interface ReleaseName {
  readonly name: string;
  readonly namespace: string;
  /** Who keeps its values, unless helm does: no command of ours reaches them. */
  readonly source: 'Flux' | 'Rendered' | undefined;
}

/** A release, as its operator's Deployment tells it. */
interface Release extends ReleaseName {
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
  return { name: release, namespace: operator.metadata.namespace ?? '', watchNamespaces, source: sourceOf(operator) };
}

/** helm annotates what it installs, and not what it only renders, as for Argo CD. Flux installs by helm, and labels it. */
function sourceOf(operator: KubeObject | undefined): Release['source'] {
  const { labels = {}, annotations = {} } = operator?.metadata ?? {};
  if (labels['helm.toolkit.fluxcd.io/name'] !== undefined) return 'Flux';
  return annotations['meta.helm.sh/release-name'] === undefined ? 'Rendered' : undefined;
}

/** @returns undefined if they have none in common */
function commonOf(one: readonly string[], other: readonly string[]): readonly string[] | undefined {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const common = one.filter((place) => other.includes(place));
  return common.length === 0 ? undefined : common;
}

function tendedTwice(clash: Clash): CheckResult {
  const { releases, places } = clash;
  const [one, other] = releases;
  const what = places.length === 0 ? 'all namespaces' : `namespace${places.length === 1 ? '' : 's'} ${named(places)}`;
  const [narrowed, instead] = releases.filter((release) => restOf(release, clash).length > 0);
  return fail(
    `${what} tended by two operators: ${told(one)} and ${told(other)}`,
    [narrowed === undefined ? wayOut(clash) : narrowing(narrowed, clash)],
    [
      ...(instead === undefined ? [] : [`${told(instead)} may give up ${named(places)} instead`]),
      ...releases.flatMap(sourceTold),
    ],
  );
}

const told = ({ name, namespace }: ReleaseName): string => `release ${name} in ${namespace}`;

const SOURCES = { Flux: 'of Flux', Rendered: 'unknown to helm' } as const;

function sourceTold(release: ReleaseName): readonly string[] {
  if (release.source === undefined) return [];
  return [`${told(release)} is ${SOURCES[release.source]}: its values are where its manifests come from (Git)`];
}

/** What a release keeps that gives up the common namespaces. */
function restOf({ watchNamespaces }: Release, { places }: Clash): readonly string[] {
  return watchNamespaces.filter((place) => !places.includes(place));
}

/** The command, or the change where no command reaches the release's values. */
function watching(release: ReleaseName, namespaces: readonly string[]): string {
  return release.source === undefined
    ? `${installInto(release)} --set 'watchNamespaces={${namespaces.join(',')}}'`
    : `set watchNamespaces of ${told(release)} to [${namespaces.join(', ')}]`;
}

function narrowing(release: Release, clash: Clash): string {
  const [one, other] = clash.releases;
  const heir = release === one ? other : one;
  return `${watching(release, restOf(release, clash))}   # leaves ${named(clash.places)} to ${told(heir)}`;
}

/** They have the same, or one has all. No command, since which of the two goes is a person's choice. */
function wayOut({ releases: [one, other], places }: Clash): string {
  if (one.watchNamespaces.length === other.watchNamespaces.length)
    return `give ${told(one)} or ${told(other)} other watchNamespaces, or uninstall one of them`;
  const [wide, narrow] = one.watchNamespaces.length === 0 ? [one, other] : [other, one];
  return `give ${told(wide)} watchNamespaces without ${named(places)}, or uninstall ${told(narrow)}`;
}
