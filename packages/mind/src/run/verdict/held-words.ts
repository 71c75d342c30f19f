/**
 * Words that a criterion says to stand in a file as they are, and that are no figure, name or day: `F names Canberra`, `F has dark: true`,
 * `F contains no LATER`.
 *
 * I1  A word that the newest content lacks counts against the file only if the record shows the word elsewhere: else it may be a
 *     description, and the verdict is the validator's.
 *
 * Source: artoo A.6 (evidence grounding).
 */
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { editsOf } from './changed-texts.ts';
import type { Subject } from './file-relations.ts';
import { positionOf, type Looks } from './held-decisions.ts';
import { easiest, pathsOf, type Decision } from './relation-decisions.ts';
import { scriptIn } from './script-words.ts';
import { showsPath, type ShownByCall } from './shown-by-call.ts';

export interface HeldWord {
  readonly file: Subject;
  readonly word: string;
  /** `key: value`; then the word is the value. */
  readonly key?: string;
  readonly isDenied: boolean;
}

const HOLDS =
  /^["'`»”)]*\s+(?:(?:now|also|still|only|jetzt|nun|auch|noch|maintenant|aussi|ahora|también|nu|ook|ora|anche)\s+)?(?:names?|contains?|lists?|mentions?|says?|has|have|holds?|includes?|shows?|reads?|states?|sets?|nennt|nennen|enthält|enthalten|erwähnt|listet|zeigt|hat|contient|contiennent|nomme|mentionne|cite|indique|liste|a|contiene[n]?|nombra|menciona|incluye|lista|tiene|dice|bevat(?:ten)?|noemt|vermeldt|heeft|nomina|elenca|cita|ha)(?:\s+(?:now|jetzt|maintenant|ahora|nu|ora))?\s+(?<object>[^\n]*)$/iu;
const DENIED =
  /^(?:no|kein(?:e|en)?|aucune?|ningun[oa]?|ningún|geen|nessun[oa]?|plus de)\s+(?:more\s+|longer\s+)?["'`«„“]?(?<word>[\p{L}\p{N}_-]{3,})["'`»”]?(?:\s+(?:any ?more|left|mehr|meer))?$/iu;
const SAID_TO_BE_A_WORD =
  /^(?:the|das|le|la|el|het|il)\s+(?:word|keyword|name|entry|wort|stichwort|namen?|eintrag|mot|nom|palabra|nombre|woord|naam|parola|nome)\s+/iu;
const WORD = /^["'`«„“]?(?<word>\p{L}[\p{L}\p{N}_-]+)["'`»”]?$/u;
const PAIR = /(?<![\p{L}\p{N}_.-])["'`]?(?<key>[A-Za-z_][\w.-]*)["'`]?\s*[:=]\s*["'`]?(?<value>[\w./-]*\w)["'`]?/gu;
const SETTINGS = /\.(?:json|ya?ml|toml|ini|cfg|conf|config|env|properties)$|(?:^|\/)\.\w+rc$/iu;
const LIST = /\s*,\s*(?:(?:and|und|et|y|e|en)\s+)?|\s+(?:and|und|et|y|e|en)\s+/u;

/** In the order of the text. */
export function wordsHeldIn(text: string, subjects: readonly Subject[]): readonly HeldWord[] {
  return subjects.flatMap((file, at): readonly HeldWord[] => {
    const rest = text.slice(file.end, subjects[at + 1]?.start).split(/[.;](?:\s|$)/)[0] ?? '';
    const said = HOLDS.exec(rest)?.groups?.['object']?.trim();
    if (said === undefined) return [];
    const denied = DENIED.exec(said)?.groups?.['word'];
    if (denied !== undefined) return [{ file, word: denied, isDenied: true }];
    if (SETTINGS.test(file.path)) {
      const pairs = [...said.matchAll(PAIR)].flatMap(({ groups }) => {
        const { key = '', value = '' } = groups ?? {};
        return [{ file, key: key.split('.').at(-1) ?? key, word: value, isDenied: false }];
      });
      if (pairs.length > 0) return pairs;
    }
    return listedIn(said).map((word) => ({ file, word, isDenied: false }));
  });
}

/** One bare word, or a list of them; with an article before it, it describes. */
function listedIn(said: string): readonly string[] {
  const behind = said.slice(said.lastIndexOf(':') + 1).trim();
  const words = behind.replace(SAID_TO_BE_A_WORD, '').split(LIST);
  const found = words.map((it) => WORD.exec(it)?.groups?.['word']);
  return found.every((it) => it !== undefined) ? found : [];
}

/** @returns undefined where it decides nothing */
export function wordDecision(held: HeldWord, looks: Looks): Decision | undefined {
  return easiest(pathsOf(held.file, looks.history).map((path) => inPath(held, path, looks)));
}

function inPath(held: HeldWord, path: string, looks: Looks): Decision | undefined {
  const { history, texts } = looks;
  const state = history.newestOf(path);
  if (!state.isThere || state.at < 0 || !state.isSure) return undefined;
  const text = texts.of(path, state);
  if (held.isDenied) return denied(held, text);
  if (text !== undefined) {
    if (isIn(held, text)) return undefined;
    return held.key !== undefined || isElsewhere(held, history.calls) ? notIn(held) : { kind: 'CutOff' };
  }
  return byLooks(held, path, looks);
}

/** A call that looked at it since it was changed; else what an older one showed is gone. */
function byLooks(held: HeldWord, path: string, looks: Looks): Decision | undefined {
  const { history } = looks;
  const state = history.newestOf(path);
  const showing = looks.shown.filter((it) => it.kind !== 'Lists' && isIn(held, it.text) && showsPath(it, path));
  if (showing.length === 0) return undefined;
  const isLater = (it: ShownByCall): boolean => positionOf(it, looks) >= state.at;
  const writer = history.calls[state.at];
  return showing.some(isLater) || writer === undefined || mayKeep(writer, held) ? undefined : notIn(held);
}

function denied(held: HeldWord, text: string | undefined): Decision | undefined {
  const { word, file } = held;
  // A description, such as "errors", may stand in the file and mean something else.
  if (text === undefined || !/\p{Lu}{2}|[\d_-]/u.test(word) || !apart(word, 'u').test(text)) return undefined;
  return {
    kind: 'Missing',
    reason: `${file.text} still holds ${word}`,
    fix: `Take ${word} out of ${file.text}.`,
  };
}

function apart(word: string, flags: string): RegExp {
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${escaped(word)}(?![\p{L}\p{N}_])`, flags);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`).replaceAll(String.raw`\-`, '[-]');
}

function isIn({ key, word }: HeldWord, text: string): boolean {
  if (key === undefined) return new RegExp(String.raw`(?<![\p{L}\p{N}_])${escaped(word)}`, 'iu').test(text);
  const quote = String.raw`\\?["'\u0060]?`;
  const between = String.raw`${quote}\s*(?:[:=]|\s)\s*${quote}`;
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}_])${escaped(key)}${between}${escaped(word)}(?![\p{L}\p{N}_])`,
    'iu',
  ).test(text);
}

function isElsewhere({ word }: HeldWord, calls: readonly ToolCallRecord[]): boolean {
  const pattern = apart(word, 'u');
  return calls.some((it) => it.status === 'Ok' && (pattern.test(it.output) || pattern.test(it.input)));
}

/** A change of another part of the file: what was shown before is still there. */
function mayKeep(writer: ToolCallRecord, { word }: HeldWord): boolean {
  const script = scriptIn(writer);
  if (script !== undefined) return script.includes('>>') && !/(?<!>)>(?![>&])|\bsed\b|\bmv\b/.test(script);
  const edits = editsOf(writer);
  return edits !== undefined && !JSON.stringify(edits.map((it) => it.old ?? '')).includes(word);
}

function notIn({ file, key, word }: HeldWord): Decision {
  const what = key === undefined ? word : `${key}: ${word}`;
  return {
    kind: 'Missing',
    reason: `${file.text} as it is now is not shown to hold ${what}`,
    fix: `Make ${file.text} hold ${what}, then read it.`,
  };
}
