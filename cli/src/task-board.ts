/** The Tasks of the manifests at the last reading, for one reader. */
import type { Task } from '@retainer/contract/api/task';

export class TaskBoard {
  #tasks: readonly Task[];
  #version = 0;
  #wake: () => void = () => undefined;

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  replace(tasks: readonly Task[]): void {
    this.#tasks = tasks;
    this.#version += 1;
    this.#wake();
  }

  /** Resolves as soon as the Tasks differ from those of that version. For one caller at a time. */
  changedSince(version: number): Promise<void> {
    if (version !== this.#version) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
