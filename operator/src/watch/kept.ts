/**
 * The part of an object that the caches keep, where that is little. Fields that nobody reads would fill most of the memory for
 * a thousand agents. Pure.
 */
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Resource } from '@retainer/kube/resource';
import { resources } from '@retainer/kube/resources';

/** @returns what is kept of objects of this resource; metadata always are */
export function keptOf(resource: Resource): (object: KubeObject) => KubeObject {
  if (resource === resources.configMaps) return withoutTexts;
  if (resource === resources.pods) return withVolumesOnly;
  return (object) => object;
}

/** Texts in ConfigMaps are named by their digest and never read from a cache. */
function withoutTexts({ data: _data, binaryData: _binaryData, ...object }: KubeObject): KubeObject {
  return object;
}

/** Of a pod count its status and the ConfigMaps that it mounts: its template stands in whatever it was made from. */
function withVolumesOnly({ spec, ...object }: KubeObject): KubeObject {
  const { volumes } = (spec ?? {}) as { readonly volumes?: readonly unknown[] };
  return { ...object, spec: volumes === undefined ? {} : { volumes } };
}
