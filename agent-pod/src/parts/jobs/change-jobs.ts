/** The tools that change jobs of the agent, end them, or clear the list of those that are over. */
import { faultText } from '@retainer/mind/parts/jobs/job-fault';
import { isLasting, type JobState } from '@retainer/mind/parts/jobs/jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { changeJob } from '@retainer/mind/parts/jobs/read-job';
import { recordIn } from '@retainer/mind/part/record-in';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { z } from 'zod';
import {
  aroundJobs,
  changedLabel,
  done,
  failed,
  isOfPeople,
  JobId,
  namedIn,
  jobNamed,
  jobsSeen,
  ownJob,
  writingTool,
  type JobCall,
} from './job-tool.ts';
import { timingWords } from './job-words.ts';
import { at, duration, inSoLong, name, recurring, rolesOf, tags, timeZone, words } from './job-fields.ts';
import type { ToolOutput } from '../../tools/tool.ts';

/** Characters of a reason that stands in the record. */
const REASON_CHARACTERS_MAX = 1000;

/** Fields of a recurring job. */
const RECURRING = ['cron', 'until', 'runsMax', 'catchUp', 'requiredTools', 'onlyIfChanged'] as const;

const Reason = z.string().min(1).max(REASON_CHARACTERS_MAX);

export const updateItem = writingTool({
  name: 'update_item',
  description: 'Changes a job of yours: the fields that you give, and no others. What it is and for whom stays.',
  input: z.strictObject({
    id: JobId,
    words: words.optional().describe('The work, or what a person reads.'),
    name: name.unwrap().optional().describe('Another name; the id stays.'),
    at,
    in: inSoLong,
    timeZone: timeZone.unwrap().optional().describe('Of the moments that you give, or of cron.'),
    duration: duration.optional(),
    tags,
    ...{ ...recurring, catchUp: recurring.catchUp.unwrap().optional().describe('What becomes of missed moments.') },
  }),
  verb: 'changes the job',
  object: 'id',
  roles: { id: 'Target', ...rolesOf('words', 'name', 'at', 'in', 'timeZone', 'duration', 'tags', ...RECURRING) },
  act: async ({ id, ...changes }, call) => {
    const own = ownJob(id, call);
    if ('why' in own) return failed(own.why);
    const { jobId } = own.job;
    const changed = changeJob(own.job.job, changes, aroundJobs(call, jobId));
    if (!changed.ok) return failed(faultText(changed.error));
    const { parts, runId, cycleId, nowMs } = call.context;
    const named = namedIn(changed.value, [...(own.job.named ?? []), ...call.context.named]);
    const payload = { jobId, job: changed.value, label: changedLabel(own.job, call), ...named };
    await parts.write([recordIn(jobStore, 'JobChanged', payload, { runId, cycleId })]);
    return done(`changed ${id}: ${timingWords(changed.value, nowMs())}`);
  },
  found: ({ id, ...changes }, call) => {
    const own = ownJob(id, call);
    if ('why' in own) return undefined;
    const { jobId } = own.job;
    const changed = changeJob(own.job.job, changes, aroundJobs(call, jobId));
    if (!changed.ok || canonicalJson(changed.value) !== canonicalJson(own.job.job)) return undefined;
    return done(`changed ${id}: ${timingWords(changed.value, call.context.nowMs())}`);
  },
});

export const cancelItem = writingTool({
  name: 'cancel_item',
  description: 'Ends a job of yours before its time: none of its moments comes any more. A run under way goes on.',
  input: z.strictObject({ id: JobId, reason: Reason.describe('Why it is no longer needed.') }),
  verb: 'ends the job',
  object: 'id',
  roles: { id: 'Target', reason: 'Content' },
  act: async ({ id, reason }, call) => {
    const own = ownJob(id, call);
    if ('why' in own) return failed(own.why);
    const { parts, runId, cycleId } = call.context;
    await parts.write([recordIn(jobStore, 'JobCancelled', { jobId: own.job.jobId, reason }, { runId, cycleId })]);
    return done(`cancelled ${id}`);
  },
  found: ({ id, reason }, call) => endedAs('Cancelled', { id, reason }, call, `cancelled ${id}`),
});

export const completeItem = writingTool({
  name: 'complete_item',
  description:
    'Marks a todo, a reminder or an appointment of yours as done. A recurring job is not done: cancel_item ends it.',
  input: z.strictObject({ id: JobId, result: Reason.describe('What came of it.') }),
  verb: 'marks as done the job',
  object: 'id',
  roles: { id: 'Target', result: 'Content' },
  act: async ({ id, result: reason }, call) => {
    const own = ownJob(id, call);
    if ('why' in own) return failed(own.why);
    if (own.job.job.kind === 'Recurring')
      return failed(`${id} is a recurring job, and no run completes it: cancel_item ends it.`);
    const { parts, runId, cycleId } = call.context;
    await parts.write([
      recordIn(jobStore, 'JobOver', { jobId: own.job.jobId, status: 'Done', reason }, { runId, cycleId }),
    ]);
    return done(`${id} is done`);
  },
  found: ({ id, result }, call) => endedAs('Done', { id, reason: result }, call, `${id} is done`),
});

function endedAs(
  status: JobState['status'],
  { id, reason }: { readonly id: string; readonly reason: string },
  { context }: JobCall,
  told: string,
): ToolOutput | undefined {
  const job = jobNamed(jobsSeen(context), id);
  const isEnded = job?.status === status && job.statusReason === reason && job.statusBy === undefined;
  return isEnded ? done(told) : undefined;
}

/** Of the agent, and over. People's stay listed: what a person cancelled must not come back. So do follow-ups, by which they are counted. */
function purgeable({ context }: JobCall): readonly JobState[] {
  const all = [...jobsSeen(context).byId.values()];
  return all.filter((job) => !isLasting(job) && !isOfPeople(job) && job.source !== 'FollowUp');
}

export const purgeCancelled = writingTool({
  name: 'purge_cancelled',
  description: 'Takes your jobs that are over out of every list. The record keeps them.',
  input: z.strictObject({}),
  verb: 'takes jobs of the agent that are over out of its list',
  roles: {},
  act: async (_input, call) => {
    const over = purgeable(call);
    const { parts, runId, cycleId } = call.context;
    await parts.write(over.map(({ jobId }) => recordIn(jobStore, 'JobPurged', { jobId }, { runId, cycleId })));
    return done(`${over.length} jobs that are over are no longer listed.`);
  },
  // How many there were is no longer known.
  found: () => undefined,
});
