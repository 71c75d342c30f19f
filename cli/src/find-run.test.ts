import { describe, expect, it } from 'vitest';
import type { RunSummary } from '@retainer/agent-pod/review/run-records';
import { findRun } from './find-run.ts';

const run = (runId: string, task: string): RunSummary => ({
  runId,
  task,
  namespace: 'default',
  startedAtMs: 0,
  isClosed: true,
});
const runs = [run('chart-aaa111', 'chart'), run('chart-bbb222', 'chart'), run('rain-ccc333', 'rain')];

describe('findRun', () => {
  it.each([
    { typed: 'chart-aaa111', found: 'chart-aaa111' },
    { typed: 'chart', found: 'chart-bbb222' },
    { typed: 'ra', found: 'rain-ccc333' },
    { typed: 'chart-a', found: 'chart-aaa111' },
  ])('finds $found for $typed', ({ typed, found }) => {
    expect(findRun(runs, typed)).toMatchObject({ ok: true, value: { runId: found } });
  });

  it.each([
    { typed: 'cha', error: /is the beginning of several run ids: chart-aaa111, chart-bbb222/ },
    { typed: 'snow', error: /no run "snow"; runs: chart-aaa111/ },
  ])('says what there is for $typed', ({ typed, error }) => {
    const found = findRun(runs, typed);
    expect(found.ok ? '' : found.error).toMatch(error);
  });
});
