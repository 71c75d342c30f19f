/** Numbers from 2 to 99 that are spelled out, in English, German, French, Spanish, Dutch and Italian: `twelve`, `zweiundvierzig`. */

interface Spelling {
  /** From 1 up to 19, or as far as the language has words of its own. */
  readonly units: readonly string[];
  /** From 20 to 90. */
  readonly tens: readonly string[];
  readonly joined: (ten: string, unit: string) => readonly string[];
}

const spellings: readonly Spelling[] = [
  {
    units: list(
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    ),
    tens: list('twenty thirty forty fifty sixty seventy eighty ninety'),
    joined: (ten, unit) => [`${ten}-${unit}`, `${ten} ${unit}`],
  },
  {
    units: list(
      'ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    ),
    tens: list('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'),
    joined: (ten, unit) => [`${unit}und${ten}`],
  },
  {
    units: list(
      'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf',
    ),
    tens: list('vingt trente quarante cinquante soixante soixante-dix quatre-vingts quatre-vingt-dix'),
    joined: (ten, unit) => [`${ten.replace(/s$/, '')}-${unit}`, `${ten} et ${unit}`],
  },
  {
    units: list(
      'uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve',
    ),
    tens: list('veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
    joined: (ten, unit) => [ten === 'veinte' ? `veinti${unit}` : `${ten} y ${unit}`],
  },
  {
    units: list(
      'een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien',
    ),
    tens: list('twintig dertig veertig vijftig zestig zeventig tachtig negentig'),
    joined: (ten, unit) => [`${unit}${unit.endsWith('e') ? 'ën' : 'en'}${ten}`],
  },
  {
    units: list(
      'uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove',
    ),
    tens: list('venti trenta quaranta cinquanta sessanta settanta ottanta novanta'),
    joined: (ten, unit) => [/^[ou]/.test(unit) ? ten.slice(0, -1) + unit : ten + unit.replace(/^tre$/, 'tré')],
  },
];

/** Words that mean something else in another language: due, once, dos. */
const AMBIGUOUS = new Set(list('due sei once dos sept neuf seize quince otto'));

const values: ReadonlyMap<string, number> = new Map(
  spellings.flatMap(({ units, tens, joined }) => [
    ...units.map((word, at) => [word, at + 1] as const),
    ...tens.flatMap((ten, at) => [
      [ten, (at + 2) * 10] as const,
      ...units
        .slice(0, 9)
        .flatMap((unit, one) => joined(ten, unit).map((word) => [word, (at + 2) * 10 + one + 1] as const)),
    ]),
  ]),
);

/** Words that a longer spelling begins with. */
const beginnings: ReadonlySet<string> = new Set([...values.keys()].map((it) => it.split(/[ -]/)[0] ?? it));

export interface NumberWord {
  readonly text: string;
  /** UTF-16 code units from the start. */
  readonly start: number;
  readonly value: number;
}

const PHRASE = /(?<![\p{L}\p{N}-])(\p{L}{3,}(?:-\p{L}+){0,3})(?=(\s(?:et\s|y\s)?\p{L}+)?)/gu;

/** In their order. */
export function numberWordsIn(text: string): readonly NumberWord[] {
  const found: NumberWord[] = [];
  let end = 0;
  for (const { 0: word, 2: next = '', index: start } of text.matchAll(PHRASE)) {
    const lower = word.toLowerCase();
    if (start < end || AMBIGUOUS.has(lower) || !beginnings.has(lower.split('-')[0] ?? '')) continue;
    const spelt = values.has(lower + next.toLowerCase()) ? word + next : word;
    const value = values.get(spelt.toLowerCase()) ?? 0;
    end = start + spelt.length;
    if (value > 1) found.push({ text: spelt, start, value });
  }
  return found;
}

function list(words: string): readonly string[] {
  return words.split(' ');
}
