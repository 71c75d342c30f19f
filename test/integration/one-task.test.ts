/** docs/one-task.md against the program: the records of the Task that it follows, and the files that it sends a reader to. */
import { readFileSync, existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../support/repository-files.ts';
import { endAll, examplesPath, retainer } from '../support/retainer-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TASK = 'wettest-month';
/** A reader follows one Task in one sitting. */
const FILES_MAX = 35;
const LINES_MAX = 6_000;

/** Outcomes of work that goes on side by side: they follow each other in any order. */
const SIDE_BY_SIDE = ['Archived', 'Delivered', 'Remembered'];
const inOrder = (kinds: readonly string[]): readonly string[] => kinds.filter((kind) => !SIDE_BY_SIDE.includes(kind));

const page = readFileSync(join(repositoryRoot, 'docs/one-task.md'), 'utf8');
const root = temporaryDirectory();
let recorded: readonly { readonly store: string; readonly kind: string }[];

beforeAll(async () => {
  const manifests = join(root.path, 'manifests');
  await cp(examplesPath, manifests, { recursive: true });
  const tasks = parseAllDocuments(await readFile(join(manifests, 'tasks.yaml'), 'utf8'));
  const kept = tasks.filter((it) => it.getIn(['metadata', 'name']) === TASK);
  expect(kept).toHaveLength(1);
  await writeFile(join(manifests, 'tasks.yaml'), kept.map(String).join('---\n'));
  const data = join(root.path, 'data');
  const run = await retainer('run', '-f', manifests, '--data', data);
  expect(run.stdout).toMatch(/^ACCEPTED +wettest-month/m);
  const shown = await retainer('journal', 'show', data, '-o', 'json');
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

describe('the files that the page names', () => {
  const named = new Set([...page.matchAll(/`([a-z-]+(?:\/[\w.-]+)+\.(?:ts|mjs))`/g)].map(([, path = '']) => path));
  const read = [...named].filter((path) => !path.startsWith('test/'));

  it('exist', () => {
    expect([...named].filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });

  it(`are at most ${FILES_MAX}, with at most ${LINES_MAX} lines`, () => {
    expect(read.length).toBeGreaterThan(20);
    expect(read.length).toBeLessThanOrEqual(FILES_MAX);
    const lines = read.map((path) => readFileSync(join(repositoryRoot, path), 'utf8').split('\n').length - 1);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LINES_MAX);
  });
});
