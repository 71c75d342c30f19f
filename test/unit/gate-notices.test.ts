/** What a gate says stays on the record: no later run is told it. Source: springdrift 15. */
import { expect } from 'vitest';
import { archiveRun } from '@retainer/mind/archive/archive-run';
import { ApprovalRun, type Plan } from '../support/approval-runs.ts';
import { verifies } from '../verifies.ts';

/** Words of the gates and of the people who refused, as they stand in verdicts. */
async function refusedRun(): Promise<{ readonly run: ApprovalRun; readonly notices: readonly string[] }> {
  const plan: Plan = (turn) => (turn === 1 ? [['send', { to: 'oscar@example.org' }]] : []);
  const run = await new ApprovalRun(plan).begin();
  const [asked] = run.asked();
  if (asked === undefined) throw new Error('nothing was asked');
  await run.decide(asked.requestId, asked.argumentsDigest, 'Deny');
  await run.runtime.closed('r');
  const verdicts = run.journal.records.filter((it) => it.kind === 'GateDecided');
  const words = verdicts.map(
    (it) => it.payload as { readonly verdict: string; readonly rule: string; readonly reason: string },
  );
  return { run, notices: words.filter((it) => it.verdict === 'Reject').flatMap((it) => [it.rule, it.reason]) };
}

verifies('approvals:no-notice-remembered', 'no word of a gate is in memory, narrative or session', async () => {
  const { run, notices } = await refusedRun();
  expect(notices.length).toBeGreaterThan(0);
  const remembered = run.journal.records.filter(
    (it) => it.store === 'narrative' || it.store === 'megram' || it.store === 'fact',
  );
  expect(remembered.some((it) => it.kind === 'RunRemembered')).toBe(true);
  const texts = [...remembered.map((it) => JSON.stringify(it.payload)), JSON.stringify(run.runtime.session('tasks'))];
  for (const notice of notices) expect(texts.filter((text) => text.includes(notice))).toEqual([]);
  expect(run.runtime.session('tasks').turns).toEqual([]);
  await run.end();
});

verifies('approvals:no-notice-remembered', 'what was concluded on the record still says why', async () => {
  const { run } = await refusedRun();
  const state = await run.runtime.closed('r');
  expect(state.concluded?.reasons.join()).toContain('approval/denied');
  const { entry, fallback } = archiveRun(state);
  expect([entry.outcome, fallback.reflected.prose]).toEqual(['Refused', '']);
  await run.end();
});
