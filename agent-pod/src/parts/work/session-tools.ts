/**
 * Tools for the work sessions of endeavours. A session is a job of the agent's own at one moment: it begins like every job, within the
 * budget of the scheduler, and its run carries the label of whoever scheduled it.
 */
import { utcMinute } from '@retainer/contract/std/utc-date';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { PartRecord } from '@retainer/mind/part/store';
import { recordIn } from '@retainer/mind/part/record-in';
import type { JobDefinition } from '@retainer/mind/parts/jobs/job';
import { faultText } from '@retainer/mind/parts/jobs/job-fault';
import { newJobId } from '@retainer/mind/parts/jobs/job-names';
import { isLasting, lastingJobs } from '@retainer/mind/parts/jobs/jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { readJob } from '@retainer/mind/parts/jobs/read-job';
import { cancelSession, scheduleSession, sessionOf } from '@retainer/mind/parts/work/decide-endeavour';
import { nextSession, SessionLimits, type Endeavour } from '@retainer/mind/parts/work/endeavour';
import { whyChangeAsks, type NewSession } from '@retainer/mind/parts/work/endeavour-asks';
import { sessionStatus } from '@retainer/mind/parts/work/end-of-run';
import { anyEndeavour, openEndeavour } from '@retainer/mind/parts/work/operation';
import { Sentence } from '@retainer/mind/parts/work/texts';
import { endeavourOf } from '@retainer/mind/parts/work/work-state';
import { z } from 'zod';
import type { ToolContext, ToolDescriptor } from '../../tools/tool.ts';
import { aroundJobs } from '../jobs/job-tool.ts';
import { changing, EndeavourId, momentOf, MomentText, present, telling, type Given } from './work-tool.ts';

const scheduleWorkSession = changing({
  name: 'schedule_work_session',
  description:
    'Schedules a work session of an endeavour: at that moment you begin by yourself, with the focus as your task. More sessions or tokens than planned need a person.',
  input: z.strictObject({
    endeavourId: EndeavourId,
    at: MomentText,
    focus: Sentence.describe('What is to be done then, so that it can be understood alone.'),
    phaseId: z.string().max(20).optional().describe('The phase that it is for, as p1.'),
    maxTokens: SessionLimits.shape.maxTokens
      .optional()
      .describe('Tokens after which it ends. Absent: as the endeavour has it.'),
  }),
  arguments: {
    endeavourId: 'Target',
    at: 'Target',
    focus: 'Content',
    phaseId: 'Target',
    maxTokens: 'Target',
  },
  target: 'endeavourId',
  verb: { verb: 'schedules a session of the endeavour', object: 'endeavourId', text: 'focus' },
  actsLater: true,
  asks: ({ endeavourId, maxTokens }, work) =>
    whyChangeAsks(work, endeavourId, { kind: 'Schedule', session: present({ maxTokens }) }),
  make: ({ at, ...said }, given) => {
    const moment = momentOf('at', at, given.jobs);
    if (!moment.ok) return err(moment.error);
    return scheduled({ ...present(said), atMs: moment.value }, at, given);
  },
  told: (_input, work, id) => {
    const sessions = endeavourOf(work, id)?.sessions ?? [];
    const newest = sessions.at(-1);
    return newest === undefined
      ? `${id} has no session`
      : `session ${newest.sessionId} of ${id}: ${utcMinute(newest.atMs)}`;
  },
});

/** The job, then its session: after a crash between them the same call finds its job, and only the session is written. */
function scheduled(session: NewSession, at: string, given: Given): Result<readonly PartRecord[], string> {
  const { making } = given;
  const found = openEndeavour(making.work, session.endeavourId);
  if (!found.ok) return found;
  const { jobs } = given.context.parts.known();
  const { callId, label, runId, cycleId } = making;
  const before = lastingJobs(jobs).find((it) => it.callId === callId);
  if (before !== undefined) return scheduleSession(making, session, before.jobId);
  const job = jobOf(found.value, session, at, given);
  if (!job.ok) return job;
  const jobId = newJobId(jobs, { kind: job.value.kind, callId });
  const operation = scheduleSession(making, session, jobId);
  if (!operation.ok) return operation;
  const made = { jobId, job: job.value, source: 'Tool', maker: { kind: 'Agent', runId }, label, callId } as const;
  return ok([recordIn(jobStore, 'JobCreated', made, { runId, cycleId }), ...operation.value]);
}

