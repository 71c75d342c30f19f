/** An override is one answer to one refusal: the first run that carries it has it, and no other. */
import type { RunSpec } from '@retainer/mind/run/event';
import { inbox, withoutSpent } from '@retainer/mind/run/inbox';
import { describe, expect } from 'vitest';
import { ApprovalRun } from '../support/approval-runs.ts';
import { runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const override = {
  of: 'first',
  rule: 'text/override/own-instructions',
  subjectDigest: 'd'.repeat(64),
  by: 'ada',
  reason: 'it is a lesson',
  coversTask: true,
};

const carrying = (runId: string, own: Partial<typeof override> = {}): RunSpec =>
  runSpec({ runId, task: { namespace: 'default', name: runId }, override: { ...override, ...own } });

async function admitted(specs: readonly RunSpec[]): Promise<readonly RunSpec[]> {
  const run = new ApprovalRun(() => []);
  await run.runtime.start();
  for (const spec of specs) {
    await run.runtime.accept(`task:${spec.runId}`, 'test', { type: 'StartRun', spec });
    await run.runtime.closed(spec.runId);
  }
  await run.end();
  return run.journal.records.flatMap((it) =>
    it.kind === 'RunAdmitted' ? [(it.payload as unknown as { readonly spec: RunSpec }).spec] : [],
  );
}

describe('an override that another Task carries again', () => {
  verifies('approvals:override-once', 'is not in its run, whose record says which run had it', async () => {
    const [first, second] = await admitted([carrying('a'), carrying('b', { reason: 'again', by: 'eve' })]);
    expect(first).toMatchObject({ override });
    expect(second).not.toHaveProperty('override');
    expect(second).toMatchObject({ overrideSpent: { of: 'first', rule: override.rule, runId: 'a' } });
  });

  verifies('approvals:override-once', 'is another one where it answers another refusal', async () => {
    const [, second] = await admitted([carrying('a'), carrying('b', { of: 'second' })]);
    expect(second).toMatchObject({ override: { of: 'second' } });
  });

  verifies('approvals:override-once', 'stays spent over restarts, from the record or from the cache', () => {
    const state = inbox.start();
    const command = { type: 'StartRun', spec: carrying('a') };
    const payload = JSON.parse(JSON.stringify({ originId: 'task:a', source: 'test', command }));
    inbox.take(state, { store: 'inbox', kind: 'CommandAccepted', seq: 1, timeMs: 0, payload });
    inbox.take(state, { store: 'inbox', kind: 'CommandDone', seq: 2, timeMs: 0, payload: { originId: 'task:a' } });
    const restored = inbox.start();
    const kept = inbox.keep(state);
    expect(kept !== undefined && inbox.restore(restored, kept)).toBe(true);
    for (const known of [state, restored]) {
      expect(withoutSpent(carrying('b'), known)).not.toHaveProperty('override');
      expect(withoutSpent(carrying('a'), known)).toHaveProperty('override');
    }
  });
});
