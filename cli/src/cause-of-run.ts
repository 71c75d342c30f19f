/** What made a run, and what it sent: who made its job, or who wrote its letter and how that is known. */
import type { JournalReader, JournalRecord } from '@retainer/journal/journal';
import { makingOf, type JobMaking } from '@retainer/agent-pod/review/job-records';
import { causeLines, labelText } from '@retainer/agent-pod/review/job-rows';
import { letterStory, mailsOfRun, type LetterStory } from '@retainer/agent-pod/review/mail-records';
import { letterLines, mailLine } from '@retainer/agent-pod/review/mail-rows';
import type { RunStory } from '@retainer/mind/explain/tell-run';
import type { StoryLine, Tone } from '@retainer/mind/part/story';
import type { KeptOutgoing } from '@retainer/mind/parts/mail/kept-mail';

export interface CauseOfRun {
  readonly lines: readonly StoryLine[];
  /** For programs. */
  readonly data: {
    readonly job?: JobMaking;
    readonly letter?: LetterStory;
    /** Absent: it sent none. */
    readonly mails?: readonly KeptOutgoing[];
  };
}

type Told = Pick<RunStory, 'runId' | 'cause' | 'label'>;

/** Nothing of a run that a Task made and that sent nothing. */
export async function causeOfRun(
  reader: JournalReader,
  story: Told,
  records: readonly JournalRecord[],
): Promise<CauseOfRun> {
  const made = await makerOf(reader, story, records);
  const mails = await mailsOfRun(reader, story.runId);
  return {
    lines: [
      ...made.lines,
      ...toned(
        'Quiet',
        mails.map((it) => `sent: ${mailLine(it)}`),
      ),
    ],
    data: { ...made.data, ...(mails.length === 0 ? {} : { mails }) },
  };
}

async function makerOf(
  reader: JournalReader,
  { cause, label }: Told,
  records: readonly JournalRecord[],
): Promise<CauseOfRun> {
  if (cause.kind === 'Mail') {
    const letter = await letterStory(reader, cause.letterId);
    if (letter === undefined)
      return { lines: toned('Warning', ['the record does not have this letter: nobody knows who wrote it']), data: {} };
    const words = label === undefined ? [] : [`its words: ${labelText(label)}`];
    return { lines: toned('Quiet', [...letterLines(letter), ...words]), data: { letter } };
  }
  if (cause.kind !== 'Job') return { lines: [], data: {} };
  const order = records.find(({ kind }) => kind === 'RunAdmitted')?.order ?? Number.POSITIVE_INFINITY;
  const making = await makingOf(reader, cause.jobId, order);
  const lines = toned(making === undefined ? 'Warning' : 'Quiet', causeLines(making, cause.momentMs, label));
  return { lines, data: making === undefined ? {} : { job: making } };
}

function toned(tone: Tone, texts: readonly string[]): readonly StoryLine[] {
  return texts.map((text) => ({ tone, text }));
}
