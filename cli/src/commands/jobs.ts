/** `retainer jobs`: what an agent is to begin by itself, and a person's word about it. */
import { jobsIn, jobStory, type JobStory, type RecordedJob } from '@retainer/agent-pod/review/job-records';
import { jobCommands, jobRows, jobTable } from '@retainer/agent-pod/review/job-rows';
import { systemClock } from '@retainer/contract/std/system-clock';
import { alignedRows, renderPlural } from '@retainer/mind/explain/figures';
import { isCancellable, isLasting } from '@retainer/mind/parts/jobs/jobs';
import { askRecord, type AskedRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { findJob } from '../find-job.ts';
import { leaveWord } from '../leave-word.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { typedCommand } from '../typed-command.ts';

export interface JobFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export interface JobListFlags extends JobFlags {
  readonly all?: true;
}

export interface JobChangeFlags extends JobFlags {
  readonly reason: string;
}

export function listCommand(flags: JobListFlags): Promise<number> {
  const command = { words: ['jobs', 'list', ...(flags.all === true ? ['--all'] : [])] };
  return askRecord(flags, command, async ({ output, directory, reader }) => {
    const all = await jobsIn(reader);
    const shown = flags.all === true ? all : all.filter(isLasting);
    output.data(shown);
    const rows = shown.length === 0 ? [] : jobTable(shown, systemClock.nowMs());
    for (const row of alignedRows(rows, '  ')) output.line(row);
    const over = all.length - shown.length;
    output.line(
      `${renderPlural(shown.length, 'job')}${over === 0 ? '' : `; ${over} that are over with --all`}`,
      'Quiet',
    );
    if (shown.length > 0) output.line(`look at one with: ${typedCommand('jobs show ID', directory)}`, 'Quiet');
    return exitCodes.done;
  });
}

export function showCommand(id: string, flags: JobFlags): Promise<number> {
  return askRecord(flags, { words: ['jobs', 'show'], arguments: [id] }, async ({ output, directory, reader }) => {
    const found = findJob(await jobsIn(reader), id);
    if (!found.ok) return refuse(output, found.error);
    const story = await jobStory(reader, found.value);
    output.data(story);
    tellStory(output, story, directory);
    return exitCodes.done;
  });
}

function tellStory(output: Output, story: JobStory, directory: string): void {
  output.line(story.jobId);
  for (const row of alignedRows(jobRows(story, systemClock.nowMs()), '  ')) output.line(`  ${row}`);
  for (const command of jobCommands(story)) output.line(`  ${typedCommand(command, directory)}`, 'Quiet');
}

/** What a person says, when it may be said, and what then follows. */
interface Word {
  readonly type: 'PauseJob' | 'ResumeJob' | 'CancelJob' | 'RunJobNow';
  /** Ends the sentence why not. Undefined: it may be said. */
  readonly refusal: (job: RecordedJob) => string | undefined;
  readonly told: (jobId: string, next: (command: string) => string) => string;
}

const WORDS = {
  pause: {
    type: 'PauseJob',
    refusal: ({ status, jobId }) =>
      status === 'Paused' ? `is paused already; jobs resume ${jobId} lets it go on` : undefined,
    told: (jobId, next) =>
      `${jobId} will be paused: its moments pass until ${next(`jobs resume ${jobId} --reason TEXT`)}`,
  },
  resume: {
    type: 'ResumeJob',
    refusal: ({ status }) => (status === 'Active' ? 'is not paused' : undefined),
    told: (jobId) => `${jobId} will go on with its next moment`,
  },
  cancel: {
    type: 'CancelJob',
    refusal: () => undefined,
    told: (jobId) => `${jobId} will be cancelled for good, with its run if one is under way`,
  },
  'run-now': {
    type: 'RunJobNow',
    refusal: ({ open }) =>
      open === undefined ? undefined : `is under way${open.runId === undefined ? '' : ` as run ${open.runId}`}`,
    told: (jobId, next) =>
      `${jobId} will be run once, beside its moments: ${next(`jobs show ${jobId}`)} tells what comes of it`,
  },
} as const satisfies Readonly<Record<string, Word>>;
export type JobWord = keyof typeof WORDS;

/** Leaves a person's word for the agent, if the record lets it mean something. */
export function changeCommand(word: JobWord, id: string, flags: JobChangeFlags): Promise<number> {
  const { reason } = flags;
  const command = { words: ['jobs', word, `--reason=${reason}`], arguments: [id], tells: true } as const;
  return askRecord(flags, command, (asked) => leave(WORDS[word], id, reason, asked));
}

async function leave(word: Word, id: string, reason: string, { output, directory, reader }: AskedRecord) {
  if (reason.trim() === '') return refuse(output, '--reason must say why: it is recorded');
  const found = findJob(await jobsIn(reader), id);
  if (!found.ok) return refuse(output, found.error);
  const job = found.value;
  const { jobId } = job;
  const isMeant = isLasting(job) || (word.type === 'CancelJob' && isCancellable(job));
  const why = isMeant ? word.refusal(job) : overText(job);
  if (why !== undefined) return refuse(output, `${jobId} ${why}`);
  output.data(await leaveWord(directory, { type: word.type, jobId, reason }));
  const told = word.told(jobId, (command) => typedCommand(command, directory));
  output.line(`${told}; the agent reads this when it runs`, 'Good');
  return exitCodes.done;
}

function overText({ status, statusBy, statusReason }: RecordedJob): string {
  const by = statusBy === undefined ? '' : ` by ${statusBy}`;
  const reason = statusReason === undefined ? '' : `: ${statusReason}`;
  return `is over (${status}${by}${reason}), so nothing can be said about it any more`;
}
