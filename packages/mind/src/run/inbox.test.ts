import { describe, expect } from 'vitest';
import { runSpec } from '../../../../test/support/runs.ts';
import { verifies } from '../../../../test/verifies.ts';
import { inbox, withoutSpent, type Inbox } from './inbox.ts';
import type { RunSpec } from './event.ts';

const overridden = (at: number): RunSpec =>
  runSpec({
    runId: `r${at}`,
    override: { of: `t${at}`, rule: 'text/x', subjectDigest: 'd', by: 'ada', reason: 'It is right.', coversTask: true },
  });

function started(state: Inbox, at: number): void {
  const payload = { originId: `o${at}`, source: 'manifest', command: { type: 'StartRun', spec: overridden(at) } };
  const head = { store: 'inbox', seq: at, timeMs: at };
  inbox.take(state, { ...head, kind: 'CommandAccepted', payload });
  inbox.take(state, { ...head, kind: 'CommandDone', payload: { originId: `o${at}` } });
}

describe('the inbox', () => {
  verifies('loop:names-are-bounded', 'knows the newest overrides that were spent, and no more', () => {
    const state = inbox.start();
    for (let at = 0; at < 10_001; at += 1) started(state, at);
    expect([state.overrides.size, state.open.size]).toEqual([10_000, 0]);
    const again = (at: number): boolean =>
      withoutSpent({ ...overridden(at), runId: 'later' }, state).overrideSpent === undefined;
    expect([again(10_000), again(1), again(0)]).toEqual([false, false, true]);
  });
});
