import { describe, expect, it } from 'vitest';
import { KIND_SCHEMAS, KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { brokenByUpdate, parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { merged, refusals, sample, type CelCase, type Patch } from '../api-server/cel-case.ts';
import { celCases } from '../api-server/cel-cases.ts';
import { verifies } from '../verifies.ts';
import type { CelRule } from '@retainer/contract/api/cel-rule';
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KINDS, type KindName } from '@retainer/contract/api/names';

const place = ({ kind, path }: Pick<CelCase, 'kind' | 'path'>, message: string) => `${kind} ${path}: ${message}`;

describe('the table of CEL cases', () => {
  const places = celRulePlaces().map((one) => place(one, one.rule.message));

  verifies('api:every-rule-has-a-pair', 'names every rule at every node, each once, and no other', () => {
    expect(celCases.map((one) => place(one, one.message)).toSorted()).toStrictEqual(places.toSorted());
  });

  it('tells rules apart: no node has two with the same message', () => {
    expect(new Set(places).size).toBe(places.length);
  });
});

/** Messages of the rules that our evaluator finds broken. */
function brokenBy({ kind, before }: CelCase, patch: Patch): readonly string[] {
  if (before === undefined) {
    const parsed = parseManifests(JSON.stringify(sample(kind, patch)), 'case.yaml');
    return parsed.ok ? [] : parsed.error.map((error) => error.allowed);
  }
  const old = sample(kind, before);
  const schema = KIND_SCHEMAS[kind];
  return brokenByUpdate(kind, schema.parse(old), schema.parse(merged(old, patch))).map(({ rule }) => rule.message);
}

describe('our own evaluation of CEL rules', () => {
  it.each(celCases.map((one) => [place(one, one.message), one] as const))('%s', (_, one) => {
    expect(brokenBy(one, one.accepted)).toStrictEqual([]);
    for (const patch of refusals(one)) expect(brokenBy(one, patch)).toContain(one.message);
  });
});

/** One CEL rule and the node that carries it. */
interface CelRulePlace {
  readonly kind: KindName;
  /** Such as `spec.roles[]`; empty for the whole object. */
  readonly path: string;
  readonly rule: CelRule;
}

/** Every rule of every kind, at every node that carries it. */
function celRulePlaces(): readonly CelRulePlace[] {
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
