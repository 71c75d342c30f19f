/** `retainer audit search|skills` on a record of another build. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalRecord } from '@retainer/contract/wire/record';
import type { SearchResult } from '@retainer/agent-pod/review/audit-search';
import { hitIn } from '@retainer/mind/explain/audit/search';
import { skillsShown, type ShownSkill } from '@retainer/mind/explain/audit/skills-shown';
import { renderSkills } from '@retainer/mind/explain/audit/render-skills';
import { unpackGoldenRun } from '../support/golden-runs.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { readSegments } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
let data = '';
beforeAll(async () => {
  data = await unpackGoldenRun('examples', root.path);
});
afterAll(() => root.remove());

const place = { version: 1, order: 1, epoch: 1, timeMs: 0, prev: '', hash: '', principal: 'agent' };

function record(store: string, kind: string, payload: JournalRecord['payload'], runId = 'r'): JournalRecord {
  return { ...place, store, seq: 7, kind, payload, runId };
}

async function found(text: string, ...flags: readonly string[]): Promise<SearchResult> {
  const { code, text: printed } = await retainer('audit', 'search', text, ...flags, '--data', data, '-o', 'json');
  expect(code).toBe(0);
  return JSON.parse(printed) as SearchResult;
}

describe('retainer audit search', () => {
  verifies('audit-view:search', 'finds every record that has the text, with its place', async () => {
    const { hits, isCut } = await found('There is no COLUMN rainfall', '--limit', '10000');
    expect(isCut).toBe(false);
    const lines = ['inbox', 'run', 'cycle', 'narrative', 'megram']
      .flatMap((store) => readSegments(join(data, 'journal'), store))
      .flatMap((segment) => segment.lines)
      .filter((line) => /there is no column rainfall/i.test(line));
    expect(hits.map(({ store, seq }) => `${store}/${seq}`).toSorted()).toEqual(
      lines
        .map((line) => JSON.parse(line) as JournalRecord)
        .map(({ store, seq }) => `${store}/${seq}`)
        .toSorted(),
    );
    expect(hits.length).toBeGreaterThan(2);
    const output = hits.find(({ kind }) => kind === 'ToolFinished');
    expect(output).toMatchObject({ store: 'cycle', path: 'outcome.text', places: 1 });
    expect(output?.cycleId).toMatch(/^wettest-month-.*-c1$/);
    expect(output?.excerpt).toContain('there is no column rainfall');
  });

  verifies('audit-view:search', 'is bounded, and says when there is more', async () => {
    const { hits, isCut } = await found('precipitation', '--limit', '3');
    expect({ count: hits.length, isCut }).toEqual({ count: 3, isCut: true });
    const { text } = await retainer('audit', 'search', 'precipitation', '--limit', '3', '--data', data);
    expect(text).toMatch(/3 records found; there are more: give a longer text or a higher --limit\n$/);
    expect(await found('no such words in it')).toEqual({ hits: [], isCut: false });
    for (const wrong of [['x', '--limit', '0'], ['']])
      expect((await retainer('audit', 'search', ...wrong, '--data', data)).code).toBe(1);
  });

  it('names the first of several places, and cuts a long text around it', () => {
    const text = `${'a'.repeat(100)}Needle${'b'.repeat(100)}`;
    expect(hitIn(record('cycle', 'Nudged', { why: 'none', texts: ['no', text, 'needle'] }), 'NEEDLE')).toMatchObject({
      path: 'texts[1]',
      places: 2,
      excerpt: `…${'a'.repeat(60)}Needle${'b'.repeat(60)}…`,
      runId: 'r',
      seq: 7,
    });
    expect(hitIn({ ...record('fact', 'FactWritten', {}), principal: 'human:ada' }, 'ada')?.path).toBe('principal');
    expect(hitIn(record('cycle', 'Nudged', { why: 'none' }), 'why')).toBeUndefined();
  });
});

describe('retainer audit skills', () => {
  verifies(
    'audit-view:skills',
    'tells where each skill was shown, with the outcomes, and claims no cause',
    async () => {
      const { code, text } = await retainer('audit', 'skills', '--data', data);
      expect(code).toBe(0);
      await expect(text).toMatchFileSnapshot('../golden/audit/skills-examples.txt');
      expect(text).toContain('nothing says that the one caused the other');
      const json = await retainer('audit', 'skills', '--data', data, '-o', 'json');
      const { skills } = JSON.parse(json.text) as { readonly skills: readonly ShownSkill[] };
      const cycles = readSegments(join(data, 'journal'), 'cycle').flatMap(({ lines }) => lines);
      for (const { name, version, runs } of skills) {
        const title = new RegExp(`"kind":"CycleStarted".*Skill ${name} ${version}: `);
        expect(runs.reduce((sum, it) => sum + it.cycles, 0)).toBe(cycles.filter((line) => title.test(line)).length);
      }
    },
  );

  it('counts what a model was given, not what was configured', () => {
    const shown = skillsShown();
    const skill = { metadata: { name: 'sums' }, spec: { version: '1.0.0', description: 'Add.', body: 'Add all.' } };
    const task = { namespace: 'default', name: 'work' };
    const started = (text: string): JournalRecord['payload'] => ({ spec: { system: [{ text, cache: true }] } });
    const title = 'Skill sums 1.0.0: Add.';
    for (const it of [
      record('agent', 'Configured', { skills: [skill] }),
      record('run', 'RunAdmitted', { spec: { task } }, 'a'),
      record('run', 'RunAdmitted', { spec: { task } }, 'b'),
      record('run', 'RunAdmitted', { spec: { task } }, 'c'),
      record('cycle', 'CycleStarted', started(`${title}\n\nAdd all.`), 'a'),
      record('cycle', 'CycleStarted', started(`Said: ${title}`), 'b'),
      record('cycle', 'CycleStarted', started(title), 'c'),
      record('run', 'RunConcluded', { outcome: 'Accepted' }, 'a'),
      record('run', 'RunConcluded', { outcome: 'Failed' }, 'b'),
    ])
      shown.take(it);
    expect(shown.skills()).toMatchObject([
      {
        name: 'sums',
        runs: [
          { runId: 'a', outcome: 'Accepted', cycles: 1, inFull: true },
          { runId: 'c', outcome: 'Running', cycles: 1, inFull: false },
        ],
        outcomes: { Accepted: 1, Running: 1 },
        others: { Failed: 1 },
      },
    ]);
    expect(renderSkills([]).map(({ text }) => text)).toEqual(['the agent was never configured with a skill']);
  });
});
