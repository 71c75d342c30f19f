import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStructured } from '@retainer/agent-pod/infer/structured';
import { ANSWER_KINDS, roleName } from '@retainer/contract/api/roles';
import type { Json } from '@retainer/contract/std/canonical-json';
import { answers, readAnswer, recordedAnswer } from '@retainer/mind/request/answers';
import type { AnswerSchema } from '@retainer/mind/request/answer-schema';
import { xmlOf } from '@retainer/mind/request/answer-xml';
import { isGap } from '@retainer/mind/request/answer-texts';
import { filledForm } from '../../support/filled-form.ts';
import { verifies } from '../../verifies.ts';

const folder = new URL('../../../packages/mind/src/request/answers/', import.meta.url);

describe('the answers of models', () => {
  it('are one file each, named as the table of roles names them', () => {
    expect(readdirSync(folder).toSorted()).toEqual(ANSWER_KINDS.map((kind) => `${roleName(kind)}.ts`).toSorted());
  });
});

describe.each(ANSWER_KINDS)('the answer %s', (kind) => {
  const answer = answers[kind];
  const { name, schema } = answer;

  verifies(
    'infer:one-value-any-form',
    'reads the same value from JSON and XML, and from the record of either',
    async () => {
      const values = valuesOf(schema).filter((it) => readAnswer(answer, it).ok);
      await fc.assert(
        fc.asyncProperty(values, async (given) => {
          const read = readAnswer(answer, given);
          const wanted = { ok: true, value: read.ok ? read.value : undefined };
          expect(await parseStructured(kind, JSON.stringify(given), '')).toEqual(wanted);
          expect(await parseStructured(kind, xmlOf(name, schema, given), '')).toEqual(wanted);
          expect(recordedAnswer(kind, wanted.value)).toEqual(wanted.value);
        }),
        { numRuns: 25 },
      );
    },
  );

  it('is no answer out of the record where a member is missing or has another type', () => {
    const read = readAnswer(answer, filledForm(kind).json);
    const value = (read.ok ? read.value : {}) as Readonly<Record<string, unknown>>;
    const [first = ''] = Object.keys(value);
    for (const other of [undefined, null, 7, [], { ...value, [first]: undefined }, { ...value, [first]: 7.5 }])
      expect(recordedAnswer(kind, other)).toBeUndefined();
  });
});

/** Words without a meaning in XML or JSON would show little. */
const text = fc
  .string({ minLength: 1, maxLength: 24 })
  .map((it) => it.trim())
  .filter((it) => it !== '' && !isGap(it));
const word = fc.stringMatching(/^[a-z]{1,8}$/);

/** Any value that the schema describes, its bounds of numbers and lengths included. */
function valuesOf(schema: AnswerSchema): fc.Arbitrary<Json> {
  const { oneOf, properties, required = [], items, minItems = 0 } = schema;
  if (oneOf !== undefined) return fc.oneof(...oneOf.map(valuesOf));
  const item = items && (schema.place === 'Attribute' ? word : valuesOf(items));
  if (item !== undefined) return fc.array(item, { minLength: minItems, maxLength: 2 });
  if (properties === undefined) return scalarsOf(schema);
  const members = Object.fromEntries(Object.entries(properties).map(([member, it]) => [member, valuesOf(it)]));
  return fc.record(members, { requiredKeys: [...required] });
}

function scalarsOf({ type, enum: words, minimum = 0, maximum = 9, ...own }: AnswerSchema): fc.Arbitrary<Json> {
  if (own.const !== undefined) return fc.constant(own.const);
  if (words !== undefined) return fc.constantFrom(...words);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
  return own.place === 'Attribute' || own.maxLength === undefined ? word : text;
}
