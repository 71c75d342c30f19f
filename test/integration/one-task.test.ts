/** docs/one-task.md against the program: the records of the Task that it follows, and the files that the Task passes through. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkedPage, walkTask, type Walk } from '../../scripts/walk-task.ts';
import { repositoryRoot } from '../support/repository-files.ts';
import { endAll, retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Whoever follows one Task reads so much. A commit that raises one of them says why. */
const FILES_MAX = 470;
const LINES_MAX = 55_000;
/** A maximum that the count has left so far behind holds nothing. */
const LEFT_BEHIND = 0.02;

/** Outcomes of work that goes on side by side: they follow each other in any order. */
const SIDE_BY_SIDE = ['Archived', 'Delivered', 'Remembered'];
const inOrder = (kinds: readonly string[]): readonly string[] => kinds.filter((kind) => !SIDE_BY_SIDE.includes(kind));

const page = readFileSync(join(repositoryRoot, 'docs/one-task.md'), 'utf8');
const root = temporaryDirectory();
let walk: Walk;
let recorded: readonly { readonly store: string; readonly kind: string }[];

beforeAll(async () => {
  walk = walkTask(root.path);
  const shown = await retainer('journal', 'show', join(root.path, 'data'), '-o', 'json');
  recorded = shown.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
});
afterAll(() => {
  endAll();
  return root.remove();
});

/** Stores are compared one by one: records of two stores may change places. */
describe.each(['run', 'cycle'])('the records of the store %s', (store) => {
  it('are those that the page lists, in their order', () => {
    const listed = [...page.matchAll(/`(\w+)\/(\w+)`/g)]
      .filter(([, name]) => name === store)
      .map(([, , kind = '']) => kind);
    const kinds = recorded.filter((it) => it.store === store && it.kind !== 'StoreOpened').map(({ kind }) => kind);
    expect(inOrder(listed)).toEqual(inOrder(kinds));
    expect(listed).toHaveLength(kinds.length);
    expect(listed).toEqual(expect.arrayContaining([...kinds]));
  });
});

describe('the files that the Task passes through', () => {
  /** Any change of a file changes its lines; the page need not be written anew for that. */
  const withoutLines = (text: string): string =>
    text.replaceAll(/\| [\d,]+ \|/g, '| # |').replaceAll(/[\d,]+ lines:/g, '# lines:');

  it('are those that the page lists, step by step', () => {
    expect(withoutLines(page), 'run npm run walk').toBe(withoutLines(walkedPage(page, walk)));
  });

  it(`are at most ${FILES_MAX}, with at most ${LINES_MAX} lines`, () => {
    const lines = walk.task.reduce((sum, file) => sum + file.lines, 0);
    const counts = [
      { count: walk.task.length, max: FILES_MAX },
      { count: lines, max: LINES_MAX },
    ];
    for (const { count, max } of counts) {
      expect(count).toBeLessThanOrEqual(max);
      expect(count, 'lower the maximum').toBeGreaterThan(max * (1 - LEFT_BEHIND));
    }
  });

  it('are told by the page with about as many lines as they have', () => {
    const told = /npm run walk: task -->\n\n\d+ files, ([\d,]+) lines:/.exec(page)?.[1] ?? '';
    const lines = walk.task.reduce((sum, file) => sum + file.lines, 0);
    expect(Math.abs(Number(told.replaceAll(',', '')) / lines - 1), 'run npm run walk').toBeLessThan(LEFT_BEHIND);
  });
});
