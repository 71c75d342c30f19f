import { describe, expect, it } from 'vitest';
import { KIND_SCHEMAS } from '@retainer/contract/api/kinds';
import { brokenByUpdate, parseManifests } from '@retainer/contract/manifest/parse-manifests';
import { merged, sample } from '../api-server/cel-case.ts';
import type { CelCase, Patch } from '../api-server/cel-case.ts';
import { celCases } from '../api-server/cel-cases.ts';
import { celRulePlaces } from '../api-server/cel-rule-places.ts';
import { verifies } from '../verifies.ts';

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
    expect(brokenBy(one, one.refused)).toContain(one.message);
  });
});
