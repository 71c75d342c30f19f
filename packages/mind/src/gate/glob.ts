/**
 * Globs over workspace paths: `*` and `?` within one part, `**` as a whole part for any number of parts.
 *
 * I1  A glob that matches a directory covers everything below it: `data` covers `data/raw/a.csv`.
 * I2  Matching takes at most pattern length × path length steps for any input, by I1 of `name-pattern.ts`.
 *
 * Case-sensitive, like Linux file systems. There are no character classes and no braces: write two globs.
 */
import { matchesName, matchSequence, type Alphabet } from '@retainer/contract/std/name-pattern';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { parseWorkspacePath, WORKSPACE_ROOT } from './workspace-path.ts';

export interface Glob {
  /** @param path  as returned by `parseWorkspacePath` */
  matches(path: string): boolean;
  /** As `matches`, but covers nothing below what the glob names. @param path  as for `matches` */
  names(path: string): boolean;
  /** The directory or file before the first wildcard; `.` if the first part contains a wildcard. */
  readonly staticPrefix: string;
}

const ANY_PARTS = '**';

/** Parses a glob and normalises it like a path; the error names the fault. */
export function compileGlob(pattern: string): Result<Glob, string> {
  const path = parseWorkspacePath(pattern);
  if (!path.ok) return err(`the path ${JSON.stringify(pattern)} ${path.error}`);
  const parts = path.value === WORKSPACE_ROOT ? [ANY_PARTS] : path.value.split('/');
  const glued = parts.find((part) => part !== ANY_PARTS && part.includes(ANY_PARTS));
  if (glued !== undefined) {
    return err(
      `the path ${JSON.stringify(pattern)} holds ** inside ${JSON.stringify(glued)}; ** must stand alone between slashes`,
    );
  }
  return ok({
    matches: (candidate) => coversPath(parts, candidate),
    names: (candidate) => matchSequence(parts, partsOf(candidate), PARTS),
    staticPrefix: staticPrefixOf(parts),
  });
}

function staticPrefixOf(parts: readonly string[]): string {
  const firstWild = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = firstWild === -1 ? parts : parts.slice(0, firstWild);
  return fixed.length === 0 ? WORKSPACE_ROOT : fixed.join('/');
}

function coversPath(pattern: readonly string[], path: string): boolean {
  const parts = partsOf(path);
  if (pattern.every((part) => part === ANY_PARTS)) return true;
  // A trailing `**` already covers everything below (I1), but requires a part below the directory.
  if (pattern.at(-1) === ANY_PARTS) return matchSequence([...pattern.slice(0, -1), '*', ANY_PARTS], parts, PARTS);
  return matchSequence([...pattern, ANY_PARTS], parts, PARTS);
}

function partsOf(path: string): readonly string[] {
  return path === WORKSPACE_ROOT ? [] : path.split('/');
}

const PARTS: Alphabet = {
  isStar: (symbol) => symbol === ANY_PARTS,
  fits: matchesName,
};
