import { join } from 'node:path';
import type { Task } from '@retainer/contract/api/task';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import { listRuns } from '@retainer/agent-pod/review/run-records';
import { afterAll, describe, expect, it } from 'vitest';
import { scripted, task } from '../../test/support/agents.ts';
import { manualClock } from '../../test/support/manual-clock.ts';
import { holdScript, runSpec } from '../../test/support/runs.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { verifies } from '../../test/verifies.ts';
import { JobsAtWork } from './jobs-at-work.ts';
import type { TaskResult } from './run-task.ts';
import { runTasks, type TaskRunnerOptions, type TasksEnd } from './run-tasks.ts';
import { TaskBoard } from './task-board.ts';
import { openedAgent } from '../../test/support/opened-agent.ts';

const root = temporaryDirectory();
afterAll(() => root.remove());

let agents = 0;

async function withAgent<T>(use: (agent: OpenedAgent) => Promise<T>): Promise<T> {
  agents += 1;
  const opened = await openedAgent({
    dataDirectory: join(root.path, `agent-${agents}`),
    model: await scripted(holdScript),
    clock: manualClock(),
  });
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

interface Watched {
  readonly board: TaskBoard;
  readonly ended: Promise<TasksEnd>;
  /** The next batch that was told. */
  readonly news: () => Promise<readonly TaskResult[]>;
  /** Resolves when the run of a Task has begun. */
  readonly begun: (task: string) => Promise<string>;
  readonly stop: () => void;
}

function watched(agent: OpenedAgent, tasks: readonly Task[]): Watched {
  const board = new TaskBoard(tasks);
  const stop = new AbortController();
  const batches = queue<readonly TaskResult[]>();
  const starts = new Map<string, ReturnType<typeof queue<string>>>();
  const startsOf = (name: string): ReturnType<typeof queue<string>> => {
    const known = starts.get(name) ?? queue<string>();
    starts.set(name, known);
    return known;
  };
  const ended = runTasks({
    ...quiet(agent, board),
    staysUp: true,
    onStart: (name, runId) => startsOf(name).put(runId),
    onIdle: batches.put,
    signal: stop.signal,
  });
  return { board, ended, news: batches.take, begun: (name) => startsOf(name).take(), stop: () => stop.abort() };
}

const nobodyLooks = { note: () => undefined, lines: () => undefined };

function quiet(agent: OpenedAgent, board: TaskBoard): TaskRunnerOptions {
  return {
    agent,
    board,
    concurrentMax: 2,
    staysUp: false,
    onStart: () => undefined,
    onIdle: () => undefined,
    onStranger: () => undefined,
    jobs: new JobsAtWork({ output: nobodyLooks, isEnabled: true, staysUp: false }),
    signal: new AbortController().signal,
  };
}

function queue<T>(): { readonly put: (value: T) => void; readonly take: () => Promise<T> } {
  const values: T[] = [];
  const takers: ((value: T) => void)[] = [];
  return {
    put: (value) => {
      const taker = takers.shift();
      if (taker === undefined) values.push(value);
      else taker(value);
    },
    take: () =>
      new Promise((resolve) => {
        const [value] = values.splice(0, 1);
        if (value === undefined) takers.push(resolve);
        else resolve(value);
      }),
  };
}

const ofJob = {
  task: { namespace: 'default', name: 'job-a' },
  cause: { kind: 'Job', jobId: 'a', momentMs: 0, maker: 'Agent', requiredTools: [] as string[] },
  replyTo: { channel: 'Notice', target: 'ann' },
  conversation: 'job/a',
} as const;

const ends = (results: readonly TaskResult[]): readonly string[] => results.map((it) => `${it.task} ${it.end}`);

describe('runTasks', () => {
  verifies('cli:none-left-out', 'settles a Task that waits for one nobody works on', async () => {
    const tasks = [task('one', 'work'), task('two', 'work', { dependsOn: [{ name: 'elsewhere' }] })];
    const { results } = await withAgent((agent) => runTasks(quiet(agent, new TaskBoard(tasks))));
    expect(ends(results)).toEqual(['one Succeeded', 'two NotStarted']);
    expect(results[1]?.why).toBe('it depends on elsewhere, which no agent runs');
  });

  it('settles a Task that a full volume turns away, with the reason', async () => {
    const tasks = [task('one', 'work'), task('two', 'work', { dependsOn: [{ name: 'one' }] })];
    const { results } = await withAgent((agent) => {
      agent.runtime.takeNewRuns(false);
      return runTasks(quiet(agent, new TaskBoard(tasks)));
    });
    expect(ends(results)).toEqual(['one NotStarted', 'two NotStarted']);
    expect(results[0]?.why).toMatch(/volume is more than 90 % full/);
  });

  verifies('cli:ends-after-an-error', 'ends with the error of an agent that cannot take a Task', async () => {
    await withAgent(async (agent) => {
      const broken = { ...agent, submitTask: () => Promise.reject(new Error('no journal')) };
      const board = new TaskBoard([task('one', 'work'), task('two', 'work')]);
      await expect(runTasks({ ...quiet(broken, board), staysUp: true })).rejects.toThrow('no journal');
    });
  });

  verifies('cli:watch-beside-work', 'runs an edited Task under the same name, and nothing else again', async () => {
    await withAgent(async (agent) => {
      const other = task('other', 'work');
      const { board, news, stop, ended } = watched(agent, [task('one', 'work'), other]);
      const [first] = await news();
      board.replace([task('one', 'other work'), other]);
      const again = await news();
      expect(ends(again)).toEqual(['one Succeeded']);
      expect(again[0]?.runId).not.toBe(first?.runId);
      stop();
      const { results, isUnfinished } = await ended;
      expect(ends(results)).toEqual(['one Succeeded', 'other Succeeded']);
      expect(isUnfinished).toBe(false);
    });
  });

  verifies('cli:watch-beside-work', 'takes a new Task while another one is under way', async () => {
    await withAgent(async (agent) => {
      const { board, begun, stop, ended } = watched(agent, [task('hold', 'hold')]);
      await begun('hold');
      board.replace([task('hold', 'hold'), task('one', 'work')]);
      await agent.runtime.closed(await begun('one'));
      stop();
      expect((await ended).isUnfinished).toBe(true);
    });
  });

  it('asks again for a Task that was edited while it ran', async () => {
    await withAgent(async (agent) => {
      const { board, begun, news, stop } = watched(agent, [task('hold', 'hold')]);
      const runId = await begun('hold');
      board.replace([task('hold', 'hold', { cancel: true })]);
      await agent.runtime.accept('test', 'manifest', { type: 'CancelRun', runId, by: 'ada', reason: 'edited' });
      expect(ends(await news())).toEqual(['hold Cancelled']);
      board.replace([task('hold', 'hold again')]);
      expect(await begun('hold')).not.toBe(runId);
      stop();
    });
  });

  verifies(
    'cause:no-task-no-status',
    'neither waits for the run of a job, nor cancels it with a Task of its name',
    async () => {
      await withAgent(async (agent) => {
        const runId = 'job-a-1';
        const spec = runSpec({ ...ofJob, runId, intent: 'hold', input: 'hold' }, ['write_file'], {
          approvalMode: 'EveryEffect',
        });
        await agent.runtime.accept('job:a:1', 'job', { type: 'StartRun', spec });
        await expect.poll(() => agent.runtime.openCycles().some((it) => it.pendingApprovals.length > 0)).toBe(true);
        const strangers: string[] = [];
        const tasks = [task('one', 'work'), task('job-a', 'hold', { cancel: true })];
        const { results, isUnfinished } = await runTasks({
          ...quiet(agent, new TaskBoard(tasks)),
          onStranger: (name) => strangers.push(name),
        });
        expect(ends(results).toSorted()).toEqual(['job-a Cancelled', 'one Succeeded']);
        expect([isUnfinished, strangers]).toEqual([false, []]);
        expect(agent.runtime.isOpen(runId)).toBe(true);
        expect((await listRuns(agent.journal)).map((it) => it.jobId)).toEqual(['a', undefined]);
      });
    },
  );
});
