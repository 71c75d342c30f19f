/**
 * What a criterion says became of files: unchanged, gone, moved, equal to another, so many lines. Each is decided by the states of the
 * files, not by what a call says of them. What is said of a part of a file, or under a condition, is none of these.
 *
 * Source: artoo A.6 (evidence grounding).
 */
import { parseWorkspacePath, WORKSPACE_ROOT } from '../../gate/workspace-path.ts';
import { countOf, type Count } from './count-relation.ts';
import { claimsWithFiles } from './file-names.ts';
import * as words from './relation-words.ts';

/** A file, a directory or a pattern that a text names. */
export interface Subject {
  readonly text: string;
  readonly path: string;
  readonly kind: 'File' | 'Directory' | 'Pattern';
  /** Named without its directory. */
  readonly isBare: boolean;
  readonly start: number;
  readonly end: number;
}

export type Relation =
  | { readonly kind: 'Unchanged'; readonly file: Subject }
  /** `isAct`: somebody removed it; else it need not have been there. */
  | { readonly kind: 'Gone'; readonly file: Subject; readonly isAct: boolean }
  | { readonly kind: 'Moved'; readonly file: Subject; readonly to?: Subject }
  /** `isCopy`: the other one may have changed since. */
  | { readonly kind: 'Same'; readonly file: Subject; readonly other: Subject; readonly isCopy: boolean }
  | ({ readonly kind: 'Counts'; readonly file: Subject } & Count);

