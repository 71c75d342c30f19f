/** What pages name or count is what the program has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../cli/src/exit-codes.ts';
import { CHECKS } from '../../cli/src/doctor/checks.ts';
import { IMMUTABLE_TASK_FIELDS, Task } from '@retainer/contract/api/task';
import { PARTS } from '../../scripts/nightly/parts.mjs';
import { repositoryRoot } from '../support/repository-files.ts';

const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const namesIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Those that its author writes, and may change. */
const AUTHORS_FIELDS: readonly string[] = ['priority', 'ttlSecondsAfterFinished'];

describe('a page agrees with the program', () => {
  it('on the checks of doctor', () => {
    const [, table = ''] =
      /\n\| check \| passes if \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(read('docs/operations.md')) ?? [];
    const named = table.split('\n').flatMap((row) => namesIn(row.split('|')[1] ?? ''));
    expect(named.toSorted()).toEqual(CHECKS.map(({ name }) => name).toSorted());
  });

  it('on the fields of a Task that people add on the cluster', () => {
    const [, pointers = ''] = /jsonPointers: \[(.*)\]/.exec(read('docs/git.md')) ?? [];
    const immutable: readonly string[] = IMMUTABLE_TASK_FIELDS;
    const added = Object.keys(Task.shape.spec.shape).filter(
      (field) => !immutable.includes(field) && !AUTHORS_FIELDS.includes(field),
    );
    expect(pointers.split(', ').toSorted()).toEqual(added.map((field) => `/spec/${field}`).toSorted());
  });

  it('on the silence of an auditor that is an alarm', () => {
    const [, minutes] =
      /last_look_timestamp_seconds.* > (\d+) \* 60$/m.exec(read('charts/retainer/files/alerts.yaml')) ?? [];
    const [, told] = /last_look_timestamp_seconds > (\d+)/.exec(read('docs/auditor.md')) ?? [];
    expect(Number(told)).toBe(Number(minutes) * 60);
  });

  it('on the exit code of a record with a gap', () => {
    const [, told] = /by `verify` \(exit code (\d+)\)/.exec(read('docs/cli.md')) ?? [];
    expect(Number(told)).toBe(exitCodes.gap);
  });

  it('on the commands of a cluster whose rights it lists', () => {
    const [, table = ''] = /\n\| command \| on a cluster \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(read('docs/cli.md')) ?? [];
    const named = table.split('\n').flatMap((row) => namesIn(row.split('|')[1] ?? ''));
    for (const command of [
      ...['task continue', 'task cancel', 'journal verify', 'journal show', 'journal repair', 'journal acknowledge'],
      ...['rollout status', 'rollout resume'],
    ])
      expect(named).toContain(command);
  });

  it('on what runs at night', () => {
    const page = read('docs/testing.md');
    for (const part of [
      '`npm run mutants`',
      '`npm run worst-case`',
      '`test/e2e/endurance.test.ts`',
      '`npm run try:readme`',
    ])
      expect(page).toContain(part);
    const parts = PARTS.map(({ name }) => name);
    expect(parts).toEqual(expect.arrayContaining(['mutants-gate', 'worst-case', 'endurance', 'try-readme']));
  });
});
