/** How the work on texts made to be slow grows with their length. It reads processor times, so it is a test of the night. */
import { expect } from 'vitest';
import { slow } from '../../../../../test/support/gate-texts/slow-texts.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { SCREENED_CHARACTERS_MAX } from './limits.ts';
import { screenText } from './screen-text.ts';

const LENGTH_MIN = 16_384;
/** Four times as much is all that is read. */
const LENGTH_MAX = SCREENED_CHARACTERS_MAX / 4;
/** Four times the length; a square would take sixteen times as long. Warm-up and collections get the rest. */
const GROWTH_MAX = 11;
/** Below this a square hides behind the clock and what each call costs anyway. */
const BASE_MS = 10;

/** Milliseconds of a processor, the least of three: other programs disturb. */
function leastMs(text: string): number {
  const times = [0, 1, 2].map(() => {
    const start = process.cpuUsage();
    screenText(text, 'Incoming');
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

function isBounded(make: (length: number) => string): boolean {
  let [length, baseMs] = [LENGTH_MIN, leastMs(make(LENGTH_MIN))];
  while (baseMs < BASE_MS && length < LENGTH_MAX) {
    length *= 2;
    baseMs = leastMs(make(length));
  }
  return leastMs(make(4 * length)) / Math.max(baseMs, BASE_MS) < GROWTH_MAX;
}

for (const [name, make] of Object.entries(slow)) {
  verifies('gate-text:bounded', `grows no faster than the text: ${name}`, () => {
    // A square is one at each trial; other programs disturb one of them.
    expect([1, 2, 3].some(() => isBounded(make))).toBe(true);
  });
}
