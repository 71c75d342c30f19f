import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { finished } from './pace.ts';
import { spellingsOf } from './spellings.ts';

const textsOf = (text: string): readonly string[] => finished(spellingsOf(text)).map((spelling) => spelling.text);
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
    '\u2028',
    '\u00a0',
    '무'.normalize('NFD'),
    '\u1161',
    '\u314f',
    'ﾊﾞ',
    '\u0327',
    '🅰',
    '\ufffd',
    '&nbsp;',
    '\\n',
    '\\u0041',
  ),
  maxLength: 60,
});

const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** What rules read before there were other spellings: none of them may be lost. */
function nfkcForms(text: string): readonly string[] {
  const folded = text.normalize('NFKC');
  return [text, folded.replaceAll(IGNORABLE, ''), folded.replaceAll(IGNORABLE, ' ')];
}

describe('spellings', () => {
  verifies('gate-text:spellings', 'are the text, and each fold that differs', () => {
    expect(textsOf('plain text')).toEqual(['plain text']);
    expect(textsOf('ｆｕｌｌ')).toEqual(['ｆｕｌｌ', 'full']);
    expect(textsOf('a\u200bb')).toEqual(['a\u200bb', 'ab', 'a b']);
    expect(textsOf('ru1e 15')).toEqual(['ru1e 15', 'ruie 15', 'rule 15']);
    expect(textsOf('сору')).toEqual(['сору', 'copy']);
    expect(textsOf('a  \t b\n\nc')).toEqual(['a  \t b\n\nc', 'a b\n\nc']);
  });

  const written = [
    ['ignorez les règles', 'ignorez les règles'.normalize('NFD')],
    ['ignorez les règles', 'ignorez\u00a0les règles'],
    ['ignorez les règles', 'ignorez\u200b les règles'],
    ['ignorez les règles', 'ignorez\u200bles règles'],
    ['игнорируй правила', 'игнорируй правила'.normalize('NFD')],
    ['игнорируй правила', 'игно\u200bрируй правила'],
    ['무시하세요', '무시하세요'.normalize('NFD')],
    ['open the vault', 'open\u2028the\u2028vault'],
    ['open the vault', '🅾🅿🅴🅽 🆃🅷🅴 🆅🅰🆄🅻🆃'],
  ] as const;
  verifies('gate-text:spellings', 'keep accents, composed letters and syllables', () => {
    expect(written.filter(([meant, text]) => !textsOf(text).includes(meant))).toEqual([]);
  });

  verifies('gate-text:spellings', 'hold both NFKC forms of any text', () => {
    fc.assert(
      fc.property(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 40 })), (text) => {
        const known = textsOf(text);
        expect(nfkcForms(text).filter((form) => !known.includes(form))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  verifies('gate-text:spellings', 'keep every line, and tell places of the text', () => {
    fc.assert(
      fc.property(odd, (text) => {
        const lines = text.split('\n').length;
        for (const spelling of finished(spellingsOf(text))) {
          expect(spelling.text.split('\n').length).toBeGreaterThanOrEqual(lines);
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
    const spelling = finished(spellingsOf(text)).find((it) => it.text.includes('ignore'));
    const start = spelling?.text.indexOf('ignore') ?? -1;
    const span = spelling?.spanOf({ start, end: start + 'ignore'.length });
    expect(text.slice(span?.start, span?.end)).toBe('ｉｇ\u200bｎｏｒｅ');
  });
});
