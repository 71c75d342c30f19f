/**
 * Who owns which field: server-side apply, and what every other write does to the owners.
 *
 * I1 An apply sets its manager's fields to exactly those it names. What it named before, and nobody owns now, is removed.
 * I2 A field that another manager owns with another value is a conflict; by force, and by every write that is no apply, the
 *    field is taken from the other.
 *
 * Source: Kubernetes documentation, Server-Side Apply; structured-merge-diff, merge/update.go.
 */
import {
  difference,
  fieldChanges,
  fieldsOf,
  fromFieldsV1,
  pathText,
  toFieldsV1,
  union,
  withParents,
  isAtomicMap,
  itemStep,
  listType,
  memberSchema,
  type FieldSet,
  type FieldPath,
} from './field-set.ts';
import { isRecord, type Json, type ManagedFieldsEntry } from './json.ts';
import type { MergeSchema } from './merge-schema.ts';

/** Who writes, and through which door. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  /** RFC 3339. */
  readonly time: string;
}

interface Owner {
  readonly entry: Omit<ManagedFieldsEntry, 'fieldsV1'>;
  readonly fields: FieldSet;
}

/** The server's own part of metadata: nobody owns it. */
const SERVER_METADATA = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** What can be owned of an object, without the part that this door does not write. */
function ownable(object: Json, subresource: string | undefined, hasStatus: boolean): Json {
  const { apiVersion: _version, kind: _kind, metadata, status, ...rest } = object;
  if (subresource === 'status') return status === undefined ? {} : { status };
  const own = isRecord(metadata)
    ? Object.fromEntries(Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key)))
    : {};
  return {
    ...rest,
    ...(Object.keys(own).length === 0 ? {} : { metadata: own }),
    ...(hasStatus || status === undefined ? {} : { status }),
  };
}

function ownersOf(object: Json | undefined): readonly Owner[] {
  const entries = (object?.['metadata'] as { readonly managedFields?: readonly ManagedFieldsEntry[] } | undefined)
    ?.managedFields;
  return (entries ?? []).map(({ fieldsV1, ...entry }) => ({ entry, fields: fromFieldsV1(fieldsV1) }));
}

function isSameOwner({ entry }: Owner, writer: Writer): boolean {
  return (
    entry.manager === writer.manager && entry.operation === writer.operation && entry.subresource === writer.subresource
  );
}

function entriesOf(owners: readonly Owner[], writer: Writer, mine: FieldSet): readonly ManagedFieldsEntry[] {
  const before = owners.find((owner) => isSameOwner(owner, writer));
  const isUnchanged = before !== undefined && haveSamePaths(before.fields, mine);
  const { subresource, ...words } = writer;
  const own: Owner = {
    entry: isUnchanged
      ? before.entry
      : { ...words, fieldsType: 'FieldsV1', ...(subresource === undefined ? {} : { subresource }) },
    fields: mine,
  };
  const all = before === undefined ? [...owners, own] : owners.map((owner) => (owner === before ? own : owner));
  return all
    .filter(({ fields }) => fields.size > 0)
    .map(({ entry, fields }) => ({ ...entry, fieldsV1: toFieldsV1(fields) }));
}

function haveSamePaths(one: FieldSet, other: FieldSet): boolean {
  return one.size === other.size && [...one.keys()].every((text) => other.has(text));
}

export interface OwnedWrite {
  readonly object: Json;
  readonly managedFields: readonly ManagedFieldsEntry[];
}

export interface Conflict {
  readonly manager: string;
  /** As the API server writes it: `.spec.replicas`. */
  readonly field: string;
}

export type ApplyResult =
  | { readonly type: 'Applied'; readonly write: OwnedWrite }
  | { readonly type: 'Conflicts'; readonly conflicts: readonly Conflict[] };

/** What is the same for every write of a resource. */
export interface WriteContext {
  readonly schema: MergeSchema;
  readonly hasStatus: boolean;
  readonly writer: Writer;
}

