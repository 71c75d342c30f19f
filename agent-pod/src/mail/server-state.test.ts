import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { verifies } from '../../../test/verifies.ts';
import type { Credentials } from './connect.ts';
import { PAUSES, ServerState } from './server-state.ts';

const { signal } = new AbortController();

function started(credentials: () => Promise<Credentials | undefined> = () => Promise.resolve(undefined)): {
  readonly clock: ReturnType<typeof manualClock>;
  readonly state: ServerState;
  /** Moves the clock until the next try is due. */
  readonly pauseMs: () => Promise<number>;
} {
  const clock = manualClock();
  const server = { host: 'mail.example', port: 993, authorities: () => Promise.resolve([]), credentials };
  const state = new ServerState({ server, clock, random: () => 0, pauses: PAUSES });
  const pauseMs = async (): Promise<number> => {
    const startMs = clock.monotonicMs();
    let isDue = false;
    const due = state.untilDue(signal).then(() => (isDue = true));
    while (!isDue) {
      // Whoever waits sleeps again only after some turns of promises.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      clock.advance(clock.nextInMs() ?? 0);
    }
    await due;
    return clock.monotonicMs() - startMs;
  };
  return { clock, state, pauseMs };
}

describe('the state of a mail server', () => {
  verifies(
    'mail-servers:pauses',
    'doubles them up to five minutes, and begins anew after a steady connection',
    async () => {
      const { state, clock, pauseMs } = started();
      expect(await pauseMs()).toBe(0);
      const pauses: number[] = [];
      for (let tries = 0; tries < 10; tries += 1) {
        state.down('NoConnection');
        pauses.push(await pauseMs());
      }
      expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1_000));
      state.up('Idle');
      clock.advance(59_000);
      state.down('ConnectionLost');
      expect(await pauseMs()).toBe(300_000);
      state.up('Idle');
      clock.advance(60_000);
      state.down('ConnectionLost');
      expect(await pauseMs()).toBe(2_000);
    },
  );

  verifies('mail-servers:pauses', 'a wrong password is tried rarely, so that nobody is locked out', async () => {
    const { state, pauseMs } = started(() => Promise.resolve({ user: 'a', password: 'b' }));
    await state.access.credentials();
    const pauses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      state.down('LoginRefused');
      pauses.push(await pauseMs());
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30].map((minutes) => minutes * 60_000));
  });

  verifies('mail-servers:credentials', 'other ones than those that were refused end the pause', async () => {
    let password = 'b';
    const { state, clock } = started(() => Promise.resolve({ user: 'a', password }));
    await state.access.credentials();
    state.down('LoginRefused');
    const due = state.untilDue(signal);
    await clock.untilSleeping(5_000);
    password = 'c';
    clock.advance(5_000);
    await due;
    expect(clock.monotonicMs()).toBe(5_000);
  });

  it('stays as it is while the same is wrong, and tells since when', () => {
    const { state, clock } = started();
    expect(state.health).toEqual({ state: 'Off', sinceMs: clock.nowMs() });
    state.connecting();
    expect(state.health.state).toBe('Connecting');
    clock.advance(1_000);
    state.down('NoConnection');
    const { sinceMs } = state.health;
    clock.advance(1_000);
    state.connecting();
    state.down('NoConnection');
    expect(state.health).toMatchObject({ state: 'Down', reason: 'NoConnection', sinceMs });
    clock.advance(1_000);
    state.down('LoginRefused');
    expect(state.health).toMatchObject({ reason: 'LoginRefused', sinceMs: sinceMs + 2_000 });
    state.up('Poll', 'NoIdle');
    expect(state.health).toMatchObject({ state: 'Up', way: 'Poll', reason: 'NoIdle' });
    state.up('Idle');
    expect(state.health).not.toHaveProperty('reason');
    state.off();
    expect(state.health.state).toBe('Off');
  });
});
