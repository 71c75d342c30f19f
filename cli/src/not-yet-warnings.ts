/** Which fields of the manifests are set and have no effect yet. Pure. */
import { structuralSchema, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { fieldSchema, isRecord } from '@retainer/contract/manifest/cel-rules';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { notYet, type NotYet } from './not-yet.ts';

export interface NotYetWarning {
  readonly kind: NotYet['kind'];
  readonly name: string;
  /** The field that differs from its default; without positions in lists. */
  readonly path: string;
  readonly instead: string;
}

/** An object as it was parsed, with its defaults. */
export interface CheckedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface SchemaValue {
  readonly schema: StructuralSchema;
  /** undefined: not given, and without a default. */
  readonly value: unknown;
  readonly path: string;
}

/** One warning for each such field that differs from its default, in the order of the table. */
export function notYetWarnings(objects: readonly CheckedObject[]): readonly NotYetWarning[] {
  return objects.flatMap((object) =>
    notYet
      .filter(({ kind }) => kind === object.kind)
      .flatMap(({ kind, path, instead }) => {
        const root = { schema: structuralSchema(KIND_DEFINITIONS[kind]), value: object, path: '' };
        const changed = new Set(placesAt(root, path.split('.')).flatMap(differences));
        return [...changed].map((field) => ({ kind, name: object.metadata.name, path: field, instead }));
      }),
  );
}

/** One line an object, and where to read what holds instead. */
export function renderNotYetWarnings(warnings: readonly NotYetWarning[]): readonly string[] {
  const objects = [...new Set(warnings.map(({ kind, name }) => `${kind} ${name}`))];
  const lines = objects.map((object) => {
    const fields = warnings.filter(({ kind, name }) => `${kind} ${name}` === object);
    return `${object}: ${fields.map(({ path }) => path).join(', ')}`;
  });
  return lines.length === 0
    ? []
    : ['set without effect yet (docs/not-yet.md says what holds instead):', ...lines.map((line) => `  ${line}`)];
}

/** The values at a path of the table: several below a list, none where the schema has no such field. */
function placesAt(from: SchemaValue, segments: readonly string[]): readonly SchemaValue[] {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [from];
  const isList = segment.endsWith('[]');
  const key = isList ? segment.slice(0, -2) : segment;
  const child = childOf(from, key);
  if (child === undefined) return [];
  if (!isList) return placesAt(child, rest);
  const { items } = child.schema;
  if (items === undefined || !Array.isArray(child.value)) return [];
  return child.value.flatMap((value: unknown) => placesAt({ schema: items, value, path: `${child.path}[]` }, rest));
}

function childOf({ schema, value, path }: SchemaValue, key: string): SchemaValue | undefined {
  const child = fieldSchema(schema, key);
  if (child === undefined) return undefined;
  return { schema: child, value: isRecord(value) ? value[key] : undefined, path: path === '' ? key : `${path}.${key}` };
}

/** Paths below a place that differ from their defaults. An object without a default is named as a whole. */
function differences(place: SchemaValue): readonly string[] {
  const { schema, value, path } = place;
  if (value === undefined) return [];
  if (schema.default === undefined) return [path];
  if (!isRecord(schema.default) || !isRecord(value)) {
    return canonicalJson(value) === canonicalJson(schema.default) ? [] : [path];
  }
  return Object.keys(value).flatMap((key) => {
    const child = childOf(place, key);
    return child === undefined ? [] : differences(child);
  });
}
