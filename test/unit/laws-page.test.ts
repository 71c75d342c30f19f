/** `docs/laws.md` names, for each law, files that exist and tests that cite the rule it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';

const rows = readFileSync(join(repositoryRoot, 'docs/laws.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \*\*\d/.test(line))
  .map((line) => {
    const [, law = '', files = '', attack = '', tests = ''] = line.split('|').map((cell) => cell.trim());
    return { law, files, attack, tests };
  });

describe('the table of laws', () => {
  it('has the four laws', () => {
    expect(rows.map(({ law }) => law.slice(2, 3))).toEqual(['0', '1', '2', '3']);
  });

  it.each(rows)('$law', ({ files, attack, tests }) => {
    const named = [...files.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
    expect(attack).not.toBe('');
    const cited = [...tests.matchAll(/((?:`[a-z:-]+`(?: and )?)+) in `([^`]+)`/g)];
    expect(cited.length).toBeGreaterThan(0);
    for (const [, ids = '', path = ''] of cited) {
      const text = readFileSync(join(repositoryRoot, path), 'utf8');
      for (const [, id = ''] of ids.matchAll(/`([a-z:-]+)`/g)) expect(text, path).toContain(`'${id}'`);
    }
  });
});
