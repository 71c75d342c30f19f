/**
 * That use is not lost: what people ask for every day ends as they expect, and they are asked at most once.
 *
 * The six examples are played by the real program, everything else by one agent in one workspace, with the shipped character.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { dataTasks, hasLog, logTask, pages } from '../support/everyday/data-tasks.ts';
import { everydayTasks } from '../support/everyday/everyday-tasks.ts';
import type { EverydayTask } from '../support/everyday/everyday-task.ts';
import { playEveryday, type PlayedTask } from '../support/everyday/play.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { endAll, examplesPath, retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { verifies } from '../verifies.ts';

const root = temporaryDirectory();
const log = hasLog ? [logTask()] : [];
let examples: readonly EverydayRow[] = [];
let played: readonly PlayedTask[] = [];

beforeAll(async () => {
  [examples, played] = await Promise.all([
    playExamples(join(root.path, 'examples')),
    playEveryday(join(root.path, 'everyday'), [...everydayTasks, ...dataTasks, ...log], pages),
  ]);
});
afterAll(() => {
  endAll();
  return root.remove();
});

const Ran = z.object({
  tasks: z.array(
    z.object({
      task: z.string(),
      end: z.string(),
      runId: z.string(),
      conclusion: z.object({ criteria: z.array(z.object({ untrusted: z.boolean().optional() })) }),
    }),
  ),
});

async function playExamples(data: string): Promise<readonly EverydayRow[]> {
  const { stdout } = await retainer('run', '-f', examplesPath, '--data', data, '-o', 'json');
  const reader = await openRecords(data);
  const asked: (string | undefined)[] = [];
  for await (const { kind, runId } of reader.readAll(['cycle', 'run']))
    if (kind === 'ApprovalRequested' || kind === 'QuestionAsked') asked.push(runId);
  return Ran.parse(JSON.parse(stdout)).tasks.map(({ task, end, runId, conclusion }) => ({
    name: `example \`${task}\``,
    outcome: end,
    questions: asked.filter((it) => it === runId).length,
    isUntrusted: conclusion.criteria.some(({ untrusted }) => untrusted === true),
  }));
}

const rowOf = ({ task, outcome, questions, isUntrusted }: PlayedTask): EverydayRow => ({
  ...{ name: task.name, outcome, questions, isUntrusted },
});

function playedOf(task: EverydayTask): PlayedTask | undefined {
  return played.find((it) => it.task.intent === task.intent);
}

function endsAsExpected(task: EverydayTask): void {
  const { says, files = {}, questions, isUntrusted } = task.expected;
  expect(playedOf(task)).toMatchObject({ outcome: 'Accepted', refusedBy: [], files, questions, isUntrusted });
  expect(playedOf(task)?.said).toMatch(says);
}

describe('what people ask for every day', () => {
  verifies('use:everyday', 'the six examples end as they are meant to', () => {
    expect(examples.map(({ outcome }) => outcome)).toEqual([
      ...['Accepted', 'Accepted', 'Accepted', 'Accepted', 'Abandoned', 'Refused'],
    ]);
    expect(examples.filter(({ questions, isUntrusted }) => questions > 1 || isUntrusted)).toEqual([]);
  });

  for (const task of everydayTasks)
    verifies('use:everyday', `${task.name}: ${task.intent}`, () => endsAsExpected(task));

  verifies('use:everyday', 'twelve kinds of Tasks, each with at most one question', () => {
    const rows = together(played.map(rowOf));
    expect(rows.length - dataTasks.length - log.length).toBeGreaterThanOrEqual(12);
    expect(rows.filter(({ questions }) => questions > 1)).toEqual([]);
  });
});

describe('data whose origin is a stranger’s', () => {
  for (const task of dataTasks)
    verifies('use:untrusted-data', `${task.name}: done, not asked, marked`, () => endsAsExpected(task));

  it.skipIf(!hasLog)('the log of another agent is analysed, too (skipped where ../shared/data is not there)', () => {
    for (const task of log) endsAsExpected(task);
  });
});

/** Everyday Tasks beyond the twelve of `docs/gates.md`, which the reference has. */
const MORE = ['sum a table by a script', ...dataTasks.map(({ name }) => name)];

it('stands in docs/gates.md as a table of eighteen, and the rest in docs/gates-reference.md, word for word', () => {
  const isOfTable = ({ task }: PlayedTask): boolean => !log.includes(task);
  const rows = together([...examples, ...played.filter(isOfTable).map(rowOf)]);
  const eighteen = rows.filter(({ name }) => !MORE.includes(name));
  const tables = [
    ['docs/gates.md', everydayTable(eighteen, 3)],
    [
      'docs/gates-reference.md',
      everydayTable(
        rows.filter(({ name }) => MORE.includes(name)),
        4,
      ),
    ],
  ] as const;
  expect(eighteen.length).toBe(18);
  for (const [page, table] of tables) {
    process.stdout.write(`${table}\n`);
    expect(readFileSync(join(repositoryRoot, page), 'utf8')).toContain(table);
  }
});

interface EverydayRow {
  readonly name: string;
  readonly outcome: string;
  readonly questions: number;
  readonly isUntrusted: boolean;
}

const HEAD = ['what people ask for', 'ends', 'questions', 'rests on untrusted data'];

/** @param columns  of `HEAD`, the first ones */
function everydayTable(rows: readonly EverydayRow[], columns: number): string {
  const lines = rows.map(({ name, outcome, questions, isUntrusted }) => [
    ...[name, outcome, String(questions), isUntrusted ? 'yes' : 'no'],
  ]);
  const table = [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => cells.slice(0, columns));
  return table.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One row for each name: Tasks that belong together count together. */
function together(rows: readonly EverydayRow[]): readonly EverydayRow[] {
  return [...new Set(rows.map(({ name }) => name))].map((name) => {
    const same = rows.filter((it) => it.name === name);
    return {
      name,
      outcome: [...new Set(same.map(({ outcome }) => outcome))].join(', '),
      questions: same.reduce((sum, { questions }) => sum + questions, 0),
      isUntrusted: same.some(({ isUntrusted }) => isUntrusted),
    };
  });
}