const PATTERN = /(?<![\p{L}\p{N}_@+./~*-])(?:[\p{L}\p{N}_@+.-]+\/)*[\p{L}\p{N}_@+.-]*\*[\p{L}\p{N}_@+./*-]*/gu;

/** In the order of the text. @param paths  files that the record knows */
export function subjectsIn(text: string, paths: readonly string[] = []): readonly Subject[] {
  const patterns = [...text.matchAll(PATTERN)].flatMap((match): readonly Subject[] => {
    const name = match[0].replace(/[.,;:]+$/, '');
    if (!/[\p{L}\p{N}]/u.test(name)) return [];
    const path = name.replace(/^\.\//, '');
    return [{ text: name, path, kind: 'Pattern', isBare: !path.includes('/'), ...spanOf(match.index, name) }];
  });
  const named = claimsWithFiles(text, paths).flatMap((claim): readonly Subject[] => {
    const parsed = claim.kind === 'Path' ? parseWorkspacePath(claim.text) : undefined;
    const isIn = patterns.some((it) => claim.start < it.end && claim.start + claim.text.length > it.start);
    if (parsed?.ok !== true || parsed.value === WORKSPACE_ROOT || isIn) return [];
    const kind = claim.text.endsWith('/') ? 'Directory' : 'File';
    const isBare = !claim.text.includes('/');
    return [{ text: claim.text, path: parsed.value, kind, isBare, ...spanOf(claim.start, claim.text) }];
  });
  return [...named, ...patterns].toSorted((a, b) => a.start - b.start);
}

function spanOf(start: number, text: string): Pick<Subject, 'start' | 'end'> {
  return { start, end: start + text.length };
}

/** One place of a text where a file is named. */
interface Place {
  readonly text: string;
  readonly subject: Subject;
  readonly before: string;
  /** Up to the next file. */
  readonly rest: string;
  readonly next: Subject | undefined;
  /** What is said of the next file, if only an "and" is between them. */
  readonly shared: string;
}

type Reader = (place: Place) => Relation | undefined;

/** Read from the top; the first line that fits says what became of the file. */
const readers: readonly { readonly name: string; readonly read: Reader }[] = [
  { name: 'equal to another', read: sameIn },
  { name: 'moved', read: movedIn },
  { name: 'unchanged', read: unchangedIn },
  { name: 'gone', read: goneIn },
  { name: 'so many lines', read: countsIn },
];

export function relationsIn(text: string, paths: readonly string[] = []): readonly Relation[] {
  const subjects = subjectsIn(text, paths);
  const paired = pairsIn(text, subjects, paths);
  if (paired.length > 0) return paired;
  const found: Relation[] = [];
  for (const [at, subject] of subjects.entries()) {
    const place = { ...placeOf(text, subjects, at), subject };
    // Where another file was moved to is said already.
    const isTold = found.some((it) => it.kind === 'Moved' && (it.to === subject || it.file === subject));
    const relation = isTold ? undefined : firstOf(place);
    if (relation !== undefined) found.push(relation);
  }
  return found;
}

/** `a, b and c are renamed to d, e and f`: each sentence of two of them. */
function pairsIn(text: string, subjects: readonly Subject[], paths: readonly string[]): readonly Relation[] {
  const half = subjects.length / 2;
  const [ones, others] = [subjects.slice(0, half), subjects.slice(half)];
  const [one, last, other, end] = [ones[0], ones.at(-1), others[0], others.at(-1)];
  if (half < 2 || !isList(text, ones) || !isList(text, others)) return [];
  if (one === undefined || last === undefined || other === undefined || end === undefined) return [];
  const between = text.slice(last.end, other.start);
  if (AND.test(between)) return [];
  const found = ones.map((it, at) => {
    const its = others[at]?.text ?? '';
    return relationsIn(`${text.slice(0, one.start)}${it.text}${between}${its}${text.slice(end.end)}`, paths);
  });
  return found.every(([it]) => it?.kind === 'Moved' || it?.kind === 'Same') ? found.flat() : [];
}

function isList(text: string, subjects: readonly Subject[]): boolean {
  return subjects.every((it, at) => {
    const before = subjects[at - 1];
    return before === undefined || AND.test(text.slice(before.end, it.start));
  });
}

function firstOf(place: Place): Relation | undefined {
  for (const { read } of readers) {
    const relation = read(place);
    if (relation !== undefined) return relation;
  }
  return undefined;
}

const ABOUT: Readonly<Record<Exclude<Relation['kind'], 'Counts'>, RegExp>> = {
  Unchanged:
    /unchanged|untouched|intact|(?:not|never) (?:\p{L}+ )?(?:changed|modified|edited)|unverändert|inchang|intacte|sin cambios|ongewijzigd|onveranderd|invariat|intatt/iu,
  Gone: /delet|remov|(?<!\p{L})gone|no longer|not exist|gelöscht|entfernt|supprim|effac|eliminad|borrad|verwijderd|gewist|eliminat|cancellat|rimoss/iu,
  Moved:
    /renam|(?<!re)moved|umbenannt|verschoben|renomm|déplac|renombrad|movid|hernoemd|verplaatst|rinominat|spostat/iu,
  Same: /(?<!\p{L})cop(?:y|ied|ies)|backup|identical|equal|the same|kopi|identi|gleich|copi[éea]|idénti|igual|gelijk|ugual/iu,
};

/** Of a criterion that names no file: what the intents say became of the files that they name, if it speaks of that. */
export function impliedRelations(
  criterion: string,
  wishes: readonly string[],
  paths: readonly string[] = [],
): readonly Relation[] {
  if (NEGATED.test(criterion.replace(ABOUT.Unchanged, ' ').replaceAll(/no longer|not exist/giu, ' '))) return [];
  return wishes
    .flatMap((wish) => relationsIn(wish, paths))
    .filter((it) => it.kind !== 'Counts' && ABOUT[it.kind].test(criterion));
}

const AND = /^["'`»”)]*\s*(?:,|&|(?:,\s*)?(?<!\p{L})(?:and|und|et|y|e|en|as well as|sowie)(?!\p{L}))\s*["'`«“(]*$/iu;

function placeOf(text: string, subjects: readonly Subject[], at: number): Omit<Place, 'subject'> {
  const [subject, next] = [subjects[at], subjects[at + 1]];
  const end = subject?.end ?? 0;
  const rest = text.slice(end, next?.start);
  const isListed = next !== undefined && AND.test(rest);
  const shared = isListed ? sharedOf(text, subjects, at + 1) : '';
  return { text, before: text.slice(0, subject?.start), rest, next, shared };
}

function sharedOf(text: string, subjects: readonly Subject[], at: number): string {
  const { rest, shared } = placeOf(text, subjects, at);
  return shared === '' ? rest : shared;
}

const NEGATED =
  /(?<!\p{L})(?:not|never|nothing|nicht|nie|ne|pas|jamais|no|nunca|niet|nooit|non|mai|without|ohne|sans|sin|zonder|senza)(?!\p{L})/iu;

/** The sentence without the names in it. */
function wordsAround({ text, subject, next }: Place): string {
  const from = Math.max(0, text.slice(0, subject.start).search(/[^.;!?\n]*$/));
  const end = next?.end ?? subject.end;
  const behind = /^[^.;!?\n]*/.exec(text.slice(end))?.[0] ?? '';
  const between = text.slice(subject.end, next?.start ?? subject.end);
  return `${text.slice(from, subject.start)} ${between} ${behind}`;
}

function sameIn(place: Place): Relation | undefined {
  const { subject, next, before, rest } = place;
  const isUnfit = NEGATED.test(rest) || words.NOT_THE_WHOLE.test(wordsAround(place)) || words.UNCERTAIN.test(before);
  if (next === undefined || isUnfit) return undefined;
  if (words.COPY_OF.test(rest)) return { kind: 'Same', file: subject, other: next, isCopy: true };
  if (words.LEADS_TO.test(rest) && isCopied(place)) return { kind: 'Same', file: next, other: subject, isCopy: true };
  return isEqual(place, next) ? { kind: 'Same', file: subject, other: next, isCopy: false } : undefined;
}

function isEqual(place: Place, next: Subject): boolean {
  const { subject, rest } = place;
  const behind = /^[^.;!?\n]*/.exec(behindNext(place))?.[0] ?? '';
  return (
    words.EQUALS_TO.test(rest) ||
    (AND.test(rest) && words.ARE_EQUAL.test(behind)) ||
    (words.MATCHES_TO.test(rest) && formOf(subject) === formOf(next))
  );
}

function isCopied(place: Place): boolean {
  const { before, rest } = place;
  return (
    words.COPIES_BEFORE.test(before) || words.COPIED_AFTER.test(rest) || words.COPIED_AT_END.test(behindNext(place))
  );
}

function behindNext({ text, next }: Place): string {
  return next === undefined ? '' : text.slice(next.end);
}

function formOf({ path }: Subject): string {
  return /\.[^./]+$/.exec(path)?.[0].toLowerCase() ?? '';
}

function movedIn(place: Place): Relation | undefined {
  const { subject, next, rest } = place;
  if (next !== undefined && words.NOW_IS.test(rest)) return { kind: 'Moved', file: subject, to: next };
  if (next !== undefined && isFormer(place)) return { kind: 'Moved', file: next, to: subject };
  if (!isSaidToMove(place)) return undefined;
  if (next === undefined) return { kind: 'Moved', file: subject };
  if (MOVED_FROM.test(rest)) return { kind: 'Moved', file: next, to: subject };
  return words.LEADS_TO.test(rest) ? { kind: 'Moved', file: subject, to: next } : { kind: 'Moved', file: subject };
}

const MOVED_FROM = /(?<!\p{L})(?:from|von|aus|de|van|da)\s+["'`]?$/iu;

function isSaidToMove(place: Place): boolean {
  const { before, rest } = place;
  const moved = words.MOVED_AFTER.exec(rest)?.[0];
  const isMoved = moved !== undefined || words.MOVED_BEFORE.test(before) || words.MOVED_AT_END.test(behindNext(place));
  const isInPart = words.NOT_THE_WHOLE.test(wordsAround(place)) || isPart(before);
  return isMoved && !isInPart && !words.UNCERTAIN.test(before) && !NEGATED.test(`${before.slice(-20)} ${moved ?? ''}`);
}

/** `b is the renamed a`, `b was a before` */
function isFormer(place: Place): boolean {
  const isBefore = /^\W*(?:before|previously|formerly)(?!\p{L})/iu.test(behindNext(place));
  return words.WAS_ONCE.test(place.rest) || (/^["'`»”)]*\s+was\s+["'`]*$/iu.test(place.rest) && isBefore);
}

/** `the header of F`, which is not F. */
function isPart(before: string): boolean {
  const part = words.PART_OF.exec(before);
  return part !== null && !words.WHOLE_OF.test(`${before.slice(0, part.index)} `);
}

const NOT_DONE = /(?:not|never|nicht|pas|no|niet|non)\s+(?:\p{L}+\s+){0,2}\p{L}+$/iu;

function unchangedIn(place: Place): Relation | undefined {
  const { subject, before, rest, shared } = place;
  const said = words.UNCHANGED_AFTER.exec(rest) ?? words.UNCHANGED_AFTER.exec(shared);
  const isSaid = said !== null && !words.OF_SOMETHING_ELSE.test(said[0].replace(NOT_DONE, '')) && !isPart(before);
  const isNothing = words.NOTHING_IN.test(before) && words.IS_CHANGED.test(rest);
  const isForbidden = isNothing || words.UNCHANGED_BEFORE.test(before) || words.UNCHANGED_AROUND.test(rest);
  if (!isSaid && !isForbidden) return undefined;
  if (words.UNCERTAIN.test(before) || words.ONLY_IN_PART.test(wordsAround(place))) return undefined;
  return { kind: 'Unchanged', file: subject };
}

function goneIn(place: Place): Relation | undefined {
  const { subject, before, rest, shared } = place;
  if (words.UNCERTAIN.test(before) || isPart(before)) return undefined;
  const said = shared === '' ? rest : shared;
  if (isRemoved(said) || isToRemove(before, rest)) return { kind: 'Gone', file: subject, isAct: true };
  const isAbsent = words.ABSENT_AFTER.test(said) && !words.ABSENT_OF_TEXT.test(said);
  return isAbsent || words.ABSENT_BEFORE.test(before) ? { kind: 'Gone', file: subject, isAct: false } : undefined;
}

function isRemoved(said: string): boolean {
  const removed = words.REMOVED_AFTER.exec(said)?.[0];
  return removed !== undefined && !words.REMOVED_FROM.test(said.slice(removed.length)) && !NEGATED.test(removed);
}

function isToRemove(before: string, rest: string): boolean {
  const isOfPart = /^['’]s|^\s+(?:rows?|lines?|entries)/iu.test(rest) || words.REMOVED_FROM.test(rest);
  return words.REMOVED_BEFORE.test(before) && !isNegatedBefore(before) && !isOfPart;
}

function isNegatedBefore(before: string): boolean {
  return NEGATED.test(before.slice(-30));
}

function countsIn({ subject, before, rest }: Place): Relation | undefined {
  const count = countOf(before, rest);
  return count === undefined || words.UNCERTAIN.test(before) ? undefined : { kind: 'Counts', file: subject, ...count };
}
