/** What befell the agent in the last day, recounted from the records alone. */
import type { JournalRecord } from '@retainer/journal/journal';
import type { Command } from '@retainer/mind/run/inbox';
import { fieldsOf, minute, textIn, type Moment } from './past.ts';
import { restoring } from './recount-backup.ts';
import { list, ROWS, tagged, type Tag } from './told-state.ts';

const DAY_MS = 24 * 3_600_000;

/** By what began a run; the Task of a schedule says so itself. */
const begun: Readonly<Record<string, readonly [name: string, title: string] | undefined>> = {
  Job: ['calendar-fired', 'a job of the calendar'],
  Mail: ['letter', 'a letter that is to be answered'],
};

/** What is said of each kind of record that is an event to the agent; the words of people stay out. */
const happened: Readonly<
  Record<string, (record: JournalRecord) => readonly [name: string, title: string] | undefined>
> = {
  'agent Configured': ({ seq }) => (seq <= 2 ? undefined : ['restart', 'the program started again']),
  'inbox CommandAccepted': (record) => {
    const command = fieldsOf(record)['command'] as Command;
    if (command.type === 'StartRun') return begun[command.spec.cause.kind];
    if (command.type === 'AnswerQuestion') return ['person-answered', 'a question'];
    if (command.type !== 'DecideApproval') return undefined;
    return ['person-answered', command.decision === 'Approve' ? 'a call: yes' : 'a call: no'];
  },
  'job JobFired': (record) => (fieldsOf(record)['runId'] === undefined ? ['reminder', 'words to a person'] : undefined),
  'job JobSkipped': () => ['job-skipped', 'moments of the calendar'],
  'job JobPaused': (record) => ['job-paused', textIn(fieldsOf(record), 'jobId')],
  'job JobCancelled': (record) => ['job-cancelled', textIn(fieldsOf(record), 'jobId')],
  'mail MailHeld': () => ['letter-held', 'a letter that waits for a person'],
  'agent GatesIntervened': (record) => {
    const { intervention, detectors } = fieldsOf(record);
    return intervention === 'None'
      ? undefined
      : ['gates', `${String(intervention)}: ${(detectors as readonly string[]).join(', ')}`];
  },
  'agent Restored': (record) => ['restored', restoring(fieldsOf(record))],
  'agent GatesChanged': (record) => {
    const titles: Readonly<Record<string, string>> = {
      OutputsHeld: 'outgoing texts wait for a person',
      OutputsReleased: 'outgoing texts pass again',
    };
    const title = titles[textIn(fieldsOf(record), 'change')];
    return title === undefined ? undefined : ['gates', title];
  },
};

/** Records of one millisecond have no order that a fold of single stores could find: that of their names. */
function inTime(a: JournalRecord, b: JournalRecord): number {
  return a.timeMs - b.timeMs || (a.store === b.store ? a.seq - b.seq : a.store < b.store ? -1 : 1);
}

interface Happened {
  readonly name: string;
  readonly title: string;
  readonly atMs: number;
  /** Since a cycle was last told. */
  readonly isNew: boolean;
}

/** When a cycle was last told of the agent; 0: never. */
export function toldBefore({ past }: Pick<Moment, 'past'>): number {
  return past.ofCycles('CycleStarted').findLast(({ curated }) => curated !== undefined)?.atMs ?? 0;
}

/** Oldest first, of the last day; of one name the newest twenty. */
export function happenedBefore({ past, nowMs }: Moment): readonly Happened[] {
  const sinceMs = toldBefore({ past });
  const all = past.records.toSorted(inTime).flatMap((record) => {
    const [name, title] = happened[`${record.store} ${record.kind}`]?.(record) ?? [];
    const atMs = record.timeMs;
    return name === undefined || title === undefined ? [] : [{ name, title, atMs, isNew: atMs >= sinceMs }];
  });
  return all
    .filter((it, at) => all.slice(at + 1).filter(({ name }) => name === it.name).length < 20)
    .filter(({ atMs }) => nowMs - atMs <= DAY_MS);
}

/** What stands in the calendar stands nowhere else. */
const CALENDAR = ['calendar-fired', 'reminder', 'job-skipped'];

/** Equal ones are one row. */
export function events(moment: Moment): readonly Tag[] {
  const kept = happenedBefore(moment).filter(({ name }) => !CALENDAR.includes(name));
  const rows = kept.flatMap((it, at) => {
    const { name, title, atMs, isNew } = it;
    const same = kept.filter((other) => other.name === name && other.title === title);
    if (kept.slice(at + 1).some((other) => other.name === name && other.title === title)) return [];
    const times = same.length === 1 ? undefined : same.length;
    return [tagged('event', { name, title, times, at: minute(atMs), since_last_cycle: isNew ? 'yes' : undefined })];
  });
  const figures = { count: () => kept.length, since_last_cycle: () => kept.filter(({ isNew }) => isNew).length };
  return list('events', figures, rows, rows.slice(-ROWS));
}
