/**
 * Words of a script or of a file that may name a file of the workspace. Which of them do is for the agent to look up: this is the
 * pure half of `agent-pod/src/tools/named-files.ts`.
 *
 * Generous: quotes, escapes, options (`--file=x`, `@x`), variables that the script sets itself, braces and globs are read; what a word is
 * made of at run time becomes a wildcard. A word too many costs a look, a word too few an approval that covers less than it says.
 *
 * Source: reliability-security 4 (bind an approval to what it is about).
 */

/** Distinct words that are looked up, more than a table of 64 KB has. Beyond, the whole workspace counts as named. */
const PATH_WORDS_MAX = 100_000;

/** Characters that the values of variables may add to a script: they can hold each other. */
const FILLED_CHARACTERS_MAX = 1_000_000;

export interface PathWords {
  readonly words: readonly string[];
  /** The script has more words than are looked up. */
  readonly isCut: boolean;
}

/** Values of variables are put into each other at most so often. */
const VARIABLE_ROUNDS = 3;

/** @param text  of a script in any language; for a value that is one path, see {@link wholePath} */
export function pathWords(text: string): PathWords {
  const joined = text.replaceAll('\\\n', '').replaceAll(DOT_COMMAND, '$1').replaceAll(DEFAULT, '{');
  const plain = withCharacters(joined);
  const filled = withVariables(plain);
  const words = new Set<string>();
  // A variable may have had another value than its last: without values, it may be anything.
  const variants = [plain, filled].flatMap((it) => [it, withWildcards(it), it.replaceAll(FORMAT_PLACE, '*')]);
  for (const variant of new Set([joined, ...variants]))
    for (const word of wordsIn(variant)) {
      words.add(word);
      if (words.size > PATH_WORDS_MAX) return { words: [...words], isCut: true };
    }
  return { words: [...words], isCut: false };
}

/** The dot that runs a file (`. ./env.sh`) is no directory. */
const DOT_COMMAND = /(^|[;&|({\n]|\b(?:do|then|else)\b)[ \t]*\.(?=[ \t]+[^\s;|&])/g;

/** The start of a variable that may have another value: `${X:-tools/deploy.sh}`. */
const DEFAULT = /\$\{\w+:?[-+=?]/g;

/** A place in a format: `printf 'tools/%s.sh' deploy`. */
const FORMAT_PLACE = /%-?\d*[a-z]/g;

/** A quoted text that is longer than a word is read as tokens alone. */
const QUOTED = /"((?:\\[^\n]|[^"\\\n]){0,2200})"|'([^'\n]*)'|`([^`\n]*)`/g;
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
  if (word === '') return;
  if (word.length > WORD_CHARACTERS_MAX) return yield* [...endsOf(word), ...word.split(MARK)];
  yield word;
  yield* tailsOf(word);
  if (!MARK.test(word)) return;
  const parts = word.split(MARK);
  let end = 0;
  for (const [at, part] of parts.entries()) {
    end += part.length + 1;
    if (part !== '') yield part.replace(/^\/+(?=workspace(?:\/|$))/, '/');
    const rest = at < MARKS_MAX ? word.slice(end) : '';
    if (rest !== '') yield rest;
    yield* tailsOf(rest);
  }
}

/** Marks before a path that holds marks itself; a row of a table has more, and its cells are looked at alone. */
const MARKS_MAX = 8;

/** The end of a path that is written longer than any path has to be: `./././tools/deploy.sh`. */
function* endsOf(word: string): Generator<string> {
  const parts = word.slice(-WORD_CHARACTERS_MAX).split('/');
  for (let count = 1; count <= PARTS_MAX && count < parts.length; count += 1) yield parts.slice(-count).join('/');
}

/**
 * What may be left of a path, seen from the workspace: behind a directory that is known at run time only, or one outside, or an option
 * (`$PWD/tools`, `~/tools`, `/proc/self/cwd/tools`, `../workspace/tools`, `-ftools`).
 */
function* tailsOf(word: string): Generator<string> {
  const option = /^-{1,2}(?=\w)/.exec(word);
  if (option !== null) for (let at = 2; at <= OPTION_LETTERS_MAX; at += 1) yield word.slice(at);
  if (/^[-+?]/.test(word)) yield word.slice(1);
  if (!/^[$*~/]|^(?:\.\/)*(?:\.\.\/|workspace\/)/.test(word)) return;
  const parts = word.split('/');
  for (let at = 1; at < parts.length && at <= PARTS_MAX; at += 1) yield parts.slice(at).join('/');
}

/** `-xzvf`, and its hyphen. */
const OPTION_LETTERS_MAX = 5;

/** Directories that may stand before the workspace. */
const PARTS_MAX = 16;

/** Bytes of a path at most, and some marks around it. */
const WORD_CHARACTERS_MAX = 2_200;

const ASSIGNED =
  /(?:^|[\s;&|])(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=(?:"([^"\n$`]*)"|'([^'\n]*)'|([^\s;&|"'$`()]+))/g;

function withVariables(text: string): string {
  const values = new Map<string, string>();
  for (const [, name = '', double, single, bare] of text.matchAll(ASSIGNED))
    values.set(name, double ?? single ?? bare ?? '');
  if (values.size === 0) return text;
  let [filled, left] = [text, FILLED_CHARACTERS_MAX];
  for (let round = 0; round < VARIABLE_ROUNDS; round += 1)
    filled = filled.replaceAll(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (whole, braced: string | undefined, bare: string | undefined) => {
        const value = values.get(braced ?? bare ?? '') ?? whole;
        if (value.length > left) return whole;
        left -= value.length;
        return value;
      },
    );
  return filled;
}

/** Characters that a script writes by their numbers: `\x2f`, `\057`, `\u002f`. */
function withCharacters(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|0?([0-7]{3}))/g,
    (_, byte: string | undefined, unit: string | undefined, octal: string) =>
      String.fromCharCode(Number.parseInt(byte ?? unit ?? octal, octal === undefined ? 16 : 8)),
  );
}

/** What stands for another text: substitutions, braces, and sets of characters. */
const UNKNOWN = /\$?\(\([^()\n]*\)\)|\$\([^()\n]*\)|[$#]?\{[^{}\n]{0,200}\}|\$\w+|\[\[:\w+:\]\]|\[[^\]\s/]{1,64}\]/g;

/** Substitutions that hold each other; deeper ones are read from outside. */
const NESTED_MAX = 4;

/** What is known only at run time may be anything. */
function withWildcards(text: string): string {
  let result = text;
  for (let depth = 0; depth < NESTED_MAX; depth += 1) {
    const next = result.replaceAll(UNKNOWN, '*');
    if (next === result) break;
    result = next;
  }
  return result.replaceAll(/\*{2,}(?!\/)/g, '*').replaceAll(/\$(?=\(|\s|$)/gm, '*');
}

/** Whether a word can match several files. One that is nothing but wildcards says too little. */
export function isPattern(word: string): boolean {
  return /[*?]/.test(word) && /[^*?./\s]/.test(word);
}

/** What a runtime puts behind a name: modules, packages, scripts. */
export const ENDINGS = [
  '.py',
  '/__init__.py',
  '/__main__.py',
  '.sh',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '/index.js',
] as const;

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
