/**
 * Decides whether a criterion hangs on a claim that nothing shows: only then does the claim fail anything.
 *
 * A criterion asks for figures, dates, files, addresses or names by its words; one that says no more than "the work is done" asks
 * for what the task asks for; where that says nothing, either, it asks for whatever the reply says and shows no figure beside.
 * It hangs on a claim of the kind that it asks for, unless the reply shows another figure and the
 * claim's own sentence speaks of something else; and on a claim that the validator's own reason repeats.
 *
 * Source: artoo A.15 (Law 0). Differs: the source fails a result for any number in it that no output holds.
 */
import type { BusCriterion } from '@retainer/contract/wire/bus/payloads';
import { contentWords, isSameWord } from './content-words.ts';
import { operationsIn } from './operations.ts';
import type { ClaimAccount, UnsupportedClaim } from './fabrication.ts';

/** What an account says of a reply, for its criteria. */
export type OpenClaims = Pick<ClaimAccount, 'unsupported' | 'remarks' | 'shownIn'> & {
  /** The task, for criteria that say nothing of their own. */
  readonly asked: string;
};

/** Words by which people ask for each kind of claim, in English, German, French, Spanish, Dutch and Italian. */
const asks: Readonly<Record<UnsupportedClaim['kind'], RegExp>> = {
  Number:
    /(?<!\p{L})(?:sum(?!mar)|total|amount|number|count|how (?:many|much|long|old|large|big|high|far)|average|mean(?!s|ing)|median|maxim|minim|highest|lowest|largest|smallest|percent|share|ratio|rate|differen|différen|diferenc|verschil|unterschied|écart|gap|change|variation|variación|verandering|variazione|änderung|figure|value|price|cost|revenue|sales|turnover|balance|size|length|duration|population|age|temperat|températ|distance|weight|score|rank|width|height|depth|area|volume|capacity|consumption|energy|coordinates|latitude|longitude|inode|uid|gid|octal|grades?|marks?|points|votes|margin|lead(?!\p{L}|\s?to)|saving|improvement|per (?:second|minute|hour|day)|breite|höhe|tiefe|fläche|verbrauch|largeur|hauteur|profondeur|surface|anchura|altura|superficie|breedte|hoogte|oppervlakte|larghezza|altezza|speed|entfern|distanz|distanc|afstand|gewicht|poids|peso(?!\p{L})|temperatur|geschwindig|snelheid|vitesse|veloci|factor|quantity|growth|increase|decrease|profit|loss|tax|budget|rows?|lines?|entries|records|statistic|numeric|calculat|comput|add(?:s|ed)? up|multipl|wie ?viele?|summe|gesamt|anzahl|zahl|durchschnitt|mittelwert|prozent|anteil|preis|kosten|umsatz|größe|länge|dauer|betrag|menge|wert|zeilen|einwohner|berechne|combien|somme|nombre|montant|moyenne|pourcent|taux|prix|coût|chiffre|taille|longueur|durée|valeur|lignes|calcul|cuánt|suma|número|cantidad|importe|promedio|porcentaje|precio|coste|costo|ventas|tamaño|longitud|duración|valor|filas|calcula|hoe ?veel|som(?!\p{L})|totaal|aantal|getal|gemiddeld|procent|por ciento|per cento|aandeel|prijs|kosten|omzet|grootte|lengte|duur|bedrag|waarde|regels|bereken|quant|somma|totale|numero|importo|media(?!\p{L})|percentuale|prezzo|costo|vendite|dimensione|lunghezza|durata|valore|righe|calcol|soma|quantidade|média|preço|percentagem|porcentagem|belopp|antal|medel|gennemsnit|beløb|kwot|liczb|średni|toplam|tutar|sayı|ortalama|yüzde|fiyat)|(?:summe|anzahl|zahl|betrag|preis|kosten)(?!\p{L})|%/iu,
  Date: /(?<!\p{L})(?:when|dates?|day|month|year|deadline|since|until|timestamp|creation|modif|age(?!\p{L})|wann|datum|tag(?!\p{L})|monat|jahr|frist|quand|jour|mois|année|échéance|cuándo|fecha|día|mes(?!\p{L})|año|plazo|wanneer|dag(?!\p{L})|maand|jaar|quando|data(?!\p{L})|giorno|mese|anno|scadenza)/iu,
  Time: /(?<!\p{L})(?:when|(?:up|down|run|life)?times?|o.clock|hour|wann|uhrzeit|stunde|quand|heure|cuándo|hora|wanneer|tijd|uur|quando|orario|ora(?!\p{L})|how long|lasts?|duration|length|dauer|länge|durée|longueur|duración|duur|lengte|durata|lunghezza)/iu,
  Path: /(?<!\p{L})(?:where|files?|paths?|folder|director|saved|stored|wo(?!\p{L})|datei|pfad|ordner|verzeichnis|gespeichert|où|fichier|chemin|dossier|répertoire|dónde|archivo|fichero|ruta|carpeta|directorio|waar|bestand|pad(?!\p{L})|map(?!\p{L})|opgeslagen|dove|percorso|cartella|salvat)/iu,
  Url: /(?<!\p{L})(?:address|urls?|links?|pages?|sources?|site|web|adresse|seite|quelle|lien|fuente|enlace|dirección|página|bron|pagina|indirizzo|fonte|collegamento)/iu,
  Identifier:
    /(?<!\p{L})(?:ids?(?!\p{L})|address|host|phone|telefon|identif|names?|keys?|codes?|hash|commit|sha|md5|checksum|digest|prüfsumme|empreinte|version|licen[cs]|lizenz|licencia|licença|invoice|order|reference|serial|kennung|schlüssel|bezeichn|rechnung|auftrag|nummer|identifiant|clé|référence|facture|commande|clave|referencia|factura|pedido|sleutel|naam|factuur|bestelling|chiave|riferimento|fattura|ordine|nome)/iu,
};

