/** `retainer audit summary` on a record of another build: what it counts, and what the lines of the record say by themselves. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/contract/wire/record';
import { daysIn, daySummarizer, sumOf, type Days } from '@retainer/mind/explain/audit/day-summary';
import type { Summary } from '@retainer/mind/explain/audit/render-summary';
import { unpackGoldenRuns } from '../support/golden-runs.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
let copies: ReadonlyMap<string, string> = new Map();
beforeAll(async () => {
  copies = await unpackGoldenRuns(root.path);
});
afterAll(() => root.remove());

function linesOf(data: string): string {
  const journal = join(data, 'journal');
  const files = readdirSync(journal, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.jsonl'));
  return files.map((file) => readFileSync(join(journal, file), 'utf8')).join('');
}

/** As `grep -c` counts. */
function countOf(lines: string, pattern: string): number {
  return lines.split('\n').filter((line) => new RegExp(pattern).test(line)).length;
}

async function summaryOf(data: string, ...flags: readonly string[]): Promise<Summary> {
  const { code, text } = await retainer('audit', 'summary', data, '-o', 'json', ...flags);
  expect(code).toBe(0);
  return JSON.parse(text) as Summary;
}

describe('retainer audit summary', () => {
  verifies('audit-view:summary', 'counts what the lines of every recorded run have', async () => {
    for (const [name, data] of copies) {
      const { days, all } = await summaryOf(data);
      const lines = linesOf(data);
      const kind = (it: string): string => `"kind":"${it}","v"`;
      expect(all.runs.count, name).toBe(countOf(lines, kind('RunAdmitted')));
      expect(all.cycles.count, name).toBe(countOf(lines, kind('CycleStarted')));
      expect(all.cycles.outcomes['Replied'] ?? 0, name).toBe(
        countOf(lines, `${kind('CycleEnded')}.*"payload":{"outcome":"Replied"`),
      );
      expect(all.calls.count, name).toBe(countOf(lines, kind('ToolRequested')));
      expect(all.calls.failed, name).toBe(
        countOf(lines, `${kind('ToolFinished')}.*"outcome":{"status":"(?!Ok)`) + countOf(lines, kind('EffectLost')),
      );
      expect(all.calls.unrun, name).toBe(countOf(lines, kind('CallAnswered')));
      for (const gate of ['Input', 'Tool', 'Output'])
        for (const verdict of ['Accept', 'Modify', 'Escalate', 'Reject'])
          expect(all.verdicts[gate]?.[verdict] ?? 0, `${name} ${gate} ${verdict}`).toBe(
            countOf(lines, `${kind('GateDecided')}.*"payload":{"gate":"${gate}","verdict":"${verdict}"`),
          );
      expect(Object.values(all.bytes).reduce((sum, it) => sum + it, 0)).toBe(Buffer.byteLength(lines));
      expect(all).toEqual(sumOf(days));
    }
  });

  it('prints a day as a paragraph', async () => {
    const { code, text } = await retainer('audit', 'summary', copies.get('examples') ?? '');
    expect(code).toBe(0);
    await expect(text).toMatchFileSnapshot('../golden/audit/summary-examples.txt');
  });

  it('takes the days that are asked for, and refuses what is none', async () => {
    const data = copies.get('examples') ?? '';
    const [{ day } = { day: '' }] = (await summaryOf(data)).days;
    expect((await summaryOf(data, '--days', '1')).days).toHaveLength(1);
    expect((await summaryOf(data, '--from', day, '--to', day)).all.runs.count).toBe(6);
    expect((await summaryOf(data, '--to', '2000-01-01')).days).toEqual([]);
    const none = await retainer('audit', 'summary', data, '--to', '2000-01-01');
    expect(none).toMatchObject({ code: 0, text: 'nothing happened on these days\n' });
    for (const wrong of [
      ['--days', '0'],
      ['--days', 'few'],
      ['--from', '2026-02'],
      ['--days', '2', '--from', day],
    ])
      expect((await retainer('audit', 'summary', data, ...wrong)).code).toBe(1);
    expect(await retainer('audit', 'summary', root.path)).toMatchObject({ code: 1 });
  });

  it('counts what ends after midnight on the day of its end', () => {
    const days: Days = new Map();
    const take = daySummarizer(days, (timeMs) => (timeMs < 10 ? '2026-05-01' : '2026-05-02'));
    const place = { version: 1, seq: 0, order: 0, epoch: 1, prev: '', hash: '', principal: 'agent', runId: 'r' };
    const record = (kind: string, timeMs: number, payload: JournalRecord['payload']): JournalRecord => {
      return { ...place, store: 'cycle', kind, timeMs, payload, cycleId: 'c' };
    };
    take(record('CycleStarted', 1, { spec: { cycleId: 'c', role: 'Executor' } }));
    take(record('ToolRequested', 2, { callId: 't' }));
    take(record('EffectLost', 11, { callId: 't' }));
    take(record('CycleEnded', 12, { outcome: 'Failed' }));
    expect(daysIn(days, {})).toMatchObject([
      { day: '2026-05-01', cycles: { count: 1, outcomes: {} }, calls: { count: 1, failed: 0 } },
      { day: '2026-05-02', cycles: { count: 0, outcomes: { Failed: 1 } }, calls: { outcomes: { Lost: 1 }, failed: 1 } },
    ]);
  });
});
