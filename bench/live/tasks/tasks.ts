/** All tasks of a live run, and the conversations that they make. Pure. */
import { chance } from '../../steering/chance.ts';
import { everydayTasks } from './everyday.ts';
import { harderTasks } from './harder.ts';
import type { LiveTask } from './task.ts';

export const liveTasks: readonly LiveTask[] = [...everydayTasks, ...harderTasks];

/** The turns of one conversation, in their order. */
export type Conversation = readonly LiveTask[];

/**
 * @param names  absent: all
 * @returns the tasks of these names in their usual order, with the turns before each
 * @throws when a name is of no task
 */
export function chosenTasks(names?: readonly string[]): readonly LiveTask[] {
  if (names === undefined) return liveTasks;
  const chosen = new Set(names.flatMap((name) => turnsUpTo(name).map((it) => it.name)));
  return liveTasks.filter(({ name }) => chosen.has(name));
}

/**
 * @param count  in digits: a whole number from 1
 * @param seed  same seed, same tasks
 * @returns so many of the tasks in their order, and the turns before each
 * @throws when the count is none
 */
export function drawnTasks(tasks: readonly LiveTask[], count: string, seed: number): readonly LiveTask[] {
  if (!/^[1-9]\d*$/.test(count)) throw new Error(`--tasks ${count}: it is a whole number from 1`);
  const drawn = tasks.toSorted((a, b) => chance(seed, a.name) - chance(seed, b.name)).slice(0, Number(count));
  return chosenTasks(drawn.map(({ name }) => name));
}

function turnsUpTo(name: string): readonly LiveTask[] {
  const task = liveTasks.find((it) => it.name === name);
  if (task === undefined)
    throw new Error(
      `--only names ${JSON.stringify(name)}, which is no task; tasks are ${liveTasks.map((it) => it.name).join(', ')}`,
    );
  return [...(task.after === undefined ? [] : turnsUpTo(task.after)), task];
}

/** In the order of their first turns. */
export function conversationsOf(tasks: readonly LiveTask[]): readonly Conversation[] {
  const withRest = (turns: Conversation): Conversation => {
    const next = tasks.find(({ after }) => after === turns.at(-1)?.name);
    return next === undefined ? turns : withRest([...turns, next]);
  };
  return tasks.filter(({ after }) => after === undefined).map((task) => withRest([task]));
}
