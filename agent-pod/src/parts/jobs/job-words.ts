/** How a job is told to a model: its moments in its own zone, and as the clock of the world has them. */
import type { JobDefinition } from '@retainer/mind/parts/jobs/job';
import type { JobState } from '@retainer/mind/parts/jobs/jobs';
import { nextMomentMs } from '@retainer/mind/parts/jobs/moments-of-job';
import { deferralText } from '@retainer/mind/parts/jobs/plan-jobs';
import { instantText, spanText } from '@retainer/mind/parts/jobs/read-job';

/** `2026-12-01T07:00:00Z`, and where the zone is another one `= 2026-12-01 08:00:00 Europe/Berlin`. */
export function momentWords(atMs: number, timeZone: string): string {
  return timeZone === 'UTC' ? instantText(atMs) : `${instantText(atMs)} = ${localWords(atMs, timeZone)} ${timeZone}`;
}

/** `2026-12-01 08:00:00`. */
export function localWords(atMs: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(atMs);
}

/** When a job comes. @param servedMs  moments up to this one are over */
export function timingWords(job: JobDefinition, servedMs: number): string {
  const { kind, when } = job;
  const whom = kind === 'Todo' ? '' : ` for ${job.for === 'Agent' ? 'you' : 'a person'}`;
  return `${kind}${whom}, ${momentsWords(job, servedMs)}${when.type === 'Cron' ? limitWords(when) : ''}`;
}

function momentsWords(job: JobDefinition, servedMs: number): string {
  const { when } = job;
  switch (when.type) {
    case 'Open':
      return when.dueAtMs === undefined ? 'without a due date' : `due ${instantText(when.dueAtMs)}`;
    case 'Moment': {
      const lasts = job.durationMs === undefined ? '' : ` for ${spanText(job.durationMs)}`;
      return `at ${instantText(when.atMs)}${lasts}`;
    }
    case 'Cron': {
      const nextMs = nextMomentMs({ job, servedMs });
      const next = nextMs === undefined ? 'no moment left' : `next ${momentWords(nextMs, when.timeZone)}`;
      return `"${when.cron}" in ${when.timeZone}, ${next}`;
    }
  }
}

function limitWords({ untilMs, runsMax }: { readonly untilMs?: number; readonly runsMax?: number }): string {
  const until = untilMs === undefined ? '' : `, until ${instantText(untilMs)}`;
  return `${until}${runsMax === undefined ? '' : `, ${runsMax} times at most`}`;
}

/** Characters of a job's words in a list. */
const LISTED_CHARACTERS = 100;

/** One line. Words of strangers are not in it, so a list of jobs is the agent's own record. */
export function listedWords(state: JobState): string {
  const { jobId, job, label, status, servedMs } = state;
  const words = job.words.length > LISTED_CHARACTERS ? `${job.words.slice(0, LISTED_CHARACTERS)}…` : job.words;
  const shown = label.trust === 'Trusted' ? JSON.stringify(words) : 'words of others, which inspect_job shows';
  const whose = state.maker.kind === 'Person' ? 'of people' : 'yours';
  return `${jobId} (${whose}, ${status}): ${timingWords(job, servedMs)}: ${shown}`;
}

/** Everything that is known of it, one thing a line. */
export function wholeWords(state: JobState): string {
  const { job, open, last, deferred, statusReason, statusBy, because = [], reason } = state;
  const outcome = last === undefined ? 'none yet' : `${last.outcome} at ${instantText(last.momentMs)}`;
  const lines = [
    `${state.jobId}: ${timingWords(job, state.servedMs)}`,
    `name ${job.name}, made ${instantText(state.createdAtMs)} by ${makerWords(state)}`,
    `status ${state.status}${statusBy === undefined ? '' : `, as ${statusBy} said: ${statusReason ?? ''}`}`,
    `words ${JSON.stringify(job.words)}`,
    `fired ${state.fired}, failed ${state.failed}, skipped ${state.skipped}; last outcome ${outcome}${last?.why === undefined ? '' : `: ${last.why}`}`,
    ...(open === undefined
      ? []
      : [`under way for ${instantText(open.momentMs)}${open.runId === undefined ? '' : ` as run ${open.runId}`}`]),
    ...(deferred === undefined ? [] : [`waits with ${instantText(deferred.momentMs)}: ${deferralText(deferred)}`]),
    ...(reason === undefined ? [] : [`it is there because ${reason}`]),
    ...(because.length === 0 ? [] : [`it follows from ${because.join(', ')}`]),
    ...settingWords(job),
  ];
  return lines.join('\n');
}

function makerWords({ maker, source }: JobState): string {
  const who = maker.kind === 'Person' ? 'a person' : 'you';
  const where = { Manifest: ' in the manifest', Task: ' with a Task', Tool: '', FollowUp: ' as a follow-up' }[source];
  return `${who}${where}${maker.runId === undefined ? '' : ` in run ${maker.runId}`}`;
}

function settingWords({ catchUp, requiredTools, onlyIfChanged, tags }: JobDefinition): readonly string[] {
  return [
    `catch-up ${catchUp}`,
    ...(requiredTools.length === 0 ? [] : [`a run has to call ${requiredTools.join(', ')}`]),
    ...(onlyIfChanged ? ['delivered only if it differs from the last result'] : []),
    ...(tags.length === 0 ? [] : [`tags ${tags.map((tag) => JSON.stringify(tag)).join(', ')}`]),
  ];
}
