/** docs/why.md boasts of nothing: what it says of Retainer names rules that tests cite, or commands that exist. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requirements } from './requirements.ts';
import { repositoryRoot } from './support/repository-files.ts';

const page = readFileSync(`${repositoryRoot}/docs/why.md`, 'utf8');
const [, table = ''] = page.split('## What each does');
const rows = (table.split('## ')[0] ?? '')
  .split('\n')
  .filter((line) => /^\| (?!question|-)/.test(line) && !line.startsWith('|--'));
const commands = readFileSync(`${repositoryRoot}/docs/cli.md`, 'utf8');
const { scripts } = JSON.parse(readFileSync(`${repositoryRoot}/package.json`, 'utf8')) as {
  scripts: Record<string, string>;
};

/** What is written as code in the last cell of a row. */
function evidenceOf(row: string): readonly string[] {
  const ours = row.split('|').at(-2) ?? '';
  return [...ours.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text).filter((text) => /[: ]/.test(text));
}

function exists(evidence: string): boolean {
  if (evidence.startsWith('npm run ')) return scripts[evidence.slice('npm run '.length)] !== undefined;
  if (evidence.startsWith('retainer ')) return commands.includes(evidence.split(' --')[0] ?? evidence);
  return evidence in requirements;
}

describe('docs/why.md', () => {
  it('has a row for each question', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  it.each(rows.map((row) => [row.split('|')[1]?.trim() ?? '', row]))('shows what it says of Retainer: %s', (_, row) => {
    const evidence = evidenceOf(row);
    expect(evidence).not.toEqual([]);
    expect(evidence.filter((one) => !exists(one))).toEqual([]);
  });

  it('says something of everybody in each row', () => {
    const cells = rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(cells.filter((row) => row.length !== 6 || row.includes(''))).toEqual([]);
  });
});
