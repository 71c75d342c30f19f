/**
 * Characters that look like others, beyond those that Unicode form NFKC folds.
 *
 * Source: Unicode Technical Standard 39, confusables, as far as letters of the Latin alphabet are imitated; springdrift 2;
 * reliability-security 4 (digit one as I and as L).
 */

/** A Latin letter, then its look-alikes from other alphabets and Latin variants. Lower case, because folding comes first. */
const LETTERS: readonly string[] = [
  'aаαạɑᴀ∂ⲁ',
  'bЬьʙᏏɓ',
  'cсϲᴄⅽⲥ',
  'dԁɗᴅđ',
  'eеєεҽᴇ℮ɛ',
  'fғꜰƒ',
  'gɡɢցğ',
  'hһհʜћ',
  'iіιɪıᎥ',
  'jјʝᴊ',
  'kκкᴋ',
  'lӏʟłⅼ',
  'mмᴍⅿ',
  'nոпηɴŋ',
  'oоοօᴏøσⲟ',
  'pрρᴘþ',
  'qԛգ',
  'rгʀɾ',
  'sѕꜱʂ',
  'tтτᴛŧ',
  'uυսᴜц',
  'vνѵᴠ',
  'wԝωᴡшա',
  'xхχ×',
  'yуγʏү',
  'zᴢʐż',
];

/** First characters of the alphabets that NFKC does not fold: regional indicators, and negative squared or circled letters. */
const ALPHABETS: readonly number[] = [0x1f1e6, 0x1f150, 0x1f170];

const ALPHABET_LETTERS = 26;

export const LETTER_LOOK_ALIKES: ReadonlyMap<string, string> = new Map([
  ...LETTERS.flatMap((row) => {
    const [letter = '', ...others] = row;
    return others.map((other) => [other, letter] as const);
  }),
  ...ALPHABETS.flatMap((first) =>
    Array.from(
      { length: ALPHABET_LETTERS },
      (_, index) => [String.fromCodePoint(first + index), String.fromCodePoint(0x61 + index)] as const,
    ),
  ),
]);

/** Digits and signs inside a word. The digit one and the bar have two readings. */
const SIGNS: Readonly<Record<string, string>> = {
  '0': 'o',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '€': 'e',
  '£': 'l',
  '+': 't',
};

/** The two readings of a one, a bar and an exclamation mark. */
export const SIGN_READINGS: readonly ReadonlyMap<string, string>[] = ['i', 'l'].map(
  (one) => new Map([...Object.entries(SIGNS), ['1', one], ['|', one], ['!', one]]),
);

/** Signs that join a word if letters stand on both sides. */
export const WORD_SIGNS: ReadonlySet<string> = new Set('@$€£+|!*#%^~');
