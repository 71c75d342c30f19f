/**
 * The part of an object that the caches keep. For a thousand agents, unread fields would fill most of the memory. Pure.
 */
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';

/** @returns a function that drops unread fields; it always keeps metadata */
export function keptOf(resource: Resource): (object: KubeObject) => KubeObject {
  if (resource === resources.configMaps) return withoutTexts;
  if (resource === resources.pods) return withVolumesOnly;
  if (resource === resources.namespaces) return inItself;
  return (object) => object;
}

/** Names of ConfigMaps contain the digest of their text, which nobody reads from a cache. */
function withoutTexts({ data: _data, binaryData: _binaryData, ...object }: KubeObject): KubeObject {
  return object;
}

/** Keeps a pod's status and mounted ConfigMaps: its owner has the template. */
function withVolumesOnly({ spec, ...object }: KubeObject): KubeObject {
  const { volumes } = (spec ?? {}) as { readonly volumes?: readonly unknown[] };
  return { ...object, spec: volumes === undefined ? {} : { volumes } };
}

/** A Namespace lies where its objects lie, so that one cache can hold several; of it, only its labels are read. */
function inItself({ kind, metadata }: KubeObject): KubeObject {
  const { annotations: _, ...rest } = metadata;
  return { ...(kind === undefined ? {} : { kind }), metadata: { ...rest, namespace: metadata.name } };
}
