/** Each `Source:` names a chapter that docs/sources.md has a row for, or a public standard; no row is without a citation. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requirements } from './requirements.ts';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';

/** More rows would be a second copy of the notes. */
const rowsMax = 60;
/** Characters of a comment that one citation may take. */
const citationCharsMax = 600;

const page = readFileSync(`${repositoryRoot}/docs/sources.md`, 'utf8');
const rows = [...page.matchAll(/^\| `([a-z-]+ [A-D\d.]+)` \| \S/gm)].map(([, row = '']) => row);
const notes = [...new Set(rows.map(noteOf))];
const standards = (/^## Public standards\n+.*?:([^]*)\.\n/m.exec(page)?.[1] ?? '')
  .split(',')
  .map((name) => name.trim());

interface Citation {
  readonly at: string;
  readonly text: string;
}

function noteOf(text: string): string {
  return text.replace(/ .*/s, '');
}

/** What follows `Source:` in a comment, to the end of the sentence or of the paragraph. */
function citationsOf(path: string): readonly Citation[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^.*?(?:\/\/|\/\*|^\s*\*).*?\bSources?: /gm)].map(({ 0: opening, index }) => {
    const start = index + opening.length;
    const comment = text.slice(start, start + citationCharsMax).replaceAll(/\n\s*(?:\*(?!\/)|\/\/) ?(?=\S)/g, ' ');
    const [cited = ''] = /^(?:\((?:[^()]|\([^()]*\))*\)|\.(?=\S)|(?!\*\/)[^.(\n])*/.exec(comment) ?? [];
    return { at: `${relative(repositoryRoot, path)}: ${cited.trim()}`, text: cited.trim() };
  });
}

/** `artoo A.2 (all fields), A.4 to A.6: why` → the four chapters. What is no chapter is kept, so that no row fits it. */
function chaptersOf(part: string): readonly string[] {
  const note = noteOf(part);
  const list = part
    .slice(note.length)
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, '')
    .replace(/:.*/s, '');
  return list.split(',').flatMap((item) => rangeOf(item.trim()).map((chapter) => `${note} ${chapter}`));
}

function rangeOf(item: string): readonly string[] {
  const [, letter = '', first, last] = /^([A-D]\.)?(\d+) to (?:[A-D]\.)?(\d+)$/.exec(item) ?? [];
  if (first === undefined) return [item];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${letter}${Number(first) + index}`);
}

const partsOf = (text: string): readonly string[] => text.split(/;\s*(?![^(]*\))/);
/** A name and a number; other parts say more about the part before. */
const looksLikeOne = /^[\w-]+ [A-D]?\.?\d/;
const isStandard = (part: string): boolean => standards.some((name) => new RegExp(`^${name}\\b`).test(part));
const isNote = (part: string): boolean => notes.includes(noteOf(part));
const citedOf = ({ text }: Citation): readonly string[] => partsOf(text).filter(isNote).flatMap(chaptersOf);

const code = repositoryFiles().filter((path) => /\.(ts|mjs|go)$/.test(path) && !path.endsWith('sources.test.ts'));
const citations: readonly Citation[] = [
  ...code.flatMap(citationsOf),
  ...Object.entries(requirements).map(([id, { source }]) => ({ at: `${id}: ${source}`, text: source })),
];

describe('a citation', () => {
  it('exists, so that the checks below check something', () => {
    expect(citations.length).toBeGreaterThan(900);
    expect(notes.length).toBeGreaterThan(3);
    expect(standards).toContain('RFC');
  });

  it('begins with a note and its chapter, or with a public standard', () => {
    const unknown = citations.filter(({ text }) =>
      partsOf(text).some(
        (part, index) => (index === 0 || looksLikeOne.test(part)) && !isNote(part) && !isStandard(part),
      ),
    );
    expect(unknown.map(({ at }) => at)).toEqual([]);
  });

  it('names chapters that docs/sources.md has a row for', () => {
    const unknown = citations.flatMap((citation) =>
      citedOf(citation).flatMap((chapter) => (rows.includes(chapter) ? [] : [`${chapter} in ${citation.at}`])),
    );
    expect(unknown).toEqual([]);
  });

  it('has no second way to name a chapter, such as the number of an issue or of a resolution', () => {
    const pointers = /\bissues? [#"\d]|\bRES-\d|\bV2-\d|\bGAP \d|§/;
    expect(citations.filter(({ text }) => pointers.test(text)).map(({ at }) => at)).toEqual([]);
  });
});

describe('docs/sources.md', () => {
  it('has each chapter once, and no more than a reader can take in', () => {
    expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
    expect(rows.length).toBeLessThanOrEqual(rowsMax);
  });

  it('has no chapter that nothing cites', () => {
    const cited = new Set(citations.flatMap(citedOf));
    expect(rows.filter((row) => !cited.has(row))).toEqual([]);
  });

  it('tells of each note what it is', () => {
    expect(notes.filter((note) => !new RegExp(`^\\| \`${note}\` \\| \\S`, 'm').test(page))).toEqual([]);
  });
});
