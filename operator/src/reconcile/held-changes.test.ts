import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import { HeldChanges } from './held-changes.ts';

const HOLD_MS = 5000;

describe('held changes', () => {
  it('are due so long after the last write, and at once where there was none', () => {
    const clock = manualClock();
    const held = new HeldChanges<string>(clock);
    expect(held.dueAfterMs('a', HOLD_MS)).toBe(0);
    held.written('a', 'one', '1');
    clock.advance(1000);
    expect(held.dueAfterMs('a', HOLD_MS)).toBe(HOLD_MS - 1000);
    expect(held.dueAfterMs('b', HOLD_MS)).toBe(0);
    clock.advance(HOLD_MS);
    expect(held.dueAfterMs('a', HOLD_MS)).toBe(0);
    held.written('a', 'two', '2');
    held.forget('a');
    expect(held.dueAfterMs('a', HOLD_MS)).toBe(0);
  });

  it('are compared with what was written for as long as the cache has not heard of it', () => {
    const held = new HeldChanges<string>(manualClock());
    expect(held.unseen('a', '1')).toBeUndefined();
    held.written('a', 'one', '1');
    expect(held.unseen('a', '1')).toBe('one');
    expect(held.unseen('a', '2')).toBeUndefined();
  });
});
