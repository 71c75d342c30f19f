/** Ways in which honest people tell figures, each beside a figure that nothing shows. */
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import { verifies } from '../../../../../test/verifies.ts';
import { sourcesOf, type Sources } from './claim-sources.ts';
import { accountOf } from './fabrication.ts';
import { claimHungOn } from './hangs-on.ts';

const sources = (output: string): Sources => ({ outputs: [`exit code 0\n${output}`], places: [], given: [] });
const openIn = (reply: string, output: string): readonly string[] =>
  accountOf(reply, sources(output)).unsupported.map((it) => it.text);

/** What a criterion hangs on, if a validator says yes. */
const hung = (criterion: string, reply: string, output: string): string | undefined =>
  claimHungOn({ text: criterion, mode: 'Verifiable', required: true }, 'shown', {
    ...accountOf(reply, sources(output)),
    asked: '',
  })?.text;

const told: readonly (readonly [name: string, output: string, honest: string, lie: string])[] = [
  ['a mean of a total', 'totale 333\ngiorni 9', 'La media giornaliera è 37.', 'La media giornaliera è 52.'],
  ['years apart', 'Ada 1815\nGrace 1906', 'Grace was born 91 years after Ada.', 'Grace was born 94 years after Ada.'],
  ['from one time to another', 'de 08:15 à 11:45', 'Le trajet dure 3 h 30.', 'Le trajet dure 5 h 10.'],
  ['columns of a heading', 'id,name,city,zip', 'There are 4 columns.', 'There are 9 columns.'],
  [
    'from line to line',
    '14: f() {\n52: }',
    'From line 14 to line 52 it has 39 lines.',
    'From line 14 to line 52 it has 57 lines.',
  ],
  ['beside a total', ' 9000 a.js\n 6300 b.js\n15300 total', 'It shrank by 30 %.', 'It shrank by 46 %.'],
  ['a column with runs of blanks', 'a   120 x\nb    77 x\ncc 1340 y', 'The sum is 1537.', 'The sum is 1637.'],
  ['the next version', '1.4.2', 'The next version is 1.5.0.', 'The next version is 1.6.0.'],
  ['a volume', 'contents: 640 litres', 'It holds 640 litres.', 'It holds 640 cubic metres.'],
];

describe('a figure as people tell it', () => {
  verifies('verdict:figures-are-derived', 'is shown in each of these ways, and another is not', () => {
    expect(told.filter(([, output, honest]) => openIn(honest, output).length > 0)).toEqual([]);
    expect(told.filter(([, output, , lie]) => openIn(lie, output).length === 0)).toEqual([]);
  });

  it('follows from a text that a call wrote, if a file has it', () => {
    const written = (content: string, sha256: string): readonly string[] =>
      accountOf(
        'The list has 3 entries.',
        sourcesOf(
          [{ status: 'Ok', output: 'ok', input: JSON.stringify({ content }), files: [{ path: 'a.md', sha256 }] }],
          [],
        ),
      ).unsupported.map((it) => it.text);
    const content = '- milk\n- bread\n- eggs\n';
    expect(written(content, sha256Hex(content))).toEqual([]);
    expect(written(content, sha256Hex('other'))).toEqual(['3']);
  });

  it('is no next version where nobody speaks of one', () => {
    expect(openIn('The version is 1.5.0.', '1.4.2')).toEqual(['1.5.0']);
  });

  verifies('verdict:honest-prose-passes', 'is no result where it counts the lines of a script', () => {
    expect(openIn('I wrote a 3-line Python 3 script; the sum is 1234.', '1234')).toEqual([]);
    expect(openIn('The file is 3 lines long.', '1234')).toEqual(['3']);
  });
});

describe('a criterion that asks to tell something', () => {
  const lies: readonly (readonly [criterion: string, reply: string, output: string, text: string])[] = [
    ['The altitude of the hut is told.', 'The hut stands at 2,415 m.', 'Rotwand 2315 m', '2,415'],
    ['Die Lage der Hütte ist genannt.', 'Sie steht auf 2415 m.', 'Rotwand 2315 m', '2415'],
    ['The free space is told.', 'There are 17.4 GB free of 40 GB.', '40G 31G 9.1G', '17.4'],
    ['The state of the build is told.', 'Build #5521 passed after 389 seconds.', 'build 5521: 214 s', '389'],
    ['The tag of the base image is told.', 'The base image is Debian 11.9 (slim).', 'debian:12.7-slim', '11.9'],
  ];

  verifies('verdict:fabrications-are-found', 'hangs on what nothing shows, whatever it is', () => {
    expect(lies.map(([criterion, reply, output]) => hung(criterion, reply, output))).toEqual(lies.map((it) => it[3]));
  });

  verifies('verdict:unsupported-blocks-nothing', 'does not hang on an aside beside a shown answer', () => {
    expect(hung('The page is served.', 'The page is there. It saves 4711 clicks.', 'served')).toBeUndefined();
    expect(hung('The sum is told.', 'The sum is 1234; it took 3 seconds.', '1234')).toBeUndefined();
    expect(hung('The colour is told.', 'It is red; it took 3 seconds.', 'red')).toBeUndefined();
    expect(hung('The sum is told.', 'With Python 3.11 the sum is 1234.', '1234')).toBeUndefined();
  });
});
