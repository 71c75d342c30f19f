import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cycleKinds } from '@retainer/mind/cycle/event';
import type { JournalRecord } from '@retainer/contract/wire/record';
import { runKinds, type RunEventOf } from '@retainer/mind/run/event';
import { renderStory } from '@retainer/mind/explain/render-story';
import { smallRun } from '../../../test/support/small-run.ts';
import { tellRun } from './tell-records.ts';

const style = { full: false, instant: (atMs: number) => `at ${atMs}` };
const textOf = (records: readonly JournalRecord[], full = false): string => {
  const story = tellRun(records);
  const lines = story === undefined ? [] : renderStory(story, { ...style, full });
  return `${lines.map(({ tone, text }) => `${tone.padEnd(8)}${text}`.trimEnd()).join('\n')}\n`;
};

describe('tellRun', () => {
  verifies('cli:explain-every-decision', 'tells a small run as it should look', async () => {
    await expect(textOf(smallRun)).toMatchFileSnapshot('../../../test/golden/explain-small-run.txt');
  });

  verifies('cli:explain-every-decision', 'tells every kind of record that there is', () => {
    const told = tellRun(smallRun)?.steps.map((step) => step.kind) ?? [];
    expect(new Set(told)).toEqual(new Set([...Object.keys(cycleKinds), ...Object.keys(runKinds)]));
  });

  verifies('cli:explain-memory', 'tells what memory answered and why, and what a cycle was told and not told', () => {
    const text = textOf(smallRun);
    for (const told of [
      'told of itself, in 1,752 characters: agent, sensorium, affect, runs (5), facts (1 of 3 fit)',
      'fact sums.tool: score 0.50 (lexical 1.00; meaning 0.25; weight 0.80; words sum)',
      'thread-five-1: score 0.31 (lexical 0.00; meaning 0.52; weight 1.00)',
      'memory compared words alone: nobody could make vectors',
      'memory compared words alone: the vectors came too late',
      'remembers 2 pairs and 2 cases',
      'intent:product_of_two_numbers tool:bash, alike 0.63: Avoid',
      'rule g2, valence −0.50: "Use python. …"',
      'g3, Abandon: its words are left out',
      'case eight-1-case, Pitfall, Failure, experience advises against it: score 0.83 (adaptive 0.90; domain 1.00;',
      'words seven, time)',
    ])
      expect(text).toContain(told);
  });

  verifies('cli:explain-every-decision', 'tells the job behind a run, its maker, and whose words asked for it', () => {
    const cause = { kind: 'Job', jobId: 'j-7', momentMs: 0, maker: 'Agent', requiredTools: [] };
    const label = { source: { kind: 'Web', name: 'docs.example' }, trust: 'Untrusted', readers: 'Everyone' };
    const told = smallRun.map((record) => {
      if (record.kind !== 'RunAdmitted') return record;
      const { spec, ...rest } = record.payload as unknown as RunEventOf<'RunAdmitted'>;
      return {
        ...record,
        payload: { ...rest, spec: { ...spec, cause, label } },
      };
    });
    const text = textOf(told);
    expect(text).toContain('admitted for the job j-7: What is six times seven?');
    expect(text).toContain('job j-7, made by the agent itself, for 1970-01-01 00:00 UTC');
    expect(text).toContain('asked with untrusted words, of the web (docs.example)');
    expect(textOf(smallRun)).toContain('admitted Task sum');
  });

  it('shows whole texts when they are asked for', () => {
    expect(textOf(smallRun)).not.toContain('You are careful.');
    expect(textOf(smallRun, true)).toContain('| You are careful.');
    expect(textOf(smallRun, true)).toContain('| script: print(6 * 7)');
  });

  it('says that a run without conclusion is under way', () => {
    const open = smallRun.filter((record) => !['RunConcluded', 'RunClosed'].includes(record.kind));
    expect(textOf(open)).toContain('Running: the record');
    expect(tellRun(open)).not.toHaveProperty('conclusion');
  });

  it('tells nothing of a run whose admission is missing', () => {
    expect(tellRun(smallRun.filter((record) => record.kind !== 'RunAdmitted'))).toBeUndefined();
  });
});
