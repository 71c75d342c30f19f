/**
 * Decides what a criterion says became of files by their states: digests, who wrote them last, and their content where the record
 * holds it.
 *
 * I1  What the record does not tell is not decided: then the verdict is the validator's judgement.
 *
 * Source: artoo A.6 (evidence grounding), A.15 (artifact hashes).
 */
import { isEditWished } from './change-wishes.ts';
import { hasSoMany, linesIn } from './count-relation.ts';
import type { FileHistory, FileState } from './file-history.ts';
import type { Relation, Subject } from './file-relations.ts';
import { printedBy, type KnownTexts } from './known-texts.ts';
import { isLike, isRemovedIn, mayChangeUnsaid, scriptIn } from './script-words.ts';

export type Decision =
  /** `by`: the calls that made it so; none where nothing had to be done. */
  | { readonly kind: 'Shown'; readonly by: readonly string[] }
  /** The validator's judgement. */
  | { readonly kind: 'CutOff' }
  | { readonly kind: 'Missing'; readonly reason: string; readonly fix: string };

export interface Surroundings {
  readonly history: FileHistory;
  readonly texts: KnownTexts;
  /** The intents and the criterion. */
  readonly words: readonly string[];
}

type Of<K extends Relation['kind']> = Extract<Relation, { kind: K }>;

const UNDECIDED: Decision = { kind: 'CutOff' };
const HELD: Decision = { kind: 'Shown', by: [] };

function missing(reason: string, fix: string): Decision {
  return { kind: 'Missing', reason, fix };
}

export function decided(relation: Relation, around: Surroundings): Decision {
  switch (relation.kind) {
    case 'Unchanged':
      return together(relation.file, around, (path) => unchanged(relation.file.text, path, around));
    case 'Gone':
      return gone(relation, around);
    case 'Moved':
      return moved(relation, around);
    case 'Same':
      return same(relation, around);
    case 'Counts':
      return counts(relation, around);
  }
}

/** Files of the history that a subject means. */
export function pathsOf(
  { kind, path, isBare }: Omit<Subject, 'start' | 'end'>,
  { paths }: FileHistory,
): readonly string[] {
  if (kind === 'Pattern') return paths.filter((it) => isLike(it, path));
  const below = paths.filter((it) => it.startsWith(`${path}/`));
  if (kind === 'Directory' || below.length > 0) return below;
  if (paths.includes(path) || !isBare) return paths.filter((it) => it === path);
  return paths.filter((it) => it.endsWith(`/${path}`));
}

/** Of alternatives, one that holds is enough. Undefined: none of them is decided by anything. */
export function easiest(decisions: readonly (Decision | undefined)[]): Decision | undefined {
  return (
    decisions.find((it) => it?.kind === 'Shown') ??
    decisions.find((it) => it?.kind === 'CutOff') ??
    decisions.find((it) => it !== undefined)
  );
}

/** The decision on each file that is meant: the first one that is missing, else the first that is not decided. */
function together(file: Subject, around: Surroundings, decide: (path: string) => Decision): Decision {
  const found = pathsOf(file, around.history).map(decide);
  return (
    found.find((it) => it.kind === 'Missing') ??
    found.find((it) => it.kind === 'CutOff') ??
    (found.length === 0 ? UNDECIDED : { kind: 'Shown', by: [...new Set(found.flatMap(byOf))] })
  );
}

function byOf(decision: Decision): readonly string[] {
  return decision.kind === 'Shown' ? decision.by : [];
}

function unchanged(name: string, path: string, { history }: Surroundings): Decision {
  const [first] = history.statesOf(path);
  const newest = history.newestOf(path);
  if (first === undefined || newest.at < 0) return newest.isSure || first?.isSure === false ? HELD : UNDECIDED;
  if (!newest.isSure || isUnhashed(first)) return UNDECIDED;
  if (newest.isThere === first.isThere && newest.sha256 === first.sha256) return HELD;
  if (!first.isThere) return UNDECIDED;
  const what = newest.isThere ? 'changed' : 'removed';
  return missing(
    `a call of this run ${what} ${name}, which shall be as the run found it`,
    `Restore ${name} as it was.`,
  );
}

