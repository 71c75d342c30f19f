import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { Bell } from './bell.ts';

it('leaves nothing at a signal that outlives each wait', async () => {
  const bell = new Bell();
  const { signal } = new AbortController();
  for (let at = 0; at < 20; at += 1) {
    const rung = bell.rung(signal);
    bell.ring();
    await rung;
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
