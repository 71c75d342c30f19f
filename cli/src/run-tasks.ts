/**
 * Runs the Tasks of a board: starts each when it is due, follows changes of the board meanwhile, and waits until all have
 * ended. The rules are in `task-queue.ts`.
 *
 * I1  Every Task of the board has a result when the agent is idle: none is left out silently.
 * I2  A Task's work identifies it, not its name. After a change, every ended Task is requested again, and the agent knows
 *     whether that work has ended.
 */
import type { Task } from '@retainer/contract/api/task';
import { isForTask } from '@retainer/mind/run/run-cause';
import type { JobsAtWork } from './jobs-at-work.ts';
import type { TaskBoard } from './task-board.ts';
import { dueTasks, stuckTasks, type TaskState } from './task-queue.ts';
import { closedResult, runTask, type RunTaskOptions, type TaskResult } from './run-task.ts';

export interface TaskRunnerOptions extends RunTaskOptions {
  readonly board: TaskBoard;
  readonly concurrentMax: number;
  /** True: continues after all Tasks have ended, and waits for changes. */
  readonly staysUp: boolean;
  /** Called when all Tasks have ended, with the results since the last call; the first time even without any. */
  readonly onIdle: (news: readonly TaskResult[]) => void;
  /** What the agent begins by itself: a command that does not stay waits for what was due when its Tasks had ended. */
  readonly jobs: Pick<JobsAtWork, 'isBusy' | 'isOfJob' | 'changed' | 'leave'>;
  /** Called for a run of an earlier start that no present Task asks for. The command awaits its end as well. */
  readonly onStranger: (task: string, runId: string) => void;
  /** Aborted when the command must stop: an open run can continue from its record. */
  readonly signal: AbortSignal;
}

export interface TasksEnd {
  /** The last result of each Task, and of each run of an earlier start, in the order of their ends. */
  readonly results: readonly TaskResult[];
  /** The signal came during a run. */
  readonly isUnfinished: boolean;
}

/** @throws what the agent throws when it cannot go on */
export function runTasks(options: TaskRunnerOptions): Promise<TasksEnd> {
  return new TaskRunner(options).run();
}

class TaskRunner {
  readonly #options: TaskRunnerOptions;
  #tasks: readonly Task[];
  #version: number;
  readonly #taskStates = new Map<string, TaskState>();
  /** By name of the Task; for an earlier start by run. */
  readonly #results = new Map<string, TaskResult>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #told = new Set<TaskResult>();
  /** Runs of jobs that may come to wait for a person. */
  readonly #followed = new Set<string>();
  readonly #over = new AbortController();
  /** Milliseconds since 1970: jobs that are due later hold up no command. */
  #idleAtMs: number | undefined;
  #wasIdle = false;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
    this.#tasks = options.board.tasks;
    this.#version = options.board.version;
  }

  async run(): Promise<TasksEnd> {
    const { board, signal, staysUp, jobs } = this.#options;
    const stopped = aborted(signal);
    while (!signal.aborted) {
      if (board.version !== this.#version) this.#takeChange();
      if (this.#settleBlocked()) continue;
      this.#startDue();
      if (this.#running.size === 0 && !this.#takeStrangers()) {
        if (this.#settleStuck()) continue;
        this.#tellIdle();
        if (!staysUp && !this.#servesJobs()) break;
      }
      await Promise.race([...this.#running.values(), stopped, board.changedSince(this.#version), jobs.changed()]);
    }
    this.#over.abort();
    return { results: [...this.#results.values()], isUnfinished: this.#running.size > 0 };
  }

  /** I2: forgets ended Tasks. */
  #takeChange(): void {
    const { board } = this.#options;
    this.#version = board.version;
    this.#tasks = board.tasks;
    for (const [name, { kind }] of [...this.#taskStates]) if (kind === 'Ended') this.#taskStates.delete(name);
  }

  #settleBlocked(): boolean {
    const { blocked } = dueTasks(this.#tasks, this.#taskStates, this.#options.concurrentMax);
    for (const { task, why } of blocked) this.#settle(task, notStarted(task, why));
    return blocked.length > 0;
  }

  #startDue(): void {
    const { start } = dueTasks(this.#tasks, this.#taskStates, this.#options.concurrentMax);
    for (const task of start) {
      const { name } = task.metadata;
      this.#taskStates.set(name, { kind: 'Running' });
      const known = this.#results.get(name);
      this.#track(
        name,
        runTask(this.#options, task, known).then((result) => this.#settle(task, result)),
      );
    }
  }

  /** @returns whether there are any */
  #takeStrangers(): boolean {
    const { agent, onStranger, jobs } = this.#options;
    const own = new Set([...this.#results.values()].map(({ runId }) => runId));
    const open = agent.runtime.openRuns();
    // A schedule makes Tasks, and they are the job's all the same.
    const ofTasks = open.filter(({ spec }) => isForTask(spec) && !jobs.isOfJob(spec.runId));
    const strangers = ofTasks.filter(({ spec: { runId } }) => !own.has(runId));
    for (const { spec } of strangers) {
      const { runId, task } = spec;
      onStranger(task.name, runId);
      this.#track(
        runId,
        closedResult(this.#options, task.name, runId).then((result) => {
          this.#running.delete(runId);
          this.#results.set(runId, result);
        }),
      );
    }
    return strangers.length > 0;
  }

  /** @returns whether a job serves a moment that had come by now */
  #servesJobs(): boolean {
    const { jobs } = this.#options;
    this.#idleAtMs ??= Date.now();
    this.#followJobs();
    return jobs.isBusy(this.#idleAtMs);
  }

  /** Their runs end in the record: here, only those are noted that wait for a person. */
  #followJobs(): void {
    const { agent, jobs, left } = this.#options;
    for (const { spec } of agent.runtime.openRuns()) {
      const { runId, task } = spec;
      if (left === undefined || !jobs.isOfJob(runId) || this.#followed.has(runId)) continue;
      this.#followed.add(runId);
      void left(runId, this.#over.signal).then((it) => jobs.leave(task.name, runId, it));
    }
  }

  /** I1. */
  #settleStuck(): boolean {
    const stuck = stuckTasks(this.#tasks, this.#taskStates);
    for (const { task, why } of stuck) this.#settle(task, notStarted(task, why));
    return stuck.length > 0;
  }

  #tellIdle(): void {
    const news = [...this.#results.values()].filter((result) => !this.#told.has(result));
    if (this.#wasIdle && news.length === 0) return;
    this.#wasIdle = true;
    for (const result of news) this.#told.add(result);
    this.#options.onIdle(news);
  }

  #track(key: string, work: Promise<void>): void {
    this.#running.set(key, work);
    // The caller that waits in `run` sees a failure; a later failure has nobody left to report to.
    work.catch(() => undefined);
  }

  #settle(task: Task, result: TaskResult): void {
    const { name } = task.metadata;
    this.#running.delete(name);
    const before = this.#results.get(name);
    if (before === undefined || !isSameResult(before, result)) this.#results.set(name, result);
    // For a Task that changed during its run, the agent decides at the next request whether the work differs.
    if (this.#tasks.includes(task)) this.#taskStates.set(name, { kind: 'Ended', end: result.end });
    else this.#taskStates.delete(name);
  }
}

function notStarted(task: Task, why: string): TaskResult {
  return { task: task.metadata.name, end: 'NotStarted', isFromRecord: false, why };
}

function isSameResult(a: TaskResult, b: TaskResult): boolean {
  return a.end === b.end && a.runId === b.runId && a.why === b.why;
}

/** Resolves at the signal. Race it; never await it alone. */
function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
