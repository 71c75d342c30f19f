import fc from 'fast-check';
import { expect } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import { ORDER_WAIT_MS, WorkspaceTurns } from './workspace-turns.ts';

/** A step that ends when the test says so. */
function held(): { readonly step: () => Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { step: () => ended, end: () => end() };
}

const settled = (): Promise<void> => new Promise(setImmediate);

interface Played {
  readonly runId: string;
  readonly runsCode: boolean;
  /** Turns of the event loop that the program takes, or the call. */
  readonly length: number;
}

/** Plays calls and notes what begins and ends with the workspace, and what runs beside. */
async function play(calls: readonly Played[], codeMax: number): Promise<readonly string[]> {
  const notes: string[] = [];
  const turns = new WorkspaceTurns(manualClock(), codeMax);
  const wait = async (length: number): Promise<void> => {
    for (let turn = 0; turn < length; turn += 1) await settled();
  };
  await Promise.all(
    calls.map(({ length, ...of }, at) =>
      turns.take(of, async (turn) => {
        notes.push(`takes ${at}`);
        if (of.runsCode) {
          notes.push(`leaves ${at}`);
          await turn.leaveInOrder(() => wait(length));
          notes.push(`takes ${at}`);
        } else await wait(length);
        notes.push(`ends ${at}`);
      }),
    ),
  );
  return notes;
}

const played = fc.array(
  fc.record({ runId: fc.constantFrom('run-1', 'run-2', 'run-3'), runsCode: fc.boolean(), length: fc.nat({ max: 4 }) }),
  { maxLength: 12 },
);

verifies('loop:one-workspace', 'at most one call has it, whatever the calls are', async () => {
  await fc.assert(
    fc.asyncProperty(played, fc.integer({ min: 1, max: 3 }), async (calls, codeMax) => {
      let holder: string | undefined;
      for (const note of await play(calls, codeMax)) {
        const [what, call] = note.split(' ');
        expect(what === 'takes' ? undefined : call).toBe(holder);
        holder = what === 'takes' ? call : undefined;
      }
    }),
  );
});

verifies(
  'loop:one-workspace',
  'calls of one run keep their order, and all of them where code has no copy',
  async () => {
    await fc.assert(
      fc.asyncProperty(played, fc.integer({ min: 1, max: 3 }), async (calls, codeMax) => {
        const notes = await play(calls, codeMax);
        const lines =
          codeMax === 1
            ? [calls.map((_, at) => at)]
            : ['run-1', 'run-2', 'run-3'].map((runId) => calls.flatMap((it, at) => (it.runId === runId ? [at] : [])));
        for (const line of lines) {
          const own = notes.filter((note) => line.includes(Number(note.split(' ')[1])));
          const inOrder = line.flatMap((at) => own.filter((note) => note.endsWith(` ${at}`)));
          expect(own).toEqual(inOrder);
        }
      }),
    );
  },
);

verifies('loop:programs-beside', 'up to the limit, and each comes back after those that began before it', async () => {
  await fc.assert(
    fc.asyncProperty(played, fc.integer({ min: 2, max: 3 }), async (calls, codeMax) => {
      let beside = 0;
      const left: string[] = [];
      for (const note of await play(calls, codeMax)) {
        const [what, call = ''] = note.split(' ');
        if (what === 'leaves') left.push(call);
        if (what === 'leaves') beside += 1;
        if (what === 'ends' && calls[Number(call)]?.runsCode === true) {
          expect(left.shift()).toBe(call);
          beside -= 1;
        }
        expect(beside).toBeLessThanOrEqual(codeMax);
      }
    }),
  );
});

verifies('loop:programs-beside', 'one that hangs holds up the next for 5 s, and no call at all', async () => {
  const clock = manualClock();
  const turns = new WorkspaceTurns(clock, 2);
  const [hanging, quick] = [held(), held()];
  const ended: string[] = [];
  const take = (runId: string, work: () => Promise<void>, runsCode = true): Promise<void> =>
    turns
      .take({ runId, runsCode }, (turn) => (runsCode ? turn.leaveInOrder(work) : work()))
      .then(() => void ended.push(runId));
  const first = take('hanging', hanging.step);
  const second = take('quick', quick.step);
  await settled();
  quick.end();
  await clock.untilSleeping(ORDER_WAIT_MS);
  await take('file', () => Promise.resolve(), false);
  expect(ended).toEqual(['file']);
  clock.advance(ORDER_WAIT_MS);
  await second;
  expect(ended).toEqual(['file', 'quick']);
  hanging.end();
  await first;
});

verifies('loop:one-workspace', 'a call that was given up never gets it back', async () => {
  const turns = new WorkspaceTurns(manualClock(), 2);
  const program = held();
  let late: Promise<void> = Promise.resolve();
  await turns.take({ runId: 'run-1', runsCode: true }, (turn) => {
    late = turn.leave(program.step);
    return settled();
  });
  program.end();
  await expect(late).rejects.toThrow('the call is over');
  await turns.take({ runId: 'run-2', runsCode: false }, () => Promise.resolve());
});
