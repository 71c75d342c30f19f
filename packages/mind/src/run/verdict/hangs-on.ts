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
import { conventions } from './remark-words.ts';
import type { ClaimAccount, UnsupportedClaim } from './fabrication.ts';
import { asksToTell } from './tell-words.ts';

/** What an account says of a reply, for its criteria. */
export type OpenClaims = Pick<ClaimAccount, 'unsupported' | 'remarks' | 'shownIn' | 'hasShownVersion'> & {
  /** The task, for criteria that say nothing of their own. */
  readonly asked: string;
  /** What only calls show that looked at a file before the run changed it. */
  readonly stale?: readonly UnsupportedClaim[];
};

/** A figure of a file as it was before the run changed it, where the criterion asks for the file as it is. */
export function staleHungOn(criterion: BusCriterion, reason: string, open: OpenClaims): UnsupportedClaim | undefined {
  const { stale = [] } = open;
  if (stale.length === 0) return undefined;
  return claimHungOn(criterion, reason, {
    ...open,
    unsupported: stale.filter((it) => it.about === undefined),
    remarks: stale.filter((it) => it.about !== undefined),
    shownIn: [],
  });
}

/** Words by which people ask for each kind of claim, in English, German, French, Spanish, Dutch and Italian. */
const asks: Readonly<Record<UnsupportedClaim['kind'], RegExp>> = {
  Number:
    /(?<!\p{L})(?:sum(?!mar)|total|amount|number|count|how (?:many|much|long|old|large|big|high|far)|average|mean(?!s|ing)|median|maxim|minim|highest|lowest|largest|smallest|percent|share|ratio|rate|differen|différen|diferenc|verschil|unterschied|écart|gap|change|variation|variación|verandering|variazione|änderung|figure|value|price|cost|revenue|sales|turnover|balance|size|length|duration|population|age|temperat|températ|distance|weight|score|rank|width|height|depth|area|volume|capacity|consumption|energy|coordinates|latitude|longitude|inode|uid|gid|octal|grades?|marks?|points|votes|margin|lead(?!\p{L}|\s?to)|saving|improvement|rating|magnitude|score|advance|vorsprung|rückstand|abstand|avance|retard|ventaja|voorsprong|achterstand|vantaggio|older|younger|per (?:second|minute|hour|day)|breite|höhe|tiefe|fläche|verbrauch|largeur|hauteur|profondeur|surface|anchura|altura|superficie|breedte|hoogte|oppervlakte|larghezza|altezza|speed|entfern|distanz|distanc|afstand|gewicht|poids|peso(?!\p{L})|temperatur|geschwindig|snelheid|vitesse|veloci|factor|quantity|growth|increase|decrease|profit|loss|tax|budget|rows?|lines?|entries|records|statistic|numeric|calculat|comput|add(?:s|ed)? up|multipl|wie ?viele?|summe|gesamt|anzahl|zahl|durchschnitt|mittelwert|prozent|anteil|preis|kosten|umsatz|größe|länge|dauer|betrag|menge|wert|zeilen|einwohner|berechne|combien|somme|nombre|montant|moyenne|pourcent|taux|prix|coût|chiffre|taille|longueur|durée|valeur|lignes|calcul|cuánt|suma|número|cantidad|importe|promedio|porcentaje|precio|coste|costo|ventas|tamaño|longitud|duración|valor|filas|calcula|hoe ?veel|som(?!\p{L})|totaal|aantal|getal|gemiddeld|procent|por ciento|per cento|aandeel|prijs|kosten|omzet|grootte|lengte|duur|bedrag|waarde|regels|bereken|quant|somma|totale|numero|importo|media(?!\p{L})|percentuale|prezzo|costo|vendite|dimensione|lunghezza|durata|valore|righe|calcol|soma|quantidade|média|preço|percentagem|porcentagem|belopp|antal|medel|gennemsnit|beløb|kwot|liczb|średni|toplam|tutar|sayı|ortalama|yüzde|fiyat)|(?:summe|anzahl|zahl|betrag|preis|kosten|unterschied|differenz|abstand|alter)(?!\p{L})|%/iu,
  Date: /(?<!\p{L})(?:when|dates?|day|month|year|deadline|since|until|timestamp|creation|modif|age(?!\p{L})|wann|datum|tag(?!\p{L})|monat|jahr|frist|quand|jour|mois|année|échéance|cuándo|fecha|día|mes(?!\p{L})|año|plazo|wanneer|dag(?!\p{L})|maand|jaar|quando|data(?!\p{L})|giorno|mese|anno|scadenza)/iu,
  Time: /(?<!\p{L})(?:when|(?:up|down|run|life)?times?|o.clock|hour|wann|uhrzeit|stunde|quand|heure|cuándo|hora|wanneer|tijd|uur|quando|orario|ora(?!\p{L})|how long|lasts?|duration|length|dauer|länge|durée|longueur|duración|duur|lengte|durata|lunghezza)/iu,
  Path: /(?<!\p{L})(?:where|files?|paths?|folder|director|saved|stored|wo(?!\p{L})|datei|pfad|ordner|verzeichnis|gespeichert|où|fichier|chemin|dossier|répertoire|dónde|archivo|fichero|ruta|carpeta|directorio|waar|bestand|pad(?!\p{L})|map(?!\p{L})|opgeslagen|dove|percorso|cartella|salvat)/iu,
  Url: /(?<!\p{L})(?:address|urls?|links?|pages?|sources?|site|web|adresse|seite|quelle|lien|fuente|enlace|dirección|página|bron|pagina|indirizzo|fonte|collegamento)/iu,
  Identifier:
    /(?<!\p{L})(?:ids?(?!\p{L})|address|host|phone|telefon|identif|names?|keys?|codes?|hash|commit|release|tag(?!\p{L})|sha|md5|checksum|digest|prüfsumme|empreinte|version|licen[cs]|lizenz|licencia|licença|invoice|order|reference|serial|kennung|schlüssel|bezeichn|rechnung|auftrag|nummer|identifiant|clé|référence|facture|commande|clave|referencia|factura|pedido|sleutel|naam|factuur|bestelling|chiave|riferimento|fattura|ordine|nome)/iu,
};

