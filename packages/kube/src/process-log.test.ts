import { describe, expect, it } from 'vitest';
import { manualClock } from '../../../test/support/manual-clock.ts';
import type { LogLevel, LogLine } from '@retainer/contract/std/log';
import { processLog } from './process-log.ts';

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

/** What is written, for lines said in turn. */
function written(lines: readonly LogLine[], level?: LogLevel): readonly string[] {
  const out: string[] = [];
  const destination = { write: (text: string) => void out.push(text) };
  const log = processLog({ clock: manualClock(startMs), destination, ...(level === undefined ? {} : { level }) });
  for (const line of lines) log(line);
  return out;
}

describe('the log of a process', () => {
  it('writes one line of JSON with level, time, fields and message, and nothing of the machine', () => {
    expect(
      written([{ level: 'warn', message: 'a pass failed', controller: 'Agent', attempt: 0, why: undefined }]),
    ).toEqual([
      '{"level":"warn","time":"2026-01-02T03:04:05.006Z","controller":"Agent","attempt":0,"message":"a pass failed"}\n',
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    [undefined, ['info', 'warn', 'error']],
  ] as const)('asked for %s, tells %j', (level, told) => {
    const lines = (['debug', 'info', 'warn', 'error'] as const).map((it) => ({ level: it, message: 'said' }));
    expect(written(lines, level).map((line) => (JSON.parse(line) as LogLine).level)).toEqual(told);
  });

  it('keeps a line one line, and takes no word of it for a pattern', () => {
    const message = 'what is no %s of %d';
    const [line = ''] = written([{ level: 'info', message, reason: 'two\nlines\u2028and "more" %s' }]);
    expect(line.split('\n')).toHaveLength(2);
    expect(JSON.parse(line)).toMatchObject({ message, reason: 'two\nlines\u2028and "more" %s' });
  });

  it('shortens no report, however deep and long', () => {
    let report: unknown = Array.from({ length: 500 }, (_, index) => ({ index }));
    for (let depth = 0; depth < 20; depth += 1) report = { report };
    const [line = ''] = written([{ level: 'info', message: 'report of the runs', report }]);
    expect(JSON.parse(line)).toMatchObject({ report });
  });
});
