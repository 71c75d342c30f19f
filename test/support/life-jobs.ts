/** The calendar of a generated life: what may be asked for later, and the looks that serve it, as the scheduler takes them. */
import type { AgentRuntime } from '@retainer/agent-pod/loop/agent-runtime';
import { firingId, type Firing } from '@retainer/mind/parts/jobs/firing';
import type { JobMaker } from '@retainer/mind/parts/jobs/job';
import { isLasting, type JobState } from '@retainer/mind/parts/jobs/jobs';
import { planJobs } from '@retainer/mind/parts/jobs/plan-jobs';
import { recordOfStep } from '@retainer/mind/parts/jobs/record-of-step';
import { JOB_COMMAND_SOURCE, type Command } from '@retainer/mind/run/inbox';
import type { RunSpec } from '@retainer/mind/run/event';
import type { RunOrigin } from '@retainer/mind/run/run-cause';
import { jobWords, OF_PERSON, type Words } from './job-words.ts';
import type { JobOfLife, Step } from './life-steps.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const hourly = { type: 'Cron', cron: '@hourly', timeZone: 'UTC' } as const;

interface Asked {
  readonly job: (nowMs: number) => Words;
  readonly maker: JobMaker['kind'];
}

const asked: Readonly<Record<JobOfLife, Asked>> = {
  call: { job: (nowMs) => ({ when: { type: 'Moment', atMs: nowMs + 30 * MINUTE_MS } }), maker: 'Agent' },
  errand: {
    job: (nowMs) => ({ for: 'Agent', when: { type: 'Moment', atMs: nowMs + 10 * MINUTE_MS } }),
    maker: 'Agent',
  },
  tea: { job: (nowMs) => ({ kind: 'Todo', when: { type: 'Open', dueAtMs: nowMs + 45 * MINUTE_MS } }), maker: 'Agent' },
  news: { job: () => ({ kind: 'Recurring', when: hourly, catchUp: 'Skip' }), maker: 'Person' },
  watch: { job: () => ({ kind: 'Recurring', for: 'Agent', when: hourly }), maker: 'Agent' },
};

interface Made {
  readonly jobId: string;
  readonly kind: JobOfLife;
  readonly nowMs: number;
}

/** The job of a step, once: the same step again changes nothing. */
export async function makeJob(runtime: AgentRuntime, { jobId, kind, nowMs }: Made): Promise<void> {
  if (runtime.parts.known().jobs.byId.has(jobId)) return;
  const { job, maker } = asked[kind];
  const made = { source: 'Tool', maker: { kind: maker }, label: OF_PERSON };
  const payload = { jobId, job: jobWords({ name: jobId, ...job(nowMs) }), ...made };
  await runtime.parts.write([{ store: 'job', kind: 'JobCreated', payload }]);
}

/** About the oldest job of which it says something new. */
export function wordOn(runtime: AgentRuntime, word: Extract<Step, { does: 'Word' }>['word']): Command | undefined {
  const holds = { PauseJob: isActive, ResumeJob: (it: JobState) => it.status === 'Paused', CancelJob: isLasting }[word];
  const found = [...runtime.parts.known().jobs.byId.values()].find(holds);
  return found === undefined ? undefined : { type: word, jobId: found.jobId, reason: 'as we said', by: 'ann' };
}

const isActive = ({ status }: JobState): boolean => status === 'Active';

/** Makes the run of a firing. */
type SpecOf = (runId: string, origin: RunOrigin) => RunSpec;

/** One look at all jobs: serves what is open, and does what the plan says. @returns whether there was anything to do */
export async function lookAtJobs(runtime: AgentRuntime, nowMs: number, specOf: SpecOf): Promise<boolean> {
  const { jobs } = runtime.parts.known();
  let isBusy = false;
  // Words to people first: a run that a crash has cut goes on before anybody looks.
  const states = [...jobs.byId.values()].toSorted((a, b) => runsOpen(a) - runsOpen(b));
  for (const state of states)
    if (state.open !== undefined && (await serve(runtime, state, state.open.momentMs, specOf))) isBusy = true;
  const { usedAtMs } = runtime.known.inbox;
  const limits = { isEnabled: true, idleAfterMs: 45 * MINUTE_MS, maxDeferralMs: HOUR_MS, peopleSlots: 3 };
  const { steps } = planJobs(jobs, { nowMs, limits, ...(usedAtMs === undefined ? {} : { usedAtMs }) });
  await runtime.parts.write(steps.map((step) => recordOfStep(step, jobs.byId.get(step.jobId), runIdOf)));
  return isBusy || steps.length > 0;
}

const runIdOf = ({ state, momentMs }: Firing): string => `works-${state.jobId}-${momentMs}`;

const runsOpen = ({ open }: JobState): number => (open?.runId === undefined ? 0 : 1);

async function serve(runtime: AgentRuntime, state: JobState, momentMs: number, specOf: SpecOf): Promise<boolean> {
  const { jobId, maker, label, open } = state;
  if (open?.runId === undefined) {
    const payload = { jobId, momentMs, outcome: 'Delivered' };
    await runtime.parts.write([{ store: 'job', kind: 'JobEnded', payload }]);
    return true;
  }
  const origin: RunOrigin = {
    cause: { kind: 'Job', jobId, momentMs, maker: maker.kind },
    ...{ replyTo: { channel: 'Notice', target: jobId }, conversation: `job/${jobId}`, label },
  };
  const command = { type: 'StartRun', spec: specOf(open.runId, origin) } as const;
  return runtime.accept(firingId({ state, momentMs }), JOB_COMMAND_SOURCE, command);
}
