/** Words that carry the matter of a sentence, and the sentence around a place in a text. */

/** Words of six languages that say nothing about the matter, among them those by which criteria speak of any answer. */
const empty: ReadonlySet<string> = new Set(
  (
    'the and are was were been has have had that this these those with from into onto over under than then there their they ' +
    'your for not but all any each every some only also just very much more most less least about around which what when where ' +
    'will would should could must can may made make makes said says tell tells told show shows shown given gives contain ' +
    'contains contained state stated states report reported reports answer answers reply replies result results output outputs ' +
    'written write writes correct right true complete done work task file files value values name named names find found ' +
    'der die das und ist sind war waren wird werden hat haben mit von vom für nicht eine einer einen einem eines auch nur sehr ' +
    'mehr dass dies diese dieser dieses oder aber nach über unter beim zum zur des den dem steht stehen genannt antwort ' +
    'ergebnis datei geschrieben enthält gezeigt angegeben richtig fertig erledigt aufgabe wert werte ' +
    'les des une est sont était avec dans pour par sur pas que qui cette ces son ses leur aux plus moins tout tous toute toutes ' +
    'réponse résultat fichier écrit contient montré donné indiqué indique juste fait faite valeur ' +
    'los las una unos unas del con por para que este esta estos estas son fue fueron más menos todo todos toda todas como ' +
    'respuesta resultado archivo escrito contiene muestra indica dado correcto hecho valor ' +
    'het een van voor met niet zijn was waren wordt worden heeft hebben door naar ook maar deze dit die dat alle meer minder ' +
    'antwoord resultaat bestand geschreven bevat getoond genoemd juist gedaan waarde ' +
    'gli dei delle della dello del nel nella con per non che sono era erano questo questa questi queste più meno tutto tutti ' +
    'risposta risultato scritto contiene mostra indicato corretto fatto valore'
  ).split(' '),
);

/** Fewest letters: shorter words are mostly grammar. */
const LETTERS_MIN = 3;

/** In lower case, each once. */
export function contentWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return new Set(words.filter((it) => it.length >= LETTERS_MIN && !empty.has(it)));
}

/** Letters in which inflected forms of one word agree. */
const STEM_LETTERS = 5;

export function isSameWord(one: string, other: string): boolean {
  if (one === other || `${one}s` === other || one === `${other}s`) return true;
  const stem = Math.min(STEM_LETTERS, one.length, other.length);
  return stem >= 4 && one.slice(0, stem) === other.slice(0, stem);
}

const ENDS = /[.!?。！？](?=\s|$|\p{Lu})|[。！？]|\n/gu;

/** A word with a point inside a sentence. */
const SHORTENED = /(?:\b(?:approx|ca|etc|resp|bzw|env|nr|no|fig|abb|vs|e\.g|i\.e|z\.b|mio|mrd|tsd)|\b\d{1,2})$/iu;

export interface Sentence {
  readonly start: number;
  readonly text: string;
}

/** The sentences of a text, or its lines, in their order. */
export function sentencesOf(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const match of text.matchAll(ENDS)) {
    const end = match.index + 1;
    const isInside = match[0] === '.' && SHORTENED.test(text.slice(Math.max(0, match.index - 8), match.index));
    if (isInside && /^\s\p{Ll}/u.test(text.slice(end, end + 2))) continue;
    sentences.push({ start, text: text.slice(start, end) });
    start = end;
  }
  return [...sentences, { start, text: text.slice(start) }];
}
