/**
 * Files that a sentence names as the source of what shall be made: `save a.csv as b.json` makes no `a.csv`, and `write b.md as a.md
 * describes it` makes no `a.md`. Only a sentence that names another file as the place of the result has a source.
 */

const OPENING = String.raw`["'\u0060]?`;
const FILE = String.raw`${OPENING}([\p{L}\p{N}_@+-][\p{L}\p{N}_@./+-]*\.[A-Za-z][A-Za-z\d]{0,5})(?![\p{L}\p{N}])`;
const FILE_WORDS = String.raw`(?:(?:the|a|new|die|datei|le|fichier|el|archivo|het|bestand|il|file)\s+){0,3}`;

/** What a file is likened to is none that the result goes to. */
const LIKENED = String.raw`(?:similar|according|compared|comparing|corresponds?|corresponding|equal|equivalent|relative|next|close|identical|contrast|addition|related|refer(?:s|ring)?|links?|points?|pointing|same|well|such)`;

/** By which a text goes to another place or takes another form. */
const TOWARDS = String.raw`(?<!\p{L})(?<!(?<!\p{L})${LIKENED}\s)(?:to|as|into|under(?: the name)?|nach|als|unter|dans|sous|en|vers|como|naar|in)\s+${FILE_WORDS}${FILE}`;

/** Verbs whose object goes elsewhere; that of `create` does not. */
const SENDS =
  /(?<!\p{L})(?:writ(?:e|es|ing)|sav(?:e|es|ing)|stor(?:e|es|ing)|puts?|export\w*|make|schreibe?|speichere?|exportiere?|écri(?:s|re|vez)|enregistrer?|enregistrez|guardar?|escrib(?:e|ir)|schrijf|bewaar|sla|scriv(?:i|ere)|salva(?:re)?|guarde|salve)\s+(?:(?:the|a|an|text|contents?|lines|rows|of|file|die|datei|le|fichier|el|archivo|het|bestand|il)\s+){0,4}["'`]?$/iu;

/** Between the source and the place of the result stand other sources and how the text is changed. */
const OTHER =
  /(?<!\p{L})(?:(?:writ|sav|stor|copi|mov|creat|generat|mak|add|append|link|us|contain|bas|describ|schreib|speicher|erstell|kopier|beschrieb|angegeb|décri|indiqu|descri|indica)\p{L}*|copy|shown|shows|listed|given|found|defined|specified|required|stated|with|from|about|for|like|mit|aus|von|über|wie|avec|partir|depuis|comme|con|desde|met|uit|da|come)(?!\p{L})|(?<!\p{L})(?:as|als|como)\s*$/iu;

const SENT = new RegExp(String.raw`^${OPENING}((?:[^.!?\n]|[.](?=\S))*?)${TOWARDS}`, 'iu');
const SENT_AT_ONCE = new RegExp(String.raw`^${OPENING},?\s+${TOWARDS}`, 'iu');
const SENT_ON = new RegExp(String.raw`^([^.,;!?\n]{0,40})${TOWARDS}`, 'iu');
const TAKEN_AS = new RegExp(
  String.raw`^${OPENING}\s+as\s+\p{L}+\s+and\s+(?:write|save|create|make)\s+${FILE_WORDS}${FILE}`,
  'iu',
);

/** `fix the typos in F and write the corrected text to G` */
const RESULT_ELSEWHERE = new RegExp(
  String.raw`^${OPENING}[^!?\n]*?(?<!\p{L})(?:writ|sav|stor|put|export|output|schreib|speicher|écri|enregistr|guard|escrib|schrijf|bewaar|scriv|salv)\p{L}*\s+(?:(?:the|das|den|die|le|la|el|lo|het|il)\s+)?(?:it|them|results?|sum|total|output|outcome|(?:correct|fix|chang|clean|updat|edit|new|improv|finish)\p{L}*|ergebnis|summe|text|sie|es|résultat|somme|resultado|suma|resultaat|risultato)(?!\p{L})[^!?\n]{0,40}?${TOWARDS}`,
  'iu',
);

const ADDS_UP =
  /(?<!\p{L})add(?:s|ed|ing)?\s+(?:up\s+)?(?:all\s+)?(?:the\s+)?(?:numbers|values|amounts|figures|prices|costs|sizes)\s+(?:\p{L}+\s+){0,3}in\s+(?:the\s+)?(?:file\s+)?["'`]?$/iu;

const LIKENED_TO = new RegExp(String.raw`(?<!\p{L})${LIKENED}\s(?:to|as)\s+(?:the\s+)?(?:file\s+)?${OPENING}$`, 'iu');
const AS = /(?<!\p{L})as\s+(?:the\s+)?(?:file\s+)?["'`]?$/iu;
const SAYS =
  /^["'`]?\s+(?:needs?|does|has|says?|shows?|requires?|describes?|defines?|demands?|wants?|expects?|specifies|asks?)(?!\p{L})/iu;

/** `crée b.txt à partir des nombres dans F`: the verb has its object already. */
const HAS_OBJECT = new RegExp(
  String.raw`(?<!\p{L})(?:crée[rz]?|écri(?:s|re|vez)|crear?|escribe|genera|scrivi|erstelle?|schreibe?|create|write|generate|make)\s+${FILE}\s(?:à partir|avec|con|desde|mit|aus|from|with|using)(?!\p{L})(?:(?!\s(?:and|und|et|y|e)\s)[^,;.!?\n])*\s(?:dans|en|in|nel|nello)\s+(?:(?:le|el|il)\s+)?(?:fichier\s+|archivo\s+|file\s+)?${OPENING}$`,
  'iu',
);
const INSIDE =
  /(?<!\p{L})(?:dans|en|in|inside|within|nel|nello)\s+(?:the\s+|le\s+|el\s+|il\s+)?(?:file\s+|fichier\s+|archivo\s+)?["'`]?$/iu;

/**
 * Whether a file that stands behind a verb of making is what something is made from.
 *
 * @param before, after  the text around the file's name
 */
export function isSourceIn(file: string, before: string, after: string): boolean {
  if (LIKENED_TO.test(before) || (AS.test(before) && SAYS.test(after))) return true;
  if (HAS_OBJECT.test(before) || ADDS_UP.test(before)) return true;
  const isElsewhere = (pattern: RegExp): boolean => {
    const other = pattern.exec(after)?.at(-1);
    return other !== undefined && other !== file;
  };
  if (INSIDE.test(before) && [SENT_AT_ONCE, TAKEN_AS, RESULT_ELSEWHERE].some(isElsewhere)) return true;
  if (!SENDS.test(before) || !isElsewhere(SENT)) return false;
  return !OTHER.test(SENT.exec(after)?.[1] ?? '');
}

/** `F is written in order to G`, from behind the verb. */
export function isSentOn(after: string): boolean {
  const [, between] = SENT_ON.exec(after) ?? [];
  return between !== undefined && !OTHER.test(between);
}
