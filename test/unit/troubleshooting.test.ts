/** Each row of docs/troubleshooting.md stands in the test that it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../support/repository-files.ts';

interface Row {
  /** What a person sees, without what differs. */
  readonly seen: readonly string[];
  readonly test: string;
}

const codes = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

function rows(): readonly Row[] {
  const page = readFileSync(join(repositoryRoot, 'docs/troubleshooting.md'), 'utf8');
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [seen = '', , , test = ''] = line.slice(1).split(' | ');
      return { seen: codes(seen), test: codes(test)[0] ?? '' };
    });
}

/** A test may hold the words as a pattern, or in the snapshot beside it. */
function textOf(test: string): string {
  const snapshot = 'test/golden/explain-small-run.txt';
  const files = test.endsWith('tell-records.test.ts') ? [test, snapshot] : [test];
  const text = files.map((file) => readFileSync(join(repositoryRoot, file), 'utf8')).join('\n');
  // What a test is called is no word of the program.
  const titles = /^\s*(?:it|verifies|describe)\b.*$|^\s*name: .*$/gm;
  return text.replaceAll(titles, '').replaceAll('\\', '').replaceAll("' +\n", '');
}

describe('docs/troubleshooting.md', () => {
  it('has rows', () => expect(rows().length).toBeGreaterThan(20));

  it.each(rows())('shows $seen in $test', ({ seen, test }) => {
    expect(existsSync(join(repositoryRoot, test))).toBe(true);
    const text = textOf(test);
    expect(seen.filter((words) => !text.includes(words))).toEqual([]);
  });
});