function isUnhashed({ isThere, sha256 }: FileState): boolean {
  return isThere && sha256 === undefined;
}

function gone({ file, isAct }: Pick<Of<'Gone'>, 'file' | 'isAct'>, around: Surroundings): Decision {
  const { history } = around;
  const { text } = file;
  const why = `no call of this run that succeeded removed ${text}`;
  const fix = `Remove ${text} with a call that succeeds.`;
  if (pathsOf(file, history).length === 0) {
    const isNamed = history.calls.some((it) => it.status === 'Ok' && isRemovedIn(scriptIn(it) ?? '', file.path));
    return isAct && !isNamed ? missing(why, fix) : UNDECIDED;
  }
  return together(file, around, (path) => {
    const state = history.newestOf(path);
    if (state.isThere)
      return state.isSure && !mayBeGone(history, state) ? missing(`${text} is still there: ${why}`, fix) : UNDECIDED;
    if (state.at < 0) return neverThere(state, isAct ? missing(why, fix) : undefined);
    return state.isSure ? { kind: 'Shown', by: [idAt(history, state.at)] } : UNDECIDED;
  });
}

/** @param fault  where somebody should have removed it */
function neverThere({ isSure }: FileState, fault: Decision | undefined): Decision {
  return fault ?? (isSure ? HELD : UNDECIDED);
}

/** Where nobody looked what a program removed, it may have removed what its words do not name. */
function mayBeGone({ calls }: FileHistory, { at }: FileState): boolean {
  return calls
    .slice(at + 1)
    .some((it) => it.gone === undefined && it.status === 'Ok' && mayChangeUnsaid(scriptIn(it) ?? ''));
}

function idAt({ calls }: FileHistory, at: number): string {
  return calls[at]?.callId ?? '';
}

function moved({ file, to }: Of<'Moved'>, around: Surroundings): Decision {
  const { history, words } = around;
  const left = gone({ file, isAct: true }, around);
  if (left.kind === 'Missing' || to === undefined) return left;
  const held = lastHeld(file, history);
  const states = targetsOf(to, file, history).map((path) => history.newestOf(path));
  const state = states.find((it) => it.isThere && it.sha256 === held) ?? states[0];
  if (held === undefined || state?.isSure !== true) return UNDECIDED;
  if (!state.isThere) return missing(`${to.text} is not there`, `Move ${file.text} to ${to.text}.`);
  if (state.sha256 === held) return left.kind === 'CutOff' ? left : { kind: 'Shown', by: [idAt(history, state.at)] };
  if ([to, file].some((it) => isEditWished(it.text, words))) return UNDECIDED;
  return missing(`${to.text} does not hold what ${file.text} held`, `Move ${file.text} to ${to.text} as it is.`);
}

/** Digest of what stood there last. */
function lastHeld(file: Subject, history: FileHistory): string | undefined {
  const [path] = pathsOf(file, history);
  return path === undefined ? undefined : history.statesOf(path).findLast((it) => it.isThere)?.sha256;
}

/** A directory stands for the file of the same name in it. */
function targetsOf(to: Subject, file: Subject, history: FileHistory): readonly string[] {
  const paths = pathsOf(to, history);
  const name = file.path.split('/').at(-1) ?? file.path;
  const inside = paths.filter((it) => it === `${to.path}/${name}`);
  if (inside.length > 0) return inside;
  return paths.length === 0 && history.newestOf(to.path).isSure ? [to.path] : paths;
}

