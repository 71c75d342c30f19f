/** Lists the fields of manifests that have no effect yet. Pure. */
import { structuralSchema, type StructuralSchema } from '../api/crd.ts';
import { KIND_DEFINITIONS } from '../api/kinds.ts';
import { notYet, type NotYet } from '../api/not-yet.ts';
import { canonicalJson } from '../std/canonical-json.ts';
import { fieldSchema, isRecord } from './cel-rules.ts';

export interface NotYetWarning {
  readonly kind: NotYet['kind'];
  readonly name: string;
  /** The field, without list positions; `[NAME]` for an item without effect. */
  readonly path: string;
  readonly instead: string;
}

/** A parsed object, with its defaults. */
export interface CheckedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface SchemaValue {
  readonly schema: StructuralSchema;
  /** Undefined if not given, and without a default. */
  readonly value: unknown;
  readonly path: string;
}

/**
 * One warning per such field with a value other than the default: by object, in the order of the table.
 *
 * @param unplayed  the workers that the Agent of these objects does not have
 */
export function notYetWarnings(
  objects: readonly CheckedObject[],
  unplayed: readonly string[] = [],
): readonly NotYetWarning[] {
  const checks = new Map(
    KINDS.filter((kind) => objects.some((it) => it.kind === kind)).map((kind) => [kind, check(kind)]),
  );
  return objects.flatMap((object) => {
    const kind = KINDS.find((it) => it === object.kind);
    const told = kind === undefined ? [] : (checks.get(kind)?.(object, unplayed) ?? []);
    return told.map(({ row, path, instead }) => ({ kind: row.kind, name: object.metadata.name, path, instead }));
  });
}

/**
 * The operator's check for objects of one kind. Call it once: building the schema takes long.
 *
 * @returns  lists an object's fields that have no effect on a cluster either, as paths of {@link NotYetWarning}
 */
export function effectCheck(
  kind: NotYet['kind'],
): (object: CheckedObject, unplayed?: readonly string[]) => readonly string[] {
  const fieldsOfObject = check(kind, ({ holdsOnCluster }) => !holdsOnCluster);
  return (object, unplayed = []) => fieldsOfObject(object, unplayed).map(({ path }) => path);
}

const KINDS = [...new Set(notYet.map(({ kind }) => kind))];

interface Field {
  readonly path: string;
  readonly instead: string;
}

interface Told extends Field {
  readonly row: NotYet;
}

const NO_WORKER = 'the Agent has turned this worker off, or does not have the tool that it needs';

function check(
  kind: NotYet['kind'],
  isMeant: (row: NotYet) => boolean = () => true,
): (object: CheckedObject, unplayed: readonly string[]) => readonly Told[] {
  const schema = structuralSchema(KIND_DEFINITIONS[kind]);
  const rows = notYet.filter((row) => row.kind === kind && isMeant(row));
  return (value, unplayed) =>
    rows.flatMap((row) => fieldsOf(row, { schema, value, path: '' }, unplayed).map((field) => ({ row, ...field })));
}

function fieldsOf(row: NotYet, root: SchemaValue, unplayed: readonly string[]): readonly Field[] {
  const { unless, instead } = row;
  const places = placesAt(root, row.path.split('.'));
  if (unless === undefined) return [...new Set(places.flatMap(differences))].map((path) => ({ path, instead }));
  return places.flatMap(({ value, path }) => {
    const name = unless.key === undefined ? value : isRecord(value) ? value[unless.key] : undefined;
    if (typeof name !== 'string') return [];
    const told = { path: path.replace(/\[\]$/, `[${name}]`), instead };
    if (!isOneOf(name, unless.names)) return [told];
    return isRecord(value) && !turnsOff(value) && isOneOf(name, unplayed) ? [{ ...told, instead: NO_WORKER }] : [];
  });
}

/** An override that turns a worker off is the reason that nobody plays it. */
function turnsOff(item: Readonly<Record<string, unknown>>): boolean {
  return item['enabled'] === false;
}

function isOneOf(name: string, names: readonly string[]): boolean {
  return names.some((other) => other.toLowerCase() === name.toLowerCase());
}

/** One line per object, and a reference to the actual behaviour. */
export function renderNotYetWarnings(warnings: readonly NotYetWarning[]): readonly string[] {
  const objects = [...new Set(warnings.map(({ kind, name }) => `${kind} ${name}`))];
  const lines = objects.map((object) => {
    const fields = warnings.filter(({ kind, name }) => `${kind} ${name}` === object);
    return `${object}: ${fields.map(({ path }) => path).join(', ')}`;
  });
  return lines.length === 0
    ? []
    : [
        'fields without an effect yet (docs/not-yet.md says what happens instead):',
        ...lines.map((line) => `  ${line}`),
      ];
}

/** The values at a path of the table: several below a list, none if the schema has no such field. */
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

/** Paths below a place with other values than the defaults. An object without a default counts as a whole. */
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
