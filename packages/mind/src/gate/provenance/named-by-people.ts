/**
 * What people name in a Task, word for word: files, directories, keys of facts, tools. It is fixed before anything is read, so
 * nothing that was read can have chosen it.
 *
 * A file is named by its path, a directory by a slash at its end or by a glob below it: `src/`, `src/**\/*.ts`. A bare name of a
 * directory names no file in it: whoever has files listed does not give leave to change them.
 */
import { compileGlob, type Glob } from '../glob.ts';
import { parseWorkspacePath, WORKSPACE_ROOT } from '../workspace-path.ts';

export interface NamedFiles {
  readonly paths: ReadonlySet<string>;
  /** None of them begins with a wildcard: a text in bold print is no leave for everything. */
  readonly globs: readonly Glob[];
}

/** What stands between words, and around names. */
const BETWEEN = /[\s"'`“”„‘’<>|()[\]{},;]+/;

/** Names with blanks in them have to stand between these. */
const QUOTED = /"([^"\n]+)"|`([^`\n]+)`|“([^”\n]+)”/g;

/** What ends a sentence, not a name. */
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

/** A key of a fact, or a tool. */
export function isWordOf(asked: string, word: string): boolean {
  return wordsIn(asked).includes(word);
}
