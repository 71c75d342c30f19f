/** The thinking runs where there is no Node: the console will fold and tell records in a browser. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { sources } from '../../../scripts/layers.mjs';
import { neededBy } from '../../support/import-graph.ts';
import { repositoryFiles, repositoryRoot } from '../../support/repository-files.ts';

/** What a bundler for browsers takes for `#sha256`, as `contract/package.json` says. */
const portableHash: string = JSON.parse(readFileSync(join(repositoryRoot, 'contract/package.json'), 'utf8')).imports[
  '#sha256'
].browser.source;
const aliases = { '#sha256': join('contract', portableHash) };

it('reaches no module of Node from any module of mind', () => {
  const mind = repositoryFiles()
    .map((path) => relative(repositoryRoot, path))
    .filter((path) => path.startsWith(`${sources.mind}/`) && path.endsWith('.ts') && !path.endsWith('.test.ts'));
  expect(mind.length).toBeGreaterThan(100);
  const outside = [...neededBy(mind, aliases)].filter((name) => !existsSync(join(repositoryRoot, name)));
  expect(outside.filter((name) => name.startsWith('node:'))).toEqual([]);
  const portable = [
    '@marcbachmann/cel-js',
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
    'croner',
    're2js',
    'zod',
  ];
  expect(outside.toSorted()).toEqual(portable);
});

it('would notice one', () => {
  expect([...neededBy(['contract/src/std/sha256-node.ts'])]).toContain('node:crypto');
});
