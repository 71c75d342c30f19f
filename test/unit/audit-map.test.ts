/** `retainer audit map`: on records of another build, and on records in which somebody took an answer away. */
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AccountRow } from '@retainer/mind/explain/audit/account-row';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { readSegments, rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
let copies = 0;
afterAll(() => root.remove());

function copyOf(name: string): Promise<string> {
  copies += 1;
  return unpackGoldenRun(name, join(root.path, String(copies)));
}

interface Mapped {
  readonly code: number;
  readonly rows: readonly AccountRow[];
  readonly findings: readonly Pick<AccountRow, 'id' | 'missing'>[];
}

async function mapOf(data: string, ...run: readonly string[]): Promise<Mapped> {
  const { code, text } = await retainer('audit', 'map', ...run, '--data', data, '-o', 'json');
  return { code, ...(JSON.parse(text) as Omit<Mapped, 'code'>) };
}

interface Line {
  readonly seq: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

function linesOf(data: string, store: string): readonly Line[] {
  return readSegments(join(data, 'journal'), store).flatMap(({ lines }) =>
    lines.map((line) => JSON.parse(line) as Line),
  );
}

/** The first record of a kind in a store. */
function seqOf(data: string, store: string, kind: string, has = ''): number {
  const found = linesOf(data, store).find((it) => it.kind === kind && JSON.stringify(it.payload).includes(has));
  return found?.seq ?? -1;
}

describe('retainer audit map', () => {
  verifies('audit-view:map', 'has a row for every call that changes something and every delivery', async () => {
    for (const name of ['approval', 'crash', 'injection', 'examples', 'override', 'cancel']) {
      const data = await copyOf(name);
      const called = linesOf(data, 'cycle').filter(
        ({ kind, payload }) => kind === 'ToolRequested' && Number(payload['effectClass']) >= 1,
      );
      const delivered = linesOf(data, 'run').filter(({ kind }) => kind === 'DeliveryRequested');
      const ids = [
        ...called.map(({ payload }) => payload['callId']),
        ...delivered.map((it) => it.payload['deliveryId']),
      ];
      expect((await mapOf(data)).rows.map(({ id }) => id).toSorted(), name).toEqual(ids.map(String).toSorted());
    }
  });

  verifies('audit-view:map', 'tells who wanted, decided, approved and checked, and what it took', async () => {
    const data = await copyOf('approval');
    const { code, rows, findings } = await mapOf(data, 'approved');
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect(rows).toMatchObject([
      {
        kind: 'Call',
        what: 'write_file',
        effectClass: 1,
        end: 'Ok',
        wanted: { task: 'default/approved', principal: 'operator', source: 'manifest', role: 'Executor' },
        decided: { gate: 'Tool', verdict: 'Accept', rule: 'approval/granted', rules: 2 },
        approved: { kind: 'Approved', by: 'ada', reason: 'read it' },
        checked: { kind: 'Checked', by: 'agent-validator', met: 1, criteria: 1, citedBy: [1] },
        cost: { sharedBy: 1, isComplete: true },
      },
      {
        kind: 'Delivery',
        decided: { gate: 'Output', rule: 'output-rules/none' },
        approved: { kind: 'NotNeeded' },
        checked: { by: 'meta-validator', met: 1, criteria: 1 },
      },
    ]);
    const used = /"inputTokens":(\d+),"outputTokens":(\d+)/.exec(
      JSON.stringify(linesOf(data, 'run').find(({ kind }) => kind === 'DeliveryRequested')?.payload),
    );
    expect(rows[1]?.cost.tokens).toBe(Number(used?.[1]) + Number(used?.[2]));
    const { text } = await retainer('audit', 'map', '--data', data);
    await expect(text).toMatchFileSnapshot('../golden/audit/map-approval.txt');
  });

  const taken: readonly (readonly [string, string, string, string, string, RegExp])[] = [
    ['the verdict', 'cycle', 'GateDecided', 'approval/granted', 'decided', /Escalate by authority\.consult/],
    ['the approval', 'cycle', 'ApprovalDecided', 'read it', 'approved', /nobody answered approved-/],
    ['the judgement', 'run', 'VerdictsJudged', '-r1-s1', 'checked', /no validator judged/],
    ['the command', 'inbox', 'CommandAccepted', 'StartRun', 'wanted', /does not say who gave the Task/],
    ['the admission', 'run', 'RunAdmitted', 'approved', 'wanted', /admission of its run is not in the record/],
  ];
  for (const [name, store, kind, has, column, why] of taken)
    verifies('audit-view:map-findings', `an effect without ${name} is a finding`, async () => {
      const data = await copyOf('approval');
      rewriteRecord(join(data, 'journal'), store, seqOf(data, store, kind, has), (record) => ({
        ...record,
        kind: 'Note',
        payload: {},
      }));
      const { code, findings } = await mapOf(data);
      expect(code).toBe(5);
      const missing = findings.flatMap((it) => it.missing).filter((it) => it.column === column);
      expect(missing[0]?.why).toMatch(why);
      const { text } = await retainer('audit', 'map', '--data', data);
      expect(text).toMatch(/NOBODY/);
    });

  const changed: readonly (readonly [string, string, object, RegExp])[] = [
    ['a verdict on other arguments', 'GateDecided', { argumentsDigest: 'ab' }, /verdict is about other arguments/],
    ['an approval of other arguments', 'ApprovalDecided', { argumentsDigest: 'ab' }, /ada approved other arguments/],
    ['a denial', 'ApprovalDecided', { decision: 'Deny' }, /ada did not approve it/],
  ];
  for (const [name, kind, other, why] of changed)
    verifies('audit-view:map-findings', `${name} does not cover an effect`, async () => {
      const data = await copyOf('approval');
      const has = kind === 'GateDecided' ? 'approval/granted' : 'read it';
      rewriteRecord(join(data, 'journal'), 'cycle', seqOf(data, 'cycle', kind, has), (record) => ({
        ...record,
        payload: { ...record.payload, ...other },
      }));
      const { code, findings } = await mapOf(data);
      expect(code).toBe(5);
      expect(findings.flatMap((it) => it.missing).map((it) => it.why)).toEqual([expect.stringMatching(why)]);
    });

  verifies('audit-view:map-findings', 'a call that hides its approval still needs it', async () => {
    const data = await copyOf('approval');
    const journal = join(data, 'journal');
    rewriteRecord(journal, 'cycle', seqOf(data, 'cycle', 'ToolRequested', 'notes/first.md'), (record) => {
      const { approvalId: _, ...payload } = record.payload as { readonly approvalId?: string };
      return { ...record, payload };
    });
    expect((await mapOf(data, 'approved')).rows[0]).toMatchObject({ approved: { by: 'ada' }, missing: [] });
    rewriteRecord(journal, 'cycle', seqOf(data, 'cycle', 'ApprovalDecided', 'read it'), (record) => ({
      ...record,
      kind: 'Note',
      payload: {},
    }));
    const { code, findings } = await mapOf(data, 'approved');
    expect(code).toBe(5);
    expect(findings[0]?.missing).toMatchObject([
      { column: 'approved', why: expect.stringMatching(/^nobody answered/) },
    ]);
  });

  it('takes what a run under way lacks for open, not for a finding', async () => {
    const data = await copyOf('approval');
    const notes = ['RunClosed', 'VerdictsJudged'].map((kind) => seqOf(data, 'run', kind));
    for (const seq of notes)
      rewriteRecord(join(data, 'journal'), 'run', seq, (record) => ({ ...record, kind: 'Note', payload: {} }));
    const { code, rows } = await mapOf(data);
    expect(code).toBe(0);
    expect(rows.find(({ missing }) => missing.length > 0)).toMatchObject({ isOpen: true });
  });

  verifies('audit-view:unknown-id', 'names a run that is none', async () => {
    const none = await retainer('audit', 'map', 'snow', '--data', await copyOf('override'));
    expect(none).toMatchObject({ code: 1, text: expect.stringMatching(/no run "snow"; runs: museum-/) });
  });
});
