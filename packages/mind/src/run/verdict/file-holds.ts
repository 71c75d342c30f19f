/**
 * What a criterion says that a file holds, and whether its newest content holds it. What a call showed before the newest write, what
 * stands in another file, and what stands in the text of a script are no content of the file.
 *
 * Source: artoo A.6 (evidence grounding).
 */
import { isMadeAfter, isMadeIn, type Found, type Named, type NamedFile } from './named-things.ts';
import type { Subject } from './file-relations.ts';

type Thing = Exclude<Named, NamedFile>;

export function isThing(named: Named): named is Thing {
  return named.kind !== 'File' && named.kind !== 'Directory';
}

/** A thing that a file shall hold. */
export interface Held {
  readonly named: Thing;
  /** All of these hold it. */
  readonly files: readonly Subject[];
  /** Where in the file. */
  readonly at: 'Anywhere' | 'Start' | 'End';
}

const HOLDS =
  /(?<!\p{L})(?:holds?|contain(?:s|ing)?|says?|names?|states?|lists?|shows?|includ(?:es?|ing)|reads?|gives?|tells?|reports?|mentions?|records?|notes?|has|have|carr(?:y|ies)|quotes?|with|ends? (?:with|in)|begins? with|starts? with|set to|enthält|enthalten|steht|stehen|nennt|nennen|zeigt|zeigen|gibt|hat|haben|führt|listet|lautet|mit|endet (?:mit|auf)|beginnt mit|contient|contiennent|indique|montre|donne|mentionne|cite|affiche|comporte|avec|contiene[n]?|dice|indica|muestra|menciona|incluye|tiene|con|bevat(?:ten)?|vermeldt|noemt|toont|geeft|heeft|met|riporta|mostra|ha|include|contengono)(?!\p{L})|[:=]\s/iu;
/** Programs are said to show what they print. */
const HOLDS_IN_PROGRAM =
  /(?<!\p{L})(?:holds?|contains?|includes?|defines?|has|enthält|definiert|contient|contiene|define|bevat|definieert|definisce)(?!\p{L})/iu;
const PROGRAM = /\.(?:awk|c|cpp|go|ipynb|java|js|mjs|php|pl|py|r|rb|rs|sh|bash|sql|ts)$/iu;
/** Somebody or something else says it. */
const OTHER_SPEAKER =
  /(?<!\p{L})(?:answer|reply|response|message|stdout|console|output of|prints?|printed|agent|result of|exit|command|tests?|antwort|ausgabe|meldung|réponse|sortie|respuesta|salida|antwoord|uitvoer|risposta)(?!\p{L})/iu;
const SENTENCE_ENDS = /[.;!?](?:\s|$)|\n/;
/** `F is written. It holds 42.` */
const OF_IT =
  /^[^.;!?\n]*[.;]\s+(?:it|the file|sie|die datei|er|es|il|elle|le fichier|el archivo|het|het bestand|lo|esso)\s/iu;
