/** The tools that tell the time and the jobs, and change nothing. */
import { joinAll, type Label } from '@retainer/mind/gate/provenance/label';
import type { DeclaredFacts } from '@retainer/mind/gate/tool-facts';
import { isLasting, type JobState } from '@retainer/mind/parts/jobs/jobs';
import { nextMomentMs } from '@retainer/mind/parts/jobs/moments-of-job';
import { instantText } from '@retainer/mind/parts/jobs/read-job';
import { isTimeZone } from '@retainer/contract/schedule/schedule-fault';
import { z } from 'zod';
import { ownFacts, reading, touchesNothing } from '../../tools/plain-tool.ts';
import type { JobSettings, ToolDescriptor, ToolOutput } from '../../tools/tool.ts';
import { DEFAULT_SETTINGS, done, failed, JobId, jobNamed, jobsSeen, unknownJob } from './job-tool.ts';
import { JOB_KINDS } from '@retainer/mind/parts/jobs/job';
import { listedWords, localWords, wholeWords } from './job-words.ts';
import { timeZone } from './job-fields.ts';

/** Jobs of one answer: more than anybody keeps in mind. */
const LISTED_MAX = 50;

const Zone = z.strictObject({ timeZone });

export const getCurrentDatetime: ToolDescriptor<z.infer<typeof Zone>> = {
  facts: {
    ...ownFacts,
    name: 'get_current_datetime',
    effectClass: 0,
    target: { kind: 'Place', parts: [] },
  },
  offer: ({ jobs: settings = DEFAULT_SETTINGS }) => ({
    description: 'The date and the time at this moment, in UTC and in a time zone.',
    input: Zone,
    touches: touchesNothing,
    ...reading((input: z.infer<typeof Zone>, { nowMs }) => Promise.resolve(now(input.timeZone, settings, nowMs()))),
  }),
};

function now(asked: string | undefined, settings: JobSettings, nowMs: number): ToolOutput {
  const zone = asked ?? settings.timeZone;
  if (!isTimeZone(zone))
    return failed(`timeZone is ${JSON.stringify(zone)}, which is no time zone: give a name as Europe/Berlin or UTC.`);
  const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: zone }).format(nowMs);
  return done(`${instantText(nowMs)}; in ${zone} it is ${day}, ${localWords(nowMs, zone)}`);
}

/** The outcome carries the label of the jobs whose words it shows. @param target  the argument that names what is asked for */
function tellingFacts(name: string, target?: string): DeclaredFacts {
  return {
    ...ownFacts,
    name,
    effectClass: 0,
    output: { source: 'Tool', trust: 'Untrusted', readers: 'Principal' },
    target: { kind: 'Place', parts: target === undefined ? [] : [{ member: target, as: 'Line' }] },
  };
}

/** Of a text without words of any job. */
const ownWords: Label = { source: { kind: 'Tool' }, trust: 'Trusted', readers: 'Everyone' };

function told(text: string, shown: readonly Pick<JobState, 'label'>[]): ToolOutput {
  return { ...done(text), label: joinAll(shown.map(({ label }) => label)) ?? ownWords };
}

const Listing = z.strictObject({
  kind: z.enum(JOB_KINDS).optional().describe('Only these; all without it.'),
  over: z.boolean().optional().describe('Also those that are over; false if absent.'),
});

export const listSchedule: ToolDescriptor<z.infer<typeof Listing>> = {
  facts: tellingFacts('list_schedule'),
  offer: () => ({
    description: `Your jobs and those that people gave you, next moment first, at most ${LISTED_MAX}: id, kind, for whom, when, and their words.`,
    input: Listing,
    touches: touchesNothing,
    ...reading(({ kind, over = false }: z.infer<typeof Listing>, context) => {
      const all = [...jobsSeen(context).byId.values()];
      return Promise.resolve(
        listed(all.filter((it) => (over || isLasting(it)) && (kind ?? it.job.kind) === it.job.kind)),
      );
    }),
  }),
};

function listed(jobs: readonly JobState[]): ToolOutput {
  if (jobs.length === 0) return told('There are no such jobs.', []);
  const byMoment = jobs.toSorted((a, b) => comesAtMs(a) - comesAtMs(b));
  const shown = byMoment.slice(0, LISTED_MAX);
  const lines = shown.map(listedWords);
  if (jobs.length > LISTED_MAX) lines.push(`[${jobs.length - LISTED_MAX} more: ask for one kind]`);
  return told(
    lines.join('\n'),
    shown.filter(({ label }) => label.trust === 'Trusted'),
  );
}

/** Those without a moment stand last. */
function comesAtMs(state: JobState): number {
  const { when } = state.job;
  if (!isLasting(state)) return Infinity;
  return (when.type === 'Open' ? when.dueAtMs : nextMomentMs(state)) ?? Number.MAX_SAFE_INTEGER;
}

const Inspecting = z.strictObject({ id: JobId });

export const inspectJob: ToolDescriptor<z.infer<typeof Inspecting>> = {
  facts: tellingFacts('inspect_job', 'id'),
  offer: () => ({
    description: 'Everything about one job: its words, its moments, who made it and why, and what came of it.',
    input: Inspecting,
    touches: touchesNothing,
    ...reading(({ id }: z.infer<typeof Inspecting>, context) => {
      const job = jobNamed(jobsSeen(context), id);
      return Promise.resolve(job === undefined ? failed(unknownJob(id)) : told(wholeWords(job), [job]));
    }),
  }),
};
