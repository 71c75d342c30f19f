import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { renderResults } from './render-results.ts';
import type { TaskResult } from './run-task.ts';

const conclusion: NonNullable<TaskResult['conclusion']> = {
  outcome: 'Accepted',
  summary: 'The highest value is 42.\nIt stands in row 7.',
  reasons: [],
  criteria: [
    {
      index: 1,
      text: 'The answer names the row.',
      required: true,
      verdict: 'Met',
      evidence: ['top-1a2b3c-c1-t2'],
      reason: 'printed',
    },
    {
      index: 2,
      text: 'It is elegant.',
      required: false,
      verdict: 'Unmet',
      evidence: [],
      reason: 'the verdict cites no tool call',
    },
  ],
  unmet: ['It is elegant.'],
  files: [{ path: 'charts/top.svg', sizeBytes: 2048, sha256: 'ab' }],
  usage: { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0.0123,
  isCostComplete: true,
  startedAtMs: 1000,
  endedAtMs: 3500,
};

const results: readonly TaskResult[] = [
  { task: 'top', end: 'Accepted', runId: 'top-1a2b3c', isFromRecord: false, conclusion },
  {
    task: 'rewrite',
    end: 'Refused',
    runId: 'rewrite-9f8e7d',
    isFromRecord: true,
    conclusion: {
      ...conclusion,
      outcome: 'Refused',
      summary: '',
      reasons: ['The character never allows this. (rule authority.never/data-is-read-only)'],
      criteria: [],
      files: [],
      isCostComplete: false,
      costUsd: 0,
    },
  },
  { task: 'after', end: 'NotStarted', isFromRecord: false, why: 'it depends on rewrite, which ended Refused' },
];

describe('renderResults', () => {
  verifies('cli:refusal-by-rule', 'names rule and appeal of a refusal', () => {
    const text = renderResults(results, { columns: 80, characterFile: 'character.yaml' })
      .map((it) => it.text)
      .join('\n');
    expect(text).toContain('rule authority.never/data-is-read-only');
    expect(text).toMatch(/to appeal: .*character\.yaml/s);
  });

  it('looks as it should', async () => {
    const lines = renderResults(results, { columns: 80, characterFile: 'character.yaml' });
    const text = lines.map(({ text: line, tone }) => `${tone.padEnd(8)}${line}`.trimEnd()).join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot('../../test/golden/cli-results.txt');
  });

  it.each([60, 80, 100])('keeps prose within %i columns', (columns) => {
    const lines = renderResults(results, { columns, characterFile: 'character.yaml' });
    const prose = lines.filter(({ text }) => text.startsWith('  ') && !text.includes('file '));
    expect(prose.length).toBeGreaterThan(0);
    expect(prose.filter(({ text }) => text.length > columns)).toEqual([]);
  });
});
