/**
 * Sets of fields, as server-side apply counts them: every scalar and every atomic list or map is one field, and so is each item
 * of a keyed list and each entry of a map.
 *
 * Source: Kubernetes structured-merge-diff, and the format FieldsV1.
 */
import { isRecord, type Json } from './json.ts';
import type { MergeSchema } from './merge-schema.ts';

/** Steps as FieldsV1 writes them: `f:NAME`, `k:{"type":"Ready"}`, `v:"value"`. */
export type FieldPath = readonly string[];

export interface Field {
  readonly path: FieldPath;
  /** JSON of its value; empty for an item or entry that has fields of its own. */
  readonly text: string;
}

/** By {@link pathText}. */
export type FieldSet = ReadonlyMap<string, Field>;

export function pathText(path: FieldPath): string {
  return path.join('\u0000');
}

/** Schema of a member; undefined where none is known. */
export function memberSchema(schema: MergeSchema | undefined, name: string): MergeSchema | undefined {
  const { properties, additionalProperties } = schema ?? {};
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

/** How a list is merged, with what tells its items apart. */
export function listType(schema: MergeSchema | undefined): 'atomic' | 'set' | 'map' {
  return schema?.['x-kubernetes-list-type'] ?? 'atomic';
}

export function isAtomicMap(schema: MergeSchema | undefined): boolean {
  return schema?.['x-kubernetes-map-type'] === 'atomic';
}

/** The step from a list that is merged to one of its items. */
export function itemStep(schema: MergeSchema | undefined, item: unknown): string {
  if (listType(schema) === 'set') return `v:${JSON.stringify(item)}`;
  const keys = [...(schema?.['x-kubernetes-list-map-keys'] ?? [])].toSorted();
  const of = isRecord(item) ? item : {};
  const entries = keys.map((key) => [key, of[key] ?? memberSchema(schema?.items, key)?.default] as const);
  return `k:${JSON.stringify(Object.fromEntries(entries))}`;
}

/** All fields of a value. */
export function fieldsOf(value: unknown, schema: MergeSchema | undefined): FieldSet {
  const fields = new Map<string, Field>();
  collect({ value, schema, path: [] }, fields);
  return fields;
}

interface ValueAtPath {
  readonly value: unknown;
  readonly schema: MergeSchema | undefined;
  readonly path: FieldPath;
}

function collect(place: ValueAtPath, into: Map<string, Field>): void {
  const { value, schema, path } = place;
  const isMergedList = Array.isArray(value) && listType(schema) !== 'atomic' && value.length > 0;
  const isMergedMap = isRecord(value) && !isAtomicMap(schema) && Object.keys(value).length > 0;
  if (isMergedList) return collectItems(value, place, into);
  if (isMergedMap) return collectMembers(value, place, into);
  if (path.length > 0) add(into, path, JSON.stringify(value));
}

function collectItems(list: readonly unknown[], { schema, path }: ValueAtPath, into: Map<string, Field>): void {
  for (const item of list) {
    const at = [...path, itemStep(schema, item)];
    if (isRecord(item) && !isAtomicMap(schema?.items)) {
      add(into, at, '');
      collect({ value: item, schema: schema?.items, path: at }, into);
    } else add(into, at, JSON.stringify(item));
  }
}

function collectMembers(object: Json, { schema, path }: ValueAtPath, into: Map<string, Field>): void {
  const isMap = schema?.additionalProperties !== undefined;
  for (const [name, member] of Object.entries(object)) {
    const at = [...path, `f:${name}`];
    if (isMap) add(into, at, isRecord(member) ? '' : JSON.stringify(member));
    collect({ value: member, schema: memberSchema(schema, name), path: at }, into);
  }
}

function add(into: Map<string, Field>, path: FieldPath, text: string): void {
  into.set(pathText(path), { path, text });
}

/** Every path of the sets and every step on the way to it. */
export function withParents(sets: readonly FieldSet[]): ReadonlyMap<string, FieldPath> {
  const all = new Map<string, FieldPath>();
  for (const { path } of sets.flatMap((set) => [...set.values()])) addWithParents(all, path);
  return all;
}

function addWithParents(all: Map<string, FieldPath>, path: FieldPath): void {
  const text = pathText(path);
  if (path.length === 0 || all.has(text)) return;
  all.set(text, path);
  addWithParents(all, path.slice(0, -1));
}

export interface FieldChanges {
  /** Added, or with another value. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

export function fieldChanges(before: FieldSet, after: FieldSet): FieldChanges {
  const changed = [...after].filter(([text, field]) => before.get(text)?.text !== field.text);
  const removed = [...before].filter(([text]) => !after.has(text));
  return { changed: new Map(changed), removed: new Map(removed) };
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  return new Map([...one, ...other]);
}

export function difference(one: FieldSet, ...others: readonly FieldSet[]): FieldSet {
  return new Map([...one].filter(([text]) => !others.some((other) => other.has(text))));
}

interface Tree {
  [step: string]: Tree;
}

/** The format of `metadata.managedFields[].fieldsV1`. */
export function toFieldsV1(set: FieldSet): Json {
  const root: Tree = {};
  const paths = [...set.values()].map(({ path }) => path);
  const inner = new Set(paths.map((path) => pathText(path.slice(0, -1))));
  for (const path of paths) {
    const at = path.reduce<Tree>((tree, step) => (tree[step] ??= {}), root);
    if (inner.has(pathText(path))) at['.'] = {};
  }
  return root;
}

export function fromFieldsV1(tree: Json): FieldSet {
  const set = new Map<string, Field>();
  const walk = (node: Json, path: FieldPath): void => {
    const steps = Object.keys(node).filter((step) => step !== '.');
    if ((steps.length === 0 || '.' in node) && path.length > 0) add(set, path, '');
    for (const step of steps) walk(node[step] as Json, [...path, step]);
  };
  walk(tree, []);
  return set;
}
