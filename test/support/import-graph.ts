/** Who imports whom in this repository, types included, and which of them go round in a circle. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sources } from '../../scripts/layers.mjs';
import { repositoryRoot } from './repository-files.ts';

/** By path below the root of the repository: the files, or folders, that each one names. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORT = /^(?:import|export)\s[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Packages whose modules are imported by name: `@retainer/contract/std/hash` is `contract/src/std/hash.ts`. */
const OWN = /^@retainer\/([\w-]+)\/(.+)$/;

/**
 * @param paths  of modules, below the root of the repository; what they import of others is left out
 * @returns      every path, with those of `paths` that it imports, as values or as types
 */
export function importGraph(paths: readonly string[]): ImportGraph {
  const among = new Set(paths);
  return new Map(paths.map((path) => [path, new Set(importedBy(path).filter((it) => it !== path && among.has(it)))]));
}

/** @returns what a module imports, as values or as types: paths below the root, and the specifiers of what is not ours */
function importedBy(path: string): readonly string[] {
  return specifiersIn(path).map(({ specifier }) => meantBy(path, specifier));
}

interface Import {
  readonly specifier: string;
  readonly isType: boolean;
}

function specifiersIn(path: string): readonly Import[] {
  const text = readFileSync(join(repositoryRoot, path), 'utf8');
  return [...text.matchAll(IMPORT)].map(([statement, from, bare, late]) => ({
    specifier: from ?? bare ?? late ?? '',
    isType: /^(?:import|export) type\b/.test(statement),
  }));
}

function meantBy(importer: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  const [, name = '', module] = OWN.exec(specifier) ?? [];
  if (module === undefined) return specifier;
  return `${(sources as Readonly<Record<string, string>>)[name] ?? name}/${module}.ts`;
}

/**
 * What modules need at run time, directly or by others, themselves included: paths below the root, and packages by name.
 *
 * @param aliases  by specifier: the module that stands for it
 */
export function neededBy(
  paths: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): ReadonlySet<string> {
  const seen = new Set(paths);
  for (const path of seen) {
    if (!existsSync(join(repositoryRoot, path))) continue;
    for (const { specifier, isType } of specifiersIn(path))
      if (!isType) seen.add(aliases[specifier] ?? meantBy(path, specifier));
  }
  return seen;
}

/** The same between folders. @param folderOf  the folder of a file */
export function folderGraph(files: ImportGraph, folderOf: (path: string) => string): ImportGraph {
  const folders = new Map<string, Set<string>>();
  for (const [path, imported] of files) {
    const from = folderOf(path);
    const to = [...imported].map(folderOf).filter((folder) => folder !== from);
    folders.set(from, new Set([...(folders.get(from) ?? []), ...to]));
  }
  return folders;
}

/** @returns each set whose members reach one another, two members or more; members and sets sorted */
export function cyclesIn(graph: ImportGraph): readonly (readonly string[])[] {
  const reached = new Map([...graph.keys()].map((start) => [start, reachableFrom(graph, start)]));
  const rings = [...graph.keys()].map((start) =>
    [...(reached.get(start) ?? [])].filter((other) => reached.get(other)?.has(start) === true).toSorted(),
  );
  const distinct = new Map(rings.filter((ring) => ring.length > 1).map((ring) => [ring.join(' '), ring]));
  return [...distinct.values()].toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
}

/** What `start` imports, directly or by others; itself only where it comes back to it. */
export function reachableFrom(graph: ImportGraph, start: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return seen;
}
