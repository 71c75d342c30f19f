/** Faults that a kind's zod schema does not detect: unknown fields, duplicates in keyed lists, maps with too many entries. */
import type { StructuralSchema } from '../api/crd.ts';
import { fieldSchema, isRecord, type ValuePath } from './cel-rules.ts';

export interface StructureFault {
  readonly path: ValuePath;
  readonly found: string;
  readonly allowed: string;
  /** Permitted words, for a suggestion. */
  readonly candidates: readonly string[];
}

/** In the order of the text. */
export function structureFaults(
  schema: StructuralSchema,
  value: unknown,
  path: ValuePath = [],
): readonly StructureFault[] {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [];
  if (Array.isArray(value)) return listFaults(schema, value, path);
  if (isRecord(value)) return objectFaults(schema, value, path);
  return [];
}

function listFaults(schema: StructuralSchema, list: readonly unknown[], path: ValuePath): readonly StructureFault[] {
  const { items } = schema;
  if (items === undefined) return [];
  return [
    ...duplicateFaults(schema, list, path),
    ...list.flatMap((item, index) => structureFaults(items, item, [...path, index])),
  ];
}

function duplicateFaults(
  schema: StructuralSchema,
  list: readonly unknown[],
  path: ValuePath,
): readonly StructureFault[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined && schema['x-kubernetes-list-type'] !== 'set') return [];
  const identities = list.map((item) =>
    JSON.stringify(keys === undefined ? item : keys.map((key) => (isRecord(item) ? item[key] : undefined))),
  );
  const what = keys === undefined ? 'each value once' : `each ${keys.join(' and ')} once`;
  return identities.flatMap((identity, index) =>
    identities.indexOf(identity) === index
      ? []
      : [
          {
            path: [...path, index],
            found: `a duplicate of item ${identities.indexOf(identity)}`,
            allowed: what,
            candidates: [],
          },
        ],
  );
}

function objectFaults(
  schema: StructuralSchema,
  object: Readonly<Record<string, unknown>>,
  path: ValuePath,
): readonly StructureFault[] {
  const keys = Object.keys(object);
  const tooMany = schema.maxProperties !== undefined && keys.length > schema.maxProperties;
  return [
    ...(tooMany
      ? [{ path, found: `${keys.length} entries`, allowed: `at most ${schema.maxProperties}`, candidates: [] }]
      : []),
    ...keys.flatMap((key) => {
      const child = fieldSchema(schema, key);
      return child === undefined
        ? [unknownField(schema, key, path)]
        : structureFaults(child, object[key], [...path, key]);
    }),
  ];
}

function unknownField(schema: StructuralSchema, key: string, path: ValuePath): StructureFault {
  const candidates = Object.keys(schema.properties ?? {}).toSorted();
  return {
    path: [...path, key],
    found: 'an unknown field',
    allowed: candidates.length === 0 ? 'no fields' : candidates.join(', '),
    candidates,
  };
}