/** @param live  undefined where the apply creates the object */
export function applyConfig(
  live: Json | undefined,
  config: Json,
  isForced: boolean,
  { schema, hasStatus, writer }: WriteContext,
): ApplyResult {
  const wanted = ownable(config, writer.subresource, hasStatus);
  const mine = fieldsOf(wanted, schema);
  const owners = ownersOf(live);
  const others = owners.filter((owner) => !isSameOwner(owner, writer));
  const before = owners.find((owner) => isSameOwner(owner, writer))?.fields ?? new Map();
  const identity = { apiVersion: config['apiVersion'], kind: config['kind'], metadata: config['metadata'] };
  const merged = mergeApplied(live ?? identity, wanted, schema) as Json;
  const owned = withParents([mine, ...others.map(({ fields }) => fields)]);
  const dropped = [...withParents([before])].filter(([text]) => !owned.has(text));
  const object = dropped.reduce<unknown>((at, [, path]) => withoutField(at, path, schema), merged) as Json;
  const { changed, removed } = changesOf(live, object, { schema, hasStatus, writer });
  const conflicts = others.flatMap((owner) => conflictsWith(owner, changed));
  if (conflicts.length > 0 && !isForced) return { type: 'Conflicts', conflicts };
  const left = owners.map((owner) =>
    isSameOwner(owner, writer) ? owner : { ...owner, fields: difference(owner.fields, changed, removed) },
  );
  return { type: 'Applied', write: { object, managedFields: entriesOf(left, writer, mine) } };
}

function changesOf(
  live: Json | undefined,
  object: Json,
  { schema, hasStatus, writer }: WriteContext,
): ReturnType<typeof fieldChanges> {
  const fields = (of: Json | undefined): FieldSet => fieldsOf(ownable(of ?? {}, writer.subresource, hasStatus), schema);
  return fieldChanges(fields(live), fields(object));
}

function conflictsWith({ entry, fields }: Owner, changed: FieldSet): readonly Conflict[] {
  return [...changed.values()]
    .filter(({ path }) => fields.has(pathText(path)))
    .map(({ path }) => ({ manager: entry.manager, field: renderField(path) }));
}

function renderField(path: readonly string[]): string {
  return path.map((step) => (step.startsWith('f:') ? `.${step.slice(2)}` : `[${step.slice(2)}]`)).join('');
}

/** The owners after a write that is no apply. */
export function ownersAfterUpdate(
  live: Json | undefined,
  object: Json,
  context: WriteContext,
): readonly ManagedFieldsEntry[] {
  const { writer } = context;
  const { changed, removed } = changesOf(live, object, context);
  const owners = ownersOf(live);
  const mine = owners.find((owner) => isSameOwner(owner, writer))?.fields ?? new Map();
  const left = owners.map((owner) => ({ ...owner, fields: difference(owner.fields, changed, removed) }));
  return entriesOf(left, writer, union(difference(mine, removed), changed));
}

/** `live` with everything that `config` says; what it does not say stays. */
function mergeApplied(live: unknown, config: unknown, schema: MergeSchema | undefined): unknown {
  if (Array.isArray(live) && Array.isArray(config) && listType(schema) !== 'atomic')
    return mergeLists(live, config, schema);
  if (!isRecord(live) || !isRecord(config) || isAtomicMap(schema)) return config;
  const merged: Record<string, unknown> = { ...live };
  for (const [name, value] of Object.entries(config))
    merged[name] = mergeApplied(live[name], value, memberSchema(schema, name));
  return merged;
}

function mergeLists(
  live: readonly unknown[],
  config: readonly unknown[],
  schema: MergeSchema | undefined,
): readonly unknown[] {
  const wanted = new Map(config.map((item) => [itemStep(schema, item), item]));
  const present = new Set(live.map((item) => itemStep(schema, item)));
  const kept = live.map((item) => {
    const step = itemStep(schema, item);
    return wanted.has(step) ? mergeApplied(item, wanted.get(step), schema?.items) : item;
  });
  return [...kept, ...config.filter((item) => !present.has(itemStep(schema, item)))];
}

/** Without what stands at `path`; the same value where nothing does. */
function withoutField(value: unknown, path: FieldPath, schema: MergeSchema | undefined): unknown {
  const [step = '', ...rest] = path;
  return step.startsWith('f:')
    ? withoutMember(value, step.slice(2), { rest, schema })
    : withoutItem(value, step, { rest, schema });
}

interface Remaining {
  readonly rest: FieldPath;
  readonly schema: MergeSchema | undefined;
}

function withoutMember(value: unknown, name: string, { rest, schema }: Remaining): unknown {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value;
  return rest.length === 0 ? others : { ...value, [name]: withoutField(member, rest, memberSchema(schema, name)) };
}

function withoutItem(value: unknown, step: string, { rest, schema }: Remaining): unknown {
  if (!Array.isArray(value)) return value;
  return value.flatMap((item: unknown) => {
    if (itemStep(schema, item) !== step) return [item];
    return rest.length === 0 ? [] : [withoutField(item, rest, schema?.items)];
  });
}