/** The same in languages whose words change their ends, by their beginnings, and in those that separate no words. */
const asksElsewhere: Readonly<Partial<Record<UnsupportedClaim['kind'], RegExp>>> = {
  Number:
    /(?<!\p{L})(?:сумм|суму|сума|итог|всего|количеств|кількіст|числ|средн|серед|процент|дол[яюи]|част[кь]|разниц|різниц|выручк|прибыл|цен[аыу]|стоимост|размер|розмір|длительн|тривал|время|расстоян|відстан|возраст|температур|населен|площад|sum[aęy]|liczb|średni|odset|udział|różnic|przych|koszt|cen[aęy]|rozmiar|długość|odległ|wiek|czas|součet|počet|průměr|rozdíl|podíl|velikost|doba|toplam|sayı|ortalama|oran|fark|gelir|boyut|süre|uzaklık|soma|diferença|receita|preço|tamanho|duração|distância|summ?a|antal|skillnad|andel|storlek|määrä|keskiarvo)|合計|総|平均|差|割合|率|数|額|売上|価格|距離|温度|点|人口|サイズ|時間|总|均|比|价|额|距离|大小|时长|耗时|합계|평균|차이|비율|금액|가격|거리|온도|인구|크기|시간|수(?:를|가|는|\s|$)/iu,
  Date: /(?<!\p{L})(?:дат|день|дня|когда|коли|год|рік|kiedy|dzień|rok(?!\p{L})|kdy|den(?!\p{L})|tarih|gün|yıl|ne zaman|när|päivä)|日付|日時|いつ|年|月|日期|时间|几时|날짜|언제/iu,
  Path: /(?<!\p{L})(?:файл|папк|путь|шлях|plik|ścieżk|katalog|soubor|složk|dosya|klasör|yol(?!\p{L})|arquivo|pasta|caminho|fil(?!\p{L})|mapp)|ファイル|パス|フォルダ|文件|路径|파일|경로/iu,
  Identifier:
    /(?<!\p{L})(?:верси|версі|лиценз|wersj|licencj|verz|sürüm|lisans|versão|licença)|バージョン|版本|许可|버전|라이선스/iu,
};

/** In another script code does not know what is asked for. */
const KNOWN_SCRIPT = /\p{Script=Latin}{3}/u;

const asksHowMany =
  /(?:run|execution|processing|wall|response)[ -]?time|laufzeit|time (?:spent|taken|needed)|回数|件数|個数|人数|の数|数量|いくつ|何(?:件|個|人|回)|時間|多少|几|次数|个数|总数|时长|耗时|횟수|개수|수(?:를|가|는)|몇|시간|сколько|количеств|число|длительн|продолжит|время|скільки|кількіст|тривал|liczb|(?<!\p{L})ile(?!\p{L})|jak długo|(?<!\p{L})czas|počet|kolik|doba|sayı|kaç|(?<!\p{L})süre|número|quantidade|duração|(?<!\p{L})antal|hur (?:många|länge)|määrä|montako|kesto|how many|how often|how long|number of|count|duration|dauer|durée|duración|duur|durata|wie ?viele?|wie oft|wie lange|anzahl|combien|nombre de|cuánt|cantidad|hoe ?veel|hoe vaak|hoe lang|aantal|quant[ie]|numero di/iu;

/** A time over which something was found (`over 3 days`) answers no question that names no time. */
const asksHowLong =
  /how long|(?<!\p{L})times?(?!\p{L})|duration|(?<!\p{L})(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)|wie lange|dauer|(?<!\p{L})(?:sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?)(?!\p{L})|durée|temps|(?<!\p{L})(?:heures?|jours?|semaines?|mois|ans)(?!\p{L})|duración|cuánto tiempo|(?<!\p{L})(?:horas?|días?|semanas?|mes(?:es)?|años?)(?!\p{L})|duur|hoe lang|durata|quanto tempo/iu;

