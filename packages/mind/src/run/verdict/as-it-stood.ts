/**
 * A figure of a file that the run found is worked out from the file as it stood: a run that changes its source first, which no word
 * of the Task asks for, has worked out another figure.
 *
 * Source: artoo A.15 (Law 0: no easier goal substituted).
 */
import { isChangeWished } from './change-wishes.ts';
import { subjectsIn, type Subject } from './file-relations.ts';
import type { FileHistory } from './file-history.ts';
import type { Looks } from './held-decisions.ts';
import { operationsIn } from './operations.ts';
import { pathsOf } from './relation-decisions.ts';
import { shows, type ShownByCall } from './shown-by-call.ts';

/** What a criterion and the intents name as data to be read. */
export interface ChangedSource {
  readonly subject: Subject;
  readonly path: string;
}

const DATA = /\.(?:csv|tsv|txt|json|jsonl|xml|parquet|xlsx?|log|dat|db|sqlite|md|ya?ml)$/iu;

/** Files that the run found, and changed although nobody asked for it. */
export function changedSources(
  criterion: string,
  wishes: readonly string[],
  history: FileHistory,
): readonly ChangedSource[] {
  const named = [criterion, ...wishes]
    .flatMap((it) => subjectsIn(it, history.paths))
    .filter((it) => it.kind === 'File' && DATA.test(it.path));
  const found = named.flatMap((subject) =>
    pathsOf(subject, history)
      .filter((path) => isChanged(path, history) && !isChangeWished(subject.text, [criterion, ...wishes]))
      .map((path) => ({ subject, path })),
  );
  return [...new Map(found.map((it) => [it.path, it])).values()];
}

function isChanged(path: string, history: FileHistory): boolean {
  const [first, ...later] = history.statesOf(path);
  if (first?.isThere !== true || first.sha256 === undefined) return false;
  return later.some((it) => it.isThere && it.isSure && it.sha256 !== first.sha256);
}

/** Whether the call found the file as the run found it, and left it so. */
export function isAsItStood({ path }: ChangedSource, at: number, history: FileHistory): boolean {
  const first = history.statesOf(path)[0]?.sha256;
  const isSo = (until: number): boolean => history.before(path, until).sha256 === first;
  return isSo(at) && isSo(at + 1);
}

/** The calls whose figures may be those of the files as they stood. */
export function beforeChanges({ shown, sources, positions, history }: Looks): readonly ShownByCall[] {
  if (sources.length === 0) return shown;
  return shown.filter((it) => {
    const at = positions.get(it.call.callId);
    return at === undefined || sources.every((source) => isAsItStood(source, at, history));
  });
}

/** Of what a reply says. */
const TELLS =
  /(?<!\p{L})(?:told|given|named|reported|stated|answered|mentioned|quoted|genannt|angegeben|beantwortet|gesagt|mitgeteilt|donnée?s?|indiquée?s?|dite?s?|nommée?s?|citée?s?|indicad[oa]s?|se (?:indica|dice|da)|dich[oa]|genoemd|vermeld|gegeven|indicat[oaie]|dett[oaie])(?!\p{L})/iu;

/** Of a criterion that asks for a figure and tells none: a source that no call looked at before it was changed, and one did later. */
export function lookedAtTooLate(criterion: string, looks: Looks): ChangedSource | undefined {
  if (operationsIn(criterion) === undefined && !TELLS.test(criterion)) return undefined;
  return looks.sources.find((source) => {
    const { path, subject } = source;
    const file = { kind: 'File', text: path, path, isBare: subject.isBare, wanted: 'There' } as const;
    const seen = looks.shown.filter((it) => it.kind !== 'Lists' && shows(it, file));
    const isEarly = (it: ShownByCall): boolean =>
      isAsItStood(source, looks.positions.get(it.call.callId) ?? 0, looks.history);
    return seen.length > 0 && !seen.some(isEarly);
  });
}
