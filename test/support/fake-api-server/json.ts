/** JSON as the store keeps it: never changed in place, so that history and answers may share parts of it. */
import type { KubeMetadata, KubeObject } from '@retainer/kube/kube-object';

export type Json = Readonly<Record<string, unknown>>;

/** One manager's entry, as the API server writes it. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Json;
  readonly subresource?: string;
}

/** An object as it is stored: the server filled in its identity. */
export interface StoredObject extends KubeObject {
  readonly metadata: KubeMetadata & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly managedFields?: readonly ManagedFieldsEntry[];
    readonly deletionGracePeriodSeconds?: number;
  };
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without members that say null, at any depth: in what is stored, null and absent are the same. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, withoutNulls(member)]])),
  );
}

/** RFC 7386. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatched(result[key], value);
  }
  return result;
}

/** The value at a path of member names such as `spec.agentRef.name`; undefined where there is none. */
export function memberAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((step) => step !== '')
    .reduce<unknown>((at, step) => (isRecord(at) ? at[step] : undefined), value);
}

/** The text at a path; empty where there is none. */
export function textAt(value: unknown, path: string): string {
  const found = memberAt(value, path);
  return typeof found === 'string' ? found : '';
}