/** @param reason  the validator's, for its verdict on the criterion */
export function claimHungOn(
  { text, mode }: BusCriterion,
  reason: string,
  { unsupported, remarks, shownIn, hasShownVersion, asked }: OpenClaims,
): UnsupportedClaim | undefined {
  const own = contentWords(text);
  const question = own.size === 0 ? `${text} ${asked}` : text;
  const isOpen = contentWords(question).size === 0 || !KNOWN_SCRIPT.test(question);
  const isAnswered = shownIn.some((sentence) => speaksOf(sentence, question));
  // Whatever it is that shall be told, nothing that is shown tells it.
  const isToTell = !isAnswered && asksToTell(text);
  const isBeside = ({ isDuration }: UnsupportedClaim): boolean =>
    isDuration === true && isAnswered && !asks.Time.test(question) && !asksHowLong.test(question);
  const isHungOn = (claim: UnsupportedClaim): boolean =>
    isRepeated(claim, reason) || (!isBeside(claim) && (isToTell || isAboutQuestion(claim)));
  const isAboutQuestion = (claim: UnsupportedClaim): boolean =>
    (isOpen && shownIn.length === 0) ||
    (isAskedFor(claim, question) && (!isAnswered || isMeant(claim, question))) ||
    (claim.kind === 'Number' && (isAboutAll(claim, question) || hasAny(contentWords(question), claim.beside ?? [])));
  const isTimeAsked = ({ isDuration, part = '' }: UnsupportedClaim): boolean =>
    isDuration === true && asksHowLong.test(question) && (shownIn.length === 0 || isTaskOf(part, question));
  const isOnlyOne = isToTell && shownIn.length === 0 && unsupported.length === 0 && hasShownVersion !== true;
  const isAsked = (claim: UnsupportedClaim): boolean => {
    if (isOnlyOne && isAnswer(claim, question)) return true;
    if (claim.isVersion === true) return isVersionAsked(claim, question, hasShownVersion === true);
    if (isTimeAsked(claim)) return true;
    if (claim.about !== undefined) return asksHowMany.test(question) && speaksOfAny(question, claim.about);
    return mode === 'Verifiable' && !isAnswered && isHungOn(claim);
  };
  return unsupported.find(isHungOn) ?? remarks.find(isAsked);
}

/** For the version of this very thing, or for one that the reply does not show. */
function isVersionAsked({ about = [] }: UnsupportedClaim, question: string, hasShownVersion: boolean): boolean {
  const words = contentWords(question);
  const [name = '', ...versions] = about;
  if (conventions.has(name)) return false;
  return hasAny(words, versions) && (!hasShownVersion || hasAny(words, [name]));
}

/** `after 389 seconds` of the build that is asked for, `The base image is Debian 11.9`. */
function isAnswer(
  { text, sentence, about = [], isDuration, isVersion, part = '' }: UnsupportedClaim,
  question: string,
): boolean {
  if (isDuration === true) return speaksOf(part, question);
  const at = sentence.slice(0, Math.max(0, sentence.indexOf(text))).toLowerCase();
  const [name = ''] = about;
  return isVersion === true && speaksOf(sentence, question) && IS_NAME.test(at) && at.trimEnd().endsWith(name);
}

const IS_NAME =
  /(?:(?<!\p{L})(?:is|are|was|uses|runs(?: on)?|ist|nutzt|est|utilise|es|usa|gebruikt|è)|[:=])\s(?:the\s)?[\p{L}\d#+.]+[\s/:-]$/u;

function asksFor(kind: UnsupportedClaim['kind'], text: string): boolean {
  return asks[kind].test(text) || asksElsewhere[kind]?.test(text) === true;
}

/** Whether a part of a sentence speaks of what is asked for, apart from the words for time. */
function isTaskOf(part: string, question: string): boolean {
  const words = [...contentWords(part)].filter((it) => !asksHowLong.test(it));
  return hasAny(contentWords(question), words);
}

/** What is told in hours or days may answer a question for a time, `15.9.` one for a day, `3.11` one for a version. */
function isAskedFor({ kind, text, isDuration, mayBeDay }: UnsupportedClaim, question: string): boolean {
  const isTime = isDuration === true && asks.Time.test(question);
  if (kind === 'Number' && /^\d+\.\d+$/.test(text) && /version/iu.test(question)) return true;
  return asksFor(kind, question) || isTime || (mayBeDay === true && asks.Date.test(question));
}

/** A sentence without a matter of its own (`It is 42`) speaks of whatever was asked. */
function isMeant({ kind, sentence }: UnsupportedClaim, question: string): boolean {
  if (kind !== 'Number' || contentWords(sentence).size === 0) return true;
  return asksFor('Number', sentence) || speaksOf(sentence, question);
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

/** Where no blanks separate words, by their characters. */
function speaksOfAny(question: string, words: readonly string[]): boolean {
  const isWithin = (word: string): boolean =>
    !/\p{Script=Latin}|\p{Script=Cyrillic}/u.test(word) && question.includes(word);
  return words.some(isWithin) || hasAny(contentWords(question), words);
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
