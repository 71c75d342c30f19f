/**
 * Which properties the programs read, by file: `.name`, and `name` taken out of an object by its braces. A plain scan of the text,
 * without comments and strings: it knows no types, so that one name in two places is one name.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { repositoryFiles, repositoryRoot } from './repository-files.ts';

/** Schemas say what there is; what is read is read elsewhere. */
const isProgram = (file: string): boolean =>
  /^(agent-pod|operator|cli|sandbox-runner|contract|packages\/\w+)\/src\/.*\.ts$/.test(file) &&
  !file.startsWith('contract/src/api/') &&
  !file.endsWith('.test.ts');

const read = /\.([A-Za-z]\w*)/g;
/** Shorthand, with a default under its own or another name, or taken apart further; never `name: value`, which may be an object that is made. */
const taken = /[{,]\s*([A-Za-z]\w*)(?=\s*(?:,|\}|=[^=>]|:\s*\{|:\s*\w+\s*=[^=>]))/g;

/** Names that are read, by file: paths from the root of the repository. */
export function propertyReads(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = repositoryFiles().map((file) => ({ file, path: relative(repositoryRoot, file) }));
  return new Map(
    files.filter(({ path }) => isProgram(path)).map(({ file, path }) => [path, namesIn(readFileSync(file, 'utf8'))]),
  );
}

function namesIn(source: string): ReadonlySet<string> {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/'[^'\n]*'/g, "''");
  return new Set([...code.matchAll(read), ...code.matchAll(taken)].flatMap(([, name]) => name ?? []));
}
