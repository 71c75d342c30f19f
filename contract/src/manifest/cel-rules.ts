/**
 * Evaluates a kind's CEL rules on this machine, with the same outcome as the API server's.
 *
 * I1 A rule applies to every value of its node, after defaults are filled in.
 * I2 A rule that mentions `oldSelf` applies only if the old object has a value at the same place; list items are matched by
 *     their map keys.
 * I3 A rule whose evaluation fails counts as broken, as on the API server.
 *
 * Source: Kubernetes documentation, CustomResourceDefinition validation rules; libraries 1 (CEL).
 */
import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import type { CelRule } from '../api/cel-rule.ts';
import type { StructuralSchema } from '../api/crd.ts';

/** Field names and list positions from the root. */
export type ValuePath = readonly (string | number)[];

export interface BrokenRule {
  readonly path: ValuePath;
  readonly rule: CelRule;
}

interface UpdatedValue {
  readonly path: ValuePath;
  readonly value: unknown;
  readonly old: unknown;
}

/** CEL as on the API server: with regular expressions of RE2. */
function environment(): Environment {
  return new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false })
    .registerFunction('string.re2Matches(string): bool', (text: string, pattern: string) =>
      RE2JS.compile(pattern).matcher(text).find(),
    )
    .clone();
}

const CEL = environment();

type Program = ReturnType<Environment['parse']>;

interface CheckedNode {
  readonly schema: StructuralSchema;
  readonly rules: readonly { readonly rule: CelRule; readonly program: Program; readonly isTransition: boolean }[];
  readonly fields: ReadonlyMap<string, CheckedNode>;
  /** Items of a list or values of a map. */
  readonly items: CheckedNode | undefined;
}

/**
 * Returns every broken rule.
 *
 * @param value  the whole object, valid by its schema, with defaults
 * @param old    the object before an update; undefined for a new one
 */
export type RuleCheck = (value: unknown, old?: unknown) => readonly BrokenRule[];

/** Compiles the rules of a kind, once for many objects. @throws if a rule is not CEL: a bug */
export function ruleCheck(schema: StructuralSchema): RuleCheck {
  const root = checkedNode(schema);
  return (value, old) => brokenAt(root, { path: [], value, old });
}

function checkedNode(schema: StructuralSchema): CheckedNode {
  const rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({
    rule,
    program: CEL.parse(rule.rule.replaceAll('.matches(', '.re2Matches(')),
    isTransition: rule.rule.includes('oldSelf'),
  }));
  const items = schema.items ?? schema.additionalProperties;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, checkedNode(field)] as const);
  return { schema, rules, fields: new Map(fields), items: items === undefined ? undefined : checkedNode(items) };
}

function holds(program: Program, self: unknown, oldSelf: unknown): boolean {
  try {
    return program({ self, oldSelf }) === true;
  } catch {
    return false;
  }
}

function brokenAt(node: CheckedNode, place: UpdatedValue): readonly BrokenRule[] {
  return [...brokenHere(node, place), ...childPlaces(node, place).flatMap(([child, at]) => brokenAt(child, at))];
}

function brokenHere({ schema, rules }: CheckedNode, { path, value, old }: UpdatedValue): readonly BrokenRule[] {
  const due = rules.filter(({ isTransition }) => !isTransition || old !== undefined);
  if (due.length === 0) return [];
  const self = celValue(schema, value);
  const oldSelf = old === undefined ? undefined : celValue(schema, old);
  return due.filter(({ program }) => !holds(program, self, oldSelf)).map(({ rule }) => ({ path, rule }));
}

function childPlaces(node: CheckedNode, place: UpdatedValue): readonly (readonly [CheckedNode, UpdatedValue])[] {
  const { path, value, old } = place;
  const { items, fields } = node;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.map((item, index) => [
      items,
      { path: [...path, index], value: item, old: correlated(node.schema, item, old) },
    ]);
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const child = fields.get(key) ?? items;
    const before = isRecord(old) ? old[key] : undefined;
    return child === undefined ? [] : [[child, { path: [...path, key], value: member, old: before }] as const];
  });
}

/** The old item for the comparison: in a list of type map, the one with the same keys. */
function correlated(list: StructuralSchema, item: unknown, old: unknown): unknown {
  const keys = list['x-kubernetes-list-map-keys'];
  if (keys === undefined || !Array.isArray(old) || !isRecord(item)) return undefined;
  return old.find((candidate) => isRecord(candidate) && keys.every((key) => candidate[key] === item[key]));
}

/** Converts JSON to CEL: integers become 64-bit integers. */
function celValue(schema: StructuralSchema, value: unknown): unknown {
  if (schema.type === 'integer' && typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => celValue(items, item));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const child = fieldSchema(schema, key);
      return [key, child === undefined ? member : celValue(child, member)];
    }),
  );
}

export function fieldSchema(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
