/**
 * Which file a criterion says to hold a thing: a figure, a name, a day. Where it says so in plain words, of any file; where the thing
 * and the file only stand in one clause, of a file that the run wrote.
 *
 * Source: artoo A.6 (evidence grounding).
 */
import { isMadeAfter, isMadeIn, isThing, type Found, type Thing } from './named-things.ts';
import type { Subject } from './file-relations.ts';

/** A thing that a file shall hold. */
export interface Held {
  readonly named: Thing;
  /** All of these hold it. */
  readonly files: readonly Subject[];
  /** Where in the file. */
  readonly at: 'Anywhere' | 'Start' | 'End';
  /** It shall not be in the file any more. */
  readonly isDenied: boolean;
  /** False: it is said of the file only if the run wrote it. */
  readonly isPlain: boolean;
}

const HOLDS =
  /(?<!\p{L})(?:holds?|contain(?:s|ing)?|says?|names?|states?|lists?|shows?|includ(?:es?|ing)|reads?|gives?|tells?|reports?|mentions?|records?|notes?|has|have|carr(?:y|ies)|quotes?|with|ends? (?:with|in)|begins? with|starts? with|set to|enthält|enthalten|steht|stehen|nennt|nennen|zeigt|zeigen|gibt|hat|haben|führt|listet|lautet|mit|endet (?:mit|auf)|beginnt mit|contient|contiennent|indique|montre|donne|mentionne|cite|affiche|comporte|avec|contiene[n]?|dice|indica|muestra|menciona|incluye|tiene|con|bevat(?:ten)?|vermeldt|noemt|toont|geeft|heeft|met|riporta|mostra|ha|include|contengono)(?!\p{L})|[:=]\s/iu;
/** Programs are said to show what they print. */
const HOLDS_IN_PROGRAM =
  /(?<!\p{L})(?:holds?|contains?|includes?|defines?|has|enthält|definiert|contient|contiene|define|bevat|definieert|definisce)(?!\p{L})/iu;
export const PROGRAM = /\.(?:awk|c|cpp|go|ipynb|java|js|mjs|php|pl|py|r|rb|rs|sh|bash|sql|ts)$/iu;
/** Somebody or something else says it. */
const OTHER_SPEAKER =
  /(?<!\p{L})(?:answer|reply|response|message|stdout|console|output of|prints?|printed|agent|result of|exit|command|tests?|antwort|ausgabe|meldung|réponse|sortie|respuesta|salida|antwoord|uitvoer|risposta)(?!\p{L})/iu;
const SENTENCE_ENDS = /[.;!?](?:\s|$)|\n/;
/** `F is written. It holds 42.` */
const OF_IT =
  /^[^.;!?\n]*[.;]\s+(?:it|its|the file|sie|die datei|er|es|il|elle|le fichier|el archivo|het|het bestand|lo|esso)\s/iu;
const STARTS =
  /(?:begin|start|beginnt|fängt|commenc|débute|empieza|comienza|begint|inizia|comincia)\p{L}*\s+(?:with|mit|an|par|con|met)|(?:first|erste\p{L}*|première|primera|eerste|prima)\s+(?:line|zeile|ligne|línea|regel|riga)/iu;
const ENDS =
  /(?:end|endet|schließt|termine|finit|termina|acaba|eindigt|finisce)\p{L}*\s+(?:with|in|mit|auf|par|con|met|op)(?!\p{L})|(?:last|letzte\p{L}*|dernière|última|laatste|ultima)\s+(?:line|zeile|ligne|línea|regel|riga)/iu;