const STANDS_IN =
  /^["'`»”)%]*\s*[^.;!?\n]{0,50}?(?<!\p{L})(?:is|are|was|were|stands?|appears?|occurs?|found|written|saved|stored|recorded|listed|noted|put|set|named|given|stated|steht|stehen|gespeichert|geschrieben|eingetragen|genannt|figure|écrite?s?|enregistrée?s?|indiquée?s?|está|aparece|figura|escrit[oa]s?|guardad[oa]s?|staat|staan|geschreven|opgeslagen|vermeld|trova|scritt[oaie]|salvat[oaie]|compare)(?!\p{L})[^.;!?\n]{0,24}?(?<!\p{L})(?:in|into|to|inside|as|nach|dans|en|nel|naar)\s+(?:(?:the|file|der|die|datei|le|fichier|el|archivo|het|bestand|il)\s+){0,3}["'`«“]*$/iu;
const IN_FRONT =
  /(?:^|[.;]\s*|(?<!\p{L})(?:that|dass|que|dat|che)\s+)(?:in|dans|en|nel)\s+(?:(?:the|file|der|die|datei|le|fichier|el|archivo|het|bestand|il)\s+){0,3}["'`«“]*$/iu;
const IN_IT =
  /(?<!\p{L})(?:total|sum|value|figure|entry|number|mean|average|summe|wert|gesamt\p{L}*|eintrag|somme|valeur|total|suma|valor|som|waarde|somma|valore)\s+(?:in|inside|dans|en|nel)\s+(?:(?:the|file|der|datei|le|fichier|el|archivo|het|bestand|il)\s+){0,3}["'`«“]*$/iu;
const IS = /(?<!\p{L})(?:is|are|was|equals|stands?|ist|steht|lautet|est|es|staat|è)(?!\p{L})|[:=]/iu;
const STARTS =
  /(?:begin|start|beginnt|fängt|commenc|débute|empieza|comienza|begint|inizia|comincia)\p{L}*\s+(?:with|mit|an|par|con|met)/iu;
const ENDS =
  /(?:end|endet|schließt|termine|finit|termina|acaba|eindigt|finisce)\p{L}*\s+(?:with|in|mit|auf|par|con|met|op)(?!\p{L})/iu;
const AND = /^["'`»”)]*\s*(?:,|&|(?:,\s*)?(?:and|und|et|y|e|en))\s*["'`«“(]*$/iu;

/** Those of the things that a file shall hold, in the order of the text. */
export function heldIn(text: string, things: readonly Found[], subjects: readonly Subject[]): readonly Held[] {
  return things.flatMap(({ named, start, end }): readonly Held[] => {
    if (!isThing(named)) return [];
    const holder = holderBefore(text, subjects, start) ?? holderBehind(text, subjects, start, end);
    if (holder === undefined || subjects.some((it) => start >= it.start && start < it.end)) return [];
    const said = text.slice(holder.end, start);
    const at = ENDS.test(said) ? 'End' : STARTS.test(said) ? 'Start' : 'Anywhere';
    return [{ named, files: sharedWith(text, subjects, holder), at }];
  });
}

/** The nearest file before it of which it is said. */
function holderBefore(text: string, subjects: readonly Subject[], start: number): Subject | undefined {
  const before = subjects.filter((it) => it.end <= start);
  return before.findLast((subject, at) => {
    const said = text.slice(subject.end, before[at + 1]?.start ?? start);
    const tail = text.slice(subject.end, start);
    const names = before.slice(at + 1).reduce((left, it) => left.replaceAll(it.text, '_'), tail);
    const own = OF_IT.test(names) ? names.replace(/^[^.;!?\n]*[.;]\s+/, ' ') : names;
    if (SENTENCE_ENDS.test(own) || OTHER_SPEAKER.test(own)) return false;
    if (IN_FRONT.test(text.slice(0, subject.start)) || IN_IT.test(text.slice(0, subject.start))) return IS.test(own);
    return (PROGRAM.test(subject.path) ? HOLDS_IN_PROGRAM : HOLDS).test(OF_IT.test(names) ? own : said);
  });
}

/** `42 is written to F`, `write the total 42 to F`. */
function holderBehind(text: string, subjects: readonly Subject[], start: number, end: number): Subject | undefined {
  const subject = subjects.find((it) => it.start >= end);
  if (subject === undefined) return undefined;
  const between = text.slice(end, subject.start);
  if (SENTENCE_ENDS.test(between) || OTHER_SPEAKER.test(between)) return undefined;
  if (STANDS_IN.test(between)) return subject;
  const isOrdered =
    !isMadeAfter(text.slice(0, start)) && isMadeIn(subject.text, text.slice(0, subject.start), text.slice(subject.end));
  const isPlain =
    /^["'`»”)%]*\s*(?:[\p{L}€$£%°/]+\s+){0,3}(?:in|into|to|as|nach|als|dans|en|nel|naar)\s+(?:\p{L}+\s+){0,2}["'`«“]*$/iu.test(
      between,
    );
  return isOrdered && isPlain ? subject : undefined;
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
    /^(?:the |die |le |el |het |il )?(?:new )?(?:file|document|datei|dokument|fichier|archivo|fichero|documento|bestand)(?!\p{L})/iu,
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
