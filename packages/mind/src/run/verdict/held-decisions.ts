/**
 * Decides what a file holds by its newest state.
 *
 * I1  A known content decides alone. A call shows something of a file only if it looked after the newest write, or is that write.
 * I2  Where the newest content is not known, what the write itself says is the validator's to judge.
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import type { ChangedSource } from './as-it-stood.ts';
import { editsOf } from './changed-texts.ts';
import type { Held } from './file-holds.ts';
import type { FileState } from './file-history.ts';
import type { Subject } from './file-relations.ts';
import { easiest, pathsOf, type Decision, type Surroundings } from './relation-decisions.ts';
import { showsPath, showsWords, shownText, shows, type ShownByCall } from './shown-by-call.ts';

/** What is looked at, with the calls that may be evidence. */
export interface Looks extends Surroundings {
  readonly shown: readonly ShownByCall[];
  /** Position of a call in the history, by its id. */
  readonly positions: ReadonlyMap<string, number>;
  readonly known: KnownTools;
  readonly sources: readonly ChangedSource[];
}

/** @returns undefined where nothing is known of the file: then what calls show decides */
export function heldDecision(held: Held, looks: Looks): Decision | undefined {
  const decisions = held.files.map((file) => inFile(held, file, looks));
  return (
    decisions.find((it) => it?.kind === 'Missing') ??
    decisions.find((it) => it === undefined || it.kind === 'CutOff') ??
    decisions[0]
  );
}

/** A directory, a pattern or a bare name may mean several files: one that holds it is enough. */
function inFile(held: Held, file: Subject, looks: Looks): Decision | undefined {
  return easiest(pathsOf(file, looks.history).map((path) => inPath(held, file, path, looks)));
}

function inPath(held: Held, file: Subject, path: string, looks: Looks): Decision | undefined {
  const { history, texts, sources } = looks;
  const state = history.newestOf(path);
  const isSource = state.at < 0 || sources.some((it) => it.path === path);
  if (held.isDenied) return absent(held, file, path, looks);
  if (!state.isThere) return undefined;
  if (wasHeldOnly(held, path, state, looks)) return notHeld(held, file);
  if (isSource && !held.isPlain) return undefined;
  const text = state.isSure ? texts.of(path, state) : undefined;
  const newest = { held, file, path, state };
  return text === undefined ? byLooks(newest, looks) : byText(newest, text, looks);
}

interface Newest {
  readonly held: Held;
  readonly file: Subject;
  readonly path: string;
  readonly state: FileState;
}

/** Calls that show the thing. */
function showing({ held }: Newest, { shown }: Looks): readonly ShownByCall[] {
  return shown.filter((it) => showsWords(it, held.named));
}

/** In the history; behind every call where it is not in it. */
export function positionOf({ call }: ShownByCall, { positions }: Looks): number {
  return positions.get(call.callId) ?? Infinity;
}

/** Of these, the calls that looked at the file after its newest write. */
function seenSince(newest: Newest, looks: Looks): readonly ShownByCall[] {
  const { file, path, state } = newest;
  return showing(newest, looks).filter(
    (it) => positionOf(it, looks) > state.at && it.kind !== 'Lists' && showsEither(it, file, path),
  );
}

function byText(newest: Newest, text: string, looks: Looks): Decision {
  const { held, file, state } = newest;
  const seen = seenSince(newest, looks).slice(0, 1).map(idOf);
  if (isHeld(text, held)) return { kind: 'Shown', by: writerOf(state, looks) ?? seen };
  // A figure of a file that the run found may be worked out from what it holds.
  if (state.at < 0 && held.named.kind === 'Figure' && seen.length > 0) return { kind: 'Shown', by: seen };
  const isCounted = mayBeCounted(held) && showing(newest, looks).length > 0 && !isWrittenElsewhere(newest, looks);
  return isCounted ? { kind: 'CutOff' } : notHeld(held, file);
}

/** An older state of the file, or another file that the run wrote, holds it: so the thing is no count of what this one holds. */
function isWrittenElsewhere({ held }: Newest, { history, texts }: Looks): boolean {
  return history.paths.some((path) =>
    history.statesOf(path).some((state) => {
      const text = state.at < 0 || !state.isSure ? undefined : texts.of(path, state);
      return text !== undefined && isHeld(text, { ...held, at: 'Anywhere' });
    }),
  );
}

