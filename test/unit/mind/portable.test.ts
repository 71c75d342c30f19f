/** The thinking runs where there is no Node: the console will fold and tell records in a browser. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { sources } from '../../../scripts/layers.mjs';
import { repositoryFiles, repositoryRoot } from '../../support/repository-files.ts';

const packageSource: Readonly<Record<string, string>> = sources;

/** What a bundler for browsers takes for `#sha256`, as `contract/package.json` says. */
const portableHash: string = JSON.parse(readFileSync(join(repositoryRoot, 'contract/package.json'), 'utf8')).imports[
  '#sha256'
].browser.source;

/** @returns the file that the import means, or its specifier where it is no file of ours */
function meant(importer: string, specifier: string): string {
  if (specifier === '#sha256') return join(repositoryRoot, 'contract', portableHash);
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  const [, name = '', module] = /^@retainer\/([\w-]+)\/(.+)$/.exec(specifier) ?? [];
  return module === undefined ? specifier : join(repositoryRoot, packageSource[name] ?? name, `${module}.ts`);
}

/** Every module that the files need at run time, and every package. */
function reached(files: readonly string[]): ReadonlySet<string> {
  const known = new Set(files);
  for (const file of known) {
    if (!file.startsWith(repositoryRoot)) continue;
    const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm);
    for (const [, specifier = ''] of imports) known.add(meant(file, specifier));
  }
  return known;
}

it('reaches no module of Node from any module of mind', () => {
  const mind = repositoryFiles().filter(
    (path) => path.startsWith(join(repositoryRoot, sources.mind)) && path.endsWith('.ts') && !path.endsWith('.test.ts'),
  );
  expect(mind.length).toBeGreaterThan(100);
  const outside = [...reached(mind)].filter((name) => !name.startsWith(repositoryRoot));
  expect(outside.filter((name) => name.startsWith('node:'))).toEqual([]);
  const portable = ['@marcbachmann/cel-js', '@noble/hashes/sha2.js', '@noble/hashes/utils.js', 're2js', 'zod'];
  expect(outside.toSorted()).toEqual(portable);
});

it('would notice one', () => {
  expect([...reached([join(repositoryRoot, 'contract/src/std/sha256-node.ts')])]).toContain('node:crypto');
});