function same({ file, other, isCopy }: Of<'Same'>, around: Surroundings): Decision {
  const { history } = around;
  const sources = pathsOf(other, history);
  const isTree = sources.length > 1 || other.kind === 'Directory';
  const pairs = isTree
    ? sources.map((path) => [`${file.path}/${path.slice(other.path.length + 1)}`, path] as const)
    : targetsOf(file, other, history)
        .slice(0, 1)
        .map((path) => [path, sources[0] ?? other.path] as const);
  if (pairs.length === 0 || sources.length === 0) return UNDECIDED;
  const found = pairs.map(([path, source]) => equal(path, source, { file, other, isCopy }, around));
  return (
    found.find((it) => it.kind === 'Missing') ??
    found.find((it) => it.kind === 'CutOff') ?? { kind: 'Shown', by: found.flatMap(byOf) }
  );
}

function equal(
  path: string,
  source: string,
  { file, other, isCopy }: Omit<Of<'Same'>, 'kind'>,
  { history, texts }: Surroundings,
): Decision {
  const [one, two] = [history.newestOf(path), history.newestOf(source)];
  if (!one.isSure) return UNDECIDED;
  const fix = `Copy ${other.text} to ${file.text} as a whole.`;
  if (!one.isThere) return missing(`${file.text} is not there`, fix);
  // A copy is one of what stood there when it was made.
  const then = isCopy
    ? [two, history.before(source, one.at), ...history.statesOf(source).filter((it) => it.isThere)]
    : [two];
  const isEqual = then.some((it) => it.isThere && isSameContent(path, one, { path: source, state: it }, texts));
  const by = one.at < 0 ? [] : [idAt(history, one.at)];
  if (isEqual) return { kind: 'Shown', by };
  const isKnown = one.sha256 !== undefined && two.isSure && then.every((it) => !it.isThere || it.sha256 !== undefined);
  return isKnown ? missing(`${file.text} does not hold the same as ${other.text}`, fix) : UNDECIDED;
}

interface At {
  readonly path: string;
  readonly state: FileState;
}

function isSameContent(path: string, one: FileState, other: At, texts: KnownTexts): boolean {
  if (one.sha256 !== undefined && one.sha256 === other.state.sha256) return true;
  const text = texts.of(path, one);
  return text !== undefined && text === texts.of(other.path, other.state);
}

function counts(relation: Of<'Counts'>, around: Surroundings): Decision {
  const { history, texts } = around;
  const { file, told, of } = relation;
  return together(file, around, (path) => {
    const state = history.newestOf(path);
    const text = state.isSure ? texts.of(path, state) : undefined;
    const what = `${told} ${of === 'Lines' ? 'lines' : 'rows'}`;
    if (text !== undefined) {
      if (hasSoMany(text, relation)) return { kind: 'Shown', by: state.at < 0 ? [] : [idAt(history, state.at)] };
      return missing(`${file.text} has ${linesIn(text)[0]} lines, not ${what}`, `Write ${file.text} with ${what}.`);
    }
    const printed = countedSince(path, state, history);
    if (printed === undefined) return UNDECIDED;
    const isSo = hasSoMany('x\n'.repeat(Math.min(printed.lines, LINES_MAX)), relation);
    return isSo
      ? { kind: 'Shown', by: [printed.by] }
      : missing(`${file.text} has ${printed.lines} lines, not ${what}`, `Write ${file.text} with ${what}.`);
  });
}

/** Most lines that are counted. */
const LINES_MAX = 1_000_000;

/** What `wc -l` said of the file after its newest write. */
function countedSince(
  path: string,
  { at }: FileState,
  { calls }: FileHistory,
): { readonly lines: number; readonly by: string } | undefined {
  const counted = calls.slice(at + 1).flatMap((call) => {
    const named = COUNTS_LINES.exec(scriptIn(call) ?? '')?.[1]?.replaceAll(/["']|^\.\//g, '');
    const told = /^\s*(\d+)(?:\s|$)/.exec(printedBy(call) ?? '')?.[1];
    if (call.status !== 'Ok' || named !== path || told === undefined) return [];
    return [{ lines: Number(told), by: call.callId }];
  });
  return counted.at(-1);
}

const COUNTS_LINES = /^\s*wc\s+-l\s+<?\s*(\S+)\s*$/;
