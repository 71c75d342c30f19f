/** What the end of `.ci/run` says of a stage's report: which tests failed, what a stopped one was doing, and what passed at last. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GATE, NIGHT_UNIT, SLOW_UNIT } from '../.ci/gate.mjs';
import { repositoryFiles, repositoryRoot } from './support/repository-files.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());
let count = 0;

interface Line {
  readonly kind: string;
  readonly [field: string]: unknown;
}

const reportOf = (...lines: readonly Line[]): string => {
  count += 1;
  const path = join(root.path, `${count}.report`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
};
const run = (script: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, [join(repositoryRoot, '.ci', script), ...args], { encoding: 'utf8' });
const counted = (report: string, code: number): string => run('count-tests.mjs', report, String(code)).trim();

const began = (file: string, name: string, atMs: number): Line => ({ kind: 'began', file, name, atMs });
const test = (file: string, name: string, state: 'passed' | 'failed', ...errors: readonly string[]): Line => ({
  ...{ kind: 'test', file, name, state, errors },
});
const fileEnd = (file: string, state: 'passed' | 'failed', ...errors: readonly string[]): Line => ({
  ...{ kind: 'file', file, state, errors },
});

const end: Line = { kind: 'end' };
const good = [test('a.test.ts', 'adds', 'passed'), fileEnd('a.test.ts', 'passed')];
const bad = [
  test('b.test.ts', 'divides', 'failed', 'Error: by zero\n    at b.test.ts:3'),
  fileEnd('b.test.ts', 'failed'),
];

describe('the count of a stage', () => {
  it.each<readonly [what: string, lines: readonly Line[], code: number, counts: string]>([
    ['tests that passed', [...good, end], 0, '1 0 0'],
    ['tests that passed and failed', [...good, ...bad, end], 1, '1 1 0'],
    ['a file that does not load', [...good, fileEnd('c.test.ts', 'failed', 'SyntaxError'), end], 1, '1 1 0'],
    ['an error that no test caught', [...good, { kind: 'stray', errors: ['Error: late'] }, end], 1, '1 1 0'],
    ['a run that failed without a failed test', [...good, end], 1, '1 1 0'],
    ['a run that broke off, whatever it ended with', good, 0, '1 1 0'],
    ['a run without a test', [end], 0, '0 1 0'],
    ['a stage that left no report', [], 0, '0 1 0'],
    ['a stage that was stopped', [...good, { kind: 'stopped', seconds: 9, atMs: 9000 }], 124, '1 1 0'],
    ['a check that passed', [{ kind: 'check', code: 0 }], 0, '1 0 0'],
    ['a check that failed', [{ kind: 'check', code: 2 }], 2, '0 1 0'],
  ])('of %s', (_, lines, code, counts) => {
    expect(counted(reportOf(...lines), code)).toBe(counts);
  });
});

describe('a file that failed', () => {
  it('counts as in its second run where that passed, and is named', () => {
    const report = reportOf(...good, ...bad, end);
    expect(run('failed-tests.mjs', '--files', report)).toBe('b.test.ts\n');
    const again = reportOf(test('b.test.ts', 'divides', 'passed'), fileEnd('b.test.ts', 'passed'), end);
    expect(run('take-again.mjs', report, again, 'b.test.ts', '0')).toBe('b.test.ts, divides\n');
    expect(counted(report, 1)).toBe('2 0 0');
    expect(run('failed-tests.mjs', `unit=1=${report}`)).toBe('');
    // Out of memory, say, before all files had run.
    expect(counted(report, 134)).toBe('2 1 0');
  });

  it('stays failed where it failed again, was not run, or the run broke off', () => {
    const broken = reportOf(...good, ...bad);
    expect(
      run('take-again.mjs', broken, reportOf(test('b.test.ts', 'divides', 'passed'), end), 'b.test.ts', '0'),
    ).not.toBe('');
    expect(counted(broken, 1)).toBe('2 1 0');
    const report = reportOf(...good, ...bad, end);
    const before = readFileSync(report, 'utf8');
    expect(run('take-again.mjs', report, reportOf(...bad, end), 'b.test.ts', '1')).toBe('');
    expect(run('take-again.mjs', report, join(root.path, 'none'), 'b.test.ts', '0')).toBe('');
    expect(readFileSync(report, 'utf8')).toBe(before);
  });
});

describe('the last lines of a failed run', () => {
  it('name each failed test with its first error, and what a stopped stage was doing', () => {
    const unit = reportOf(...good, ...bad, end);
    const stopped = { kind: 'stopped', seconds: 9, atMs: 12_000 };
    const chart = reportOf(began('c.test.ts', 'waits', 2000), began('a.test.ts', 'adds', 1000), ...good, stopped);
    const cluster = reportOf(...good);
    expect(run('failed-tests.mjs', `unit=1=${unit}`, `chart=124=${chart}`, `cluster=137=${cluster}`)).toBe(
      'FAILED b.test.ts: divides\n    Error: by zero\n        at b.test.ts:3\n' +
        'FAILED stage chart: stopped after 9 s, at\n    c.test.ts: waits, for 10 s\n' +
        'FAILED stage cluster: the run broke off, with 137\n',
    );
  });

  it('are one screen, however much failed', () => {
    const many = Array.from({ length: 100 }, (_, at) => test(`${at}.test.ts`, 'fails', 'failed', 'Error\n'.repeat(40)));
    const lines = run('failed-tests.mjs', `unit=1=${reportOf(...many, end)}`)
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(56);
    expect(lines.at(-1)).toBe('and 74 more: see above');
  });
});

describe('the list of the gate', () => {
  it('names files that are there', () => {
    const files = repositoryFiles();
    const named = Object.entries(GATE).flatMap(([project, names]) =>
      names.map((name) => `test/${project}/${name}.test.ts`),
    );
    expect(
      [...named, ...NIGHT_UNIT, ...SLOW_UNIT].filter((path) => !files.includes(join(repositoryRoot, path))),
    ).toEqual([]);
  });
});
