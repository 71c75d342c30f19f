/**
 * Words of a script or of a file that may name a file of the workspace. Which of them do is for the agent to look up: this is the
 * pure half of `agent-pod/src/tools/named-files.ts`.
 *
 * Generous: quotes, escapes, options (`--file=x`, `@x`), variables that the script sets itself, braces and globs are read; what a word is
 * made of at run time becomes a wildcard. A word too many costs a look, a word too few an approval that covers less than it says.
 *
 * Source: reliability-security 4 (bind an approval to what it is about).
 */

/** Distinct words that are looked up, more than a script of 60 KB has. Beyond, the whole workspace counts as named. */
export const PATH_WORDS_MAX = 10_000;

export interface PathWords {
  readonly words: readonly string[];
  /** The script has more words than are looked up. */
  readonly isCut: boolean;
}

/** Values of variables are put into each other at most so often. */
const VARIABLE_ROUNDS = 3;

/** @param text  of a script in any language; for a value that is one path, see {@link wholePath} */
export function pathWords(text: string): PathWords {
  const joined = text.replaceAll('\\\n', '').replaceAll(DOT_COMMAND, '$1');
  const filled = withVariables(joined);
  const words = new Set<string>();
  for (const variant of new Set([joined, filled, withWildcards(filled)]))
    for (const word of wordsIn(variant)) {
      words.add(word);
      if (words.size > PATH_WORDS_MAX) return { words: [...words], isCut: true };
    }
  return { words: [...words], isCut: false };
}

/** The dot that runs a file (`. ./env.sh`) is no directory. */
const DOT_COMMAND = /(^|[;&|({\n]|\b(?:do|then|else)\b)[ \t]*\.(?=[ \t]+[^\s;|&])/g;

const QUOTED = /"((?:\\[^\n]|[^"\\\n])*)"|'([^'\n]*)'|`([^`\n]*)`/g;
const TOKEN = /(?:\\[^\n]|[^\s\\;|&<>(){}"'`])+/g;

function* wordsIn(text: string): Generator<string> {
  for (const [, double, single, back] of text.matchAll(QUOTED)) yield* piecesOf(double ?? single ?? back ?? '');
  for (const [token] of text.matchAll(TOKEN)) yield* piecesOf(token);
  // A name may be quoted in part: tools/"deploy".sh.
  for (const [token] of text.replaceAll(/["']/g, '').matchAll(TOKEN)) yield* piecesOf(token);
}

/** Marks after which an option or an address holds its path, and before which a path ends: `--file=x`, `@x`, `x:12`. */
const MARK = /[=@:,]/;

function* piecesOf(token: string): Generator<string> {
  const word = token.replaceAll(/\\(.)/g, '$1');
  if (word === '' || word.length > WORD_CHARACTERS_MAX) return;
  yield word;
  if (/^[$*~/]/.test(word)) yield word.replace(UNKNOWN_START, '');
  if (!MARK.test(word)) return;
  const parts = word.split(MARK);
  for (const [at, part] of parts.entries()) {
    if (part !== '') yield part.replace(/^\/+(?=workspace(?:\/|$))/, '/');
    const rest = word.slice(parts.slice(0, at + 1).join(' ').length + 1);
    if (rest !== '') yield rest;
  }
}

/** A directory that is known at run time only, or one outside: `$PWD/tools`, `~/tools`, `/repo/tools`. */
const UNKNOWN_START = /^(?:[$*~][^/]*)?\/+/;

/** Bytes of a path at most, and some marks around it. */
const WORD_CHARACTERS_MAX = 2_200;

const ASSIGNED =
  /(?:^|[\s;&|])(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=(?:"([^"\n$`]*)"|'([^'\n]*)'|([^\s;&|"'$`()]+))/g;

function withVariables(text: string): string {
  const values = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(ASSIGNED))
    values.set(name, double ?? single ?? bare ?? '');
  if (values.size === 0) return text;
  let filled = text;
  for (let round = 0; round < VARIABLE_ROUNDS; round += 1)
    filled = filled.replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (whole, braced: string | undefined, bare: string | undefined) => values.get(braced ?? bare ?? '') ?? whole,
    );
  return filled;
}

/** What is known only at run time may be anything. */
function withWildcards(text: string): string {
  return text
    .replaceAll(/\$\([^()\n]*\)|\$\{[^{}\n]*\}|\$\w+|\{[^{}\s]*\}|\[[^\]\s/]{1,64}\]/g, '*')
    .replaceAll(/\*{2,}(?!\/)/g, '*');
}

/** Whether a word can match several files. One that is nothing but wildcards says too little. */
export function isPattern(word: string): boolean {
  return /[*?]/.test(word) && /[^*?./\s]/.test(word);
}

/** What a runtime puts behind a name: modules, packages, scripts. */
const ENDINGS = ['.py', '/__init__.py', '/__main__.py', '.sh', '.js', '.mjs', '.cjs', '.ts', '/index.js'] as const;

/** Spellings under which a word may be a file: itself, and a module that it names (`pkg.mod`, `./lib`). */
export function spellingsOf(word: string): readonly string[] {
  const isModule = /^[./]*[\w-]+(?:[./][\w-]+)*$/.test(word);
  if (!isModule) return [word];
  const dotted = word.replace(/^\.+(?=\w)/, '').replaceAll('.', '/');
  return [
    word,
    ...ENDINGS.map((it) => word + it),
    ...(dotted === word ? [] : [dotted, ...ENDINGS.map((it) => dotted + it)]),
  ];
}

/** Files that a program reads without being told. */
export const READ_UNASKED: ReadonlyMap<string, readonly string[]> = new Map([
  ['make', ['GNUmakefile', 'makefile', 'Makefile']],
  ['npm', ['package.json']],
  ['npx', ['package.json']],
  ['node', ['package.json']],
  ['pytest', ['conftest.py', 'pytest.ini', 'pyproject.toml', 'setup.cfg']],
  ['just', ['justfile', 'Justfile']],
]);
