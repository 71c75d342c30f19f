import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { addressesIn, writtenAddresses } from './addresses.ts';
import { inertText } from './inert.ts';

const DROP = 'https://drop.example/a';

type Row = readonly [name: string, text: string, address: string];

const rows: readonly Row[] = [
  ['backslashes', String.raw`https:\\drop.example\a`, DROP],
  ['one slash', 'https:/drop.example/a', DROP],
  ['no slash', 'https:drop.example/a', DROP],
  ['a tab in the scheme', 'ht\ttps://drop.example/a', DROP],
  ['line breaks in the scheme', 'h\nttp\r\ns:\n//drop.example/a', DROP],
  ['a line break in an attribute', '<img src="https://drop.ex\n\tample/a">', DROP],
  ['upper case', 'HTTPS://DROP.EXAMPLE/a', DROP],
  ['ftp', 'ftp://drop.example/a', 'ftp://drop.example/a'],
  ['a share', 'file://drop.example/a', 'file://drop.example/a'],
  ['www', 'www.drop.example/a', 'https://www.drop.example/a'],
  ['no scheme', '![](//drop.example/a)', DROP],
  ['no scheme, and slashes of both kinds', String.raw`[x](/\drop/a)`, 'https://drop/a'],
  ['entities', '&#104;ttps&colon;&#x2F;&sol;drop&period;example/a', DROP],
  ['an entity in the query', 'https://drop.example/a?b=1&amp;c=2', 'https://drop.example/a?b=1&c=2'],
  ['a name and a password', 'https://you:me@drop.example/a', 'https://you:me@drop.example/a'],
  ['letters of another alphabet', 'https://дроп.example/', 'https://xn--d1audc.example/'],
  ['full-width letters', 'https://ｄrop.example/a', DROP],
  ['its ASCII form', 'https://xn--d1audc.example/', 'https://xn--d1audc.example/'],
  ['a number for a host', 'http://2130706433/a', 'http://127.0.0.1/a'],
  ['a number in other digits', 'http://0x7f.1/a', 'http://127.0.0.1/a'],
  ['blanks, in a destination', '[x](<https://drop.example/a b>)', 'https://drop.example/a%20b'],
  ['a definition', '[x]: https://drop.example/a "title"', DROP],
  ['a style', '<p style="background:url(https://drop.example/a)">', DROP],
  ['quotation marks', '„https://drop.example/a“, it says', DROP],
  ['signs of Chinese', '见https://drop.example/a。然后', DROP],
];

describe('the addresses of a text', () => {
  for (const [name, text, address] of rows)
    verifies('provenance:addresses-as-browsers', name, () => {
      expect(addressesIn(text)).toContain(address);
      const inert = inertText(text, () => false).text;
      expect(addressesIn(inert), inert).toEqual([]);
    });

  const none = [
    'a/b//c.ts is a file',
    'key: value, https: yes',
    'C:\\Users\\jo\\x.txt',
    'file:///etc/hosts',
    'aws:s3.bucket',
    '[x](docs/a.md)',
    'javascript:alert(1)',
    '12:30 // a remark',
  ];
  for (const text of none)
    it(`are none in ${JSON.stringify(text)}`, () => {
      expect(writtenAddresses(text)).toEqual([]);
    });
});

describe('an inert address', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['See https://a.example/b_c.html, please.', 'See `https[:]//a[.]example/b_c.html`, please.'],
    ['![x](https://a.example/i.png)', '[x] (`https[:]//a[.]example/i.png`)'],
    ['[x]: https://a.example/', '[x] : `https[:]//a[.]example/`'],
    ['`curl https://a.example/`', '`curl https[:]//a[.]example/`'],
    ['```\nhttps://a.example/\n```', '```\nhttps[:]//a[.]example/\n```'],
    ['<img src="//a.example/i">', '< img src="`https[:]//a[.]example/i`">'],
  ];
  for (const [text, inert] of rows)
    verifies('provenance:reply-addresses-inert', text, () => {
      expect(inertText(text, () => false)).toEqual({ text: inert, count: 1 });
    });

  it('stays as it is where people named it', () => {
    const text = 'See https://a.example/ and https://b.example/.';
    const isLive = ({ whole }: { readonly whole: readonly string[] }): boolean => whole.includes('https://a.example/');
    expect(inertText(text, isLive)).toEqual({ text: 'See https://a.example/ and `https[:]//b[.]example/`.', count: 1 });
  });

  verifies('provenance:reply-addresses-inert', 'is none where breaking one uncovers another', () => {
    for (const text of ['http://a.aa](http://a.aa', ']: http://a.aa]: www.']) {
      const { text: inert, count } = inertText(text, () => false);
      expect(addressesIn(inert), text).toEqual([]);
      expect(count).toBeGreaterThan(1);
    }
  });

  const piece = fc.oneof(
    fc.constantFrom(
      ...rows.map(([text]) => text),
      '![a](',
      '](',
      ']: ',
      '<',
      '>',
      '`',
      '\n',
      ' ',
      '"',
      "'",
      '//',
      'www.',
      'https:',
    ),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ maxLength: 6 }),
  );
  verifies('provenance:reply-addresses-inert', 'is none, whatever stands around it, and twice is once', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const { text } = inertText(pieces.join(''), () => false);
        expect(addressesIn(text)).toEqual([]);
        expect(inertText(text, () => false)).toEqual({ text, count: 0 });
      }),
      { numRuns: 300 },
    );
  });
});
