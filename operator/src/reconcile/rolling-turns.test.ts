import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { CoarseCounts } from './coarse-counts.ts';
import { RollingTurns } from './rolling-turns.ts';

const MINUTE_MS = 60_000;
const rolling = (generation: number) => ({ isRolling: true, generation });
const done = (generation: number) => ({ isRolling: false, generation });

describe('a turn', () => {
  it('is one at a time, and ends when the restarted agent is ready', () => {
    const turns = new RollingTurns(manualClock(), 1);
    expect(turns.take('a').type).toBe('Granted');
    expect(turns.take('b').type).toBe('Later');
    turns.written('a', 2);
    turns.seen('a', rolling(2));
    expect(turns.take('b').type).toBe('Later');
    turns.seen('a', done(2));
    expect(turns.take('b').type).toBe('Granted');
  });

  it('lasts while a cache has not seen what was written', () => {
    const turns = new RollingTurns(manualClock(), 1);
    turns.take('a');
    turns.written('a', 2);
    turns.seen('a', done(1));
    expect(turns.take('b').type).toBe('Later');
    expect(turns.take('a').type).toBe('Granted');
  });

  it('is held by a restart that another process began', () => {
    const turns = new RollingTurns(manualClock(), 1);
    turns.seen('a', rolling(7));
    expect(turns.take('b').type).toBe('Later');
  });

  it('of an agent that never comes up ends after a time, once for all', () => {
    const clock = manualClock();
    const turns = new RollingTurns(clock, 1);
    turns.take('a');
    turns.written('a', 2);
    clock.advance(11 * MINUTE_MS);
    turns.seen('a', rolling(2));
    expect(turns.take('b').type).toBe('Granted');
  });

  it('ends with the agent, and with a write that failed', () => {
    const turns = new RollingTurns(manualClock(), 1);
    turns.take('a');
    turns.forget('a');
    expect(turns.take('b').type).toBe('Granted');
  });

  it('is not held up by those whose change was taken back', () => {
    const turns = new RollingTurns(manualClock(), 1);
    turns.take('first');
    for (let at = 0; at < 1000; at += 1) {
      turns.take(`agent-${at}`);
      turns.stopWaiting(`agent-${at}`);
    }
    expect(turns.take('last')).toMatchObject({ type: 'Later', waiting: 1 });
  });

  it('is asked for at a steady rate, however many wait', () => {
    const turns = new RollingTurns(manualClock(), 1);
    turns.take('first');
    const waits = Array.from({ length: 1000 }, (_, at) => turns.take(`agent-${at}`));
    const last = waits.at(-1);
    expect(last?.type === 'Later' && last.afterMs).toBeGreaterThan(100_000);
  });
});

describe('counts', () => {
  it('are written at once, then at most once a minute', () => {
    const clock = manualClock();
    const counts = new CoarseCounts<number>(clock);
    expect(counts.choose('a', 1, undefined)).toEqual({ counts: 1, dueAfterMs: undefined });
    expect(counts.choose('a', 2, 1)).toEqual({ counts: 1, dueAfterMs: MINUTE_MS });
    clock.advance(MINUTE_MS);
    expect(counts.choose('a', 3, 1)).toEqual({ counts: 3, dueAfterMs: undefined });
    expect(counts.choose('a', 3, 3)).toEqual({ counts: 3, dueAfterMs: undefined });
  });
});