function byLooks(newest: Newest, looks: Looks): Decision {
  const { held, file, path, state } = newest;
  const [first] = seenSince(newest, looks);
  if (first !== undefined) return { kind: 'Shown', by: [idOf(first)] };
  const writer = looks.history.calls[state.at];
  const isEdited = writer !== undefined && isEditedIn(writer, held, looks.known);
  if (isEdited) return { kind: 'Shown', by: writerOf(state, looks) ?? [] };
  const isStale = (it: ShownByCall): boolean => positionOf(it, looks) < state.at && showsEither(it, file, path);
  const isCut = looks.shown.some((it) => it.isCut && positionOf(it, looks) >= state.at);
  return isCut || showing(newest, looks).some((it) => !isStale(it)) ? { kind: 'CutOff' } : notHeld(held, file);
}

/** What shall not be in the file any more. */
function absent({ named }: Held, file: Subject, path: string, { history, texts }: Looks): Decision | undefined {
  const state = history.newestOf(path);
  const text = state.isSure ? texts.of(path, state) : undefined;
  if (text !== undefined && !showsWords(shownText(text), named)) return { kind: 'Shown', by: [] };
  const [first] = history.statesOf(path);
  const isAsFound = first?.sha256 !== undefined && first.sha256 === state.sha256 && state.at >= 0;
  if (text === undefined && !isAsFound) return state.at < 0 ? undefined : { kind: 'CutOff' };
  return {
    kind: 'Missing',
    reason: `${file.text} still holds ${named.text}`,
    fix: `Take ${named.text} out of ${file.text}.`,
  };
}

/** The run found the file with it, and left it without. */
function wasHeldOnly(held: Held, path: string, state: FileState, { history, texts }: Looks): boolean {
  const [first] = history.statesOf(path);
  const before = first === undefined ? undefined : texts.of(path, first);
  const now = state.isSure && state.at >= 0 ? texts.of(path, state) : undefined;
  return before !== undefined && now !== undefined && isHeld(before, held) && !isHeld(now, held);
}

function idOf({ call }: ShownByCall): string {
  return call.callId;
}

/** Undefined where the run found the file so. */
function writerOf({ at }: FileState, { history, shown }: Looks): readonly string[] | undefined {
  const id = history.calls[at]?.callId;
  if (id === undefined) return undefined;
  return shown.some((it) => it.call.callId === id) ? [id] : [];
}

function showsEither(it: ShownByCall, { text, path: named, isBare }: Subject, path: string): boolean {
  return showsPath(it, path) || shows(it, { kind: 'File', text, path: named, isBare, wanted: 'There' });
}

function isHeld(text: string, { named, at }: Held): boolean {
  if (at === 'Anywhere') return showsWords(shownText(text), named);
  const lines = text.split('\n').filter((it) => it.trim() !== '');
  return showsWords(shownText((at === 'Start' ? lines[0] : lines.at(-1)) ?? ''), named);
}

/** `the 250 customers`: a content that holds them need not hold their number. */
function mayBeCounted({ named }: Held): boolean {
  if (named.kind !== 'Figure' || named.claim.unit !== undefined) return false;
  return named.claim.isCount && !NO_NOUN.test(named.around.after);
}

/** Words behind a number that count nothing. */
const NO_NOUN =
  /^\s(?:was|were|are|can|for|and|has|have|had|stands?|appears?|exists?|occurs?|found|written|saved|stored|listed|from|with|will|must|should|steht|stehen|wurden?|wird|ist|sind|und|für|aus|est|sont|été|dans|pour|está|fue|para|staat|staan|wordt|werd|voor|trova|sono|per|into|als)(?!\p{L})/iu;

function notHeld({ named, at }: Held, { text }: Subject): Decision {
  const where = { Anywhere: 'hold', Start: 'begin with', End: 'end with' }[at];
  return {
    kind: 'Missing',
    reason: `${text} as it is now is not shown to ${where} ${named.text}`,
    fix: `Make ${text} ${where} ${named.text}, then read it.`,
  };
}

/** A tool that changes parts: its new texts are in the file. */
function isEditedIn(call: ToolCallRecord, { named }: Held, known: KnownTools): boolean {
  if (known.factsOf(call.tool).writes !== 'Part' || call.status !== 'Ok') return false;
  const texts = (editsOf(call) ?? []).map((it) => it.fresh ?? '');
  return showsWords(shownText(texts.join('\n')), named);
}
