/**
 * What kind of thing a call does: it lists, it reads, or it acts. A command line that only looks at what is there has not made
 * it.
 *
 * Source: artoo A.6 (a later ls, find or stat does not prove the primary action).
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import type { KnownTools } from '../../gate/tool-facts.ts';

/** `Lists` shows names, `Reads` what is in a file or a page, `Acts` may make, change or fetch something. */
export type CallKind = 'Lists' | 'Reads' | 'Acts';

/** Words that begin commands that show names and sizes, or say something themselves. */
const LISTING = new Set(
  '[ [[ : cd date df dirname basename du echo exit export false file find ls printf pwd readlink realpath set sleep stat test tree true type which'.split(
    ' ',
  ),
);
const READING = new Set(
  'cat cmp cut diff egrep fgrep grep head less md5sum more nl rg sha256sum tail uniq wc xxd'.split(' '),
);
const AROUND = new Set('if then else elif fi for in do done while until ! { } ( ) && || time command'.split(' '));

export function callKind({ tool, input }: Pick<ToolCallRecord, 'tool' | 'input'>, known: KnownTools): CallKind {
  const facts = known.factsOf(tool);
  if (facts.runsCode) return commandKind(bashIn(tool, input));
  if (facts.writes !== 'Nothing' || facts.reachesOutside || facts.effectClass > 0) return 'Acts';
  return facts.output.isListing === true ? 'Lists' : 'Reads';
}

/** The script of a shell call; undefined for other languages, whose programs may do anything. */
export function bashIn(tool: string, input: string): string | undefined {
  const given = parseJson(input);
  if (typeof given !== 'object' || given === null || !('script' in given)) return undefined;
  const { script } = given;
  if (typeof script !== 'string') return undefined;
  const language = 'language' in given ? given.language : tool;
  return language === 'bash' ? script : undefined;
}

/** @param script  of a shell; undefined: of something else */
export function commandKind(script: string | undefined): CallKind {
  if (script === undefined) return 'Acts';
  const plain = script.replaceAll(/\d?>&\d|\d?>\s*\/dev\/null|<<?\s*\/dev\/null/g, ' ');
  if (targetsOf(script).length > 0 || /\s-(?:exec|delete|ok)\b/.test(plain)) return 'Acts';
  const words = firstWords(plain.replaceAll(/'[^']*'|"[^"$`]*"/g, ' _ '));
  if (words.every((it) => LISTING.has(it))) return 'Lists';
  return words.every((it) => LISTING.has(it) || READING.has(it)) ? 'Reads' : 'Acts';
}

function firstWords(script: string): readonly string[] {
  return script
    .replaceAll(/(?:^|\n)\s*#[^\n]*/g, '\n')
    .split(/[;\n|&()`]+|\$\(/)
    .map(
      (command) =>
        command
          .trim()
          .split(/\s+/)
          .find((word) => !AROUND.has(word) && !/^\w+=/.test(word)) ?? '',
    )
    .filter((word) => word !== '');
}

/** Files that a shell script redirects into. */
export function targetsOf(script: string): readonly string[] {
  return [...script.matchAll(/(?<![<>&\d=-])\d?>>?\|?\s*["']?([^\s"'|;&<>()]+)/g)].flatMap(([, file = '']) =>
    file === '' || file.startsWith('/dev/') ? [] : [file],
  );
}

/** Files that a call is meant to write, as far as its arguments say so. */
export function aimsOf({ tool, input, target }: ToolCallRecord, known: KnownTools): readonly string[] {
  const facts = known.factsOf(tool);
  if (facts.runsCode) return targetsOf(bashIn(tool, input) ?? '');
  return facts.writes === 'Path' && target !== undefined ? [target] : [];
}
