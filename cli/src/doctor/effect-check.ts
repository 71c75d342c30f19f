/** Checks for fields without effect, in the operator's words about each object. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Facts } from './facts.ts';
import { conditionOf } from './fields.ts';
import { counted, judged, ok, placeOf, seenOr, warn, type CheckResult } from './check-result.ts';

const DETAILS_MAX = 8;

interface InVain {
  readonly object: KubeObject;
  readonly message: string;
}

/** Counts only objects that an operator judged. */
export function fieldsInEffect({ ofAgents: { agents, characters, skills } }: Facts): CheckResult {
  return judged(agents, (found) => {
    const all = [...found, ...seenOr(characters, []), ...seenOr(skills, [])];
    const inVain = all.flatMap((object): readonly InVain[] => {
      const told = conditionOf(object, 'FieldsInEffect');
      return told?.status === 'False' ? [{ object, message: told.message }] : [];
    });
    const [first] = inVain;
    if (first === undefined) return ok('every field that is set has an effect');
    const { kind = '', metadata } = first.object;
    const lines = inVain.map(({ object, message }) => `${object.kind ?? ''} ${placeOf(object)}: ${message}`);
    return warn(
      `${counted(inVain.length, 'object')} of ${all.length} with fields that have no effect`,
      [`kubectl describe ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace ?? ''}`],
      lines.slice(0, DETAILS_MAX),
    );
  });
}
