/** Which modules may not import one another in a circle, types included: a reader can begin at the bottom. */
import { dirname, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rooms, sources as packages } from '../scripts/layers.mjs';
import { cyclesIn, folderGraph, importGraph, reachableFrom, type ImportGraph } from './support/import-graph.ts';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';

/** Folders in which no file leads back to itself, tests aside. Grows until it holds every source folder. */
const ordered = ['packages/mind/src/gate/'];

const sources = repositoryFiles()
  .map((path) => relative(repositoryRoot, path))
  .filter((path) => /^(packages\/)?[\w-]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.test.ts'));
const files = importGraph(sources);

/** The room of a file; the package of a module directly below `src`. */
function roomOf(path: string): string {
  const [name = '', source = ''] = Object.entries(packages).find(([, it]) => path.startsWith(`${it}/`)) ?? [];
  const [folder = ''] = path.slice(source.length + 1).split('/');
  return `${name}/${folder}` in rooms ? `${name}/${folder}` : name;
}

const graphOf = (edges: Readonly<Record<string, readonly string[]>>): ImportGraph =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

describe('a circle of imports', () => {
  it.each([
    ['none', { a: ['b', 'c'], b: ['c'], c: [] }, []],
    ['two that import each other', { a: ['b'], b: ['a'], c: ['a'] }, [['a', 'b']]],
    ['a longer way round', { a: ['b'], b: ['c'], c: ['a'], d: ['c'] }, [['a', 'b', 'c']]],
    [
      'two circles',
      { d: ['c'], c: ['d'], b: ['a', 'c'], a: ['b'] },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
  ])('is found: %s', (_name, edges, cycles) => {
    expect(cyclesIn(graphOf(edges))).toEqual(cycles);
  });

  it('is found between folders where no file is in one', () => {
    const graph = graphOf({ 'a/x': ['b/x'], 'b/x': [], 'b/y': ['a/y'], 'a/y': [] });
    expect(cyclesIn(graph)).toEqual([]);
    expect(cyclesIn(folderGraph(graph, dirname))).toEqual([['a', 'b']]);
  });
});

describe('the order of imports', () => {
  it('is read from the sources, types included', () => {
    expect(files.get('packages/mind/src/gate/verdict.ts')).toContain('packages/mind/src/gate/provenance/read-item.ts');
    expect(files.get('packages/mind/src/gate/arguments-digest.ts')).toContain('contract/src/std/hash.ts');
  });

  it('has the words of a verdict on the ground floor of the gate', () => {
    const below = reachableFrom(files, 'packages/mind/src/gate/verdict.ts');
    const names = ['label', 'mail-address', 'read-item'];
    const data = names.map((name) => `packages/mind/src/gate/provenance/${name}.ts`);
    expect([...below].toSorted()).toEqual(data);
  });

  it('has no circle between two rooms', () => {
    const parts = sources.filter((path) => roomOf(path).includes('/') || roomOf(path) in rooms);
    expect(cyclesIn(folderGraph(importGraph(parts), roomOf))).toEqual([]);
  });

  it.each(ordered)('has no circle with a file below %s', (folder) => {
    expect(cyclesIn(files).filter((cycle) => cycle.some((path) => path.startsWith(folder)))).toEqual([]);
  });
});
