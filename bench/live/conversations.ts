/** Who is played when: conversations of one task side by side, then those of several, each alone. */
import { conversationsOf, type Conversation } from './tasks/tasks.ts';
import type { LiveTask } from './tasks/task.ts';
import type { LiveRow } from './row.ts';

export type PlayConversation = (turns: Conversation) => Promise<readonly LiveRow[]>;

/**
 * An agent takes its newest runs for the turns before, whoever asked for them, so nothing else may end between the turns of a
 * conversation.
 *
 * @param parallel  conversations of one task at the same time
 * @returns one row for each task, in the order of the tasks
 */
export async function playConversations(
  tasks: readonly LiveTask[],
  parallel: number,
  play: PlayConversation,
): Promise<readonly LiveRow[]> {
  const all = conversationsOf(tasks);
  const single = all.filter((turns) => turns.length === 1);
  const rows: LiveRow[] = [];
  const takeFrom = async (waiting: Conversation[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) rows.push(...(await play(next)));
  };
  await Promise.all(Array.from({ length: parallel }, () => takeFrom(single)));
  await takeFrom(all.filter((turns) => turns.length > 1));
  return tasks.flatMap(({ name }) => rows.filter((row) => row.task === name));
}
