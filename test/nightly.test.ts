/** The parts of the nightly run: nothing is in none of them, and none takes a night. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { mutants } from '../scripts/mutant-list.mjs';
import { expectedSeconds, longestUnrunFirst, nextPart, partsNamed } from '../scripts/nightly/choose.mjs';
import { PARTS, type Part } from '../scripts/nightly/parts.mjs';
import { ageOf, type Result } from '../scripts/nightly/results.mjs';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';

const MINUTES_MAX = 20;

const tests = repositoryFiles()
  .map((path) => relative(repositoryRoot, path))
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/lint-fixtures/'));
const FOLDERS: Readonly<Record<string, string>> = {
  integration: 'test/integration/',
  'e2e*': 'test/e2e/',
  cluster: 'test/api-server/',
  chart: 'test/chart/',
};
const inFolders = Object.values(FOLDERS);
const filesOf = (project: string): readonly string[] => {
  const folder = FOLDERS[project];
  return tests.filter((path) =>
    folder === undefined ? !inFolders.some((other) => path.startsWith(other)) : path.startsWith(folder),
  );
};
/** As vitest finds them. */
const isIn = (file: string, { paths = [] }: Part): boolean => paths.some((path) => file.includes(path));

describe('the parts of the nightly run', () => {
  it('have names of their own, and end within twenty minutes', () => {
    expect(new Set(PARTS.map(({ name }) => name)).size).toBe(PARTS.length);
    expect(PARTS.filter(({ minutes }) => minutes > MINUTES_MAX || minutes < 1)).toEqual([]);
  });

  it('either run tests or a command', () => {
    expect(PARTS.filter(({ project, command }) => (project === undefined) === (command === undefined))).toEqual([]);
  });

  it.each(['unit', ...Object.keys(FOLDERS)])('have each test file of %s once', (project) => {
    const parts = PARTS.filter((part) => part.project === project);
    const files = filesOf(project);
    const times = files.map(
      (file) => [file, parts.filter((part) => isIn(file, part)).map(({ name }) => name)] as const,
    );
    expect(files.length).toBeGreaterThan(0);
    expect(times.filter(([, names]) => names.length !== 1)).toEqual([]);
    const found = (path: string): boolean => files.some((file) => file.includes(path));
    expect(parts.flatMap(({ paths = [] }) => paths).filter((path) => !found(path))).toEqual([]);
  });

  it('stand in docs/testing.md, with what only they find', () => {
    const page = readFileSync(join(repositoryRoot, 'docs/testing.md'), 'utf8').replaceAll(/ +/g, ' ');
    const rows = PARTS.map(({ name, minutes, finds }) => `| \`${name}\` | night | ${minutes} | ${finds} |`);
    expect(rows.filter((row) => !page.includes(row))).toEqual([]);
  });

  it('have each mutant once', () => {
    const beginnings = PARTS.filter(({ name }) => name.startsWith('mutants-')).flatMap(({ command = [] }) =>
      command.flatMap((word) => (word.startsWith('--only=') ? [word.slice('--only='.length)] : [])),
    );
    const timesOf = (name: string): number => beginnings.filter((beginning) => name.startsWith(beginning)).length;
    expect(mutants.map(({ name }) => name).filter((name) => timesOf(name) !== 1)).toEqual([]);
  });
});

const part = (name: string, minutes: number): Part => ({ name, minutes, finds: 'nothing', command: ['true'] });
const result = (when: string, more: Partial<Result> = {}): Result => ({
  ...{ when, seconds: 60, passed: 1, failed: 0, isStopped: false, seed: 1, failedTests: [] },
  ...more,
});

describe('a night that is too short', () => {
  const parts = [part('new', 9), part('slow', 20), part('fresh', 1), part('old', 9)];
  const results = {
    old: result('2026-11-01T00:00:00.000Z'),
    slow: result('2026-11-02T00:00:00.000Z', { failed: 1 }),
    fresh: result('2026-11-03T00:00:00.000Z'),
  };

  it('begins with what was never run, then with what was not run for longest', () => {
    expect(longestUnrunFirst(parts, results).map(({ name }) => name)).toEqual(['new', 'old', 'slow', 'fresh']);
  });

  it('takes the first part that still fits, by what it took last, or by its estimate where it failed', () => {
    const queue = longestUnrunFirst(parts, results);
    expect(parts.map((it) => expectedSeconds(it, results))).toEqual([540, 1200, 60, 60]);
    expect(nextPart(queue, 540, results)?.name).toBe('new');
    expect(nextPart(queue, 539, results)?.name).toBe('old');
    expect(nextPart(queue, 59, results)).toBeUndefined();
  });

  it('names the nearest parts to one that is none', () => {
    expect(() => partsNamed(PARTS, ['journal', 'worst-cases'])).toThrow(/no part is called worst-cases; .*worst-case/);
    expect(partsNamed(parts, ['old', 'new']).map(({ name }) => name)).toEqual(['new', 'old']);
  });

  it('tells how long ago something was', () => {
    const nowMs = Date.parse('2026-11-03T00:00:00.000Z');
    expect(ageOf(undefined, nowMs)).toBe('never');
    expect(ageOf('2026-11-01T00:00:00.000Z', nowMs)).toBe('2 days ago');
    expect(ageOf('2026-11-02T01:00:00.000Z', nowMs)).toBe('23 hours ago');
    expect(ageOf('2026-11-02T23:59:00.000Z', nowMs)).toBe('just now');
  });
});

/** The engine of `test/cluster` is made for Linux. */
describe.skipIf(process.platform !== 'linux')('the end of a night', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'retainer-night-'));
  afterAll(() => rmSync(scratch, { recursive: true }));

  /** A night during which a part leaves the state of an engine. @returns whether it is there after the night */
  async function isLeft(name: string, isThereBefore: boolean): Promise<boolean> {
    const state = join(scratch, name);
    if (isThereBefore) mkdirSync(state);
    const night = `
      const { endEngine } = await import('./scripts/nightly/run-part.mjs');
      (await import('node:fs')).mkdirSync(process.env.ENGINE_STATE, { recursive: true });
      await endEngine(process.env.ENGINE_STATE + '.log');`;
    const env = { ...process.env, ENGINE_STATE: state };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', night], { cwd: repositoryRoot, env });
    return existsSync(state);
  }

  it('ends the engine that the night has started', async () => {
    expect(await isLeft('started', false)).toBe(false);
  });

  it('leaves the engine of somebody', async () => {
    expect(await isLeft('of-others', true)).toBe(true);
  });
});
