import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from '../scripts/mutant-list.mjs';
import { repositoryRoot } from './support/repository-files.ts';

describe('the list of lines that carry promises', () => {
  it('names each once', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it.each(mutants)('fits the sources: $name', ({ file, text, becomes, tests }) => {
    expect(readFileSync(`${repositoryRoot}/${file}`, 'utf8').split(text)).toHaveLength(2);
    expect(becomes).not.toBe(text);
    for (const test of tests) expect(existsSync(`${repositoryRoot}/${test}`), test).toBe(true);
  });
});
