/** Whether every Agent has one operator, where installations are for some namespaces only. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { counted, fail, installCommand, judged, named, ok, placeOf, seenOr, type CheckResult } from './check-result.ts';
import type { Facts } from './facts.ts';
import { installationOf, type Installation } from './installation.ts';

const DETAILS_MAX = 8;

/** An operator may write nothing in a namespace that was taken from it, so no condition there says that it is gone. */
export function tended(facts: Facts, installation: Installation): CheckResult {
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
