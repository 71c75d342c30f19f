import { describe, expect, it } from 'vitest';
import { Seeded } from '../../../../test/support/seeded.ts';
import { RunWorld } from '../../../../test/support/run-world.ts';
import { scenarios } from '../../../../test/support/run-scenarios.ts';
import { verifies } from '../../../../test/verifies.ts';
import { deadlineOf } from './deadline.ts';
import { decideRun } from './decide.ts';
import type { RunInput } from './event.ts';
import { evolveRun } from './evolve.ts';
import { elapsedMs, type RunState } from './state.ts';

const [plain] = scenarios;

/** A run whose executor works, and its cycle. */
function underWay(): { readonly state: RunState; readonly cycleId: string } {
  if (plain === undefined) throw new Error('there is a scenario');
  const world = new RunWorld(plain).play();
  const events = world.events.slice(
    0,
    world.events.findIndex((it) => it.kind === 'CycleRequested' && it.purpose.role === 'Executor') + 1,
  );
  let state: RunState | undefined;
  for (const event of events) state = evolveRun(state, event);
  const requested = events.at(-1);
  if (state === undefined || requested?.kind !== 'CycleRequested') throw new Error('the executor works');
  return { state, cycleId: requested.spec.cycleId };
}

interface Open {
  person: boolean;
  provider: boolean;
}

/** A wait for a person begins or ends. */
function person(atMs: number, cycleId: string, open: Open): RunInput {
  open.person = !open.person;
  return { kind: open.person ? 'WaitBegan' : 'WaitEnded', atMs, cycleId };
}

/** A wait for a provider begins or ends. */
function provider(atMs: number, cycleId: string, open: Open): RunInput {
  open.provider = !open.provider;
  if (!open.provider) return { kind: 'RunUnparked', atMs, cycleId };
  return { kind: 'RunParked', atMs, cycleId, sinceMs: atMs, why: 'Network', nextTryAtMs: atMs + 1 };
}

const known = { isKnown: () => false } as never;

function fed(state: RunState, input: RunInput): RunState {
  let next = state;
  for (const event of decideRun(state, input, known)) next = evolveRun(next, event);
  return next;
}

describe('the clock of a run', () => {
  verifies(
    'run:driven-time',
    'counts the time in which it was driven and waited for nobody, whatever happened between',
    () => {
      for (let seed = 1; seed <= 200; seed += 1) {
        const seeded = new Seeded(seed);
        const { state: begun, cycleId } = underWay();
        let state = begun;
        let atMs = state.nowMs;
        let worked = elapsedMs(state);
        const open = { person: false, provider: false };
        for (let step = 0; step < 30; step += 1) {
          const passedMs = seeded.below(100_000);
          const isWorking = !open.person && !open.provider;
          const what = seeded.below(4);
          if (what >= 2) {
            // The clock went on, or was set back, while nobody drove the run.
            const forMs = seeded.below(4) === 0 ? -seeded.below(7_200_000) : passedMs * 100;
            atMs += forMs;
            state = fed(state, { kind: 'StoodStill', atMs, forMs, why: forMs < 0 ? 'ClockStepped' : 'Restarted' });
          } else {
            worked += isWorking ? passedMs : 0;
            atMs += passedMs;
            state = fed(state, what === 0 ? person(atMs, cycleId, open) : provider(atMs, cycleId, open));
          }
          expect(elapsedMs(state), `seed ${seed}, step ${step}`).toBe(worked);
          const isWaiting = open.person || open.provider;
          expect(deadlineOf(state)).toBe(isWaiting ? Infinity : atMs - worked + state.spec.wallClockMs);
        }
      }
    },
  );

  verifies('run:driven-time', 'does not move the deadline of its Task', () => {
    const { state } = underWay();
    const deadlineMs = state.nowMs + 60_000;
    const dated = { ...state, spec: { ...state.spec, deadlineMs } };
    const later = fed(dated, { kind: 'StoodStill', atMs: state.nowMs + 50_000, forMs: 50_000, why: 'Suspended' });
    expect(deadlineOf(later)).toBe(deadlineMs);
  });

  it('gives people their time to answer, and pauses their length', () => {
    const { state } = underWay();
    const question = { questionId: 'q', question: 'Which?', askedAtMs: state.nowMs, expiresAtMs: state.nowMs + 1000 };
    const asking = { ...state, question, waits: new Set(['q']), waitingSinceMs: state.nowMs };
    const later = fed(asking, {
      kind: 'StoodStill',
      atMs: state.nowMs + 3_600_000,
      forMs: 3_600_000,
      why: 'Restarted',
    });
    expect(later.question?.expiresAtMs).toBe(state.nowMs + 3_601_000);
    expect(decideRun(later, { kind: 'QuestionExpired', atMs: later.nowMs, questionId: 'q' }, known)).toEqual([]);
  });
});
