/** What `npm run live` prints and keeps. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseLiveArguments, usage } from '../../bench/live/options.ts';
import { readRows, writeRows, type LiveRow, type Way } from '../../bench/live/row.ts';
import { sumTable } from '../../bench/live/sum.ts';
import { falselyAccepted, lastWordsOf, liveTable } from '../../bench/live/table.ts';
import type { Verdict } from '../../bench/live/tasks/task.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

function row(way: Way, task: string, verdict: Verdict, more: Partial<LiveRow> = {}): LiveRow {
  const isRight = verdict === 'Right';
  return {
    ...{ way, model: 'small', task, verdict, fault: isRight ? '' : 'does not say 37', isLieTold: false },
    ...{
      said: 'There are 50.',
      outcome: 'Accepted',
      modelCalls: 2,
      tokens: 750,
      uncachedTokens: 740,
      durationMs: 4000,
    },
    ...more,
  };
}

const rows: readonly LiveRow[] = [
  row('Bare', 'total-sales', 'Right', { tokens: 800 }),
  row('Bare', 'count-errors', 'SaidAndFalse', { isLieTold: true }),
  row('Bare', 'then-february', 'NotDone', { outcome: 'NoModel', said: 'Network: gone' }),
  row('Retainer', 'total-sales', 'Right', { tokens: 2000, uncachedTokens: 900, modelCalls: 4, durationMs: 61_250 }),
  row('Retainer', 'count-errors', 'NotDone', { outcome: 'Abandoned', said: 'Abandoned: no plan was made.' }),
  row('Retainer', 'then-february', 'SaidAndFalse', { tokens: 12_345 }),
];

describe('liveTable', () => {
  it('sets one way beside the other', async () => {
    const text = [...liveTable(rows), '', ...lastWordsOf(rows)].join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot('../golden/live-both.txt');
  });

  it('tells one way alone', async () => {
    const own = rows.filter(({ way }) => way === 'Retainer');
    const text = [...liveTable(own), '', ...lastWordsOf(own)].join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot('../golden/live-retainer.txt');
  });

  it('knows what Retainer accepted falsely, and minds no bare loop', () => {
    expect(falselyAccepted(rows).map(({ task }) => task)).toEqual(['then-february']);
  });
});

describe('sumTable', () => {
  it('adds up several runs, each model and way in a line', async () => {
    const again = rows.map((it) => (it.way === 'Bare' ? it : { ...it, verdict: 'Right' as const, tokens: 3000 }));
    const other = rows.slice(1, 2).map((it) => ({ ...it, model: 'smaller' }));
    await expect(`${sumTable([...rows, ...again, ...other]).join('\n')}\n`).toMatchFileSnapshot(
      '../golden/live-sum.txt',
    );
  });
});

describe('rows', () => {
  it('come back from their file', () => {
    const path = join(root.path, 'rows.json');
    writeRows(path, rows);
    expect(readRows(path)).toEqual(rows);
  });

  it.each([
    { name: 'text', text: 'no rows', says: /rows-bad.json is no file of --json: .*array/ },
    { name: 'another row', text: '[{"way":"Other"}]', says: /rows-bad.json is no file of --json: 0 way / },
  ])('refuse a file of $name, and name what is wrong', ({ text, says }) => {
    const path = join(root.path, 'rows-bad.json');
    writeRows(path, []);
    expect(readRows(path)).toEqual([]);
    writeFileSync(path, text);
    expect(() => readRows(path)).toThrow(says);
  });
});

describe('the options', () => {
  it('are told with what they take', () => {
    expect(usage()).toContain('--only NAMES');
    expect(usage()).toContain('--both');
  });

  it('are read, and files after --sum', () => {
    expect(parseLiveArguments(['--both', '--only', 'kosten', '--json', 'a.json'])).toMatchObject({
      values: { both: true, only: 'kosten', json: 'a.json' },
      files: [],
      parallel: 1,
    });
    expect(parseLiveArguments(['--sum', 'a.json', 'b.json']).files).toEqual(['a.json', 'b.json']);
  });

  it.each([
    { args: ['--sum'], says: '--sum needs the files' },
    { args: ['a.json'], says: 'a.json is no option' },
    { args: ['--bear'], says: '--bear' },
    { args: ['--only'], says: '--only' },
    { args: ['--parallel', '0'], says: '--parallel must be 1 to 16' },
  ])('$args is refused by name', ({ args, says }) => {
    expect(() => parseLiveArguments(args)).toThrow(says);
  });
});
