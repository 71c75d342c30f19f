/**
 * Whether evidence bears on a criterion: what it names must be shown by calls that ran and succeeded, and a file that the run
 * was to make must have been made by a call of the run. Decided before a validator is asked, and whatever it says afterwards.
 *
 * I1  A criterion that names something is met only if a call of its evidence shows it, or if the record was cut where it may be.
 * I2  A file is judged by its newest state: what it holds, whether it is there, and whether it is as another one or as before.
 * I3  A file that was not there when the run began needs a call of the run that wrote it. A later look does not count.
 *
 * Source: artoo A.6 (evidence grounding), A.15, D.
 */
import type { BusCriterion, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { failedAim, isActedOn, isSpoilt, mayHaveStood, type RunTrace } from './acts.ts';
import { beforeChanges, changedSources, lookedAtTooLate, type ChangedSource } from './as-it-stood.ts';
import { describes } from './file-attributes.ts';
import { fileHistory, type FileHistory } from './file-history.ts';
import { heldIn, impliedFile, type Held } from './file-holds.ts';
import { impliedRelations, relationsIn, subjectsIn, type Relation, type Subject } from './file-relations.ts';
import { heldDecision, positionOf, type Looks } from './held-decisions.ts';
import { wordDecision, wordsHeldIn } from './held-words.ts';
import { knownTexts } from './known-texts.ts';
import { groupsOf, isMadeIn, isThing, placedIn, type Named, type NamedFile, type NamedGroup } from './named-things.ts';
import { decided, pathsOf, type Decision } from './relation-decisions.ts';
import { mayChangeUnsaid, scriptIn } from './script-words.ts';
import { shownByCall, shows, showsPath, type ShownByCall } from './shown-by-call.ts';
import { isUnseen, madeTooEarly, ranBefore } from './unseen-files.ts';

export type Bearing =
  /** The validator judges alone. */
  | { readonly kind: 'NamesNothing' }
  /** `by`: calls that show what the cited ones do not; empty where those are enough. */
  | { readonly kind: 'Shown'; readonly by: readonly string[] }
  /** What is missing may be in a part of an output or of arguments that the record does not hold. */
  | { readonly kind: 'CutOff' }
  | { readonly kind: 'Missing'; readonly reason: string; readonly fix: string };

export type Missing = Extract<Bearing, { kind: 'Missing' }>;

export interface BearingQuestion {
  readonly criterion: BusCriterion;
  /** Intents that the criterion belongs to: they say which files shall be made. */
  readonly wishes: readonly string[];
  /** Calls that may be evidence, in their order. */
  readonly calls: readonly ToolCallRecord[];
  /** Ids of the calls that the validator cites; undefined: before it is asked. */
  readonly cited?: ReadonlySet<string>;
  readonly trace: RunTrace;
  readonly known: KnownTools;
}

export function bearingOf(question: BearingQuestion): Bearing {
  const { criterion, calls, cited, known } = question;
  if (criterion.mode !== 'Verifiable') return { kind: 'NamesNothing' };
  const all = calls.filter((it) => it.status === 'Ok').map((it) => shownByCall(it, known));
  const shown = all.toSorted((a, b) => Number(isCited(b, cited)) - Number(isCited(a, cited)));
  const matter = matterOf(question, shown);
  const { groups, relations } = matter;
  const own = [
    ...relations.map((it) => decided(it, matter.looks)),
    ...groups.map((group) => foundIn(group, matter)),
    ...sourceFound(matter),
    ...stateFound(matter),
  ];
  if (own.length === 0) return { kind: 'NamesNothing' };
  const fault = own.find((it) => it.kind === 'Missing');
  if (fault !== undefined) return fault;
  if (own.some((it) => it.kind === 'CutOff')) return { kind: 'CutOff' };
  const ids = new Set(calls.map((it) => it.callId));
  const by = own.flatMap((it) => (it.kind === 'Shown' ? it.by : [])).filter((id) => ids.has(id));
  return { kind: 'Shown', by: [...new Set(by)].filter((id) => cited?.has(id) !== true) };
}

function isCited({ call }: ShownByCall, cited: ReadonlySet<string> | undefined): boolean {
  return cited?.has(call.callId) === true;
}

/** What a criterion says, and all that decides it. */
interface Matter {
  readonly question: BearingQuestion;
  readonly looks: Looks;
  /** Without the files of which a relation says all. */
  readonly groups: readonly NamedGroup[];
  readonly relations: readonly Relation[];
  readonly held: ReadonlyMap<Named, Held>;
  readonly subjects: readonly Subject[];
}

function matterOf(question: BearingQuestion, shown: readonly ShownByCall[]): Matter {
  const { criterion, wishes, trace, known } = question;
  const { text } = criterion;
  const history = fileHistory(trace, known);
  const positions = new Map(trace.calls.map((call, at) => [call.callId, at] as const));
  const sources = changedSources(text, wishes, history);
  const looks = { history, texts: knownTexts(history, known), words: wishes, shown, positions, known, sources };
  const { paths } = history;
  const placed = placedIn(text, wishes, paths);
  const subjects = subjectsIn(text, paths);
  const relations = subjects.length > 0 ? relationsIn(text, paths) : impliedRelations(text, wishes, paths);
  const implied = subjects.length > 0 ? undefined : impliedFile(text, madeIn(wishes, paths));
  const held = heldIn(text, placed, implied === undefined ? subjects : [implied]);
  const isCovered = (named: Named): boolean =>
    !isThing(named) && relations.some((it) => saysAllOf(it).includes(named.text));
  const isCounted = (named: Named): boolean =>
    named.kind === 'Figure' && relations.some((it) => it.kind === 'Counts' && it.told === named.text);
  const groups = groupsOf(placed, text)
    .map((group) => group.filter((it) => !isCovered(it) && !isCounted(it)))
    .filter((group) => group.length > 0);
  return { question, looks, groups, relations, held: new Map(held.map((it) => [it.named, it])), subjects };
}

/** Files of which nothing else has to be shown. */
function saysAllOf(relation: Relation): readonly string[] {
  if (relation.kind === 'Same') return [relation.other.text, ...(relation.isCopy ? [] : [relation.file.text])];
  return relation.kind === 'Unchanged' || relation.kind === 'Gone' || relation.kind === 'Moved'
    ? [relation.file.text]
    : [];
}

/** Files that the intents ask to make, each once. */
function madeIn(wishes: readonly string[], paths: readonly string[]): readonly Subject[] {
  const made = wishes.flatMap((wish) =>
    subjectsIn(wish, paths).filter((it) => isMadeIn(it.text, wish.slice(0, it.start), wish.slice(it.end))),
  );
  return [...new Map(made.map((it) => [it.path, it])).values()];
}

type Found = Exclude<Bearing, { kind: 'NamesNothing' }>;

/** One of a group's alternatives is enough. */
function foundIn(group: NamedGroup, matter: Matter): Found {
  const found = group.map((named) => foundOne(named, matter));
  const first = found[0] ?? { kind: 'CutOff' };
  return found.find((it) => it.kind === 'Shown') ?? found.find((it) => it.kind === 'CutOff') ?? first;
}

function foundOne(named: Named, matter: Matter): Found {
  const { question, looks, held } = matter;
  if (!isThing(named)) {
    const fault = fileFaults.find((it) => it.fits(named, question, looks.history));
    if (fault !== undefined) return missing(fault.reason(named.text), fault.fix(named.text));
  }
  const holding = held.get(named);
  const decision = holding === undefined ? undefined : heldDecision(holding, looks);
  if (decision !== undefined) return decision;
  const shown = named.kind === 'Figure' ? beforeChanges(looks) : looks.shown;
  const all = shown.filter((it) => maySpeakOf(it, named, question) && shows(it, named));
  const by = isThing(named) ? all.find((it) => !isOutdated(it, matter)) : all[0];
  if (by !== undefined) return { kind: 'Shown', by: [by.call.callId] };
  if (all.length > 0 || mayBeThere(named, shown, matter)) return { kind: 'CutOff' };
  const [source] = looks.sources;
  if (named.kind === 'Figure' && source !== undefined) return changedFirst(source, `${named.text} was shown`);
  return missing(`no call that succeeded shows ${named.text}`, `Make the call that shows ${named.text}.`);
}

/** Where the record does not hold all. */
function mayBeThere(named: Named, shown: readonly ShownByCall[], matter: Matter): boolean {
  return shown.some((it) => it.isCut) || mayBeRead(named, matter);
}

/** A program in a file may have read it, and only the record knows that the word names a file. */
function mayBeRead(named: Named, { question, looks }: Matter): boolean {
  if (named.kind !== 'File' || subjectsIn(question.criterion.text).some((it) => it.text === named.text)) return false;
  return looks.shown.some((it) => mayChangeUnsaid(scriptIn(it.call) ?? ''));
}

/** What the call shows of a file that the criterion names is no longer in it. */
function isOutdated(shown: ShownByCall, { looks, subjects }: Matter): boolean {
  const at = positionOf(shown, looks);
  return subjects
    .flatMap((it) => pathsOf(it, looks.history))
    .filter((path) => looks.history.newestOf(path).at > at && !looks.sources.some((it) => it.path === path))
    .some((path) => showsPath(shown, path));
}

/** What it says of words in a file, of a program that ran, and of one that was made from another. */
function stateFound({ question, looks, subjects }: Matter): readonly Decision[] {
  const { text } = question.criterion;
  const found = [
    ...wordsHeldIn(text, subjects).map((it) => wordDecision(it, looks)),
    ...subjects.map((it) => ranBefore(text, it, looks)),
    madeTooEarly(text, subjects, looks),
    ...subjects.map((it) => (isUnseen(text, it, looks) ? ({ kind: 'CutOff' } as const) : undefined)),
  ];
  return found.flatMap((it) => (it === undefined ? [] : [it]));
}

/** A criterion that asks for a figure of a file, and tells none. */
function sourceFound({ question, looks }: Matter): readonly Found[] {
  const late = lookedAtTooLate(question.criterion.text, looks);
  return late === undefined ? [] : [changedFirst(late, 'a call looked at it')];
}

function changedFirst({ subject }: ChangedSource, what: string): Missing {
  return missing(
    `a call of this run changed ${subject.text} before ${what}, and no word of the task asks for that`,
    `Restore ${subject.text} as it was, then work it out from there.`,
  );
}

function missing(reason: string, fix: string): Missing {
  return { kind: 'Missing', reason, fix };
}

/** A file that only stood there is shown by the call that read it: a list of names says nothing of what it holds. */
function maySpeakOf({ kind, call }: ShownByCall, named: Named, { criterion, trace, known }: BearingQuestion): boolean {
  if (named.kind !== 'File') return true;
  if (named.wanted === 'Gone') return kind === 'Acts';
  if (kind !== 'Lists' || EXISTS.test(criterion.text)) return true;
  return describes(call, criterion.text, named.text, known) || isActedOn(named, trace, known);
}

const EXISTS =
  /(?<!\p{L})(?:exists?|(?:is|are) (?:all |both |now |still )?(?:there|present|available|in (?:the workspace|place)|listed|kept)|names? of|existier(?:t|en)|(?:ist|sind) (?:alle |beide )?(?:vorhanden|da)|liegt|liegen|vorliegen|existent|(?:est|sont) (?:là|présente?s?)|existen?|(?:está|están) (?:ahí|presentes?)|bestaa(?:t|n)|(?:is|zijn) (?:er|aanwezig)|esist(?:e|ono)|(?:è|sono) presenti?)(?!\p{L})/iu;

interface FileFault {
  readonly name: string;
  readonly fits: (file: NamedFile, question: BearingQuestion, history: FileHistory) => boolean;
  readonly reason: (file: string) => string;
  readonly fix: (file: string) => string;
}

const write = (file: string): string => `Write ${file} with a call that succeeds.`;

/** Read from the top; the first line that fits says what is missing. */
const fileFaults: readonly FileFault[] = [
  {
    name: 'a write that failed, and none after it',
    fits: (file, { trace, known }) => isWanted(file) && failedAim(file, trace, known) !== undefined,
    reason: (file) => `the last call that was to write ${file} did not succeed, and nothing after it did the same`,
    fix: write,
  },
  {
    name: 'left otherwise by a call that failed',
    fits: (file, { trace, known }) => isWanted(file) && isSpoilt(file, trace, known),
    reason: (file) => `a call that failed left ${file} as it is now`,
    fix: write,
  },
  {
    name: 'to be made, and nobody made it',
    fits: (file, { trace, known }) => file.wanted === 'Made' && !isActedOn(file, trace, known),
    reason: (file) => `no call of this run that succeeded wrote ${file}`,
    fix: write,
  },
  {
    name: 'removed again',
    fits: (file, { criterion }, history) =>
      (file.wanted === 'Made' || EXISTS.test(criterion.text)) && isRemoved(file, history),
    reason: (file) => `${file} is not there any more: a call of this run removed it`,
    fix: write,
  },
  {
    name: 'new, and nobody made it',
    fits: (file, { trace, known }) => isWanted(file) && !mayHaveStood(file, trace) && !isActedOn(file, trace, known),
    reason: (file) =>
      `${file} did not stand in the workspace when the run began, and no call of this run that succeeded wrote it`,
    fix: write,
  },
];

function isRemoved(file: NamedFile, history: FileHistory): boolean {
  const states = pathsOf(file, history).map((path) => history.newestOf(path));
  return states.length > 0 && states.every((it) => !it.isThere && it.isSure && it.at >= 0);
}

function isWanted({ wanted }: NamedFile): boolean {
  return wanted !== 'Gone';
}
