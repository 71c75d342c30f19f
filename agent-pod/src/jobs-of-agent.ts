/** The jobs of an agent, joined to what serves them: its inbox, its runs, its ways to people, its budgets. */
import type { Agent } from '@retainer/contract/api/agent';
import { allowsTool } from '@retainer/contract/api/agent-tools';
import { DNS_LABEL_LENGTH_MAX, durationMs } from '@retainer/contract/api/fields';
import { API_VERSION } from '@retainer/contract/api/names';
import { Task } from '@retainer/contract/api/task';
import type { Clock } from '@retainer/contract/std/clock';
import { sha256Hex } from '@retainer/contract/std/hash';
import { utcMinute } from '@retainer/contract/std/utc-date';
import { scheduledTask } from '@retainer/contract/schedule/scheduled-task';
import type { JournalRecord } from '@retainer/journal/journal';
import { firingId, type Firing } from '@retainer/mind/parts/jobs/firing';
import type { JobState } from '@retainer/mind/parts/jobs/jobs';
import { faultText } from '@retainer/mind/parts/jobs/job-fault';
import { manifestChanges } from '@retainer/mind/parts/jobs/manifest-jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { planJobs, type JobLimits, type JobPlan } from '@retainer/mind/parts/jobs/plan-jobs';
import { scheduleChanges, scheduleJobId } from '@retainer/mind/parts/jobs/task-schedule';
import { SUGGESTION_COOL_DOWN_MS } from '@retainer/mind/parts/work/forecasts-due';
import { sessionOfJob, type Endeavour } from '@retainer/mind/parts/work/endeavour';
import type { WorkItem } from '@retainer/mind/parts/work/item';
import { overdueEndeavours, overdueItems } from '@retainer/mind/parts/work/work-lines';
import type { Work } from '@retainer/mind/parts/work/work-state';
import type { PartRecord } from '@retainer/mind/part/store';
import { followUps, type WorkFinding } from '@retainer/mind/self/follow-ups';
import { JOB_COMMAND_SOURCE } from '@retainer/mind/run/inbox';
import { originOfTask, type RunOrigin } from '@retainer/mind/run/run-cause';
import { admitRun, type Admission } from './admit-runs.ts';
import { runIdOfTask, scheduledOf } from './input/task-identity.ts';
import { rungWithin, type Bell } from './loop/bell.ts';
import { aroundOf } from './parts/jobs/scheduler.ts';
import { deliverReply } from './loop/deliver-reply.ts';
import type { DeliveryPort } from './ports/ports.ts';
import type { JobRunsPort, StateOfFiring } from './ports/job-runs.ts';

