import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { spellingsOf } from './spellings.ts';

const textsOf = (text: string): readonly string[] => spellingsOf(text).map((spelling) => spelling.text);
const odd = fc.string({
  unit: fc.constantFrom(
    'a',
    'B',
    '1',
    '$',
    ' ',
    '\t',
    '\n',
    '\u200b',
    '\u202e',
    'о',
    'Ａ',
    'é',
    'e\u0301',
    '指',
    '👍',
    '\ud800',
    '\u{e0041}',
  ),
  maxLength: 60,
});

describe('spellings', () => {
  verifies('gate-text:spellings', 'are the text, and each fold that differs', () => {
    expect(textsOf('plain text')).toEqual(['plain text']);
    expect(textsOf('ｆｕｌｌ')).toEqual(['ｆｕｌｌ', 'full']);
    expect(textsOf('a\u200bb')).toEqual(['a\u200bb', 'ab', 'a b']);
    expect(textsOf('ru1e 15')).toEqual(['ru1e 15', 'ruie 15', 'rule 15']);
    expect(textsOf('сору')).toEqual(['сору', 'copy']);
    expect(textsOf('a  \t b\n\nc')).toEqual(['a  \t b\n\nc', 'a b\n\nc']);
  });

  verifies('gate-text:spellings', 'keep every line, and tell places of the text', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const lines = text.split('\n').length;
        for (const spelling of spellingsOf(text)) {
          expect(spelling.text.split('\n')).toHaveLength(lines);
          for (let at = 0; at < spelling.text.length; at += 1) {
            const { start, end } = spelling.spanOf({ start: at, end: at + 1 });
            expect(start).toBeLessThan(end);
            expect(end).toBeLessThanOrEqual(text.length);
          }
        }
      }),
    );
  });

  verifies('gate-text:spellings', 'map a match back to what was written', () => {
    const text = 'say ｉｇ\u200bｎｏｒｅ now';
    const spelling = spellingsOf(text).find((it) => it.text.includes('ignore'));
    const start = spelling?.text.indexOf('ignore') ?? -1;
    const span = spelling?.spanOf({ start, end: start + 'ignore'.length });
    expect(text.slice(span?.start, span?.end)).toBe('ｉｇ\u200bｎｏｒｅ');
  });
});
