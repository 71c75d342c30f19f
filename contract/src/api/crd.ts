/**
 * Converts a kind's zod schema into its structural schema and CustomResourceDefinition. Pure. `npm run gen` writes the text, and
 * the manifest parser uses the same structural schema.
 *
 * The generator checks that every field has a description and a bound, and that every pattern is RE2.
 *
 * Source: Kubernetes documentation, structural schemas; libraries 2; platforms 6.
 */
import { z } from 'zod';
import { invariant } from '../std/invariant.ts';
import type { CelRule } from './cel-rule.ts';
import { CATEGORY, GROUP, VERSION } from './names.ts';
import type { KindDefinition, PrinterColumn } from './object.ts';

/** The part of JSONSchemaProps that our schemas use. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly items?: StructuralSchema;
  readonly additionalProperties?: StructuralSchema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** The result of `z.toJSONSchema`, with booleans or empty schemas for maps of anything and closed objects. */
type ZodJson = Omit<StructuralSchema, 'properties' | 'items' | 'additionalProperties'> & {
  readonly properties?: Readonly<Record<string, ZodJson>>;
  readonly items?: ZodJson;
  readonly additionalProperties?: ZodJson | boolean;
  readonly $schema?: string;
};

const COPIED = [
  'type',
  'description',
  'enum',
  'format',
  'default',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
] as const satisfies readonly (keyof StructuralSchema)[];

/** The API server parses these itself, so zod's pattern would only cost time. */
const PARSED_FORMATS: ReadonlySet<string | undefined> = new Set(['date-time']);

/**
 * The status before anybody has looked at the object. Without it kstatus takes a new object for a finished one.
 *
 * Source: kstatus, generic rules.
 */
const NOT_OBSERVED = { observedGeneration: -1 } as const;

/** The structural schema of a kind: `apiVersion`, `kind`, `metadata`, `spec`, `status`. */
export function structuralSchema(definition: KindDefinition): StructuralSchema {
  const json = z.toJSONSchema(definition.schema, { target: 'openapi-3.0', io: 'input' }) as ZodJson;
  const root = structural(json);
  return {
    ...root,
    // The API server checks the standard fields itself, and a CRD may only restrict the name in `metadata`.
    properties: {
      apiVersion: { type: 'string', description: 'Group and version of the kind.', maxLength: 64 },
      kind: { type: 'string', description: 'Name of the kind.', maxLength: 64 },
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      ...pick(root.properties ?? {}, ['spec']),
      status: { ...root.properties?.['status'], default: NOT_OBSERVED },
    },
    required: ['spec'],
  };
}

function pick<T>(record: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));
}

/** Where a schema stands: in the items of a list no default does. */
type Place = 'Outside' | 'InList';

/**
 * I1 No default stands inside a list. A manifest replaces a list as a whole, so kubectl and Argo CD would take an item that the API
 *    server has filled in for a change, with each apply anew. Readers fill it in when they parse the object, and the description says
 *    what absent means.
 */
function structural(json: ZodJson, place: Place = 'Outside'): StructuralSchema {
  const copied: StructuralSchema = pick(json as Record<string, unknown>, COPIED);
  const node: StructuralSchema = {
    ...(place === 'InList' ? withoutDefault(copied) : copied),
    ...(json.pattern === undefined || PARSED_FORMATS.has(json.format)
      ? {}
      : { pattern: json.pattern.replaceAll('\\/', '/') }),
    ...(json.type === 'array' ? arrayParts(json) : {}),
    ...(json.type === 'object' ? objectParts(json, place) : {}),
  };
  return dropSafeIntegerBounds(
    node.type === 'object' && node.default !== undefined
      ? { ...node, default: withDefaults(node, node.default) }
      : node,
  );
}

function withoutDefault({ default: absent, ...rest }: StructuralSchema): StructuralSchema {
  const { description } = rest;
  const isObvious = absent === undefined || typeof absent === 'object';
  if (isObvious || description === undefined) return rest;
  const said = typeof absent === 'string' ? absent : JSON.stringify(absent);
  return { ...rest, description: `${description} Absent means ${said}.` };
}

/**
 * Fills in every default of the schema, as the API server does.
 *
 * The default of an object must be complete: the API server checks the rules against it when it creates the CRD.
 */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  // Inside a list no default stands.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const filled = Object.entries(value).map(([key, member]) => {
    const field = schema.properties?.[key] ?? schema.additionalProperties;
    return [key, field === undefined ? member : withDefaults(field, member)];
  });
  const added = Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
    field.default === undefined || Object.hasOwn(value, key) ? [] : [[key, withDefaults(field, field.default)]],
  );
  return Object.fromEntries([...filled, ...added]);
}

function arrayParts(json: ZodJson): Partial<StructuralSchema> {
  invariant(json.items !== undefined, 'a list needs an item schema');
  return {
    'x-kubernetes-list-type': json['x-kubernetes-list-type'] ?? 'atomic',
    items: structural(json.items, 'InList'),
  };
}

function objectParts(json: ZodJson, place: Place): Partial<StructuralSchema> {
  if (json['x-kubernetes-preserve-unknown-fields'] === true) return {};
  if (json.properties !== undefined) {
    const fields = Object.entries(json.properties).map(([name, field]) => [name, structural(field, place)] as const);
    return { properties: Object.fromEntries(fields) };
  }
  const values = json.additionalProperties;
  invariant(typeof values === 'object', 'an object needs properties or the schema of its values');
  return { additionalProperties: structural(values, place) };
}

function dropSafeIntegerBounds(node: StructuralSchema): StructuralSchema {
  const { minimum, maximum, ...rest } = node;
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

export function renderCrd(definition: KindDefinition): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${definition.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: {
        kind: definition.kind,
        listKind: `${definition.kind}List`,
        plural: definition.plural,
        singular: definition.singular,
        shortNames: [definition.shortName],
        categories: [CATEGORY],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns.map(renderColumn),
          ...(definition.selectableFields.length === 0
            ? {}
            : { selectableFields: definition.selectableFields.map((jsonPath) => ({ jsonPath })) }),
          schema: { openAPIV3Schema: structuralSchema(definition) },
        },
      ],
    },
  };
}

function renderColumn({ priority, ...column }: PrinterColumn): Readonly<Record<string, unknown>> {
  return priority === 0 ? column : { ...column, priority };
}
