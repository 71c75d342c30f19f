/** What the words of a script say that it does to files. Words are no proof: they count only where the record holds nothing better. */
import { parseJson } from '@retainer/contract/std/parse-json';
import type { ToolCallRecord } from '@retainer/contract/wire/bus/payloads';

/** The program of a call; undefined if it has none. */
export function scriptIn({ input }: Pick<ToolCallRecord, 'input'>): string | undefined {
  const given = parseJson(input);
  if (typeof given !== 'object' || given === null || !('script' in given)) return undefined;
  return typeof given.script === 'string' ? given.script : undefined;
}

/** Commands that remove all their operands, and those that remove all but the last. */
const REMOVES = /^(?:command\s+|sudo\s+|\/bin\/|\\)*(?:rm|unlink|rmdir|shred|trash|git\s+rm)\s+(.*)$/s;
const MOVES = /^(?:command\s+|sudo\s+|\/bin\/|\\)*(?:mv|git\s+mv)\s+(.*)$/s;
const FINDS = /^find\s+(.*?)\s(?:-delete|-exec\s+rm)\b/s;
/** In other languages than a shell's. The text of the file stands in the call, or the file in a variable. */
const REMOVES_IN_PROGRAM =
  /\b(?:os\.(?:remove|unlink|rename|replace)|shutil\.(?:rmtree|move)|\.unlink|rmSync|unlinkSync|renameSync|fs\.(?:rm|unlink|rename))\s*\(/;

/** Whether the script names the file as one that it removes or moves away. @param path  in the workspace */
export function isRemovedIn(script: string, path: string): boolean {
  if (REMOVES_IN_PROGRAM.test(script)) return holdsPath(script, path) && !isLastOf(script, path);
  const directory = /(?:^|[;&\n])\s*cd\s+["']?([^\s"';&]+)/.exec(script)?.[1];
  return commandsIn(script).some((command) =>
    removedOperands(command, script).some((it) => covers(it, path, directory)),
  );
}

/** The file that a move leads to is written last. */
function isLastOf(script: string, path: string): boolean {
  const [, , last] =
    /\b(?:rename|replace|move|renameSync)\s*\(\s*["']([^"']+)["']\s*,\s*["']([^"']+)["']/.exec(script) ?? [];
  return last !== undefined && plainPath(last) === path;
}

function commandsIn(script: string): readonly string[] {
  return script.split(/[;\n|]+|&&|\bdo\b|\bthen\b/).map((it) => it.trim());
}

function removedOperands(command: string, script: string): readonly string[] {
  const [, found] = FINDS.exec(command) ?? [];
  if (found !== undefined) return [/-i?name\s+["']?([^\s"']+)/.exec(found)?.[1] ?? `${found.split(/\s/)[0] ?? ''}/*`];
  if (/^xargs\b.*\brm\b/.test(command)) return wordsOf(script);
  const operands = wordsOf(REMOVES.exec(command)?.[1] ?? '');
  const moved = wordsOf(MOVES.exec(command)?.[1] ?? '').slice(0, -1);
  const all = [...operands, ...moved];
  // The file stands in a variable: whatever else the script names may be it.
  return all.some((it) => it.includes('$')) ? [...all, ...wordsOf(script)] : all;
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s;&|()<>]+/)
    .filter((it) => it !== '' && !it.startsWith('-'))
    .map((it) => it.replaceAll(/^["']|["']$/g, ''));
}

/** Whether an operand means the path: the same, a pattern, or a directory above it. */
function covers(operand: string, path: string, directory: string | undefined): boolean {
  const names = directory === undefined ? [operand] : [operand, `${directory}/${operand}`];
  return names.some((name) => {
    const plain = plainPath(name);
    return plain === path || path.startsWith(`${plain}/`) || isLike(path, plain);
  });
}

export function plainPath(text: string): string {
  return text
    .replace(/^\/workspace\//, '')
    .replaceAll(/(?<=^|\/)\.\//g, '')
    .replace(/\/+$/, '');
}

/** Whether a path fits a pattern with `*` and `?`; without a directory it fits the name alone. */
export function isLike(path: string, pattern: string): boolean {
  if (!/[*?]/.test(pattern)) return false;
  const name = pattern.includes('/') ? path : (path.split('/').at(-1) ?? path);
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('**/', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]')
    .replaceAll('\u0000', '(?:.*/)?');
  return new RegExp(`^${source}$`, 'u').test(name);
}

function holdsPath(script: string, path: string): boolean {
  return script.includes(path) || script.includes(path.split('/').at(-1) ?? path);
}

/** A program that stands in a file, or undoes work: its words do not say what it does. */
export function mayChangeUnsaid(script: string): boolean {
  return /\b(?:python3?|node|perl|ruby|bash|sh)\s+[^\s'"-][^\s]*\.\w+|(?:^|[\s;&|])(?:\.\/\S|make\b|npm\b|git\s+(?:checkout|clean|reset|stash|mv|rm|restore))/.test(
    script,
  );
}
