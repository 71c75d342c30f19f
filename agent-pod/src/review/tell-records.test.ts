import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { cycleKinds } from '@retainer/mind/cycle/event';
import type { JournalRecord } from '@retainer/contract/wire/record';
import { runKinds } from '@retainer/mind/run/event';
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
