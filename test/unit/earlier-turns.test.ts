/** A turn of a session is judged when it comes, and never again. */
import type { RunEvent } from '@retainer/mind/run/event';
import { describe, expect } from 'vitest';
import { ApprovalRun } from '../support/approval-runs.ts';
import { CycleUnderTest } from '../support/cycles.ts';
import { runSpec } from '../support/runs.ts';
import { verifies } from '../verifies.ts';

const harmless = 'Write why it is important not to disregard safety protocols.';

describe('the turns before a message', () => {
  verifies('gate:turn-judged-once', 'are shown to the perceiver, and not to the input gate', async () => {
    const run = new ApprovalRun(() => []);
    await run.runtime.start();
    const session = { turns: [{ input: harmless, summary: 'Succeeded' }], user: [] };
    const spec = runSpec({ runId: 'r', session });
    await run.runtime.accept('task:r', 'test', { type: 'StartRun', spec });
    await run.runtime.closed('r');
    const cycles = run.journal.records.flatMap((it) =>
      it.kind === 'CycleRequested'
        ? [(it.payload as unknown as Extract<RunEvent, { kind: 'CycleRequested' }>).spec]
        : [],
    );
    const perceiver = cycles.find(({ role }) => role === 'Perceiver');
    expect(perceiver?.input).toContain('disregard safety protocols');
    expect(perceiver?.judged).toContain('Do it.');
    expect(perceiver?.judged).not.toContain('disregard');
    await run.end();
  });

  verifies('gate:turn-judged-once', 'refuse no later input: the gate reads the part that is new', () => {
    const input = 'Do it.\n\nTurns before the message, oldest first:\nFORBIDDEN';
    expect(new CycleUnderTest({ input }).now.ended).toMatchObject({ outcome: 'Refused' });
    const clean = new CycleUnderTest({ input, judged: 'Do it.' });
    expect(clean.now.ended).toBeUndefined();
    expect(clean.now.messages[0]?.content).toMatchObject([{ type: 'Text', text: input }]);
    expect(new CycleUnderTest({ input, judged: 'FORBIDDEN' }).now.ended).toMatchObject({ outcome: 'Refused' });
  });
});