const AND = /^["'`»”)]*\s*(?:,|&|(?:,\s*)?(?:and|und|et|y|e|en))\s*["'`«“(]*$/iu;

const NO_LONGER =
  /(?<!\p{L})(?:no longer|not|nicht mehr|ya no|niet meer|non più)\s+["'`„“«]$|(?<!\p{L})(?:no longer|not|nicht mehr|nicht|ne|n['’]|ya no|no|niet meer|niet|non)\s*(?:\p{L}+\s+){0,1}?(?:contain|hold|includ|mention|list|show|has|have|say|enthält|contient|contiene|bevat)\p{L}*\s+(?:plus\s+|più\s+|pas\s+)?(?:the\s+)?(?:\p{L}+\s+){0,2}["'`„“«]*$/iu;
/** What was there before: `from X to Y`, `X is replaced by Y`. */
const FORMER_BEFORE =
  /(?<!\p{L})(?:from|instead of|rather than|replac(?:es?|ing)|von|statt|anstelle von|au lieu de|desde|en lugar de|in plaats van|invece di)\s+(?:["'`„“«][^"'`”»]*)?$/iu;
const FORMER_BEHIND =
  /^["'`»”)]*\s+(?:(?:is|was|are|were|has been|wird|wurde|ist|est|a été|fue|ha sido|is|werd|è|è stato)\s+)?(?:replaced|changed|removed|corrected|turned|ersetzt|geändert|entfernt|korrigiert|remplacée?s?|changée?s?|supprimée?s?|reemplazad[oa]|cambiad[oa]|eliminad[oa]|vervangen|gewijzigd|verwijderd|sostituit[oa]|cambiat[oa]|rimoss[oa])(?!\p{L})/iu;

function isFormer(text: string, start: number, end: number): boolean {
  return FORMER_BEFORE.test(text.slice(0, start)) || FORMER_BEHIND.test(text.slice(end));
}

/** Those of the things that a file shall hold, in the order of the text. */
export function heldIn(text: string, things: readonly Found[], subjects: readonly Subject[]): readonly Held[] {
  return things.flatMap((thing): readonly Held[] => {
    const { named, start, end } = thing;
    if (!isThing(named) || subjects.some((it) => start >= it.start && start < it.end)) return [];
    const plain = holderBefore(text, subjects, start) ?? holderBehind(text, subjects, start, end);
    const isDenied = NO_LONGER.test(text.slice(0, start));
    const holder = plain ?? (isDenied ? undefined : holderBeside(text, subjects, thing));
    if (holder === undefined || (!isDenied && isFormer(text, start, end))) return [];
    const said = `${text.slice(0, holder.start)} ${text.slice(holder.end, start)}`;
    const at = ENDS.test(said) ? 'End' : STARTS.test(said) ? 'Start' : 'Anywhere';
    return [{ named, files: sharedWith(text, subjects, holder), at, isDenied, isPlain: plain !== undefined }];
  });
}

/** The nearest file before it of which it is said. */
function holderBefore(text: string, subjects: readonly Subject[], start: number): Subject | undefined {
  const before = subjects.filter((it) => it.end <= start);
  return before.findLast((subject, at) => {
    const said = text.slice(subject.end, before[at + 1]?.start ?? start);
    const names = withoutNames(text.slice(subject.end, start), before.slice(at + 1));
    const own = OF_IT.test(names) ? names.replace(/^[^.;!?\n]*[.;]\s+/, ' ') : names;
    if (SENTENCE_ENDS.test(own) || OTHER_SPEAKER.test(own)) return false;
    // Of a file without a name at that place only its own clause speaks.
    if (subject.end === 0 && OTHER_CLAUSE.test(own)) return false;
    return (PROGRAM.test(subject.path) ? HOLDS_IN_PROGRAM : HOLDS).test(OF_IT.test(names) ? own : said);
  });
}

function withoutNames(text: string, subjects: readonly Subject[]): string {
  return subjects.reduce((left, it) => left.replaceAll(it.text, '_'), text);
}

/** `42 is written to F`, `write the total 42 to F`. */
function holderBehind(text: string, subjects: readonly Subject[], start: number, end: number): Subject | undefined {
  const subject = subjects.find((it) => it.start >= end);
  if (subject === undefined) return undefined;
  const between = text.slice(end, subject.start);
  if (SENTENCE_ENDS.test(between) || OTHER_SPEAKER.test(between)) return undefined;
  const isOrdered =
    !isMadeAfter(text.slice(0, start)) && isMadeIn(subject.text, text.slice(0, subject.start), text.slice(subject.end));
  const isPlain =
    /^["'`»”)%]*\s*(?:[\p{L}€$£%°/]+\s+){0,3}(?:to|into|as|nach|als|dans|naar)\s+(?:\p{L}+\s+){0,2}["'`«“]*$/iu;
  return isOrdered && isPlain.test(between) ? subject : undefined;
}

/** Out of which something is made, and which need not hold it. */
const SOURCE_BEFORE =
  /(?<!\p{L})(?:from|using|out of|based on|against|aus|anhand|mit hilfe von|depuis|à partir de|desde|a partir de|uit|op basis van|in base a|a partire da|dal|dai)\s+(?:\p{L}+\s+){0,2}["'`«“]*$/iu;
/** Another clause with a matter of its own. */
const OTHER_CLAUSE =
  /[,;:!?]|\.\s|(?<!\p{L})(?:and|und|et|y|e)\s+(?=[\p{L}\p{N}])(?!(?:is|are|was|were|has|have|it|its|contains?|holds?|says?|ist|wird|wurde|sein|seine|est|sont|son|está|fue|su|staat|è|il suo)(?!\p{L}))/iu;
const CHARACTERS_BESIDE = 80;

/** The nearest file in the same clause. How long it took, and how large it is, stands in no file. */
function holderBeside(text: string, subjects: readonly Subject[], { named, start, end }: Found): Subject | undefined {
  const dimension = named.kind === 'Figure' ? named.claim.unit?.dimension : undefined;
  if (dimension === 'time' || dimension === 'data') return undefined;
  const sentence = Math.max(0, text.slice(0, start).search(/(?:(?!\.\S)[^;!?\n])*$/));
  const spoken = text.slice(sentence, Math.max(end, subjects.at(-1)?.end ?? end));
  if (OTHER_SPEAKER.test(withoutNames(spoken, subjects))) return undefined;
  const beside = subjects.filter((subject) => {
    const isBehind = subject.start >= end;
    const between = isBehind ? text.slice(end, subject.start) : text.slice(subject.end, start);
    const isSource = SOURCE_BEFORE.test(text.slice(0, subject.start)) || PROGRAM.test(subject.path);
    return (
      !isSource &&
      between.length <= CHARACTERS_BESIDE &&
      !OTHER_CLAUSE.test(`${withoutNames(between, subjects)}${isBehind ? '' : '0'}`)
    );
  });
  const farOf = (it: Subject): number => (it.start >= end ? it.start - end : start - it.end);
  return beside.toSorted((a, b) => farOf(a) - farOf(b))[0];
}

function sharedWith(text: string, subjects: readonly Subject[], holder: Subject): readonly Subject[] {
  const at = subjects.indexOf(holder);
  const before = subjects[at - 1];
  if (before === undefined || !AND.test(text.slice(before.end, holder.start))) return [holder];
  return [...sharedWith(text, subjects, before), holder];
}

/** What a criterion calls a file that it does not name, and the forms that such a file has. */
const DOCUMENTS: readonly (readonly [word: RegExp, form: RegExp])[] = [
  [
    /^(?:the |die |das |le |el |het |il )?(?:new )?(?:file|document|datei|dokument|fichier|archivo|fichero|documento|bestand)(?!\p{L})/iu,
    /\.\w+$/,
  ],
  [
    /^(?:the |der |die |le |la |el |het |de |il |l['’])?(?:report|summary|letter|note|minutes|bericht|zusammenfassung|rapport|résumé|informe|resumen|verslag|samenvatting|relazione|riassunto)(?!\p{L})/iu,
    /\.(?:md|txt|html?|rst|tex)$/i,
  ],
  [
    /^(?:the |die |la |de )?(?:table|list|tabelle|liste|tabla|lista|tabel|lijst|tabella|elenco)(?!\p{L})/iu,
    /\.(?:csv|tsv|md|txt|json)$/i,
  ],
];

/** The one file that the wishes ask to make, where the criterion only says "the report"; undefined where it may be another. */
export function impliedFile(criterion: string, made: readonly Subject[]): Subject | undefined {
  const form = DOCUMENTS.find(([word]) => word.test(criterion))?.[1];
  const [only, another] = made;
  if (form === undefined || only === undefined || another !== undefined || !form.test(only.path)) return undefined;
  // As if the criterion named it at its beginning.
  return { ...only, start: 0, end: 0 };
}
