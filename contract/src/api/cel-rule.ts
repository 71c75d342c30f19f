import type { z } from 'zod';

/** The reason of a refusal, by default `FieldValueInvalid`. Never `FieldValueDuplicate`, which hides the message. */
export type CelReason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired';

/**
 * One rule over a node of a kind's schema. The API server evaluates it at admission, the manifest parser on this machine.
 *
 * A rule that mentions `oldSelf` is a transition rule, for updates only.
 */
export interface CelRule {
  /** CEL expression, true for a valid value. `self` is the value of the rule's node. */
  readonly rule: string;
  /** The fault and the remedy. Also the rule's name in tests, so unique within a kind. */
  readonly message: string;
  /** The field to blame, relative to the node, such as `.configMapRef`. */
  readonly fieldPath?: string;
  readonly reason?: CelReason;
}

/** The schema's annotation that carries its rules. Source: Kubernetes API, JSONSchemaProps. */
export const CEL_RULES_KEY = 'x-kubernetes-validations';

export function withRules<T extends z.ZodType>(schema: T, rules: readonly CelRule[]): T {
  return schema.meta({ ...schema.meta(), [CEL_RULES_KEY]: rules });
}

/** A list whose items have a key field: server-side apply merges it item by item. */
export function mapList<T extends z.ZodType>(list: T, key: string): T {
  return list.meta({
    ...list.meta(),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  });
}

/** A list of scalars without duplicates, order without meaning. */
export function setList<T extends z.ZodType>(list: T): T {
  return list.meta({ ...list.meta(), 'x-kubernetes-list-type': 'set' });
}

/** A list that has one owner and is replaced as a whole. */
export function atomicList<T extends z.ZodType>(list: T): T {
  return list.meta({ ...list.meta(), 'x-kubernetes-list-type': 'atomic' });
}

/** Rules that forbid to change, add or remove the named fields of a spec. */
export function immutableFields(fields: readonly string[]): readonly CelRule[] {
  return fields.map((field) => ({
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed; create a new object instead`,
    fieldPath: `.${field}`,
    reason: 'FieldValueForbidden',
  }));
}
