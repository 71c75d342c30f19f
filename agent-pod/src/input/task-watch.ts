/**
 * Adds Tasks of the API server to the durable inbox, and people's decisions about running ones.
 *
 * I1  Each comparison covers all Tasks and runs, so it makes up for missed events.
 * I2  A Task is in the inbox before the agent reports about it.
 * I3  If a run's Task is missing from the list, the run ends only after the API server confirms the deletion.
 */
import { Task } from '@retainer/contract/api/task';
import type { Clock } from '@retainer/contract/std/clock';
import { ApiError, ConnectionError } from '@retainer/kube/api-error';
import type { KubeObject } from '@retainer/kube/kube-object';
import type { Component } from '../ports/component.ts';
import {
  cancelOfGone,
  decideTasks,
  type OriginCommand,
  type RunView,
  type TaskDecisions,
  type TaskView,
} from './task-decisions.ts';

export interface TaskWatchOptions {
  readonly clock: Clock;
  /** This agent's Tasks; undefined before the first list. */
  readonly objects: () => readonly KubeObject[] | undefined;
  readonly runIdOf: (task: Task) => string;
  readonly runs: () => readonly RunView[];
  readonly isTaken: (runId: string) => boolean;
  /** False during a pause: Tasks wait on the API server. */
  readonly isAccepting: () => boolean;
  readonly concurrentMax: number;
  /** Durable when resolved. */
  readonly submit: (task: Task) => Promise<unknown>;
  /** Durable when resolved. */
  readonly accept: (command: OriginCommand) => Promise<unknown>;
  /** Asks the API server whether the run's Task was deleted. */
  readonly isGone: (run: RunView) => Promise<boolean>;
  readonly report: (task: KubeObject, status: Task['status'], run: RunView) => void;
  readonly onNotice: (notice: string) => void;
}

/** Repeats failed reports even without an event. */
const LOOK_EVERY_MS = 5_000;

export class TaskWatch {
  readonly #options: TaskWatchOptions;
  /** Cached objects are replaced, never changed, so each is parsed once. */
  readonly #parsed = new WeakMap<KubeObject, Task | undefined>();
  #waiting = 0;
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(options: TaskWatchOptions) {
    this.#options = options;
  }

  /** Admitted Tasks above the limit of concurrent runs. */
  get waiting(): number {
    return this.#waiting;
  }

  /** To be called when a Task or a run has changed. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  component(): Component {
    return {
      name: 'task-watch',
      restart: 'Permanent',
      run: async (signal) => {
        while (!signal.aborted) {
          this.#isWoken = false;
          await this.look();
          if (!this.#isWoken) await this.#pause(signal);
        }
      },
    };
  }

  async look(): Promise<void> {
    const { objects, runs, isTaken, isAccepting, concurrentMax } = this.#options;
    const listed = objects();
    if (listed === undefined || !isAccepting()) return;
    const byUid = new Map(listed.map((object) => [object.metadata.uid, object]));
    const tasks = listed.flatMap((object) => this.#view(object));
    const decisions = decideTasks({ tasks, runs: runs(), isTaken, concurrentMax });
    this.#waiting = decisions.waiting;
    try {
      await this.#carryOut(decisions, byUid);
    } catch (error) {
      // The runtime stopped, or the API server is unreachable: the next comparison continues.
      if (!isPassing(error)) throw error;
    }
  }

  async #carryOut(decisions: TaskDecisions, byUid: ReadonlyMap<string | undefined, KubeObject>): Promise<void> {
    const { submit, accept, isGone, report } = this.#options;
    for (const command of decisions.commands) await accept(command);
    for (const task of decisions.take) {
      await submit(task);
      this.wake();
    }
    for (const { task, run } of decisions.reports) {
      const object = byUid.get(task.metadata.uid);
      if (object !== undefined) report(object, task.status, run);
    }
    for (const run of decisions.orphans) if (await isGone(run)) await accept(cancelOfGone(run.runId));
  }

  #view(object: KubeObject): readonly TaskView[] {
    if (!this.#parsed.has(object)) this.#parsed.set(object, this.#parse(object));
    const task = this.#parsed.get(object);
    return task === undefined ? [] : [{ task, runId: this.#options.runIdOf(task) }];
  }

  #parse(object: KubeObject): Task | undefined {
    const parsed = Task.safeParse(object);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 5);
    this.#options.onNotice(
      `Task ${object.metadata.name} does not fit this image at ${fields.join(', ')} and is ignored: use the operator and the agent in the same version`,
    );
    return undefined;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const pause = new AbortController();
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    const slept = this.#options.clock.sleep(LOOK_EVERY_MS, AbortSignal.any([signal, pause.signal]));
    // An aborted sleep rejects; the loop's condition ends it.
    await Promise.race([woken, slept.catch(() => undefined)]);
    pause.abort();
    this.#wake = undefined;
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof ApiError) return true;
  return error instanceof Error && error.name === 'NotRunningError';
}
