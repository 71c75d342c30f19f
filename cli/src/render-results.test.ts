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
  loss: { d: 0, p: 0.5, omega: 0.04, l: 0.16, q: 0.15 },
  gradL: 0,
  directive: 'Accept',
  replans: 0,
  partial: false,
  files: [{ path: 'charts/top.svg', sizeBytes: 2048, sha256: 'ab' }],
  usage: { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0.0123,
  isCostComplete: true,
  startedAtMs: 1000,
  endedAtMs: 3500,
  workedMs: 2500,
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
  {
    task: 'cities',
    end: 'Abandoned',
    runId: 'cities-5a5a5a',
    isFromRecord: false,
    conclusion: {
      ...conclusion,
      outcome: 'Abandoned',
      summary: 'Paris has 2,103,778 inhabitants.',
      reasons: ['Abandoned: every plan that was allowed has failed. 1 of 2 subtasks matched, 1 failed.'],
      criteria: [
        {
          index: 1,
          text: 'The list has all cities.',
          required: true,
          verdict: 'Unmet',
          failureClass: 'Environmental',
          evidence: [],
          reason: 'Oslo is not in the data',
        },
      ],
      unmet: ['The list has all cities.', 'The inhabitants of Oslo are counted'],
      loss: { d: 0.5, p: 0.25, omega: 0.65, l: 0.61, q: 0.38 },
      gradL: 0.1,
      directive: 'Abandon',
      replans: 3,
      partial: true,
      files: [],
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

  it('tells of an abandoned Task why, then what there is and what is missing', () => {
    const text = renderResults(results.slice(2, 3), { columns: 100, characterFile: 'character.yaml' })
      .map((it) => it.text.trim())
      .join('\n');
    expect(text).toMatch(/Abandoned: every plan[^]*partial result:\nParis has/);
    expect(text).toContain('missing  The inhabitants of Oslo are counted');
    expect(text).not.toContain('missing  The list');
    expect(text).toContain('Abandon, 3 replans');
  });

  it('says that nothing was finished where the result is the reason itself', () => {
    const [, , abandoned] = results;
    if (abandoned?.conclusion === undefined) throw new Error('the third result is the abandoned one');
    const { conclusion: told } = abandoned;
    const empty = { ...abandoned, conclusion: { ...told, summary: told.reasons[0] ?? '' } };
    const lines = renderResults([empty], { columns: 200, characterFile: 'character.yaml' }).map((it) => it.text.trim());
    expect(lines).toContain('nothing was finished');
    expect(lines.filter((line) => line.startsWith('Abandoned: '))).toHaveLength(1);
  });

  it('tells of a cancelled Task who stopped it, then what had been done', () => {
    const stopped: TaskResult = {
      task: 'top',
      end: 'Cancelled',
      isFromRecord: false,
      conclusion: { ...conclusion, outcome: 'Cancelled', reasons: ['cancelled by ada: enough'] },
    };
    const lines = renderResults([stopped], { columns: 80, characterFile: 'character.yaml' }).map((it) =>
      it.text.trim(),
    );
    expect(lines.slice(2, 4)).toEqual(['because cancelled by ada: enough', 'The highest value is 42.']);
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
