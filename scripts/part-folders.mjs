import { readdirSync, readFileSync } from 'node:fs';

/**
 * The folders of a room of parts: each says what it is for in the first paragraph of its declaration.
 * @param {string} directory  below the root of the repository
 * @returns {Readonly<Record<string, string>>}
 */
export function partsIn(directory) {
  const at = new URL(`../${directory}/`, import.meta.url);
  const names = readdirSync(at, { withFileTypes: true }).filter((it) => it.isDirectory());
  return Object.fromEntries(names.map(({ name }) => [name, firstParagraph(new URL(`${name}/part.ts`, at))]));
}

/** @param {URL} file */
function firstParagraph(file) {
  const [, text = ''] = /^\/\*\*\s([^]*?)(?:\n \*\n|\*\/)/.exec(readFileSync(file, 'utf8')) ?? [];
  const line = text
    .replaceAll(/\s*\n?\s\*\s/g, ' ')
    .trim()
    .replace(/\.$/, '');
  return `${line.charAt(0).toLowerCase()}${line.slice(1)}`;
}
