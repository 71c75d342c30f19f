import { PassThrough } from 'node:stream';
import { describe, expect, vi } from 'vitest';
import { ApprovalRun, type Plan } from '../../test/support/approval-runs.ts';
import { verifies } from '../../test/verifies.ts';
import { waitingAsks, type OpenWork } from './person-asks.ts';
import type { Output } from './output.ts';
import { TerminalPerson } from './terminal-person.ts';

const sending: Plan = (turn) => (turn === 1 ? [['send', { to: 'ann@example.org', note: 'a\u001b[2Jb' }]] : []);

/** The terminal is another process's until it is brought back. */
class Front {
  #isOurs = true;
  #bring: () => void = () => undefined;

  isOurs(): boolean {
    return this.#isOurs;
  }

  untilOurs(): Promise<void> {
    return new Promise((resolve) => {
      this.#bring = resolve;
    });
  }

  goAway(): void {
    this.#isOurs = false;
  }

  comeBack(): void {
    this.#isOurs = true;
    this.#bring();
  }
}

class Desk {
  readonly input = new PassThrough();
  readonly notes: string[] = [];
  readonly foreground = new Front();
  readonly person: TerminalPerson;

  constructor(run: ApprovalRun, accept?: ApprovalRun['runtime']['accept']) {
    const nothing = (): void => undefined;
    const output: Output = {
      format: 'text',
      line: nothing,
      lines: nothing,
      note: (text) => void this.notes.push(text),
      data: nothing,
      dataLine: nothing,
      error: nothing,
      hasColour: false,
      foreign: () => ({ out: new PassThrough(), err: new PassThrough() }),
    };
    const terminal = {
      ...{ input: this.input, prompts: new PassThrough(), user: { name: 'ann', uid: 7 } },
      foreground: this.foreground,
      command: ({ id }: { readonly id: string }) => `retainer approve ${id}`,
    };
    const { runtime } = run;
    const refusing = accept && {
      accept,
      openRuns: () => runtime.openRuns(),
      openCycles: () => runtime.openCycles(),
    };
    this.person = new TerminalPerson(refusing ?? runtime, terminal, output);
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
      const asked = desk.person.look();
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
    const asked = desk.person.look();
    desk.input.write('n\n');
    await asked;
    await desk.person.look();
    expect(desk.notes.filter((it) => it.includes('needs your leave'))).toHaveLength(1);
    expect(decisions(run)).toMatchObject([{ decision: 'Deny', reason: 'said so at the terminal' }]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'is told what was not taken, and asked again', async () => {
    const run = await new ApprovalRun(sending).begin();
    let refusals = 1;
    const accept: ApprovalRun['runtime']['accept'] = (...args) => {
      refusals -= 1;
      return refusals < 0 ? run.runtime.accept(...args) : Promise.reject(new Error('the volume is full'));
    };
    const desk = new Desk(run, accept);
    const first = desk.person.look();
    desk.input.write('y\n');
    await first;
    expect([decisions(run), desk.notes.at(-1)]).toEqual([[], 'this was not taken: the volume is full']);
    const second = desk.person.look();
    desk.input.write('y\n');
    await second;
    expect(decisions(run)).toMatchObject([{ decision: 'Approve' }]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'is not read from in the background, and answers after coming back', async () => {
    const run = await new ApprovalRun(sending).begin();
    const desk = new Desk(run);
    desk.foreground.goAway();
    const asked = desk.person.look();
    desk.input.write('n\n');
    await vi.waitFor(() => expect(desk.notes.at(-1)).toContain('type fg to answer here, or retainer approve'));
    expect([desk.input.readableFlowing, decisions(run)]).toEqual([null, []]);
    desk.foreground.comeBack();
    await asked;
    expect(decisions(run)).toMatchObject([{ decision: 'Deny' }]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'is not read from after Ctrl-Z and bg', async () => {
    const run = await new ApprovalRun(sending).begin();
    const desk = new Desk(run);
    const asked = desk.person.look();
    await vi.waitFor(() => expect(desk.input.isPaused()).toBe(false));
    desk.foreground.goAway();
    process.emit('SIGCONT');
    await vi.waitFor(() => expect(desk.notes.at(-1)).toContain('in the background'));
    expect(desk.input.isPaused()).toBe(true);
    desk.foreground.comeBack();
    desk.input.write('y\n');
    await asked;
    expect(decisions(run)).toMatchObject([{ decision: 'Approve' }]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'is asked nothing more once it is stopped', async () => {
    const run = await new ApprovalRun(sending).begin();
    const desk = new Desk(run);
    desk.person.stop();
    await desk.person.look();
    expect(desk.notes).toEqual([]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'answers a question in a line of their own words', async () => {
    const question = 'Which year?\u001b[2J';
    const run = await new ApprovalRun((turn) => (turn === 1 ? [['ask_person', { question }]] : [])).begin();
    expect(waitingAsks(run.runtime, 'r')).toMatchObject([{ kind: 'Question', runId: 'r' }]);
    const desk = new Desk(run);
    const asked = desk.person.look();
    desk.input.write('  \n the year 2014 \n');
    await asked;
    await run.runtime.closed('r');
    expect(desk.notes.join('\n')).toContain('Which year?');
    expect(desk.notes.join('\n')).not.toContain('\u001b');
    expect(decisions(run)).toMatchObject([{ by: 'ann', reason: 'the year 2014' }]);
    await run.end();
  });

  verifies('cli:awaits-nobody', 'decides nothing by going away, nor when somebody else has decided', async () => {
    const gone = await new ApprovalRun(sending).begin();
    const empty = new Desk(gone);
    const asked = empty.person.look();
    empty.input.end();
    await asked;
    expect(decisions(gone)).toEqual([]);
    await gone.end();

    const decided = await new ApprovalRun(sending).begin();
    const desk = new Desk(decided);
    const waiting = desk.person.look();
    const [request] = decided.asked();
    await decided.decide(request?.requestId ?? '', request?.argumentsDigest ?? '', 'Deny');
    await desk.person.look();
    await waiting;
    expect(decisions(decided)).toHaveLength(1);
    await decided.end();
  });
});

describe('a run that nobody is there to decide for', () => {
  verifies('cli:awaits-nobody', 'is left only when nothing else of it goes on', async () => {
    const run = await new ApprovalRun(sending).begin();
    const tools = (work: OpenWork, runId: string): readonly unknown[] =>
      waitingAsks(work, runId).map((it) => (it.kind === 'Approval' ? it.call.tool : it.question));
    expect(tools(run.runtime, 'r')).toEqual(['send']);
    expect(tools(run.runtime, 'other')).toEqual([]);
    const states = run.runtime.openCycles();
    const [state] = states;
    const working = state === undefined ? [] : [{ ...state, pendingTools: ['r-c1-t2'] }];
    const busy = { openRuns: () => run.runtime.openRuns(), openCycles: () => [...states, ...working] };
    expect(tools(busy, 'r')).toEqual([]);
    await run.end();
  });
});
