/** Runs that an earlier build recorded: this one verifies them, decides them anew to the same bytes, and tells them in the same words. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { goldenRunNames, goldenRunsDirectory, goldenStories, unpackGoldenRun } from '../support/golden-runs.ts';
import { retainerHere as retainer } from '../support/retainer-here.ts';
import { forgetTestimony, readSegments, rewriteRecord } from '../support/sample-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const DONE = 0;
/** What the program ends with where a record is damaged, or does not lead to its decisions. */
const RECORD = 5;

const names = await goldenRunNames();
const root = temporaryDirectory();
afterAll(() => root.remove());

interface Found {
  readonly verified: number;
  /** By Task: where it is decided otherwise. */
  readonly differences: Readonly<Record<string, readonly Difference[]>>;
  readonly stories: Readonly<Record<string, string>>;
}

interface Difference {
  readonly machine: string;
  /** Kind of the record and place in it, without the numbers of elements. */
  readonly place: string;
  readonly decided: string;
}

interface Divergence {
  readonly kind: string;
  readonly path: string;
  readonly decided: string;
}

interface Replay {
  readonly machines: readonly {
    readonly id: string;
    readonly decisions: number;
    readonly divergence?: Divergence;
    readonly decidedOtherwise: readonly Divergence[];
  }[];
}

/** The places of `CHANGES.md` where deciders of today decide otherwise. */
const listed = (await readFile(join(goldenRunsDirectory, 'CHANGES.md'), 'utf8'))
  .split('\n')
  .flatMap((line) => /^\| `(\w+)` at `([^`]*)` \|/.exec(line)?.slice(1, 3).join(' ') ?? []);
const found = new Set<string>();
/** Differences of the recordings as they are. */
const whole = new Map<string, Found['differences']>();

async function examine(data: string, tasks: Iterable<string>): Promise<Found> {
  const { code: verified } = await retainer('journal', 'verify', data);
  const differences: Record<string, readonly Difference[]> = {};
  const stories: Record<string, string> = {};
  for (const task of tasks) {
    differences[task] = await replay(data, task);
    stories[task] = (await retainer('explain', task, '--data', data)).text;
  }
  return { verified, differences, stories };
}

async function replay(data: string, task: string): Promise<readonly Difference[]> {
  const { code, text } = await retainer('replay', task, '--data', data, '-o', 'json');
  if (code !== DONE && code !== RECORD) return [{ machine: 'none', place: text, decided: '' }];
  const { machines }: Replay = JSON.parse(text);
  expect(machines.length).toBeGreaterThan(0);
  return machines.flatMap(({ id, decisions, divergence, decidedOtherwise }) => {
    expect(decisions).toBeGreaterThan(0);
    const all = divergence === undefined ? decidedOtherwise : [...decidedOtherwise, divergence];
    return all.map((it) => ({
      machine: id,
      place: `${it.kind} ${it.path.replaceAll(/\[\d+\]/g, '[]')}`,
      decided: it.decided,
    }));
  });
}

async function tasksOf(data: string): Promise<readonly string[]> {
  const { text } = await retainer('explain', '--data', data, '-o', 'json');
  return (JSON.parse(text) as readonly { readonly task: string }[]).map(({ task }) => task);
}

it('are thirteen recordings: the examples, what happens to runs besides, and real models', () => {
  expect(names).toEqual([
    'abandoned',
    'approval',
    'cancel',
    'crash',
    'examples',
    'injection',
    'live-larger',
    'live-other',
    'live-total',
    'live-turns',
    'override',
    'question',
    'replan',
  ]);
});

describe.each(names)('the recording %s', (name) => {
  verifies(
    'replay:golden-runs',
    'is verified, decided anew to the same bytes but for listed differences, and told in the same words',
    async () => {
      const data = await unpackGoldenRun(name, join(root.path, 'whole'));
      const stories = await goldenStories(name);
      expect((await tasksOf(data)).toSorted()).toEqual([...stories.keys()].toSorted());
      const { verified, differences, stories: told } = await examine(data, stories.keys());
      expect([verified, told]).toEqual([DONE, Object.fromEntries(stories)]);
      const places = Object.values(differences).flatMap((all) => all.map(({ place }) => place));
      expect(places.filter((it) => !listed.includes(it))).toEqual([]);
      for (const place of places) found.add(place);
      whole.set(name, differences);
    },
  );

  verifies('replay:golden-runs', 'is found otherwise once an answer is another one, under a right chain', async () => {
    const data = await unpackGoldenRun(name, join(root.path, 'answered-otherwise'));
    const { seq, task } = await lastAnswer(data);
    const journal = join(data, 'journal');
    rewriteRecord(journal, 'cycle', seq, (record) => ({
      ...record,
      payload: JSON.parse(JSON.stringify(record.payload).replace(/"content":\[.*?\],"stop"/, '"content":[],"stop"')),
    }));
    forgetTestimony(journal);
    const { differences } = await examine(data, [task]);
    const before = new Set(whole.get(name)?.[task]?.map((it) => JSON.stringify(it)));
    const more = differences[task]?.filter((it) => !before.has(JSON.stringify(it)));
    expect(more?.map(({ machine }) => machine)).toContainEqual(expect.stringContaining(task));
  });

  verifies('replay:golden-runs', 'is found damaged once a byte is another one', async () => {
    const data = await unpackGoldenRun(name, join(root.path, 'damaged'));
    const [{ file } = { file: '' }] = readSegments(join(data, 'journal'), 'cycle');
    const path = join(data, 'journal/cycle', file);
    const bytes = await readFile(path);
    const middle = Math.floor(bytes.length / 2);
    await writeFile(path, bytes.with(middle, (bytes[middle] ?? 0) ^ 1));
    const { verified } = await examine(data, []);
    expect(verified).toBe(RECORD);
  });
});

verifies('replay:golden-runs', 'are decided otherwise at no listed place in vain', () => {
  expect([...found].toSorted()).toEqual([...listed].toSorted());
});

/**
 * Of a model, in the store of the cycles, with calls of its own, to which nothing refers: of what was said before the
 * record only says where.
 */
async function lastAnswer(data: string): Promise<{ readonly seq: number; readonly task: string }> {
  const reader = await openRecords(data);
  const tasks = new Map<string, string>();
  let last = { seq: -1, task: '' };
  const lines = readSegments(join(data, 'journal'), 'cycle').flatMap((it) => it.lines);
  const isWhole = (line: string): boolean => !line.includes('"/answer/content/');
  const calls = lines.filter((it) => it.includes('"content":[') && it.includes('"stop":"ToolUse"'));
  const seqs = calls.filter(isWhole).map((it) => Number(/"seq":(\d+)/.exec(it)?.[1]));
  const own = new Set(seqs.filter((seq) => !lines.some((it) => it.includes(`"cycle/${seq}/answer/`))));
  for await (const { kind, runId = '', payload } of reader.read('run'))
    if (kind === 'RunAdmitted') tasks.set(runId, (payload as { spec: { task: { name: string } } }).spec.task.name);
  for await (const { kind, seq, runId = '' } of reader.read('cycle'))
    if (kind === 'ModelAnswered' && own.has(seq)) last = { seq, task: tasks.get(runId) ?? '' };
  return last;
}
