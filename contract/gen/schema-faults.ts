/** What the API server or its users would miss in a generated schema. `npm run gen` and a test refuse such a schema. */
import { RE2JS } from 're2js';
import type { StructuralSchema } from '../src/api/crd.ts';

/** Formats that bound a string by themselves. */
const BOUNDED_FORMATS: ReadonlySet<string | undefined> = new Set(['date-time']);

/** A field without a description, a string, list or map without a bound, a pattern that is not RE2, a default inside a list: one sentence each. */
export function schemaFaults(schema: StructuralSchema, path: string): readonly string[] {
  if (path.endsWith('.metadata')) return [];
  return [
    ...(isBounded(schema) ? [] : [`${path}: a ${schema.type ?? 'value of any type'} needs a bound`]),
    ...patternFaults(schema.pattern, path),
    ...(schema.default === undefined || !path.includes('[]')
      ? []
      : [`${path}: a default inside a list makes each apply a change`]),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => fieldFaults(field, `${path}.${name}`)),
    ...(schema.items === undefined ? [] : schemaFaults(schema.items, `${path}[]`)),
    ...(schema.additionalProperties === undefined ? [] : schemaFaults(schema.additionalProperties, `${path}{}`)),
  ];
}

function fieldFaults(field: StructuralSchema, path: string): readonly string[] {
  const described = field.description !== undefined || path.endsWith('.metadata');
  return [...(described ? [] : [`${path}: a field needs a description`]), ...schemaFaults(field, path)];
}

function isBounded(node: StructuralSchema): boolean {
  if (node.type === undefined) return false;
  switch (node.type) {
    case 'string':
      return node.maxLength !== undefined || node.enum !== undefined || BOUNDED_FORMATS.has(node.format);
    case 'array':
      return node.maxItems !== undefined;
    case 'object':
      return (
        node.properties !== undefined ||
        node.maxProperties !== undefined ||
        node['x-kubernetes-preserve-unknown-fields'] === true
      );
    case 'integer':
    case 'number':
    case 'boolean':
      return true;
  }
}

function patternFaults(pattern: string | undefined, path: string): readonly string[] {
  if (pattern === undefined) return [];
  try {
    RE2JS.compile(pattern);
    return [];
  } catch (cause) {
    return [`${path}: the pattern ${pattern} is not RE2: ${String(cause)}`];
  }
}
