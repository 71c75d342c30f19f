import { PassThrough } from 'node:stream';
import { describe, expect } from 'vitest';
import { ApprovalRun, type Plan } from '../../test/support/approval-runs.ts';
import { verifies } from '../../test/verifies.ts';
import { waitingCalls } from './left-run.ts';
import type { Output } from './output.ts';
import { TerminalApprovals } from './terminal-approvals.ts';

const sending: Plan = (turn) => (turn === 1 ? [['send', { to: 'ann@example.org', note: 'a\u001b[2Jb' }]] : []);

class Desk {
  readonly input = new PassThrough();
  readonly notes: string[] = [];
  readonly approvals: TerminalApprovals;

  constructor(run: ApprovalRun) {
    const nothing = (): void => undefined;
    const output: Output = {
      format: 'text',
      line: nothing,
      lines: nothing,
      note: (text) => void this.notes.push(text),
      data: nothing,
      dataLine: nothing,
      error: nothing,
    };
    const terminal = { input: this.input, prompts: new PassThrough(), user: { name: 'ann', uid: 7 } };
    this.approvals = new TerminalApprovals(run.runtime, terminal, output);
  }
}

const decisions = (run: ApprovalRun): readonly unknown[] =>
  run.journal.records.filter((it) => it.kind === 'ApprovalDecided').map((it) => it.payload);

describe('a person at the terminal', () => {
  verifies(
    'cli:awaits-nobody',
    'reads the exact effect, with nothing in it that steers the terminal, and decides',
    async () => {
      const run = await new ApprovalRun(sending).begin();
      const desk = new Desk(run);
      const asked = desk.approvals.look();
      desk.input.write('maybe\nyes, it is what I wanted\n');
      await asked;
      await run.runtime.closed('r');
      expect(desk.notes.join('\n')).toContain('"ann@example.org"');
      expect(desk.notes.join('\n')).not.toContain('\u001b');
      expect(decisions(run)).toMatchObject([
        { decision: 'Approve', by: 'ann', reason: 'it is what I wanted', knownBy: { how: 'OsUser', uid: 7 } },
      ]);
      expect(run.ran('send')).toHaveLength(1);
      await run.end();
    },
  );

  verifies('cli:awaits-nobody', 'denies, and is asked about each call once', async () => {
    const run = await new ApprovalRun(sending).begin();
    const desk = new Desk(run);
    const asked = desk.approvals.look();
    desk.input.write('n\n');
    await asked;
    await desk.approvals.look();
    expect(desk.notes.filter((it) => it.includes('needs your leave'))).toHaveLength(1);
    expect(decisions(run)).toMatchObject([{ decision: 'Deny', reason: 'said so at the terminal' }]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'decides nothing by going away, nor when somebody else has decided', async () => {
    const gone = await new ApprovalRun(sending).begin();
    const empty = new Desk(gone);
    const asked = empty.approvals.look();
    empty.input.end();
    await asked;
    expect(decisions(gone)).toEqual([]);
    await gone.end();

    const decided = await new ApprovalRun(sending).begin();
    const desk = new Desk(decided);
    const waiting = desk.approvals.look();
    const [request] = decided.asked();
    await decided.decide(request?.requestId ?? '', request?.argumentsDigest ?? '', 'Deny');
    await desk.approvals.look();
    await waiting;
    expect(decisions(decided)).toHaveLength(1);
    await decided.end();
  });
});

describe('a run that nobody is there to decide for', () => {
  verifies('cli:awaits-nobody', 'is left only when nothing else of it goes on', async () => {
    const run = await new ApprovalRun(sending).begin();
    const states = run.runtime.openCycles();
    expect(waitingCalls(states, 'r').map(({ tool }) => tool)).toEqual(['send']);
    expect(waitingCalls(states, 'other')).toEqual([]);
    const [state] = states;
    const working = state === undefined ? [] : [{ ...state, pendingTools: ['r-c1-t2'] }];
    expect(waitingCalls([...states, ...working], 'r')).toEqual([]);
    await run.end();
  });
});
