import { describe, expect, it } from 'vitest';
import { scratchPlace } from '@retainer/contract/wire/scratch-places';
import { verifies } from '../../../../../test/verifies.ts';
import type { FileRow } from './files.ts';
import { scratchOf, type EndedRun } from './scratch.ts';

const digest = 'a'.repeat(64);
const row = (path: string, parts: Partial<FileRow> = {}): readonly [string, FileRow] => [
  path,
  { path, digest, sizeBytes: 1, trusted: true, readers: ['owner'], why: 'Program', runId: 'r', atMs: 0, ...parts },
];
const ended = (parts: Partial<EndedRun> = {}): EndedRun => ({
  runId: 'r',
  asked: 'Add the sums.',
  told: 'Done.',
  ...parts,
});
const madeBy = (runId: string, ...scratch: readonly string[]) =>
  new Map([[runId, { files: 1, bytes: 1, calls: new Set<string>(), scratch: new Set(scratch) }]]);

describe('a directory for scratch', () => {
  const table: readonly (readonly [path: string, place: string | undefined])[] = [
    ['out/sum.txt', undefined],
    ['.cache', undefined],
    ['.cache/a', '.cache'],
    ['src/__pycache__/a.pyc', 'src/__pycache__'],
    ['node_modules/.cache/x/.cache/y', 'node_modules/.cache'],
    ['tmp/a', undefined],
    ['my.cache/a', undefined],
  ];
  it.each(table)('of %s is %s', (path, place) => {
    expect(scratchPlace(path)).toBe(place);
  });
});

describe('what is cleared at the end of a run', () => {
  const cases: readonly {
    readonly name: string;
    readonly path: string;
    readonly row?: Partial<FileRow>;
    readonly made?: readonly string[];
    readonly run?: Partial<EndedRun>;
    readonly is: 'These' | 'Any' | 'Stays';
  }[] = [
    { name: 'what its program wrote there', path: '.cache/a.bin', row: {}, is: 'These' },
    { name: 'what lies elsewhere', path: 'out/a.bin', row: {}, is: 'Stays' },
    { name: 'what another run wrote there', path: '.cache/a.bin', row: { runId: 's' }, is: 'Stays' },
    { name: 'what `write_file` wrote there', path: '.cache/a.bin', row: { why: 'Write' }, is: 'Stays' },
    { name: 'a seed', path: '.cache/a.bin', row: { why: 'Seed' }, is: 'Stays' },
    { name: 'what a person believes', path: '.cache/a.bin', row: { why: 'Person' }, is: 'Stays' },
    { name: 'what nobody recorded, in a directory of its own', path: '.cache/a.bin', made: ['.cache'], is: 'Any' },
    { name: 'what nobody recorded, in one that was there', path: '.cache/a.bin', is: 'Stays' },
    { name: 'what the Task names', path: '.cache/a.bin', row: {}, run: { asked: 'Write .cache/a.bin.' }, is: 'Stays' },
    {
      name: 'what lies in a place that it names',
      path: '.cache/a/b.bin',
      row: {},
      run: { asked: 'Use .cache/a.' },
      is: 'Stays',
    },
    { name: 'what the result names', path: '.cache/a.bin', row: {}, run: { told: 'See a.bin there.' }, is: 'Stays' },
    {
      name: 'what it names with its place',
      path: '.cache/a',
      row: {},
      run: { told: 'It is at:.cache/a' },
      is: 'Stays',
    },
    {
      name: 'what is a part of a word of the result',
      path: '.cache/1',
      row: {},
      run: { told: 'It is 17.' },
      is: 'These',
    },
    {
      name: 'what the result names, in a directory of its own',
      path: '.cache/a.bin',
      made: ['.cache'],
      run: { told: 'See .cache/a.bin.' },
      is: 'Stays',
    },
  ];
  for (const { name, path, row: parts, made = [], run, is } of cases)
    verifies('sandbox:scratch-cleared', `${is}: ${name}`, () => {
      const known = new Map([row('.cache/other'), ...(parts === undefined ? [] : [row(path, parts)])]);
      const scratch = scratchOf(known, madeBy('r', ...made), ended(run));
      const wanted = { These: { digest }, Any: {}, Stays: undefined };
      expect(scratch?.clearable(path)).toEqual(wanted[is]);
    });

  verifies('sandbox:scratch-cleared', 'is nothing where its programs left nothing of the kind', () => {
    expect(scratchOf(new Map([row('out/a')]), madeBy('s', '.cache'), ended())).toBeUndefined();
  });
});
