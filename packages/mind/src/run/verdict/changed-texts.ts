/**
 * Texts that a file may hold after a call that changed a part of it, if the text before is known. Each is a guess that counts only if
 * its digest is the file's, so a wrong one does no harm.
 */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';
import { compilePattern, type Pattern } from '../../gate/pattern.ts';
import { scriptIn } from './script-words.ts';

/** @param literals  texts of the script that it may write as they stand */
export function textsAfter(call: ToolCallRecord, before: string, literals: readonly string[]): readonly string[] {
  const edited = editedBy(call, before);
  const script = scriptIn(call);
  return [
    ...(edited === undefined ? [] : [edited]),
    ...(script === undefined ? [] : [...appended(script, before, literals), ...filtered(script, before)]),
  ];
}

/** What a tool that replaces texts was given, in its order; a part that is no text is absent. Undefined: of another tool. */
export function editsOf({
  input,
}: ToolCallRecord): readonly { readonly old?: string; readonly fresh?: string }[] | undefined {
  const given = parseJson(input);
  const edits: unknown = typeof given === 'object' && given !== null && 'edits' in given ? given.edits : undefined;
  if (!Array.isArray(edits)) return undefined;
  return edits.map((edit: unknown) => {
    if (typeof edit !== 'object' || edit === null) return {};
    return {
      ...('old' in edit && typeof edit.old === 'string' ? { old: edit.old } : {}),
      ...('new' in edit && typeof edit.new === 'string' ? { fresh: edit.new } : {}),
    };
  });
}

function editedBy(call: ToolCallRecord, before: string): string | undefined {
  const edits = editsOf(call);
  if (edits === undefined) return undefined;
  let text = before;
  for (const { old, fresh } of edits) {
    if (old === undefined || fresh === undefined) return undefined;
    text = text.split(old).join(fresh);
  }
  return text;
}

/** Most texts that are tried behind another. */
const APPENDED_MAX = 40;

function appended(script: string, before: string, literals: readonly string[]): readonly string[] {
  if (!script.includes('>>') && !/append|['"]a['"]/i.test(script)) return [];
  const echoed = [...script.matchAll(/\becho\s+(?:-\w+\s+)*(["']?)([^"'>|;&\n]*)\1\s*>>/g)].map(([, , text = '']) =>
    text.trimEnd(),
  );
  const all = echoed.length > 1 ? [...literals, echoed.join('\n')] : literals;
  return all
    .slice(0, APPENDED_MAX)
    .flatMap((text) => [`${before}${text}`, `${before}${text}\n`, `${before}\n${text}`, `${before}\n${text}\n`]);
}

const SED = /\bsed\s+(?:-[\w.]+\s+)*(["'])((?:(?!\1)[^\n])+)\1/g;

function filtered(script: string, before: string): readonly string[] {
  const seds = [...script.matchAll(SED)].map(([, , program = '']) => program);
  const texts = seds.flatMap((program) => sedOf(program, before));
  // A script that edits twice edits what it edited.
  const [first, second] = seds;
  if (first !== undefined && second !== undefined)
    texts.push(...sedOf(first, before).flatMap((text) => sedOf(second, text)));
  return [...texts, ...linesKept(script, before)];
}

function sedOf(program: string, before: string): string[] {
  let texts = [before];
  for (const part of program.split(/;\s*/)) {
    const next = texts.flatMap((text) => sedCommand(part.trim(), text));
    if (next.length === 0) return [];
    texts = next;
  }
  return texts;
}

const SUBSTITUTE = /^s([/|,#@])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1(g?)$/;

function sedCommand(command: string, text: string): readonly string[] {
  const [, , old, fresh = '', all] = SUBSTITUTE.exec(command) ?? [];
  if (old !== undefined) {
    const which = all === 'g' ? 'All' : 'First';
    return patternsOf(old).map((it) => onLines(text, (line) => it.replaced(line, fresh, which)));
  }
  const [, dropped] = /^\/((?:\\.|[^/])+)\/d$/.exec(command) ?? [];
  if (dropped !== undefined) return patternsOf(dropped).map((it) => keptLines(text, (line) => !it.isFoundIn(line)));
  const [, from, to] = /^(\d+)(?:,(\d+|\$))?d$/.exec(command) ?? [];
  if (from !== undefined) {
    const end = to === '$' ? Infinity : Number(to ?? from);
    return [keptLines(text, (_, at) => at + 1 < Number(from) || at + 1 > end)];
  }
  return command === '$d' ? [keptLines(text, (_, at, count) => at < count - 1)] : [];
}

/** As it stands, and as a program reads it: a model wrote it, so it must not be able to make anybody slow. */
function patternsOf(source: string, flags = ''): readonly Pattern[] {
  const plain = source.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return [plain, source].flatMap((it) => {
    const pattern = compilePattern(`${flags}${it}`);
    return pattern.ok ? [pattern.value] : [];
  });
}

function linesKept(script: string, before: string): readonly string[] {
  const texts: string[] = [];
  for (const [, option = '', , word = ''] of script.matchAll(/\bgrep\s+(-\w*v\w*)\s+(?:-e\s+)?(["']?)([^\s"']+)\2/g)) {
    const [pattern] = patternsOf(word, option.includes('i') ? '(?i)' : '');
    if (pattern !== undefined) texts.push(keptLines(before, (line) => !pattern.isFoundIn(line)));
  }
  const [, first] = /\bhead\s+(?:-n\s*|-)(\d+)/.exec(script) ?? [];
  const [, last] = /\btail\s+(?:-n\s*|-)(\d+)/.exec(script) ?? [];
  if (first !== undefined) texts.push(keptLines(before, (_, at) => at < Number(first)));
  if (last !== undefined) texts.push(keptLines(before, (_, at, count) => at >= count - Number(last)));
  return texts;
}

function onLines(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n');
}

function keptLines(text: string, isKept: (line: string, at: number, count: number) => boolean): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const kept = lines.filter((line, at) => isKept(line, at, lines.length));
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`;
}
