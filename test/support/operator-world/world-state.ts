/** What a world has come to, without what differs between two courses that ended alike: times, versions, who was asked when. */
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { LABELS } from '@retainer/contract/api/names';
import type { FakeApiServer } from '../fake-api-server/fake-api-server.ts';
import { isRecord, type Json, type StoredObject } from '../fake-api-server/json.ts';

/** By `Kind namespace/name`. */
export type WorldState = ReadonlyMap<string, Json>;

/** Who holds a Lease, and what was told on the way, is no part of where it ends. */
const PASSING_KINDS: ReadonlySet<unknown> = new Set(['Lease', 'Event', 'Secret']);
/** Counts that are written late on purpose, and what only counts how often something was written. */
const PASSING_FIELDS: ReadonlySet<string> = new Set([
  'tasks',
  'inUseBy',
  'resourceVersion',
  'time',
  'generation',
  'observedGeneration',
]);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

export function stateOf(server: FakeApiServer): WorldState {
  const lasting = server.store.all().filter(({ object }) => !PASSING_KINDS.has(object.kind) && !isCanary(object));
  return new Map(lasting.map(({ object }) => [addressOf(object), bare(object)]));
}

/** How often it runs depends on the time alone. */
function isCanary({ metadata }: StoredObject): boolean {
  return metadata.labels?.[LABELS.canary] === 'true' && metadata.name.startsWith('canary-');
}

export function addressOf({ kind = '', metadata }: StoredObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}

function bare(object: StoredObject): Json {
  const { managedFields = [], ...metadata } = object.metadata;
  const owners = managedFields.map((entry) => canonicalJson(lasting(entry))).toSorted();
  // Of two changes at once a pod may see one after the other, and be made anew twice.
  const uid = object.kind === 'Pod' ? 'any' : metadata.uid;
  return lasting({ ...object, metadata: { ...metadata, uid, managedFields: owners } }) as Json;
}

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value === 'string') return INSTANT.test(value) ? 'a moment' : value;
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !PASSING_FIELDS.has(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, lasting(member)]));
}

/** What is missing, what is too much, and the first field that differs, by object. */
export function differences(expected: WorldState, found: WorldState): readonly string[] {
  const missing = [...expected.keys()].filter((address) => !found.has(address)).map((address) => `- ${address}`);
  const extra = [...found.keys()].filter((address) => !expected.has(address)).map((address) => `+ ${address}`);
  const changed = [...expected].flatMap(([address, object]) => {
    const other = found.get(address);
    if (other === undefined || isDeepStrictEqual(object, other)) return [];
    return [`~ ${address}: ${firstDifference(object, other, '')}`];
  });
  return [...missing, ...extra, ...changed];
}

function firstDifference(one: unknown, other: unknown, path: string): string {
  if (isDeepStrictEqual(one, other)) return '';
  const isDeeper = (Array.isArray(one) && Array.isArray(other)) || (isRecord(one) && isRecord(other));
  if (!isDeeper) return `${path}: ${JSON.stringify(one)} is ${JSON.stringify(other)}`;
  const [a, b] = [one, other] as readonly [Json, Json];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.map((key) => firstDifference(a[key], b[key], `${path}.${key}`)).find((text) => text !== '') ?? '';
}
