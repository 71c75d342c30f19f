/** The views that this process keeps ready. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RunRooms } from '../run-room.ts';
import { View } from './view.ts';

/** Views kept for the next run, in all: each takes the space of what its program saw. */
const IDLE_VIEWS_MAX = 4;

/** Below the sandbox's own directory. */
export const VIEWS_DIRECTORY = 'views';

export class Views {
  #idle: { readonly workspace: string; readonly view: View }[] = [];
  readonly rooms = new RunRooms();

  /** One that nobody else has. @param parent  private to the agent */
  async lend(workspace: string, parent: string, ownerId: number | undefined): Promise<View> {
    const at = this.#idle.findIndex((it) => it.workspace === workspace);
    const [kept] = at === -1 ? [] : this.#idle.splice(at, 1);
    return kept?.view ?? View.create(parent, ownerId);
  }

  /** @param isSettled  it holds nothing but copies. @param find  the program */
  async giveBack(workspace: string, view: View, isSettled: boolean, find: string): Promise<void> {
    if (isSettled) this.#idle.push({ workspace, view });
    const gone = isSettled ? this.#idle.splice(0, this.#idle.length - IDLE_VIEWS_MAX) : [{ view }];
    for (const { view: old } of gone) await clearAway(old.directory, find);
  }

  /** The workspace is gone, or nobody works on it for now. */
  async forget(workspace: string, find: string): Promise<void> {
    for (const { view } of this.#idle.filter((it) => it.workspace === workspace)) await clearAway(view.directory, find);
    this.#idle = this.#idle.filter((it) => it.workspace !== workspace);
  }
}

/** `find`, because a program may nest directories deeper than a path can name. */
export async function clearAway(directory: string, find: string): Promise<void> {
  await promisify(execFile)(find, [directory, '-depth', '-delete'], { env: {} }).catch(() => undefined);
}
