/** `retainer audit cycle` on records of another build: requests to the byte, the tree, and what is no cycle. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { CycleAudit } from '@retainer/agent-pod/review/audit-cycle';
import { unpackGoldenRuns } from '../support/golden-runs.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { readSegments } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
let copies: ReadonlyMap<string, string> = new Map();
beforeAll(async () => {
  copies = await unpackGoldenRuns(root.path);
});
afterAll(() => root.remove());

function linesOf(data: string, store: string): readonly string[] {
  return readSegments(join(data, 'journal'), store).flatMap(({ lines }) => lines);
}

async function audited(data: string, id: string): Promise<CycleAudit> {
  const { code, text } = await retainer('audit', 'cycle', id, '--data', data, '-o', 'json');
  expect(code).toBe(0);
  return JSON.parse(text) as CycleAudit;
}

/** Ids of cycles with the number of requests that their lines hold. */
function cyclesIn(data: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of linesOf(data, 'cycle')) {
    const [, kind = '', id = ''] = /"kind":"(\w+)","v".*?"cycleId":"([^"]+)"/.exec(line) ?? [];
    if (id === '') continue;
    const isAsked = ['ModelRequested', 'GateScoreRequested', 'ReadingRequested'].includes(kind);
    counts.set(id, (counts.get(id) ?? 0) + (isAsked ? 1 : 0));
  }
  return counts;
}

describe('retainer audit cycle', () => {
  verifies('audit-view:cycle-requests', 'shows every request as its line holds it, to the byte', async () => {
    for (const [name, data] of copies) {
      const written = linesOf(data, 'cycle');
      for (const [id, count] of [...cyclesIn(data)].slice(0, 6)) {
        const { requests } = await audited(data, id);
        expect(requests, `${name} ${id}`).toHaveLength(count);
        for (const { bytes, sha256, sizeBytes, seq } of requests) {
          const line = written.find((it) => it.includes(`"seq":${seq},`)) ?? '';
          // What was said before stands in another line: it is shown in its place.
          const isSaidBefore = line.includes('"/request/');
          expect(isSaidBefore || line.includes(`"request":${bytes}`), `${name} cycle/${seq}`).toBe(true);
          expect(bytes).not.toMatch(/"cycle\/\d+\/request/);
          expect(sha256).toBe(sha256Hex(bytes));
          expect(sizeBytes).toBe(Buffer.byteLength(bytes));
        }
      }
    }
  });

  verifies('audit-view:cycle', 'shows its place in the run, its verdicts and its calls with their ends', async () => {
    const data = copies.get('approval') ?? '';
    const [id = ''] = [...cyclesIn(data).keys()].filter((it) => it.startsWith('approved-') && it.endsWith('-c1'));
    const { tree, gates, calls, runId } = await audited(data, id);
    expect(tree[0]).toMatchObject({ id: runId, type: 'Run', outcome: 'Accepted' });
    expect(tree.map((it) => it.id)).toContain(id);
    expect(gates.map(({ verdict, rule }) => `${verdict} ${rule}`)).toEqual([
      'Accept input-rules/none',
      'Escalate authority.consult/notes-need-leave',
      'Accept approval/granted',
      'Accept output-rules/none',
    ]);
    expect(calls).toMatchObject([{ tool: 'write_file', approvalId: `${id}-t1-a`, outcome: { status: 'Ok' } }]);
    const { code, text } = await retainer('audit', 'cycle', id, '--data', data);
    expect(code).toBe(0);
    await expect(text).toMatchFileSnapshot('../golden/audit/cycle-approved.txt');
  });

  verifies('audit-view:unknown-id', 'names an id that is none, and what there is', async () => {
    const data = copies.get('approval') ?? '';
    const none = await retainer('audit', 'cycle', 'snow-1', '--data', data);
    expect(none.code).toBe(1);
    expect(none.text).toMatch(/no cycle "snow-1"; the newest cycles: .*approved-/);
    const several = await retainer('audit', 'cycle', 'approved', '--data', data);
    expect(several).toMatchObject({ code: 1, text: expect.stringContaining('is the beginning of several cycle ids') });
  });
});
