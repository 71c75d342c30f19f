/** What `retainer run` does with jobs, on a real agent. */
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { StoryLine } from '@retainer/mind/part/story';
import { describe, expect } from 'vitest';
import { agentDefinition, inTemporaryDirectory, scripted, task } from '../../test/support/agents.ts';
import { HeardRecords } from '../../test/support/heard-records.ts';
import { openedAgent } from '../../test/support/opened-agent.ts';
import { jobOfPeople } from '../../test/support/job-words.ts';
import { holdScript } from '../../test/support/runs.ts';
import { verifies } from '../../test/verifies.ts';
import { JobsAtWork } from './jobs-at-work.ts';
import { runTasks, type TasksEnd } from './run-tasks.ts';
import { TaskBoard } from './task-board.ts';

interface Scene {
  readonly agent: OpenedAgent;
  readonly jobs: JobsAtWork;
  readonly printed: string[];
  readonly heard: HeardRecords;
  /** As one of its tools makes it, of a person's words. */
  readonly make: (jobId: string, atMs: number, more?: object) => Promise<void>;
  readonly run: (left?: boolean) => Promise<TasksEnd & { readonly strangers: readonly string[] }>;
}

async function atWork(use: (scene: Scene) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (dataDirectory) => {
    const printed: string[] = [];
    const heard = new HeardRecords();
    const output = {
      note: (text: string) => void printed.push(text),
      lines: (lines: readonly StoryLine[]) => void printed.push(...lines.map(({ text }) => text)),
    };
    const jobs = new JobsAtWork({ output, isEnabled: true, staysUp: false });
    const agent = await openedAgent({
      definition: agentDefinition({ scheduler: { idleAfter: '0s' } }),
      dataDirectory,
      model: await scripted(holdScript),
      onRecord: (record) => {
        heard.take(record);
        jobs.take(record);
      },
    });
    jobs.attach(agent);
    const make: Scene['make'] = (jobId, atMs, more = {}) => {
      const job = { for: 'Person', kind: 'Reminder', when: { type: 'Moment', atMs }, ...more } as const;
      const payload = jobOfPeople(jobId, job, { source: 'Tool', maker: { kind: 'Person' } });
      return agent.runtime.partsFor('Tools').write([{ store: 'job', kind: 'JobCreated', payload }]);
    };
    const run: Scene['run'] = async (leaves = false) => {
      const strangers: string[] = [];
      const waits = async (runId: string) => {
        await heard.until('ApprovalRequested');
        return { end: 'AwaitingApproval', why: `Decide on ${runId}.` } as const;
      };
      const end = await runTasks({
        ...{ agent, jobs, board: new TaskBoard([task('one', 'work')]), concurrentMax: 2, staysUp: false },
        ...{ onStart: () => undefined, onIdle: () => undefined, signal: new AbortController().signal },
        onStranger: (_, runId) => strangers.push(runId),
        ...(leaves ? { left: waits } : {}),
      });
      return { ...end, strangers };
    };
    try {
      await use({ agent, jobs, printed, heard, make, run });
    } finally {
      await agent.close();
    }
  });
}

describe('a command that does not stay', () => {
  verifies('cli-jobs:at-work', 'serves what is due beside its Tasks, tells it, and counts it nowhere', () =>
    atWork(async ({ make, run, printed, jobs }) => {
      await make('milk', Date.now() - 1, { words: 'Buy milk.' });
      await make('tidy', Date.now() - 1, { for: 'Agent' });
      const { results, isUnfinished, strangers } = await run();
      expect(results.map((it) => `${it.task} ${it.end}`)).toEqual(['one Succeeded']);
      expect({ isUnfinished, strangers }).toEqual({ isUnfinished: false, strangers: [] });
      const text = printed.join('\n');
      expect(text).toMatch(/^REMINDER {2}job milk, for .*\n {2}Buy milk\.$/m);
      expect(text).toMatch(/^SUCCEEDED {2}job tidy, for .*\n {2}done$/m);
      expect(jobs.notices.map(({ jobId, outcome }) => `${jobId} ${outcome}`).toSorted()).toEqual([
        'milk Reminder',
        'tidy Succeeded',
      ]);
    }),
  );

  verifies('cli-jobs:at-work', 'waits for no later moment, and says when that is', () =>
    atWork(async ({ make, run, printed, jobs }) => {
      await make('later', Date.now() + 3_600_000);
      await run();
      const nowMs = Date.now();
      expect(jobs.isBusy(nowMs)).toBe(false);
      expect(jobs.isBusy(nowMs + 3_600_000)).toBe(true);
      jobs.tellNext(nowMs);
      expect(printed.at(-1)).toMatch(
        /^next later at \S+ \S+ UTC, in (?:59 min \d\d s|1 h 00 min); --watch waits for it$/,
      );
      const count = printed.length;
      jobs.tellNext(nowMs);
      expect(printed).toHaveLength(count);
      expect(jobs.data()).toMatchObject({ jobs: { notices: [], next: { jobId: 'later' } } });
    }),
  );

  verifies('cli-jobs:at-work', 'leaves a run of a job that waits for a person, and says what to do', () =>
    atWork(async ({ make, run, printed, agent }) => {
      await make('hold', Date.now() - 1, { for: 'Agent', words: 'hold' });
      const { results, isUnfinished } = await run(true);
      expect([results.length, isUnfinished]).toEqual([1, false]);
      // The archive of the Task may still be open beside it.
      const open = agent.runtime.openRuns().find(({ spec }) => spec.cause.kind === 'Job');
      expect(printed).toContain(`job-hold: run ${open?.spec.runId} waits for a person. Decide on ${open?.spec.runId}.`);
    }),
  );
});
