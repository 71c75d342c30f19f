/**
 * Entries of the list of mutants, of one file.
 *
 * @param {string} file
 * @param {readonly string[]} tests  which must notice
 * @param {Readonly<Record<string, readonly [text: string, becomes: string]>>} entries  by name
 */
export function mutantsOfFile(file, tests, entries) {
  return Object.entries(entries).map(([name, [text, becomes]]) => ({ name, file, text, becomes, tests }));
}
