import { describe, expect, it } from 'vitest';
import { endCause, type ProcessEnd } from './run-end.ts';

const end: ProcessEnd = { exitCode: 0, signal: undefined, stop: undefined, memoryKills: 0, scratchBytes: 5 };

describe('endCause', () => {
  it.each<{ name: string; change: Partial<ProcessEnd>; cause: object }>([
    { name: 'an exit', change: { exitCode: 3 }, cause: { end: 'Exited', exitCode: 3 } },
    { name: 'a signal', change: { exitCode: undefined, signal: 'SIGTERM' }, cause: { end: 'Exited', exitCode: 143 } },
    {
      name: 'a stop before all else',
      change: { exitCode: 0, memoryKills: 1, stop: { end: 'TimedOut', reason: 'time' } },
      cause: { end: 'TimedOut', exitCode: 137, reason: 'time' },
    },
    {
      name: 'memory',
      change: { exitCode: 137, memoryKills: 1 },
      cause: { end: 'Killed', exitCode: 137, reason: 'the memory limit' },
    },
    {
      name: 'a child that memory killed, survived',
      change: { exitCode: 0, memoryKills: 1 },
      cause: { end: 'Exited', exitCode: 0 },
    },
    {
      name: 'a file that grew too large',
      change: { exitCode: undefined, signal: 'SIGXFSZ' },
      cause: { end: 'Killed', exitCode: 153, reason: 'more than 5 bytes of files' },
    },
    { name: 'nothing known', change: { exitCode: undefined }, cause: { end: 'Exited', exitCode: 137 } },
  ])('tells $name', ({ change, cause }) => {
    expect(endCause({ ...end, ...change })).toEqual(cause);
  });
});