function jobOf(
  endeavour: Endeavour,
  session: NewSession,
  at: string,
  { context, jobs }: Given,
): Result<JobDefinition, string> {
  const { endeavourId } = endeavour;
  const { sessionId, focus } = sessionOf(endeavour, session);
  const read = readJob(
    {
      kind: 'Reminder',
      for: 'Agent',
      name: `session-${sessionId}-of-${endeavourId}`,
      words: `Work session ${sessionId} of the endeavour ${endeavourId}. ${focus}`,
      at,
      catchUp: 'Once',
      tags: [`endeavour:${endeavourId}`, `session:${sessionId}`],
    },
    aroundJobs({ context, settings: jobs }),
  );
  return read.ok ? read : err(faultText(read.error));
}

const cancelWorkSession = changing({
  name: 'cancel_work_session',
  description: 'Cancels a session that has not begun, and its job.',
  input: z.strictObject({
    endeavourId: EndeavourId,
    sessionId: z.string().max(20).describe('As s1.'),
    reason: Sentence.describe('Why.'),
  }),
  arguments: { endeavourId: 'Target', sessionId: 'Target', reason: 'Content' },
  target: 'endeavourId',
  verb: { verb: 'cancels a session of the endeavour', object: 'endeavourId', text: 'reason' },
  make: (said, { making, context }) => {
    const operation = cancelSession(making, said);
    if (!operation.ok) return operation;
    const session = endeavourOf(making.work, said.endeavourId)?.sessions.find((it) => it.sessionId === said.sessionId);
    const job = session?.jobId === undefined ? undefined : context.parts.known().jobs.byId.get(session.jobId);
    if (job?.open !== undefined) return err(`sessionId: ${said.sessionId} is under way; it ends with its run.`);
    if (job === undefined || !isLasting(job)) return operation;
    const { runId, cycleId } = making;
    const cancelled = { jobId: job.jobId, reason: said.reason };
    return ok([recordIn(jobStore, 'JobCancelled', cancelled, { runId, cycleId }), ...operation.value]);
  },
  told: ({ sessionId }, _work, id) => `session ${sessionId} of ${id} is cancelled`,
});

const listWorkSessions = telling({
  name: 'list_work_sessions',
  description:
    'Shows the sessions of an endeavour, newest last: when, how they went, what they used. Their words are in get_endeavour_detail.',
  input: z.strictObject({ endeavourId: EndeavourId }),
  target: 'endeavourId',
  tell: ({ endeavourId }, context) => {
    const { work } = context.parts.known();
    const found = anyEndeavour(work, endeavourId);
    if (!found.ok) return { isError: true, text: found.error, shows: [] };
    return { text: sessionLines(found.value, context).join('\n'), shows: [] };
  },
});

/** Numbers, moments and ids of ours. */
export function sessionLines(endeavour: Endeavour, { parts }: Pick<ToolContext, 'parts'>): readonly string[] {
  const { sessions, sessionsMade, endeavourId } = endeavour;
  if (sessions.length === 0) return [`${endeavourId} has no session`];
  const { jobs } = parts.known();
  const next = nextSession(endeavour);
  const older = sessionsMade - sessions.length;
  return [
    ...(older > 0 ? [`${older} older sessions are in the record alone`] : []),
    ...sessions.map((session) => {
      const { sessionId, atMs, phaseId, cycles, tokens, maxTokens } = session;
      const where = phaseId === undefined ? '' : `, phase ${phaseId}`;
      const used = `${cycles} cycles, ${tokens} of ${maxTokens} tokens`;
      const mark = sessionId === next?.sessionId ? ' (next)' : '';
      return `${sessionId} ${sessionStatus(session, jobs)} ${utcMinute(atMs)}${where}: ${used}${mark}`;
    }),
  ];
}

export const sessionTools: readonly ToolDescriptor[] = [scheduleWorkSession, cancelWorkSession, listWorkSessions];
