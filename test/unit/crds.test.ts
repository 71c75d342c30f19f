import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { structuralSchema, withDefaults, type StructuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS, KIND_SCHEMAS } from '@retainer/contract/api/kinds';
import { KINDS } from '@retainer/contract/api/names';
import { renderCrdFiles } from '../../contract/gen/render-crd-files.ts';
import { schemaFaults } from '../../contract/gen/schema-faults.ts';
import { sample } from '../api-server/cel-case.ts';
import { verifies } from '../verifies.ts';

const DIRECTORY = fileURLToPath(new URL('../../crds/', import.meta.url));

describe('crds/', () => {
  verifies('api:crds-are-generated', 'holds what the generator writes, and nothing else', () => {
    const files = renderCrdFiles();
    expect(
      readdirSync(DIRECTORY)
        .filter((name) => name !== 'Kustomization')
        .toSorted(),
    ).toStrictEqual([...files.keys()].toSorted());
    for (const [name, text] of files)
      expect(readFileSync(DIRECTORY + name, 'utf8'), `run npm run gen: ${name}`).toBe(text);
  });
});

describe('the generator', () => {
  it.each(KINDS)('finds every field of %s described and bounded', (kind) => {
    expect(schemaFaults(structuralSchema(KIND_DEFINITIONS[kind]), kind)).toStrictEqual([]);
  });

  const good: StructuralSchema = { type: 'string', description: 'A field.', maxLength: 3 };
  const root = (field: StructuralSchema): StructuralSchema => ({ type: 'object', properties: { field } });

  it.each([
    ['a field without a description', { type: 'string', maxLength: 3 }, 'K.field: a field needs a description'],
    ['a text without a bound', { type: 'string', description: 'x' }, 'K.field: a string needs a bound'],
    ['a list without a bound', { type: 'array', description: 'x', items: good }, 'K.field: a array needs a bound'],
    [
      'a map without a bound',
      { type: 'object', description: 'x', additionalProperties: good },
      'K.field: a object needs a bound',
    ],
    ['a value of any type', { description: 'x' }, 'K.field: a value of any type needs a bound'],
    [
      'a default in an item of a list',
      { type: 'array', description: 'x', maxItems: 3, items: root({ ...good, default: 'x' }) },
      'K.field[].field: a default inside a list makes each apply a change',
    ],
    ['a look-around', { ...good, pattern: '(?=a)b' }, 'K.field: the pattern (?=a)b is not RE2'],
    ['a back-reference', { ...good, pattern: '(a)\\1' }, 'K.field: the pattern (a)\\1 is not RE2'],
  ] satisfies readonly (readonly [string, StructuralSchema, string])[])('refuses %s', (_, field, fault) => {
    expect(schemaFaults(root(good), 'K')).toStrictEqual([]);
    expect(schemaFaults(root(field), 'K').join()).toContain(fault);
  });
});

describe('defaults', () => {
  it.each(KINDS)(
    'of the CRD and of the zod schema of %s are the same, besides those in lists and a status that nobody has written',
    (kind) => {
      const object = sample(kind);
      const stored = withDefaults(structuralSchema(KIND_DEFINITIONS[kind]), object) as object;
      const parsed: unknown = KIND_SCHEMAS[kind].parse(object);
      const isNew = { status: { observedGeneration: -1 } };
      expect(stored).toMatchObject(isNew);
      expect(KIND_SCHEMAS[kind].parse(stored)).toStrictEqual({ ...(parsed as object), ...isNew });
      expect(withoutLists(stored)).toStrictEqual(withoutLists({ ...(parsed as object), ...isNew }));
    },
  );

  it('stand in no item of a list, whose description says what absent means', () => {
    const item = z.object({ mode: z.enum(['Quick', 'Slow']).default('Quick').describe('How.') });
    const spec = z.object({ list: z.array(item).default([]).describe('Some.'), alone: item.prefault({}) });
    const root = structuralSchema({ ...KIND_DEFINITIONS.Task, schema: z.object({ spec }) as never });
    const { list, alone } = root.properties?.['spec']?.properties ?? {};
    expect(list?.items?.properties?.['mode']).toStrictEqual({
      type: 'string',
      enum: ['Quick', 'Slow'],
      description: 'How. Absent means Quick.',
    });
    expect(alone?.properties?.['mode']?.default).toBe('Quick');
  });
});

function withoutLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutLists(member)]));
}
