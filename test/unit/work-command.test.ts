/** `retainer work` on a record that was written by hand. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { WorkStory } from '@retainer/agent-pod/review/work-records';
import { deleteItem, endItem } from '@retainer/mind/parts/work/decide-item';
import { writeRecords } from '../support/recorded-jobs.ts';
import { retainerHere } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { WorkRecord } from '../support/work-life.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const data = join(root.path, 'data');
const record = new WorkRecord();
const survey = record.endeavour();
const prices = record.item({ endeavourId: survey, deadlineMs: record.atMs + 600_000 });
const failed = record.item({ title: 'Third' });
record.do(endItem(record.making(), { itemId: failed, status: 'Failed', reason: 'No data.' }));
const gone = record.item({ title: 'Fourth' });
record.do(deleteItem(record.making(), gone, 'Not wanted.'));
const ids = [survey, prices, failed, gone];

beforeAll(async () => {
  mkdirSync(data);
  await writeRecords(
    data,
    record.records.map(({ seq: _seq, ...it }) => ({ ...it, principal: 'agent' })),
  );
});
afterAll(() => root.remove());

const work = (...words: readonly string[]) => retainerHere('work', ...words, '--data', data);

function spooled(): readonly unknown[] {
  try {
    return readdirSync(join(data, 'spool')).map((name) => JSON.parse(readFileSync(join(data, 'spool', name), 'utf8')));
  } catch {
    return [];
  }
}

describe('retainer work', () => {
  verifies('cli-jobs:work-told', 'lists open work, and what has ended on request', async () => {
    const { code, text } = await work('list');
    expect(code).toBe(0);
    expect(text.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
      ...['id', survey, prices, '2 entries; 1 ended with --all'],
      ...[`look at one with: retainer work show ID --data ${data}`, ''],
    ]);
    const all = JSON.parse((await work('list', '--all', '-o', 'json')).text) as { readonly items: readonly object[] };
    expect(all.items).toMatchObject([
      { itemId: prices, status: 'Pending' },
      { itemId: failed, status: 'Failed' },
    ]);
  });

  verifies(
    'cli-jobs:work-told',
    'tells one in full with its history, also one that was deleted, by the beginning of its id',
    async () => {
      const { text } = await work('show', prices);
      expect(text).toMatch(/^ {2}steps +1\. \[ \] Look\.$/m);
      expect(text).toMatch(/^ {2}history +2030-01-01 /m);
      expect(text).toContain(`  retainer work abandon ${prices} --reason TEXT --data ${data}\n`);
      const deleted = await work('show', gone);
      expect(deleted.text).toMatch(/^ {2}deleted +2030-01-01 \d\d:\d\d UTC by .*: Not wanted\.$/m);
      expect(deleted.text).not.toContain('--reason TEXT');
      const beginning =
        ids.map((id) => id.slice(0, -1)).find((it) => ids.filter((id) => id.startsWith(it)).length === 1) ?? '';
      const story = JSON.parse((await work('show', beginning, '-o', 'json')).text) as WorkStory;
      expect(story.id.startsWith(beginning)).toBe(true);
      expect(await work('show', 'nothing')).toEqual({
        code: 1,
        text: `no work "nothing"; work: ${ids.join(', ')}\n`,
      });
    },
  );

  verifies('cli-jobs:work-told', 'refuses a word that means nothing, and leaves one that does', async () => {
    for (const [words, says] of [
      [['abandon', failed, '--reason', 'x'], `${failed} has ended already: Failed\n`],
      [['abandon', survey, '--reason', 'x'], `${survey} is an endeavour: its items are abandoned one by one\n`],
      [['delete', 'nothing', '--reason', 'x'], `no work "nothing"; work: ${ids.join(', ')}\n`],
      [['delete', survey, '--reason', ''], '--reason must say why: it is recorded\n'],
    ] as const)
      expect(await work(...words), words.join(' ')).toEqual({ code: 1, text: says });
    expect(await work('delete', gone, '--reason', 'x')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/was deleted by .*: Not wanted\.$/m),
    });
    expect(spooled()).toEqual([]);
    expect(await work('abandon', prices, '--reason', 'by hand')).toMatchObject({ code: 0 });
    expect(await work('delete', survey, '--reason', 'a test')).toMatchObject({ code: 0 });
    const by = userInfo().username;
    expect(spooled()).toEqual([
      { type: 'AbandonWorkItem', itemId: prices, reason: 'by hand', by },
      { type: 'DeleteWork', id: survey, reason: 'a test', by },
    ]);
  });
});
