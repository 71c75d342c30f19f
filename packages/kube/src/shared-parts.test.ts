import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedParts } from './shared-parts.ts';

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const container = { name: 'agent', securityContext: { capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true } };

describe('SharedParts', () => {
  it('gives back what it was given, key by key', () => {
    const parts = new SharedParts();
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom(container, { a: [] }, { a: {} }, ['1'], [1]))),
        (all) => {
          for (const one of all.map((value) => ({ value }))) {
            const text = JSON.stringify(one);
            expect(JSON.stringify(parts.share(copy(one)))).toBe(text);
          }
        },
      ),
    );
  });

  it('keeps equal parts once, however different the objects are', () => {
    const parts = new SharedParts();
    const one = parts.share({ id: 'one', long: 'x'.repeat(300), spec: copy(container) });
    const other = parts.share({ id: 'other', spec: { ...copy(container), image: 'y'.repeat(300) } });
    expect(other.spec.securityContext).toBe(one.spec.securityContext);
  });

  it('never takes one kind of value for another', () => {
    const parts = new SharedParts();
    const values = [
      { a: 1 },
      { a: '1' },
      { a: [1] },
      { a: { 0: 1 } },
      { a: null },
      { a: 'null' },
      { 'a:1,b': 2 },
      { a: 1, b: 2 },
    ];
    expect(values.map((value) => parts.share(copy(value)))).toEqual(values);
  });

  it('forgets what came once, and not what comes again and again', () => {
    const parts = new SharedParts();
    const often = parts.share({ is: copy(container) }).is;
    const once = parts.share({ is: { seldom: true } }).is;
    for (let count = 0; count < 20_000; count += 1)
      parts.share({ number: { count }, again: count % 1_000 === 0 ? copy(container) : undefined });
    expect(parts.share({ is: copy(container) }).is).toBe(often);
    expect(parts.share({ is: { seldom: true } }).is).not.toBe(once);
  });
});
