/**
 * The names in the people's words of a Task: files, directories, keys of facts, tools. The words are fixed before anything is
 * read, so no text that was read can have chosen a name.
 *
 * A path names a file; a final slash or a glob names a directory: `src/`, `src/**\/*.ts`. The bare name of a directory names no
 * file in it: a person who asks for a list of files does not permit changes to them.
 */
import { compileGlob, type Glob } from '../glob.ts';
import { parseWorkspacePath, WORKSPACE_ROOT } from '../workspace-path.ts';

export interface NamedFiles {
  readonly paths: ReadonlySet<string>;
  /** None begins with a wildcard, because asterisks around bold text must not permit everything. */
  readonly globs: readonly Glob[];
}

const BETWEEN = /[\s"'`“”„‘’<>|()[\]{},;]+/;

/** Quotation marks, required around names with blanks. */
const QUOTED = /"([^"\n]+)"|`([^`\n]+)`|“([^”\n]+)”/g;

/** Punctuation that ends a sentence rather than a name. */
const TRAILING = /[.:!?]+$/;

function wordsIn(asked: string): readonly string[] {
  const quoted = [...asked.matchAll(QUOTED)].map(([, straight, code, curly]) => straight ?? code ?? curly ?? '');
  const words = asked.split(BETWEEN).flatMap((word) => [word, word.replace(TRAILING, '')]);
  return [...new Set([...words, ...quoted])].filter((word) => word !== '');
}

export function namedFiles(asked: string): NamedFiles {
  const words = wordsIn(asked);
  const patterns = words.filter((word) => word.endsWith('/') || /[*?]/.test(word));
  const globs = patterns.flatMap((word) => {
    const glob = compileGlob(word.endsWith('/') ? `${word}**` : word);
    return glob.ok && glob.value.staticPrefix !== WORKSPACE_ROOT ? [glob.value] : [];
  });
  const paths = words.flatMap((word) => {
    const path = parseWorkspacePath(word);
    return path.ok && path.value !== WORKSPACE_ROOT ? [path.value] : [];
  });
  return { paths: new Set(paths), globs };
}

/** Whether people name this key of a fact, or this tool. */
export function isWordOf(asked: string, word: string): boolean {
  return wordsIn(asked).includes(word);
}
