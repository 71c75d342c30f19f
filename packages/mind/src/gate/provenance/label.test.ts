import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyReaders, PRINCIPALS } from '../../../../../test/support/any-readers.ts';
import { verifies } from '../../../../../test/verifies.ts';
import {
  isOfAnother,
  join,
  joinAll,
  mayRead,
  narrowed,
  principalOfAddress,
  readersOf,
  readersWords,
  type Label,
} from './label.ts';

const trusts = ['Trusted', 'Untrusted'] as const;
const readers = ['Everyone', ['owner'], []] as const;
const labels: readonly Label[] = trusts.flatMap((trust) =>
  readers.map((some) => ({ source: { kind: 'Web', name: `${trust}-${String(some)}` }, trust, readers: some })),
);

describe('join', () => {
  it('takes the lowest trust of all pairs, and of two sets the smaller one', () => {
    for (const a of labels)
      for (const b of labels) {
        const joined = join(a, b);
        expect(joined.trust).toBe([a, b].some((it) => it.trust === 'Untrusted') ? 'Untrusted' : 'Trusted');
        const narrowest = Math.max(
          ...[a, b].map((it) => readers.findIndex((some) => String(some) === String(it.readers))),
        );
        expect(joined.readers).toEqual(readers[narrowest]);
      }
  });

  it('names the first untrusted source', () => {
    const [trusted, untrusted] = [labels[0], labels[3]];
    if (trusted === undefined || untrusted === undefined) throw new Error('the table is shorter');
    expect(join(trusted, untrusted).source).toEqual(untrusted.source);
    expect(join(untrusted, trusted).source).toEqual(untrusted.source);
    expect(joinAll([])).toBeUndefined();
    expect(joinAll(labels)).toMatchObject({ trust: 'Untrusted', readers: [] });
  });
});

describe('readers', () => {
  verifies(
    'readers:common',
    'are the same in whatever order texts are joined, and a text joined with itself keeps its own',
    () => {
      fc.assert(
        fc.property(anyReaders, anyReaders, anyReaders, (a, b, c) => {
          expect(narrowed(a, b)).toEqual(narrowed(b, a));
          expect(narrowed(narrowed(a, b), c)).toEqual(narrowed(a, narrowed(b, c)));
          expect(narrowed(a, a)).toEqual(a);
          expect(narrowed(a, 'Everyone')).toEqual(a);
          expect(narrowed(a, [])).toEqual([]);
          expect(narrowed(a, ['people'])).toEqual(a === 'Everyone' ? ['people'] : a);
        }),
      );
    },
  );

  verifies('readers:common', 'of a text made from two are those who may read both, and nobody else', () => {
    const correspondents = PRINCIPALS.filter((it) => it.startsWith('mail:'));
    fc.assert(
      fc.property(anyReaders, anyReaders, fc.constantFrom(...correspondents), (a, b, who) => {
        expect(mayRead(narrowed(a, b), who)).toBe(mayRead(a, who) && mayRead(b, who));
        if (mayRead(narrowed(a, b), 'owner')) expect(mayRead(a, 'owner') && mayRead(b, 'owner')).toBe(true);
      }),
    );
  });

  it('have the owner among them, unless they are nobody', () => {
    expect(mayRead(['mail:ann@a.example'], 'owner')).toBe(true);
    expect(mayRead([], 'owner')).toBe(false);
    expect(mayRead(['owner'], 'mail:ann@a.example')).toBe(false);
    expect(mayRead(['people'], 'mail:ann@a.example')).toBe(true);
  });

  it('of what one person gave are that person and the owner', () => {
    const [ann, ben] = [principalOfAddress('Ann@A.example'), principalOfAddress('ben@b.example', ['ben@b.example'])];
    expect([ann, ben]).toEqual(['mail:ann@a.example', 'owner']);
    expect([readersOf(ann), readersOf(ben)]).toEqual([['mail:ann@a.example', 'owner'], ['owner']]);
    // What was made from the words of two people, the owner alone may read.
    expect(narrowed(readersOf(ann), readersOf('mail:cleo@c.example'))).toEqual(['owner']);
    expect(isOfAnother(readersOf(ann), 'mail:cleo@c.example')).toBe(true);
    expect(isOfAnother(readersOf('owner'), 'mail:cleo@c.example')).toBe(false);
    expect(isOfAnother(readersOf(ann), ann)).toBe(false);
  });

  it('are told to people in words', () => {
    expect((['Everyone', [], ['people'], ['mail:a@b.example\n', 'owner']] as const).map(readersWords)).toEqual([
      'everyone',
      'the agent alone',
      'all its people',
      String.raw`mail:a@b.example\n, the owner`,
    ]);
  });
});
