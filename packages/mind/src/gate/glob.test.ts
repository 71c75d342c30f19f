import { invariant } from '@retainer/contract/std/invariant';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob } from './glob.ts';

function matches(pattern: string, path: string): boolean {
  const glob = compileGlob(pattern);
  invariant(glob.ok, `${pattern} is a glob`);
  return glob.value.matches(path);
}

describe('compileGlob', () => {
  it.each([
    ['data', 'data', true],
    ['data', 'data/raw/a.csv', true],
    ['data', 'database', false],
    ['data/', 'data/a.csv', true],
    ['./data//raw', 'data/raw/x', true],
    ['data/**', 'data/a/b', true],
    ['data/**', 'data', false],
    ['data/*', 'data/a/b', true],
    ['data/*.csv', 'data/a.csv', true],
    ['data/*.csv', 'data/raw/a.csv', false],
    ['**/*.csv', 'a.csv', true],
    ['**/*.csv', 'x/y/a.csv', true],
    ['**/*.csv', 'x/y/a.txt', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**/z', 'a/b/c', false],
    ['report-?.md', 'report-1.md', true],
    ['report-?.md', 'report-12.md', false],
    ['Data', 'data', false],
    ['cafe\u0301', 'caf\u00e9', true],
    ['**', '.', true],
    ['.', 'anything/at/all', true],
    ['data', '.', false],
    ['*.*', 'README', false],
    ['a[b]', 'a[b]', true],
    ['a[b]', 'ab', false],
  ])('%s against %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it.each([
    ['data', 'data', true],
    ['data', 'data/raw', false],
    ['data/*', 'data/a', true],
    ['data/*', 'data/a/b', false],
    ['data/**', 'data/a/b', true],
    ['**/*.csv', 'a.csv', true],
    ['**/*.csv', 'x/y/a.csv', true],
    ['./data//a', 'data/a', true],
  ])('%s names %s itself: %s', (pattern, path, expected) => {
    const glob = compileGlob(pattern);
    expect(glob.ok && glob.value.names(path)).toBe(expected);
  });

  it.each(['/etc', '../up', 'a/../../b', '', 'a**', 'a/b**/c', 'a\0b'])('refuses %j and says why', (pattern) => {
    expect(compileGlob(pattern)).toMatchObject({ ok: false });
  });

  it.each([
    ['data/source/**', 'data/source'],
    ['data/*.csv', 'data'],
    ['**/*.csv', '.'],
    ['a/b.txt', 'a/b.txt'],
  ])('%s begins below %s', (pattern, prefix) => {
    expect(compileGlob(pattern)).toMatchObject({ ok: true, value: { staticPrefix: prefix } });
  });

  const part = fc.stringMatching(/^[a-c]{1,3}$/);
  const parts = fc.array(part, { minLength: 1, maxLength: 5 });
  const patternPart = fc.oneof(
    fc.stringMatching(/^[a-c*?]{1,4}$/).filter((it) => !it.includes('**')),
    fc.constant('**'),
  );
  const patterns = fc.array(patternPart, { minLength: 1, maxLength: 5 }).map((it) => it.join('/'));

  it('agrees with a plain recursive reading of the pattern', () => {
    fc.assert(
      fc.property(patterns, parts, (pattern, path) => {
        expect(matches(pattern, path.join('/'))).toBe(coversByDefinition(pattern.split('/'), path));
      }),
      { numRuns: 1000 },
    );
  });

  it('covers everything below what it covers', () => {
    fc.assert(
      fc.property(patterns, parts, part, (pattern, path, below) => {
        fc.pre(matches(pattern, path.join('/')));
        expect(matches(pattern, [...path, below].join('/'))).toBe(true);
      }),
    );
  });

  it('takes a number of steps that does not explode with the number of stars', () => {
    const pattern = `${'*a'.repeat(60)}b`;
    expect(matches(pattern, 'a'.repeat(250))).toBe(false);
    expect(matches(`${'**/a/'.repeat(40)}b`, Array.from({ length: 400 }, () => 'a').join('/'))).toBe(false);
  });
});

/** The definition that the fast matcher must agree with: the pattern covers the path or a directory above it. */
function coversByDefinition(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.every((it) => it === '**')) return true;
  const lengths = Array.from({ length: path.length }, (_, index) => index + 1);
  const trailing = pattern.at(-1) === '**';
  return lengths.some((length) =>
    trailing
      ? length < path.length + 1 && partsMatch([...pattern.slice(0, -1), '*'], path.slice(0, length))
      : partsMatch(pattern, path.slice(0, length)),
  );
}

function partsMatch(pattern: readonly string[], path: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  if (first === '**') return partsMatch(rest, path) || (path.length > 0 && partsMatch(pattern, path.slice(1)));
  const [part, ...below] = path;
  return part !== undefined && textMatches(first, part) && partsMatch(rest, below);
}

function textMatches(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*'))
    return textMatches(pattern.slice(1), text) || (text !== '' && textMatches(pattern, text.slice(1)));
  return text !== '' && (pattern[0] === '?' || pattern[0] === text[0]) && textMatches(pattern.slice(1), text.slice(1));
}
