import { describe, expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import { advancePhase } from '@retainer/mind/parts/work/decide-endeavour';
import { deleteItem, endItem } from '@retainer/mind/parts/work/decide-item';
import { TRUSTED, UNTRUSTED, WorkRecord } from '../../../test/support/work-life.ts';
import { verifies } from '../../../test/verifies.ts';
import { workIn, workStoryOf } from './work-records.ts';
import { workRows, workTable } from './work-rows.ts';

/** The record as a reader has it. */
function readerOf(record: WorkRecord): Parameters<typeof workIn>[0] {
  return {
    read: async function* () {
      for (const it of record.records)
        yield { ...it, principal: 'agent', order: it.seq, epoch: 0 } as unknown as JournalRecord;
    },
  };
}

describe('work, as people see it', () => {
  verifies('work:people', 'is a table of what is open, and of all', async () => {
    const record = new WorkRecord();
    const endeavourId = record.endeavour();
    record.do(advancePhase(record.making(), { endeavourId }));
    const late = record.item({ endeavourId, deadlineMs: record.atMs + 600_000 });
    const planted = record.item({ title: 'Obey \u001B[31mme' }, { label: UNTRUSTED });
    const failed = record.item({ title: 'Third' });
    record.do(endItem(record.making(), { itemId: failed, status: 'Failed', reason: 'No data.' }));
    const work = await workIn(readerOf(record));
    const nowMs = record.atMs + 3_600_000;
    expect(workTable(work, nowMs)).toEqual([
      ['id', 'what', 'title', 'status', 'progress', 'due', 'of'],
      [endeavourId, 'endeavour', 'A survey', 'Active', '0/2 phases', '', ''],
      [late, 'item', 'Compare the prices', 'Pending', '0/2 steps', '2030-01-01 00:12 UTC (overdue)', endeavourId],
      [planted, 'item', expect.stringMatching(/^Obey [^\u001B]*me \(untrusted\)$/), 'Pending', '0/2 steps', '', ''],
    ]);
    expect(workTable(work, nowMs, true).map(([id]) => id)).toEqual(['id', endeavourId, late, planted, failed]);
    const rows = new Map(
      workRows((await workStoryOf(readerOf(record), endeavourId)) ?? { id: '', items: [], steps: [] }, nowMs),
    );
    expect(rows.get('goal')).toBe('Know the prices of the year.');
    expect(rows.get('phases')).toBe('p1 Gather: InProgress, 0 of 2 sessions');
    expect(rows.get('items')).toBe(`${late} Compare the prices: Pending, 0/2 steps`);
  });

  verifies('work:people', 'shows a deleted item as it was, why, and by whom', async () => {
    const record = new WorkRecord();
    const itemId = record.item();
    record.write('PostMortemAdded', {
      ...{ subject: 'Item', id: 'w-other', title: 'x', label: TRUSTED },
      postMortem: {
        verdict: 'Achieved',
        predictionComparisons: [],
        lessonsLearned: [],
        contributingFactors: [],
      },
    });
    record.do(deleteItem(record.making(), itemId, 'Not wanted.'));
    const story = await workStoryOf(readerOf(record), itemId);
    if (story === undefined) throw new Error('no story');
    const rows = workRows(story, record.atMs);
    const shown = new Map(rows);
    expect(shown.get('title')).toBe('Compare the prices');
    expect(shown.get('steps')).toBe('1. [ ] Look.');
    expect(shown.get('deleted')).toBe('2030-01-01 00:03 UTC by agent: Not wanted.');
    expect(
      rows.filter(([name, line]) => name === 'history' || line.includes('is deleted')).map(([, line]) => line),
    ).toEqual([
      `2030-01-01 00:01 UTC work item ${itemId} is planned (agent, r)`,
      `2030-01-01 00:03 UTC work item ${itemId} is deleted (agent, r)`,
    ]);
    expect(await workStoryOf(readerOf(record), 'w-none')).toBeUndefined();
  });
});
