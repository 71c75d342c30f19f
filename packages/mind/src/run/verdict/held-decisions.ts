/**
 * Decides what a file holds by its newest state.
 *
 * I1  A known content decides alone. A call shows something of a file only if it looked after the newest write, or is that write.
 * I2  Where the newest content is not known, what the write itself says is the validator's to judge.
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import type { Held } from './file-holds.ts';
import type { FileState } from './file-history.ts';
import type { Subject } from './file-relations.ts';
import { pathsOf, type Decision, type Surroundings } from './relation-decisions.ts';
import { showsWords, shownText, shows, type ShownByCall } from './shown-by-call.ts';

/** What is looked at, with the calls that may be evidence. */
export interface Looks extends Surroundings {
  readonly shown: readonly ShownByCall[];
  /** Position of a call in the history, by its id. */
  readonly positions: ReadonlyMap<string, number>;
  readonly known: KnownTools;
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
  const decisions = pathsOf(file, looks.history).map((path) => inPath(held, file, path, looks));
  return (
    decisions.find((it) => it?.kind === 'Shown') ??
    decisions.find((it) => it?.kind === 'CutOff') ??
    decisions.find((it) => it !== undefined)
  );
}

function inPath(held: Held, file: Subject, path: string, looks: Looks): Decision | undefined {
  const { history, texts, shown, positions } = looks;
  const { named } = held;
  const state = history.newestOf(path);
  if (!state.isThere) return undefined;
  const showing = shown.filter((it) => showsWords(it, named));
  const at = (it: ShownByCall): number => positions.get(it.call.callId) ?? Infinity;
  const seen = showing.filter((it) => at(it) > state.at && it.kind !== 'Lists' && showsPath(it, file, path));
  const text = state.isSure ? texts.of(path, state) : undefined;
  if (text !== undefined) {
    if (isHeld(text, held)) return { kind: 'Shown', by: writerOf(state, looks) ?? seen.slice(0, 1).map(idOf) };
    return mayBeCounted(held) && showing.length > 0 ? { kind: 'CutOff' } : notHeld(held, file);
  }
  const [first] = seen;
  if (first !== undefined) return { kind: 'Shown', by: [first.call.callId] };
  const writer = history.calls[state.at];
  if (writer !== undefined && isEditedIn(writer, held, looks.known))
    return { kind: 'Shown', by: writerOf(state, looks) ?? [] };
  const isStale = (it: ShownByCall): boolean => at(it) < state.at && showsPath(it, file, path);
  if (showing.some((it) => !isStale(it)) || shown.some((it) => it.isCut && at(it) >= state.at))
    return { kind: 'CutOff' };
  return notHeld(held, file);
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

function showsPath(it: ShownByCall, file: Subject, path: string): boolean {
  const whole = { kind: 'File', text: path, path, isBare: false, wanted: 'There' } as const;
  return shows(it, whole) || shows(it, { ...whole, text: file.text, path: file.path, isBare: file.isBare });
}

function isHeld(text: string, { named, at }: Held): boolean {
  if (at === 'Anywhere') return showsWords(shownText(text), named);
  const lines = text.split('\n').filter((it) => it.trim() !== '');
  return showsWords(shownText((at === 'Start' ? lines[0] : lines.at(-1)) ?? ''), named);
}

/** `the 250 customers`: a content that holds them need not hold their number. */
function mayBeCounted({ named }: Held): boolean {
  return named.kind === 'Figure' && named.claim.isCount && named.claim.unit === undefined;
}

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
  const given = parseJson(call.input);
  const edits: unknown = typeof given === 'object' && given !== null && 'edits' in given ? given.edits : undefined;
  const texts = Array.isArray(edits) ? edits.map((it: unknown) => newTextOf(it)) : [];
  return showsWords(shownText(texts.join('\n')), named);
}

function newTextOf(edit: unknown): string {
  if (typeof edit !== 'object' || edit === null || !('new' in edit)) return '';
  return typeof edit.new === 'string' ? edit.new : '';
}
