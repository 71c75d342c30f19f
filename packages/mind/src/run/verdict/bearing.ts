/**
 * Whether evidence bears on a criterion: what it names must be shown by calls that ran and succeeded, and a file that the run
 * was to make must have been made by a call of the run. Decided before a validator is asked, and whatever it says afterwards.
 *
 * I1  A criterion that names something is met only if a call of its evidence shows it, or if the record was cut where it may be.
 * I2  A file that was not there when the run began needs a call of the run that wrote it. A later look does not count.
 *
 * Source: artoo A.6 (evidence grounding), A.15, D.
 */
import type { BusCriterion, ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { failedAim, isActedOn, isSpoilt, mayHaveStood, type RunTrace } from './acts.ts';
import { namedIn, type Named, type NamedFile, type NamedGroup } from './named-things.ts';
import { shownByCall, shows, type ShownByCall } from './shown-by-call.ts';

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
  const { criterion, wishes, calls, cited, known } = question;
  const groups = criterion.mode === 'Verifiable' ? namedIn(criterion.text, wishes) : [];
  if (groups.length === 0) return { kind: 'NamesNothing' };
  const shown = calls.filter((it) => it.status === 'Ok').map((it) => shownByCall(it, known));
  const inOrder = shown.toSorted((a, b) => Number(isCited(b, cited)) - Number(isCited(a, cited)));
  const found = groups.map((group) => foundIn(group, inOrder, question));
  const missing = found.find((it) => it.kind === 'Missing');
  if (missing !== undefined) return missing;
  if (found.some((it) => it.kind === 'CutOff')) return { kind: 'CutOff' };
  const by = found.flatMap((it) => (it.kind === 'Shown' ? it.by : []));
  return { kind: 'Shown', by: [...new Set(by)].filter((id) => cited?.has(id) !== true) };
}

function isCited({ call }: ShownByCall, cited: ReadonlySet<string> | undefined): boolean {
  return cited?.has(call.callId) === true;
}

type Found = Exclude<Bearing, { kind: 'NamesNothing' }>;

/** One of a group's alternatives is enough. */
function foundIn(group: NamedGroup, shown: readonly ShownByCall[], question: BearingQuestion): Found {
  const found = group.map((named) => foundOne(named, shown, question));
  const first = found[0] ?? { kind: 'CutOff' };
  return found.find((it) => it.kind === 'Shown') ?? found.find((it) => it.kind === 'CutOff') ?? first;
}

function foundOne(named: Named, shown: readonly ShownByCall[], question: BearingQuestion): Found {
  if (named.kind === 'File' || named.kind === 'Directory') {
    const fault = fileFaults.find((it) => it.fits(named, question));
    if (fault !== undefined) return missing(fault.reason(named.text), fault.fix(named.text));
  }
  const by = shown.find((it) => maySpeakOf(it, named, question) && shows(it, named));
  if (by !== undefined) return { kind: 'Shown', by: [by.call.callId] };
  if (shown.some((it) => it.isCut)) return { kind: 'CutOff' };
  return missing(`no call that succeeded shows ${named.text}`, `Make the call that shows ${named.text}.`);
}

function missing(reason: string, fix: string): Missing {
  return { kind: 'Missing', reason, fix };
}

/** A file that only stood there is shown by the call that read it: a list of names says nothing of what it holds. */
function maySpeakOf({ kind }: ShownByCall, named: Named, { criterion, trace, known }: BearingQuestion): boolean {
  if (named.kind !== 'File') return true;
  if (named.wanted === 'Gone') return kind === 'Acts';
  return kind !== 'Lists' || EXISTS.test(criterion.text) || isActedOn(named, trace, known);
}

const EXISTS =
  /\b(?:exists?|is there|is in the workspace|is listed|are listed|names? of|existiert|ist vorhanden|existe)\b/iu;

interface FileFault {
  readonly name: string;
  readonly fits: (file: NamedFile, question: BearingQuestion) => boolean;
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
    name: 'new, and nobody made it',
    fits: (file, { trace, known }) => isWanted(file) && !mayHaveStood(file, trace) && !isActedOn(file, trace, known),
    reason: (file) =>
      `${file} did not stand in the workspace when the run began, and no call of this run that succeeded wrote it`,
    fix: write,
  },
];

function isWanted({ wanted }: NamedFile): boolean {
  return wanted !== 'Gone';
}
