/**
 * What a call shows: its arguments, its target, its output, and the files that it wrote.
 *
 * Lenient: a number counts in each of its readings, a text in any case and with any blanks.
 */
import { isCut } from '@retainer/contract/std/head-and-tail';
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';
import { targetKindOf } from '../../gate/tool-target.ts';
import { callKind, type CallKind } from './command-kind.ts';
import { shownDays } from './date-reading.ts';
import { isThing, type Named, type NamedFigure, type NamedFile, type Thing } from './named-things.ts';
import { aboutSlack, roundingSlack, withAsciiDigits, type NumberReading } from './number-reading.ts';
import { isShownOtherwise } from './unit-shown.ts';
import { holdsApart, isNumberShown, shownNumbers, type ShownNumbers } from './shown-spellings.ts';

/** A text, read once for all that is looked for in it. */
export interface ShownText {
  /** In lower case, blanks made one. */
  readonly text: string;
  readonly numbers: ShownNumbers;
  readonly days: ReadonlySet<string>;
  /** As it was, or its parts: a unit in one says nothing of another. */
  readonly parts: readonly string[];
}

export interface ShownByCall extends ShownText {
  readonly call: ToolCallRecord;
  readonly kind: CallKind;
  /** A part of it is not in the record: what is not found may be there. */
  readonly isCut: boolean;
  readonly isCommand: boolean;
  /** It reads or writes the file at its target, and what is in it says nothing of other files. */
  readonly isOneFile: boolean;
  readonly files: readonly string[];
}

export function shownByCall(call: ToolCallRecord, known: KnownTools): ShownByCall {
  const given = textsOf(parseJson(call.input) ?? call.input);
  const facts = known.factsOf(call.tool);
  return {
    call,
    kind: callKind(call, known),
    isCut: isCut(call.input.replaceAll('\\n', '\n')) || isCut(call.output),
    ...shownText(...given, call.target ?? '', call.output),
    isCommand: targetKindOf(facts) === 'Command',
    isOneFile: !facts.runsCode && (facts.writes === 'Path' || facts.output.isFile === true),
    files: call.files.map((it) => it.path),
  };
}

export function shownText(...parts: readonly string[]): ShownText {
  const text = withAsciiDigits(parts.join('\n'));
  return { text: onLine(text), numbers: shownNumbers(text), days: shownDays(text), parts };
}

/** All texts and numbers of arguments, members' names left out. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

function onLine(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ');
}

/** Whether a call shows a thing. */
export function shows(shown: ShownByCall, named: Named): boolean {
  return isThing(named) ? showsWords(shown, named) : showsFile(shown, named);
}

/** Whether a call shows the file at exactly this path of the workspace. */
export function showsPath(shown: ShownByCall, path: string): boolean {
  return showsFile(shown, { kind: 'File', text: path, path, isBare: false, wanted: 'There' });
}

/** Whether a text shows a thing that is no file. */
export function showsWords(shown: ShownText, named: Thing): boolean {
  switch (named.kind) {
    case 'Figure':
      return showsFigure(shown, named);
    case 'Day':
      return named.days.some((day) => shown.days.has(day));
    case 'Address':
      return holdsApart(shown.text, onLine(named.text.replace(/\/$/, '')), /[\p{L}\p{N}_.-]/u, /[\p{L}\p{N}_%=&-]/u);
    case 'Time':
      return holdsApart(shown.text, named.text, /\d/, /\d/);
    case 'Name':
      return holdsApart(shown.text, onLine(named.text), /[\p{Script=Latin}\p{N}_]/u, /[\p{Script=Latin}\p{N}_]/u);
  }
}

function showsFile(shown: ShownByCall, file: NamedFile): boolean {
  if ([...shown.files, shown.call.target ?? ''].some((path) => isOf(file, path))) return true;
  if (shown.isOneFile) return false;
  return mentions(shown.text, file) || (shown.isCommand && mentionsInParts(shown.text, file));
}

/** Whether a path in the workspace is the named one, or below the named directory. */
export function isOf({ kind, path, isBare }: NamedFile, other: string): boolean {
  if (kind === 'Directory') return other.startsWith(`${path}/`);
  return other === path || (isBare && other.endsWith(`/${path}`));
}

const NAME_BEFORE = /[\p{L}\p{N}_@+.-]/u;
const NAME_AFTER = /[\p{L}\p{N}_@+-]/u;

/** The path in the text, apart from longer names: `old/results/sum.txt` is another file. */
function mentions(text: string, { path, isBare }: NamedFile): boolean {
  const needle = path.toLowerCase();
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const before = text.slice(0, at).replace(/(?<![\p{L}\p{N}_.-])\.\/$|\/workspace\/$/u, ' ');
    const last = before.at(-1) ?? ' ';
    const behind = text.slice(at + needle.length, at + needle.length + 2);
    const isApart = !NAME_BEFORE.test(last) && (isBare || last !== '/');
    if (isApart && !NAME_AFTER.test(behind.slice(0, 1)) && !/^\.[\p{L}\p{N}]/u.test(behind)) return true;
  }
  return false;
}

/** A script may put a path together: `cd results`, `join('results', 'sum.txt')`. */
function mentionsInParts(text: string, { path, isBare }: NamedFile): boolean {
  if (isBare) return false;
  return path
    .toLowerCase()
    .split('/')
    .every((part) => holdsApart(text, part, NAME_BEFORE, NAME_AFTER));
}

/** With decimals, the number with fewer digits is enough, and a percentage may be shown as its ratio. */
function showsFigure({ numbers, parts }: ShownText, { claim, around }: NamedFigure): boolean {
  if (isShownOtherwise(claim, around, parts)) return false;
  const slackOf = (reading: NumberReading): number | undefined => {
    if (claim.isAbout) return aboutSlack(reading, numbers.sorted.length);
    return reading.decimals > 0 ? roundingSlack(reading) : undefined;
  };
  const ratio = { ...claim, isPercent: false, scale: claim.scale - 2 };
  return isNumberShown(claim, numbers, slackOf) || (claim.isPercent && isNumberShown(ratio, numbers, slackOf));
}
