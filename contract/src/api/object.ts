import { z } from 'zod';
import { withRules, type CelRule } from './cel-rule.ts';
import { DNS_LABEL_LENGTH_MAX, DNS_NAME_LENGTH_MAX, Instant, ObjectName } from './fields.ts';
import { API_VERSION, type KindName } from './names.ts';

/** Kubernetes allows more, our objects need fewer. */
const METADATA_ENTRIES_MAX = 64;
/** Longest annotation we read; kubectl's own last-applied annotation may hold a whole object. */
const ANNOTATION_LENGTH_MAX = 262_144;

/** The metadata that our programs read; the API server owns the rest. */
export const ObjectMeta = z
  .object({
    name: ObjectName.describe('Name, unique for the kind in its namespace.'),
    namespace: z
      .string()
      .min(1)
      .max(DNS_LABEL_LENGTH_MAX)
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)
      .default('default')
      .describe('Namespace.'),
    uid: z.string().max(64).optional().describe('Identity, given by the API server.'),
    resourceVersion: z.string().max(64).optional().describe('Version of the stored object.'),
    generation: z.int().min(0).optional().describe('Number of changes of the spec.'),
    creationTimestamp: Instant.optional().describe('Time of creation.'),
    deletionTimestamp: Instant.optional().describe('Time of the request to delete it.'),
    labels: z
      .record(z.string().max(317), z.string().max(DNS_LABEL_LENGTH_MAX))
      .refine((map) => Object.keys(map).length <= METADATA_ENTRIES_MAX)
      .optional()
      .describe('Labels.'),
    annotations: z
      .record(z.string().max(317), z.string().max(ANNOTATION_LENGTH_MAX))
      .optional()
      .describe('Annotations.'),
    finalizers: z
      .array(z.string().max(DNS_NAME_LENGTH_MAX))
      .max(METADATA_ENTRIES_MAX)
      .optional()
      .describe('Work to do before the object is removed.'),
  })
  .describe('Standard metadata.');
export type ObjectMeta = z.infer<typeof ObjectMeta>;

/** Longest Agent name: a StatefulSet adds a revision hash and an ordinal to it in label values. */
export const AGENT_NAME_LENGTH_MAX = 40;

/** The name must fit into label values and DNS labels of derived objects. */
export function nameRule(lengthMax: number): CelRule {
  return {
    rule: `self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && self.metadata.name.size() <= ${lengthMax}`,
    message: `metadata.name must start with a letter, hold only lower-case letters, digits and hyphens, and be at most ${lengthMax} long`,
    fieldPath: '.metadata.name',
  };
}

export type KindSchema<K extends KindName, Spec extends z.ZodType, Status extends z.ZodType> = z.ZodObject<
  {
    apiVersion: z.ZodLiteral<typeof API_VERSION>;
    kind: z.ZodLiteral<K>;
    metadata: typeof ObjectMeta;
    spec: Spec;
    status: z.ZodOptional<Status>;
  },
  z.core.$strip
>;

export interface KindParts<Spec extends z.ZodType, Status extends z.ZodType> {
  readonly spec: Spec;
  readonly status: Status;
  readonly description: string;
  /** Rules over the whole object; `self.metadata` contains only the name. */
  readonly rules: readonly CelRule[];
}

/** The schema of a whole object, in a manifest and from the API server. */
export function kindSchema<K extends KindName, Spec extends z.ZodType, Status extends z.ZodType>(
  kind: K,
  parts: KindParts<Spec, Status>,
): KindSchema<K, Spec, Status> {
  const object = z
    .object({
      apiVersion: z.literal(API_VERSION).describe('Group and version of the kind.'),
      kind: z.literal(kind).describe('Name of the kind.'),
      metadata: ObjectMeta,
      spec: parts.spec,
      status: parts.status.optional(),
    })
    .describe(parts.description);
  return withRules(object, parts.rules);
}

/** A printer column of `kubectl get`. Source: Kubernetes API, CustomResourceColumnDefinition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 0: always shown, 1: with `-o wide`. */
  readonly priority: 0 | 1;
}

/** A kind's schema and its other CRD fields. */
export interface KindDefinition {
  readonly kind: KindName;
  readonly plural: string;
  readonly singular: string;
  readonly shortName: string;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
  readonly schema: z.ZodType;
}

/** `Ready` and `Reason`, then the kind's own columns, then `Age`. */
export function columns(...own: readonly PrinterColumn[]): readonly PrinterColumn[] {
  return [
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether the object is Ready.',
      priority: 0,
    },
    {
      name: 'Reason',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      description: 'Reason of the Ready status.',
      priority: 0,
    },
    ...own,
    {
      name: 'Age',
      type: 'date',
      jsonPath: '.metadata.creationTimestamp',
      description: 'Time since creation.',
      priority: 0,
    },
  ];
}
