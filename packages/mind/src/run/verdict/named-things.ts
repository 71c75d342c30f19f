/**
 * What a criterion names: files, figures, names, days and addresses. Only these can be looked for in the record; whether a
 * criterion that names none of them is met is the validator's judgement.
 *
 * Source: artoo A.6 (a criterion is met only if a call proves it), D.
 */
import { parseWorkspacePath, WORKSPACE_ROOT } from '../../gate/workspace-path.ts';
import type { Claim } from './claims.ts';
import { claimsWithFiles } from './file-names.ts';
import { isSentOn, isSourceIn } from './file-sources.ts';
import { isResult } from './no-results.ts';
import { aroundAt, type Around } from './unit-shown.ts';
import { conventions } from './remark-words.ts';

export interface NamedFile {
  readonly kind: 'File' | 'Directory';
  readonly text: string;
  /** As `parseWorkspacePath` spells it. */
  readonly path: string;
  /** Named without its directory: any file with this name is meant. */
  readonly isBare: boolean;
  /** What the criterion says of it. `Made`: somebody has to write it, even if one stood there before. */
  readonly wanted: 'There' | 'Made' | 'Gone';
}

export interface NamedFigure {
  readonly kind: 'Figure';
  readonly text: string;
  readonly claim: Extract<Claim, { kind: 'Number' }>;
  /** Its unit. */
  readonly around: Around;
}

export type Named =
  | NamedFile
  | NamedFigure
  | { readonly kind: 'Address' | 'Name' | 'Time'; readonly text: string }
  | { readonly kind: 'Day'; readonly text: string; readonly days: readonly string[] };

/** What a text can show: no file. */
export type Thing = Exclude<Named, NamedFile>;

export function isThing(named: Named): named is Thing {
  return named.kind !== 'File' && named.kind !== 'Directory';
}

/** Alternatives: `"yes" or "no"`. One of them is enough. */
export type NamedGroup = readonly Named[];

/** Most things that one criterion is held to; a longer list is a table, which the validator judges. */
const NAMED_MAX = 64;

/** A thing and its place in the criterion, UTF-16 code units. */
export interface Found {
  readonly named: Named;
  readonly start: number;
  readonly end: number;
}

/**
 * @param wishes  texts that say what shall be made: the intents that the criterion belongs to
 * @returns groups, each of which must be shown, in the order of the text
 */
export function namedIn(criterion: string, wishes: readonly string[] = []): readonly NamedGroup[] {
  return groupsOf(placedIn(criterion, wishes), criterion);
}

/** The same things with their places. @param paths  files that the record knows */
export function placedIn(
  criterion: string,
  wishes: readonly string[] = [],
  paths: readonly string[] = [],
): readonly Found[] {
  const claims = claimsWithFiles(criterion, paths);
  return [...claims.flatMap((claim) => namedBy(claim, criterion, wishes)), ...phrasesIn(criterion, claims)].toSorted(
    (a, b) => a.start - b.start,
  );
}

/** @param found  of the criterion, in its order */
export function groupsOf(found: readonly Found[], criterion: string): readonly NamedGroup[] {
  return grouped(found, criterion).slice(0, NAMED_MAX);
}

function namedBy(claim: Claim, criterion: string, wishes: readonly string[]): readonly Found[] {
  const { text, start } = claim;
  const end = start + text.length;
  const found = (named: Named | undefined): readonly Found[] => (named === undefined ? [] : [{ named, start, end }]);
  switch (claim.kind) {
    case 'Url':
      return found({ kind: 'Address', text });
    case 'Path':
      return found(fileNamed(text, criterion.slice(0, start), criterion.slice(end), wishes));
    case 'Identifier':
      return PICTURE_SIZE.test(text) || conventions.has(claim.about?.[0] ?? '') ? [] : found({ kind: 'Name', text });
    case 'Time':
      return found({ kind: 'Time', text });
    case 'Date': {
      const day = found({ kind: 'Day', text, days: claim.days });
      // `15.9.` is one of the two.
      return claim.figure === undefined ? day : [...day, ...namedBy(claim.figure, criterion, wishes)];
    }
    case 'Number': {
      const before = criterion.slice(0, start);
      if (!isResult(claim, before, criterion.slice(end)) && !SAID_TO_BE_ONE.test(`${before}${text}`)) return [];
      return found({ kind: 'Figure', text, claim, around: aroundAt(criterion, start, end) });
    }
  }
}

