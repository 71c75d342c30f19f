import type { CelRule } from '@retainer/contract/api/cel-rule';
import type { StructuralSchema } from '@retainer/contract/api/crd';
import { structuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { KINDS } from '@retainer/contract/api/names';
import type { KindName } from '@retainer/contract/api/names';

/** One CEL rule and the node that carries it. */
export interface CelRulePlace {
  readonly kind: KindName;
  /** Such as `spec.roles[]`; empty for the whole object. */
  readonly path: string;
  readonly rule: CelRule;
}

/** Every rule of every kind, at every node that carries it. */
export function celRulePlaces(): readonly CelRulePlace[] {
  return KINDS.flatMap((kind) =>
    placesIn(structuralSchema(KIND_DEFINITIONS[kind]), '').map((place) => ({ ...place, kind })),
  );
}

function placesIn(schema: StructuralSchema, path: string): readonly Omit<CelRulePlace, 'kind'>[] {
  const children: readonly (readonly [string, StructuralSchema])[] = [
    ...Object.entries(schema.properties ?? {}).map(
      ([name, field]) => [path === '' ? name : `${path}.${name}`, field] as const,
    ),
    ...(schema.items === undefined ? [] : [[`${path}[]`, schema.items] as const]),
    ...(schema.additionalProperties === undefined ? [] : [[`${path}{}`, schema.additionalProperties] as const]),
  ];
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map((rule) => ({ path, rule })),
    ...children.flatMap(([at, child]) => placesIn(child, at)),
  ];
}
