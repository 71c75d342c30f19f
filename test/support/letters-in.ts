/** Letters of published test suites, where a directory of them is at hand. None of them is part of this repository. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Names that letters have in such suites. */
const LETTER_NAMES = /\.(eml|msg|raw|mbox|email|mime)$/i;
/** Bytes of one file: larger ones are no letters. */
const FILE_BYTES_MAX = 40 * 1024 * 1024;

/** Paths of all letters below a directory, in order. */
export function lettersIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => LETTER_NAMES.test(name))
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size <= FILE_BYTES_MAX)
    .toSorted();
}
