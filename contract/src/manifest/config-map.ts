/** ConfigMaps in manifests, for scripts and seeds of Agents: the only permitted built-in kind of Kubernetes. */
import { z } from 'zod';
import type { StructuralSchema } from '../api/crd.ts';
import { ObjectMeta } from '../api/object.ts';

/** A file name. Source: Kubernetes API, ConfigMap. */
const ConfigMapKey = z
  .string()
  .max(253)
  .regex(/^[-._a-zA-Z0-9]+$/);

export const ConfigMap = z.object({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata: ObjectMeta,
  data: z.record(ConfigMapKey, z.string()).default({}),
  /** Base64. */
  binaryData: z.record(ConfigMapKey, z.base64()).default({}),
  immutable: z.boolean().default(false),
});
export type ConfigMap = z.infer<typeof ConfigMap>;

export interface ConfigMapFile {
  readonly text: string;
  /** Encoding of the file's bytes in `text`. */
  readonly encoding: 'utf8' | 'base64';
}

const texts: StructuralSchema = { type: 'object', additionalProperties: { type: 'string' } };

/** Fields beside the metadata. */
export const configMapStructure: StructuralSchema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    data: texts,
    binaryData: texts,
    immutable: { type: 'boolean' },
  },
};

/** Undefined without such a key. */
export function configMapFile({ data, binaryData }: ConfigMap, key: string): ConfigMapFile | undefined {
  const text = data[key];
  if (text !== undefined) return { text, encoding: 'utf8' };
  const base64 = binaryData[key];
  return base64 === undefined ? undefined : { text: base64, encoding: 'base64' };
}

export function configMapFiles({ data, binaryData }: ConfigMap): readonly (readonly [key: string, ConfigMapFile])[] {
  return [
    ...Object.entries(data).map(([key, text]) => [key, { text, encoding: 'utf8' }] as const),
    ...Object.entries(binaryData).map(([key, text]) => [key, { text, encoding: 'base64' }] as const),
  ];
}