export interface JobParts {
  readonly admission: Admission;
  readonly clock: Clock;
  readonly delivery: DeliveryPort;
  /** Rung by records that may change what is due. */
  readonly bell: Bell;
  readonly isWritable: () => boolean;
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** Hexadecimal digits of a firing in the id of its run: two firings of one job collide once in a trillion. */
const RUN_ID_DIGITS = 10;
/** Of a Task that a person wants between moments. */
const WANTED_DIGITS = 8;
const MINUTE_MS = 60_000;
/** Characters of a job's id in the id of its run and in the name of its work. */
const NAME_CHARACTERS = 40;

export function jobLimitsOf({ scheduler, limits }: Agent['spec']): JobLimits {
  return {
    isEnabled: scheduler.enabled,
    idleAfterMs: durationMs(scheduler.idleAfter),
    maxDeferralMs: durationMs(scheduler.maxDeferral),
    peopleSlots: limits.concurrentRuns,
  };
}

export function jobRunsOf(parts: JobParts): JobRunsPort {
  const { admission, clock, bell, isWritable } = parts;
  const { runtime, definition } = admission;
  const restoredAtMs = (): number | undefined => runtime.known.secondCopy.restoring?.restoredMs;
  return {
    limits: jobLimitsOf(definition.agent.spec),
    isWorking: () => runtime.isReady && runtime.takesNewRuns && isWritable(),
    runIdOf: (firing) => runIdOf(firing),
    begin: (firing) => begin(parts, firing),
    stateOf: (runId): StateOfFiring => {
      if (runtime.isOpen(runId)) return 'UnderWay';
      const aside = runtime.asideRun(runId);
      if (aside === undefined) return 'Gone';
      return aside.isGivenUp ? 'GivenUp' : 'UnderWay';
    },
    cancel: async (runId, by, reason) => {
      await runtime.accept(`${runId}:job-cancelled`, JOB_COMMAND_SOURCE, { type: 'CancelRun', runId, by, reason });
    },
    notify: (firing, signal) => notify(parts, firing, signal),
    budgetWait: () => runtime.ownTimeWait(),
    usedAtMs: () => runtime.known.inbox.usedAtMs,
    takeManifest: () => takeManifest(parts),
    followUps: () => followUpsOf(parts),
    changed: (atMs, signal) => bellOrMoment(bell, clock, { atMs, signal }),
    wasRestoredAfter: (atMs) => atMs < (restoredAtMs() ?? -Infinity),
    restoredAtMs,
  };
}

/** Ends of runs, and the wall clock, may make a moment due. */
const DUE_KINDS: ReadonlySet<string> = new Set(['RunClosed', 'RunGivenUp', 'ClockJump']);

/** Whether a record may change what is due. */
export function changesWhatIsDue({ store, kind }: Pick<JournalRecord, 'store' | 'kind'>): boolean {
  return store === jobStore.name || DUE_KINDS.has(kind);
}

/** Longest single wait for a moment: the wall clock may step meanwhile. */
const WAIT_MS_MAX = 60_000;

function bellOrMoment(
  bell: Bell,
  clock: Clock,
  { atMs, signal }: { readonly atMs: number | undefined; readonly signal: AbortSignal },
): Promise<void> {
  if (atMs === undefined) return bell.rung(signal);
  return rungWithin(bell, Math.min(WAIT_MS_MAX, atMs - clock.nowMs()), { clock, signal }).then(() => undefined);
}

/** Still a name: it ends with no hyphen. */
const shortened = (jobId: string): string => jobId.slice(0, NAME_CHARACTERS).replace(/-+$/, '');

function runIdOf(firing: Firing): string {
  const { state } = firing;
  const made = madeTask(firing);
  if (made !== undefined) return runIdOfTask(made);
  return `job-${shortened(state.jobId)}-${sha256Hex(firingId(firing)).slice(0, RUN_ID_DIGITS)}`;
}

async function begin({ admission }: JobParts, firing: Firing & { readonly runId: string }): Promise<void> {
  const { runId } = firing;
  const { agent } = admission.definition;
  const made = madeTask(firing);
  if (firing.state.task !== undefined && made === undefined) throw new Error('its Task is none of this version');
  const task = made ?? workOf(agent, firing, sessionTokens(admission, firing));
  const origin = made === undefined ? originOf(firing) : originOfTask(made.metadata, scheduledOf(made));
  await admitRun(admission, task, { runId, originId: firingId(firing), source: JOB_COMMAND_SOURCE, origin });
}

/** The Task of one moment of a schedule, as the operator makes it on a cluster; undefined for any other job. */
function madeTask({ state, momentMs }: Firing): Task | undefined {
  if (state.task === undefined) return undefined;
  const at = { momentMs, moment: new Date(momentMs).toISOString(), runNumber: state.fired, isCancelled: false };
  const made = scheduledTask(state.task as unknown as Task, at);
  const name = momentMs % MINUTE_MS === 0 ? made.metadata.name : nameOfWanted(made.metadata.name, momentMs);
  return Task.safeParse({ apiVersion: API_VERSION, kind: 'Task', ...made, metadata: { ...made.metadata, name } }).data;
}

/** A moment that a person wants lies within a minute that may have a Task already. */
function nameOfWanted(name: string, momentMs: number): string {
  const digits = sha256Hex(String(momentMs)).slice(0, WANTED_DIGITS);
  return `${name.slice(0, DNS_LABEL_LENGTH_MAX - WANTED_DIGITS - 1).replace(/-+$/, '')}-${digits}`;
}

/** A job in the form of a Task: the words that a run begins with. */
function workOf(agent: Agent, { state, momentMs }: Firing, tokens: number | undefined): Task {
  const { job, jobId } = state;
  const { namespace, name } = agent.metadata;
  return Task.parse({
    apiVersion: API_VERSION,
    kind: 'Task',
    metadata: { namespace, name: `job-${shortened(jobId)}` },
    spec: {
      agentRef: { name },
      intent: job.words,
      context: contextOf(state, momentMs),
      budget: { wallClock: agent.spec.scheduler.jobTimeout, ...(tokens === undefined ? {} : { tokens }) },
      // Nobody waits at a job: what it must assume stands in its record.
      onNoAnswer: 'Proceed',
    },
  });
}

/** What the run of a work session may use; undefined for any other job. */
function sessionTokens({ runtime }: Admission, { state: { jobId } }: Firing): number | undefined {
  const { endeavours, over } = runtime.parts.known().work;
  return sessionOfJob([...endeavours.values(), ...over.values()], jobId)?.maxTokens;
}

function contextOf({ job, jobId, resultDigest, because = [] }: JobState, momentMs: number): string {
  const lines = [`This is your job ${jobId}, for the moment ${utcMinute(momentMs)} UTC. No person waits at it.`];
  if (because.length > 0) lines.push(`It follows from ${because.join(', ')}.`);
  if (job.onlyIfChanged && resultDigest !== undefined)
    lines.push('If nothing differs from your last result, answer with the one word: unchanged');
  return lines.join('\n');
}

function originOf({ state, momentMs }: Firing): RunOrigin {
  const { job, jobId, maker, label, principal, resultDigest, named } = state;
  const addresses = named === undefined ? {} : { named };
  const digest = job.onlyIfChanged && resultDigest !== undefined ? { lastResultDigest: resultDigest } : {};
  return {
    cause: {
      ...{ kind: 'Job', jobId, momentMs, maker: maker.kind },
      ...(job.requiredTools.length === 0 ? {} : { requiredTools: [...job.requiredTools] }),
      ...digest,
      ...addresses,
    },
    replyTo: { channel: 'Notice', target: jobId },
    conversation: `job/${jobId}`,
    ...(principal === undefined ? {} : { principal }),
    label,
  };
}

async function notify({ clock, delivery, onNotice }: JobParts, firing: Firing, signal: AbortSignal): Promise<void> {
  const { jobId, job } = firing.state;
  const deliveryId = `notice-${jobId}-${firing.momentMs}`;
  const body = { outcome: 'Reminder', summary: job.words };
  const reply = { deliveryId, channel: 'Notice', runId: deliveryId, target: jobId, body } as const;
  await deliverReply(reply, { clock, delivery, ...(onNotice === undefined ? {} : { onNotice }) }, signal);
}

/** None while work of its own has to wait, or is not wanted. */
function followUpsOf({ admission: { runtime, definition }, clock }: JobParts): readonly PartRecord[] {
  const { scheduler, upkeep } = definition.agent.spec;
  const nowMs = clock.nowMs();
  if (!scheduler.enabled || runtime.ownTimeWait() !== undefined) return [];
  const { jobs, work } = runtime.parts.known();
  const found = upkeep.forecaster.enabled ? workFindings(work, nowMs) : [];
  const { maxJobs } = scheduler;
  const { runFigures, denials } = runtime.known;
  return followUps({ jobs, runFigures, refusedRuns: denials.runs, work: found, maxJobs }, nowMs);
}

function workFindings(work: Work, nowMs: number): readonly WorkFinding[] {
  const suggested = [...work.items.values(), ...work.endeavours.values()].filter(
    ({ forecast }) => forecast?.suggestedAtMs !== undefined && nowMs - forecast.suggestedAtMs < SUGGESTION_COOL_DOWN_MS,
  );
  return [
    ...suggested.map((it) => ({ id: idOfWork(it), what: 'NeedsNewPlan' }) as const),
    ...overdueItems(work, nowMs).map(({ itemId }) => ({ id: itemId, what: 'Overdue' }) as const),
    ...overdueEndeavours(work, nowMs).map(({ endeavourId }) => ({ id: endeavourId, what: 'Overdue' }) as const),
  ];
}

function idOfWork(it: WorkItem | Endeavour): string {
  return 'itemId' in it ? it.itemId : it.endeavourId;
}

/** A faulty entry is told, and changes nothing; the others are kept. */
async function takeManifest({ admission, clock, onNotice }: JobParts): Promise<void> {
  const { runtime, definition, registry } = admission;
  const { scheduler, tools } = definition.agent.spec;
  const parts = runtime.partsFor('Manifests');
  const allowed = registry.names.filter((name) => allowsTool(tools, name));
  const { records, faults } = manifestChanges(parts.known().jobs, scheduler, { nowMs: clock.nowMs(), tools: allowed });
  for (const fault of faults) onNotice?.(faultText(fault));
  await parts.write(records);
}

/** Keeps the schedule of a Task where no operator does. The same Task again changes nothing. @returns the id of the job */
export async function registerSchedule({ runtime }: Pick<Admission, 'runtime'>, task: Task): Promise<string> {
  const jobId = scheduleJobId(task);
  const parts = runtime.partsFor('Manifests');
  await parts.write(scheduleChanges(parts.known().jobs.byId.get(jobId), task));
  return jobId;
}

/** What jobs come to at a moment, milliseconds since 1970. Undefined while the agent may begin nothing. */
export function planAt({ runtime }: Pick<Admission, 'runtime'>, jobs: JobRunsPort, nowMs: number): JobPlan | undefined {
  return jobs.isWorking() ? planJobs(runtime.parts.known().jobs, aroundOf(jobs, nowMs)) : undefined;
}