/** In another script code does not know what is asked for. */
const KNOWN_SCRIPT = /\p{Script=Latin}{3}/u;

const asksHowMany =
  /how many|how often|how long|number of|count|duration|dauer|durée|duración|duur|durata|wie ?viele?|wie oft|wie lange|anzahl|combien|nombre de|cuánt|número de|cantidad|hoe ?veel|hoe vaak|hoe lang|aantal|quant[ie]|numero di/iu;

/** A time over which something was found (`over 3 days`) answers no question that names no time. */
const asksHowLong =
  /how long|duration|(?<!\p{L})(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)|wie lange|dauer|(?<!\p{L})(?:sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?)(?!\p{L})|durée|temps|(?<!\p{L})(?:heures?|jours?|semaines?|mois|ans)(?!\p{L})|duración|cuánto tiempo|(?<!\p{L})(?:horas?|días?|semanas?|mes(?:es)?|años?)(?!\p{L})|duur|hoe lang|durata|quanto tempo/iu;

/** @param reason  the validator's, for its verdict on the criterion */
export function claimHungOn(
  { text, mode }: BusCriterion,
  reason: string,
  { unsupported, remarks, shownIn, asked }: OpenClaims,
): UnsupportedClaim | undefined {
  const own = contentWords(text);
  const question = own.size === 0 ? `${text} ${asked}` : text;
  const isOpen = contentWords(question).size === 0 || !KNOWN_SCRIPT.test(question);
  const isAnswered = shownIn.some((sentence) => speaksOf(sentence, question));
  const isBeside = ({ isDuration }: UnsupportedClaim): boolean =>
    isDuration === true && isAnswered && !asks.Time.test(question) && !asksHowLong.test(question);
  const isHungOn = (claim: UnsupportedClaim): boolean =>
    isRepeated(claim, reason) || (!isBeside(claim) && isAboutQuestion(claim));
  const isAboutQuestion = (claim: UnsupportedClaim): boolean =>
    (isOpen && shownIn.length === 0) ||
    (isAskedFor(claim, question) && (!isAnswered || isMeant(claim, question))) ||
    (claim.kind === 'Number' && (isAboutAll(claim, question) || hasAny(contentWords(question), claim.beside ?? [])));
  const isAsked = (claim: UnsupportedClaim): boolean => {
    if (claim.about !== undefined) return asksHowMany.test(question) && hasAny(contentWords(question), claim.about);
    return mode === 'Verifiable' && !isAnswered && isHungOn(claim);
  };
  return unsupported.find(isHungOn) ?? remarks.find(isAsked);
}

/** What is told in hours or days may answer a question for a time, and `15.9.` one for a day. */
function isAskedFor({ kind, isDuration, mayBeDay }: UnsupportedClaim, question: string): boolean {
  const isTime = isDuration === true && asks.Time.test(question);
  return asks[kind].test(question) || isTime || (mayBeDay === true && asks.Date.test(question));
}

/** A sentence without a matter of its own (`It is 42`) speaks of whatever was asked. */
function isMeant({ kind, sentence }: UnsupportedClaim, question: string): boolean {
  if (kind !== 'Number' || contentWords(sentence).size === 0) return true;
  return asks.Number.test(sentence) || speaksOf(sentence, question);
}

/** Words that a claim shares with a criterion which asks for it in words of its own. */
const SHARED_WORDS = 2;

function isAboutAll({ sentence }: UnsupportedClaim, question: string): boolean {
  const words = [...contentWords(question)];
  const told = contentWords(sentence);
  const shared = words.filter((word) => [...told].some((it) => isSameWord(it, word)));
  return shared.length > 0 && shared.length >= Math.min(SHARED_WORDS, words.length);
}

/** By a common word, or by words for the same operation, which may be of two languages. */
function speaksOf(sentence: string, question: string): boolean {
  const meant = operationsIn(question);
  const isSameOperation = meant !== undefined && [...(operationsIn(sentence) ?? [])].some((it) => meant.has(it));
  return isSameOperation || hasAny(contentWords(question), contentWords(sentence));
}

function hasAny(words: ReadonlySet<string>, others: Iterable<string>): boolean {
  const own = [...words];
  return [...others].some((other) => own.some((word) => isSameWord(word, other)));
}

/** The validator rests its yes on the very words. */
function isRepeated({ text, about }: UnsupportedClaim, reason: string): boolean {
  if (about !== undefined) return false;
  const at = reason.indexOf(text);
  return at >= 0 && !/[\p{L}\d]/u.test(reason[at - 1] ?? '') && !/[\p{L}\d]/u.test(reason[at + text.length] ?? '');
}

const UNSHOWN = ', which no tool output shows';

/** Why a criterion is unmet that hangs on the claim. */
export function unshownReason({ text }: UnsupportedClaim): string {
  return `the result says ${JSON.stringify(text)}${UNSHOWN}`;
}

export function unshownFix({ text }: UnsupportedClaim): string {
  return `Make the call whose output shows ${JSON.stringify(text)}, or say what was shown instead.`;
}

export function isUnshownReason(reason: string): boolean {
  return reason.endsWith(UNSHOWN);
}
