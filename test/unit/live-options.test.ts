/** What a line of `npm run live` chooses of the local model and of the tasks. */
import { describe, expect, it } from 'vitest';
import { chosenLocal } from '../../bench/live/local.ts';
import { parseLiveArguments, usage } from '../../bench/live/options.ts';
import { drawnTasks, liveTasks } from '../../bench/live/tasks/tasks.ts';

const chosen = (...line: readonly string[]): unknown => chosenLocal(parseLiveArguments(line).values);

describe('a local model', () => {
  it.each([
    { line: [], is: { isLocal: false, size: '0.5b', seed: 1 } },
    { line: ['--local'], is: { isLocal: true, size: '0.5b', seed: 1 } },
    {
      line: ['--local', '--size', '1.5b', '--seed', '9999999999'],
      is: { isLocal: true, size: '1.5b', seed: 9_999_999_999 },
    },
    { line: ['--seed', '0'], is: { isLocal: false, size: '0.5b', seed: 0 } },
  ])('is chosen by $line', ({ line, is }) => {
    expect(chosen(...line)).toEqual(is);
  });

  it.each([
    { line: ['--local', '--size', '7b'], says: '--size 7b: it is one of 0.5b, 1.5b' },
    { line: ['--size', '1.5b'], says: '--size is of the model of --local: leave it out, or add --local' },
    {
      line: ['--local', '--seed', '10000000000'],
      says: '--seed 10000000000: it is a whole number from 0 to 9999999999',
    },
    { line: ['--local', '--seed', '1.5'], says: '--seed 1.5: it is a whole number' },
    { line: ['--local', '--base-url', 'http://127.0.0.1:1'], says: 'a model of its own: leave out --base-url' },
    { line: ['--local', '--model', 'x'], says: 'leave out --model' },
    { line: ['--local', '--fast', 'x'], says: 'leave out --fast' },
  ])('is refused with one sentence: $line', ({ line, says }) => {
    expect(() => chosen(...line)).toThrow(says);
  });

  it('stands in the help, with its options', () => {
    for (const option of ['--local', '--size SIZE', '--seed N', '--tasks N']) expect(usage()).toContain(`  ${option} `);
  });
});

describe('tasks that are drawn', () => {
  const names = (count: number, seed: number): readonly string[] =>
    drawnTasks(liveTasks, String(count), seed).map(({ name }) => name);

  it('are the same for one seed, in their usual order, and others for another', () => {
    expect(names(5, 7)).toEqual(names(5, 7));
    expect(names(5, 7)).toEqual(liveTasks.map(({ name }) => name).filter((name) => names(5, 7).includes(name)));
    expect(names(5, 7)).not.toEqual(names(5, 8));
  });

  it('come with the turns before them, and are all in the end', () => {
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const drawn = drawnTasks(liveTasks, '3', seed);
      expect(drawn.length).toBeGreaterThanOrEqual(3);
      const before = drawn.flatMap(({ after }) => after ?? []);
      expect(drawn.map(({ name }) => name)).toEqual(expect.arrayContaining(before));
    }
    const many = Array.from({ length: 60 }, (_, seed) => names(4, seed)).flat();
    expect(new Set(many).size).toBe(liveTasks.length);
    expect(names(liveTasks.length, 1)).toHaveLength(liveTasks.length);
  });

  it.each(['0', '-1', 'all', '1.5'])('are not drawn by a count that is none: %s', (count) => {
    expect(() => drawnTasks(liveTasks, count, 1)).toThrow(`--tasks ${count}: it is a whole number from 1`);
  });
});