/** `the number 4711`: a result, however it is called. */
const SAID_TO_BE_ONE =
  /(?<!\p{L})(?:the|die|der|le|la|el|het|il)\s+(?:number|figure|value|zahl|wert|nombre|chiffre|número|cifra|getal|cijfer|numero)\s+\d\d[\d.,]*$/iu;

/** `800x600` says what shall be made. */
const PICTURE_SIZE = /^\d+x\d+$/;

/** Words up to the file, across the points of other file names but not across a sentence. */
const WORDS = String.raw`(?:[^.!?\n]|[.](?=\S))*?`;
const FILE_WORDS = String.raw`(?:the\s+|a\s+)?(?:new\s+)?(?:file\s+)?["'\u0060]?$`;
/** Verbs of making, in front of the file: `write the table as F`, `saved as F`. */
const MAKES = new RegExp(
  String.raw`(?<!\p{L})(?:writ\w*|sav(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|ma(?:ke|kes|de)|generat\w+|produc\w+|export\w*|puts?|draw\w*|append\w*|record(?:ed)?|cop(?:y|ies|ied)|mov(?:e|es|ed)|renam\w+|convert\w*|translat\w+|add(?:s|ed)?|insert\w*|schreib\w*|geschrieben|speicher\w*|gespeichert|erstell\w*|erzeug\w*|kopier\w*|écri\w*|enregistr\w*|crée\w*|escrib\w*|guard\w*|crea\w*)(?!\p{L})${WORDS}\b(?:to|as|into|called|named|nach|als|dans|en|como)\s+${FILE_WORDS}`,
  'iu',
);
const MAKES_AT_ONCE =
  /\b(?:write|save|create|make|generate|produce|append to|update|edit|fix|correct|modify|overwrite|schreibe|erstelle|erzeuge|ändere|korrigiere)\s+(?:(?:the|a|an|new|text|file|die|datei|eine)\s+){0,3}["'`]?$/iu;
/** Verbs of changing: `fix the typo in F`. */
const CHANGES = new RegExp(
  String.raw`\b(?:fix|correct|change|replace|update|edit|modify|set|insert|add|adjust|comment out|korrigiere|ändere|ersetze)\s${WORDS}\b(?:in|inside|within)\s+${FILE_WORDS}`,
  'iu',
);
/** What a criterion says behind a file that is made: `F is written`, `F was created in this run`; not `F is saved as G`. */
const MADE =
  /^["'`]?\s+(?:is|are|was|gets|has been|wird|ist)\s+(?:newly\s+)?(?:written|created|made|saved|generated|produced|updated|geschrieben|erstellt|erzeugt|gespeichert)\b(?!\s+(?:as(?!\s+(?:described|shown|specified|asked|requested|required|planned|defined)\b)|to|into|under|als|nach|unter)\b)/iu;
/** `the day on which F was made` */
const ASKED_BEFORE =
  /(?<!\p{L})(?:(?:on|in|at|with|by|from) (?:which|whom)|when|who|how|why|where|since|wann|wer|wie|seit|quand|qui|comment|cuándo|quién|cómo|wanneer|wie|hoe|quando|chi|come)\s+(?:(?:the|die|le|el|het|il)\s+)?["'`]?$/iu;
const GONE =
  /^["'`]?\s+(?:is|was|has been|are|wird|ist)\s+(?:deleted|removed|gone|moved|renamed|gelöscht|entfernt)\b/iu;
const GOES = /\b(?:delete|remove|lösche|entferne)\w*\s+(?:the\s+)?(?:file\s+)?["'`]?$/iu;
/** What is not there, or not touched, can be shown by no call that shows it. */
const DENIED_BEFORE =
  /\b(?:no(?! longer)|not|never|without|except|other than|avoids?|omits?|free of|instead of|nothing|kein\w*|nicht|ohne|sans|sin|jamais)\b[^.,;]{0,40}$/iu;
const DENIED_AFTER =
  /^["'`]?[^.,;]{0,24}\b(?:not|never|no longer|absent|missing|unchanged|untouched|nicht|unverändert|fehlt)\b/iu;

function fileNamed(text: string, before: string, after: string, wishes: readonly string[]): Named | undefined {
  const parsed = parseWorkspacePath(text);
  if (!parsed.ok) return { kind: 'Name', text };
  const path = parsed.value;
  if (path === WORKSPACE_ROOT) return undefined;
  const isGone = GONE.test(after) || GOES.test(before);
  if (!isGone && (DENIED_BEFORE.test(before) || DENIED_AFTER.test(after))) return undefined;
  const isMade =
    isMadeBehind(before, after) || isMadeIn(text, before, after) || wishes.some((wish) => wishesFor(wish, text));
  return {
    kind: text.endsWith('/') ? 'Directory' : 'File',
    text,
    path,
    isBare: !text.includes('/'),
    wanted: isGone ? 'Gone' : isMade ? 'Made' : 'There',
  };
}

/** Whether there is anything to write shows only at the work. */
const UNSURE = /\b(?:if|whether|where|unless|nothing|falls|wenn|nichts)\b[^.!?\n]*$/iu;

export function isMadeAfter(before: string): boolean {
  return !UNSURE.test(before) && (MAKES.test(before) || MAKES_AT_ONCE.test(before) || CHANGES.test(before));
}

/** Whether a text tells somebody to make a file, by the words around one place where it is named. */
export function isMadeIn(file: string, before: string, after: string): boolean {
  return isMadeAfter(before) && !isSourceIn(file, before, after);
}

function isMadeBehind(before: string, after: string): boolean {
  if (ASKED_BEFORE.test(before)) return false;
  const made = MADE.exec(after)?.[0];
  return made !== undefined && !isSentOn(after.slice(made.length));
}

/** `x.json, y.json and `: what is said of the first one is said of all. */
const OTHERS_BEFORE =
  /(?:["'`]?[\p{L}\p{N}_@./+-]+\.[\p{L}\p{N}]+["'`]?\s*(?:,\s*(?:(?:and|und|et|y|e|en)\s+)?|\s(?:and|und|et|y|e|en)\s+))+["'`]?$/iu;

/** Whether a text tells somebody to make the file. Each place where it is named is looked at. */
function wishesFor(wish: string, file: string): boolean {
  for (let at = wish.indexOf(file); at >= 0; at = wish.indexOf(file, at + 1)) {
    if (isMadeIn(file, wish.slice(0, at).replace(OTHERS_BEFORE, ''), wish.slice(at + file.length))) return true;
  }
  return false;
}

/** Words between quotation marks that are not the name of a program: what a file or an output must hold word for word. */
const PHRASE = /`([^`\n]{2,100})`|"([^"\n]{2,100})"|[“„]([^”“\n]{2,100})[”“]|«([^»\n]{2,100})»/gu;

/** The reply's own wording needs no call. */
const OF_THE_REPLY =
  /^\W*(?:the|your|its|die|la|el)?\s*(?:final\s+|short\s+)?(?:answer|reply|response|message|antwort|réponse|respuesta)\b/iu;

function phrasesIn(criterion: string, claims: readonly Claim[]): readonly Found[] {
  if (OF_THE_REPLY.test(criterion)) return [];
  return [...criterion.matchAll(PHRASE)].flatMap((match) => {
    const text = match.slice(1).find((it) => it !== undefined) ?? '';
    const start = match.index + 1;
    const end = start + text.length;
    const isRead = claims.some((it) => it.start < end && it.start + it.text.length > start && it.kind !== 'Number');
    const behind = criterion.slice(end + 1);
    const isDenied = DENIED_BEFORE.test(criterion.slice(0, match.index)) || DENIED_AFTER.test(behind);
    const isWord = /[\p{L}]/u.test(text);
    return isRead || isDenied || !isWord ? [] : [{ named: { kind: 'Name', text }, start, end } as const];
  });
}

/** Things with nothing but "or" between them are alternatives. */
function grouped(found: readonly Found[], criterion: string): readonly NamedGroup[] {
  const groups: Named[][] = [];
  let end = 0;
  for (const it of found) {
    const between = criterion.slice(end, it.start);
    const last = groups.at(-1);
    if (last !== undefined && (it.start < end || ALTERNATIVE.test(between))) last.push(it.named);
    else groups.push([it.named]);
    end = it.end;
  }
  return groups;
}

const ALTERNATIVE = /^\W*(?:or|oder|ou|o)\W*$/iu;
