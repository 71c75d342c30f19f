import { describe, expect, it } from 'vitest';
import { commandKind } from './command-kind.ts';
import { namedIn } from './named-things.ts';

describe('a criterion', () => {
  it.each<readonly [string, readonly string[]]>([
    ['results/sum.txt holds 4,711.5', ['File results/sum.txt', 'Figure 4,711.5']],
    ['The rate of https://example.org/a is quoted', ['Address https://example.org/a']],
    ['Each row holds "yes" or "no"', ['Name yes|Name no']],
    ['`temp_min` of 2024-03-05 is told', ['Name temp_min', 'Day 2024-03-05']],
    ['The summary has at least 3 sources and 4 sections', []],
    ['The report covers the years 2012 to 2015, in 2 decimals', []],
    ['The answer says "done"', []],
    ['data/x.csv is not changed', []],
    ['The text avoids the words "very" and "really"', []],
    ['The word "foo" no longer occurs in it', []],
    ['A picture of 800x600, and 2-space indentation', []],
    ['It is valid UTF-8, and 100 % of it is there', []],
  ])('%s', (text, expected) => {
    const groups = namedIn(text).map((group) => group.map((it) => `${it.kind} ${it.text}`).join('|'));
    expect(groups).toEqual(expected);
  });

  it.each<readonly [string, readonly string[], string]>([
    ['out/a.txt is written', [], 'Made'],
    ['out/a.txt holds the sum', ['Add up data/b.csv and write the sum to out/a.txt.'], 'Made'],
    ['data/b.csv is read', ['Write a summary of data/b.csv to out/a.txt.'], 'There'],
    ['out/a.de.txt holds it', ['The translation of data/a.txt is saved as out/a.de.txt.'], 'Made'],
    ['data/a.txt is saved as out/a.de.txt', [], 'There'],
    ['out/b.json is valid', ['Convert data/b.csv to out/b.json.'], 'Made'],
    ['README.md holds no typo', ['Fix the typos in README.md.'], 'Made'],
    ['README.md is right', ['Look whether there are typos, and fix them in README.md.'], 'There'],
    ['config.yaml is valid', ['Update config.yaml: switch the cache on.'], 'Made'],
    ['data/b.csv is whole', ['Compare data/a.csv to data/b.csv.'], 'There'],
    ['old/a.txt is deleted', [], 'Gone'],
  ])('%s, wished as %j, is wanted %s', (text, wishes, wanted) => {
    expect(namedIn(text, wishes)[0]).toMatchObject([{ wanted }]);
  });
});

it.each<readonly [string | undefined, string]>([
  ['ls -d .', 'Lists'],
  ['test -f a && echo ok', 'Lists'],
  ['cat a.txt 2>/dev/null | head -n 3', 'Reads'],
  ['echo 42 > a.txt', 'Acts'],
  ['find . -name a -delete', 'Acts'],
  ['ls && python3 make.py', 'Acts'],
  [undefined, 'Acts'],
])('the script %j is one that %s', (script, kind) => {
  expect(commandKind(script)).toBe(kind);
});
