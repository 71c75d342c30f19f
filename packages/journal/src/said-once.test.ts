import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@retainer/contract/std/canonical-json';
import { cutSaid, parsePlace, PART_CHARACTERS_MIN, placeText, setValueAt, valueAt, type Place } from './said-once.ts';

const LONG = 'What everybody of the run is told. '.repeat(10);
const PLACE: Place = { store: 'run', seq: 7, pointer: '/spec/system' };

/** What a record says, and then another one of which the first one's parts are known. */
function cutAfter(first: Json, second: Json): ReturnType<typeof cutSaid> {
  const { fresh } = cutSaid(first, () => undefined);
  return cutSaid(second, (digest) => {
    const pointer = fresh.get(digest);
    return pointer === undefined ? undefined : { store: 'run', seq: 7, pointer };
  });
}

describe('a payload', () => {
  it('is written as it is when nothing in it was said before', () => {
    const payload = { spec: { system: LONG } };
    expect(cutAfter({ other: `${LONG}!` }, payload).written).toBe(payload);
  });

  it('names the largest part that was said before, not what the part consists of', () => {
    const spec = { system: [{ text: LONG }], input: 'short' };
    expect(cutAfter({ spec }, { atMs: 1, spec }).written).toEqual({ atMs: 1, spec: 'run/7/spec', said: ['/spec'] });
  });

  it('names the parts of a part that is new', () => {
    const first = { spec: { system: [{ text: LONG }], input: 'short' } };
    const second = { spec: { system: [{ text: LONG }, { text: 'more' }], input: 'short' } };
    expect(cutAfter(first, second).written).toEqual({
      spec: { system: ['run/7/spec/system/0', { text: 'more' }], input: 'short' },
      said: ['/spec/system/0'],
    });
  });

  it('keeps what is cheaper to say than to name', () => {
    const [short, long] = [PART_CHARACTERS_MIN - 1, PART_CHARACTERS_MIN].map((length) => 'x'.repeat(length));
    const payload = { short: short ?? '', long: long ?? '' };
    expect(cutAfter({ before: payload }, payload).written).toMatchObject({ short, said: ['/long'] });
  });

  it.each<readonly [string, Json, Json]>([
    ['members in another order', { a: LONG, b: 1 }, { b: 1, a: LONG }],
    ['a list for an object with the same members', [LONG], { 0: LONG }],
    ['half a character for another half', `${LONG}\ud800`, `${LONG}\ud801`],
    ['half a character for how it is spelt', `${LONG}\ud800`, JSON.stringify(`${LONG}\ud800`)],
    ['a number for its text', { text: LONG, n: 1 }, { text: LONG, n: '1' }],
    ['one text for two that it consists of', [`${LONG}","${LONG}`], [LONG, LONG]],
  ])('does not take %s', (_, said, other) => {
    expect(JSON.stringify(cutAfter({ said }, { other }).written)).not.toMatch(/"other":"run\/7\/said"/);
  });

  it('is cut in time however deep it is', () => {
    let deep: Json = LONG;
    for (let depth = 0; depth < 500; depth += 1) deep = [[deep]];
    expect(cutAfter({ deep }, { deep }).written).toMatchObject({ said: ['/deep'] });
  });
});

describe('a place', () => {
  it('is read as it was written', () => {
    expect(parsePlace(placeText(PLACE))).toEqual(PLACE);
  });

  it.each(['', 'run', 'run/', '/spec', 'run/x/spec', '../7/spec', 'run/-1/spec', 'run/7spec', 7, null])(
    'is not %s',
    (text) => {
      expect(parsePlace(text)).toBeUndefined();
    },
  );
});

describe('a pointer', () => {
  it('leads to any member, whatever it is called', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a/b', '~1', '~0', ''));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), (keys) => {
        const inside = keys.reduceRight<Json>(
          (inner, it) => JSON.parse(`{${JSON.stringify(it)}:${JSON.stringify(inner)}}`),
          LONG,
        );
        const { fresh } = cutSaid(inside, () => undefined);
        const pointer = [...fresh.values()].at(-1) ?? '';
        expect(valueAt(inside, pointer)).toBe(LONG);
        setValueAt(inside, pointer, 'other');
        expect(valueAt(inside, pointer)).toBe('other');
        expect(Object.getPrototypeOf(inside)).toBe(Object.prototype);
      }),
    );
  });

  it('leads nowhere through what is inherited', () => {
    expect(valueAt({ a: LONG }, '/constructor')).toBeUndefined();
    expect(valueAt([LONG], '/length')).toBe(1);
  });
});
