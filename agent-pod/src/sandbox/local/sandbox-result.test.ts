import { describe, expect, it } from 'vitest';
import { sandboxResult, type EndContext } from './sandbox-result.ts';
import type { ProcessEnd } from './sandbox-process.ts';

const limits = { timeoutMs: 1000, memoryBytes: 64, processes: 8, outputBytes: 10, fileBytes: 99 };
const quiet: EndContext = { limits, memoryKills: 0, processRefusals: 0 };
const exited: ProcessEnd = {
  exitCode: 0,
  wasKilledOutside: false,
  stop: undefined,
  stdout: 'o',
  stderr: 'e',
  droppedBytes: 1,
  durationMs: 2,
};

describe('sandboxResult', () => {
  it.each<{ name: string; end: Partial<ProcessEnd>; context?: Partial<EndContext>; expected: object }>([
    { name: 'an ordinary end', end: {}, expected: { end: 'Exited', exitCode: 0 } },
    { name: 'an error of the script', end: { exitCode: 3 }, expected: { end: 'Exited', exitCode: 3 } },
    { name: 'a signal inside', end: { exitCode: 134 }, expected: { end: 'Exited', exitCode: 134 } },
    {
      name: 'the time',
      end: { exitCode: 137, stop: { end: 'TimedOut', reason: 't' } },
      expected: { end: 'TimedOut', exitCode: 137, reason: 't' },
    },
    {
      name: 'an end that came with the time',
      end: { exitCode: undefined, stop: { end: 'TimedOut', reason: 't' } },
      expected: { end: 'TimedOut', exitCode: 137, reason: 't' },
    },
    {
      name: 'a process killed for its memory',
      end: { exitCode: 0 },
      context: { memoryKills: 1 },
      expected: { end: 'Killed', exitCode: 137, reason: 'the memory limit of 64 bytes' },
    },
    {
      name: 'a file too large',
      end: { exitCode: 153 },
      expected: { end: 'Killed', exitCode: 153, reason: 'the limit of 99 bytes for one file' },
    },
    {
      name: 'too many processes',
      end: { exitCode: 254 },
      context: { processRefusals: 5 },
      expected: { end: 'Exited', exitCode: 254, reason: 'the limit of 8 processes' },
    },
    {
      name: 'too many processes, handled',
      end: {},
      context: { processRefusals: 5 },
      expected: { end: 'Exited', exitCode: 0 },
    },
    {
      name: 'too many processes, then the time',
      end: { stop: { end: 'TimedOut', reason: 't' } },
      context: { processRefusals: 5 },
      expected: { end: 'TimedOut', exitCode: 137, reason: 't, after reaching the limit of 8 processes' },
    },
    {
      name: 'a stranger',
      end: { exitCode: undefined, wasKilledOutside: true },
      expected: { end: 'Killed', exitCode: 137, reason: 'a signal from outside the sandbox' },
    },
  ])('names $name', ({ end, context, expected }) => {
    const result = sandboxResult({ ...exited, ...end }, { ...quiet, ...context });
    expect(result).toEqual({
      ok: true,
      value: { ...expected, stdout: 'o', stderr: 'e', droppedBytes: 1, durationMs: 2 },
    });
  });

  it('fails with the first words of bubblewrap when the script was never started', () => {
    const end = { ...exited, exitCode: undefined, stderr: '\nbwrap: setting up uid map: Permission denied\nmore' };
    expect(sandboxResult(end, quiet)).toEqual({ ok: false, error: 'bwrap: setting up uid map: Permission denied' });
  });
});
