/** The findings of the auditor as data: a kind, a place, and for each kind a sentence and advice for a person. Pure. */

/** `Alarm`: do not trust the record. `Notice`: worth knowing, and explained by the record itself. */
export type Severity = 'Alarm' | 'Notice';

interface FindingText {
  readonly severity: Severity;
  readonly sentence: string;
  readonly whatToDo: string;
}

const stopAndCompare =
  'Stop the agent, keep a copy of the volume as it is, and compare it with the last backup from before this head.';

const stopAndDistrust =
  'Stop the agent, keep a copy of the volume as it is, and take nothing that this cycle reports for true. A program of another version may judge otherwise: then audit a copy with the version that wrote it.';

export const findingTexts = {
  ChainBroken: {
    severity: 'Alarm',
    sentence: 'A line is not what was written there, or does not continue the line before it.',
    whatToDo: 'Run "retainer journal verify" for the full list; then "retainer journal repair", or restore a backup.',
  },
  SegmentMissing: {
    severity: 'Alarm',
    sentence: 'A segment that was there is gone.',
    whatToDo: stopAndCompare,
  },
  SegmentUnsealed: {
    severity: 'Alarm',
    sentence: 'A segment ends without its footer although a later one exists: its end is missing.',
    whatToDo: stopAndCompare,
  },
  FooterWrong: {
    severity: 'Alarm',
    sentence: 'The footer of a segment does not agree with the records before it.',
    whatToDo: 'Run "retainer journal verify" for the full list; then "retainer journal repair", or restore a backup.',
  },
  HeadMissing: {
    severity: 'Alarm',
    sentence: 'A record that was once the end of the store is no longer in it.',
    whatToDo: stopAndCompare,
  },
  TailCut: {
    severity: 'Alarm',
    sentence: 'The store ends before a place that was once written: its tail was cut, or an old copy was restored.',
    whatToDo: stopAndCompare,
  },
  SuffixRewritten: {
    severity: 'Alarm',
    sentence: 'The store holds other records than those it once held, with a chain that is right in itself.',
    whatToDo: stopAndCompare,
  },
  StoreMissing: {
    severity: 'Alarm',
    sentence: 'A store that had records is gone.',
    whatToDo: stopAndCompare,
  },
  BlobMissing: {
    severity: 'Alarm',
    sentence: 'Content that a record refers to is not there.',
    whatToDo: 'Restore the named file from a backup; its name is the hash of what it must hold.',
  },
  BlobCorrupt: {
    severity: 'Alarm',
    sentence: 'Content that a record refers to is not what its hash says.',
    whatToDo: 'Restore the named file from a backup; its name is the hash of what it must hold.',
  },
  EpochWentBack: {
    severity: 'Alarm',
    sentence: 'A record was written by a writer that had been replaced: two writers, or an old copy at work.',
    whatToDo: 'Find and stop the other writer before anything else is started.',
  },
  TooManyStores: {
    severity: 'Alarm',
    sentence: 'The directory holds more stores than any agent has; the rest is not looked at.',
    whatToDo: 'Look at what made these directories, and remove what is no store.',
  },
  ObservationGap: {
    severity: 'Alarm',
    sentence: 'A message between the roles of a run is not on both paths, bus and journal.',
    whatToDo:
      'Run "retainer explain" for the run; where no fault of the bus explains it, take nothing that it reports for true.',
  },
  MessageDiffers: {
    severity: 'Alarm',
    sentence: 'A message between the roles of a run is not the same on bus and journal.',
    whatToDo: 'Stop the agent, keep a copy of the volume as it is, and take nothing that the run reports for true.',
  },
  BoundaryViolation: {
    severity: 'Alarm',
    sentence: 'A message went where no message of its type may go, or is none.',
    whatToDo: 'Stop the agent: something that is no role of a run speaks on its bus, or writes in its journal.',
  },
  VerdictMismatch: {
    severity: 'Alarm',
    sentence: 'A verdict of the gate is not the one that the recorded inputs lead to.',
    whatToDo: stopAndDistrust,
  },
  UngatedEffect: {
    severity: 'Alarm',
    sentence: 'A tool call in the record is not one that an accepting verdict stands for.',
    whatToDo: stopAndDistrust,
  },
  UngatedReply: {
    severity: 'Alarm',
    sentence: 'What a cycle ended with is not what its output gate let pass.',
    whatToDo: stopAndDistrust,
  },
  ForeignCharacter: {
    severity: 'Alarm',
    sentence: 'The agent decides under a character that it was not given from outside.',
    whatToDo: stopAndDistrust,
  },
  CannotRecompute: {
    severity: 'Alarm',
    sentence: 'Verdicts cannot be decided anew from the record.',
    whatToDo:
      'Where a character is missing, give its CharacterSpec as a file with --character; where records are, restore a backup. Do not rely on these verdicts meanwhile.',
  },
  OtherRules: {
    severity: 'Notice',
    sentence: 'Cycles were recorded under other rules of the gates, and this program decides them otherwise.',
    whatToDo:
      'Audit a copy with the version that wrote it. Where no other version ever ran here, the record was changed: stop the agent and keep a copy of the volume.',
  },
  GapRecorded: {
    severity: 'Notice',
    sentence: 'The record itself says that records were lost to damage.',
    whatToDo: 'Compare with the report of the repair that wrote it.',
  },
  TailRecovered: {
    severity: 'Notice',
    sentence: 'An unfinished end was cut off when the journal was opened; a copy of it was kept.',
    whatToDo: 'Nothing, after a crash. Without one, look at the copy below "recovered".',
  },
  TailUnfinished: {
    severity: 'Notice',
    sentence: 'The last line is not complete.',
    whatToDo: 'Nothing: the agent is writing it, or cuts it off at its next start.',
  },
} as const satisfies Readonly<Record<string, FindingText>>;

export type FindingKind = keyof typeof findingTexts;

export const findingKinds = Object.keys(findingTexts) as readonly FindingKind[];

export interface Finding {
  readonly kind: FindingKind;
  readonly store: string;
  /** Id of the message concerned, if any. */
  readonly message?: string | undefined;
  /** First record concerned, if any. */
  readonly seq?: number | undefined;
  /** Relative to the journal's directory. */
  readonly file?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  /** Numbers and hashes only: never a payload. */
  readonly detail: string;
}

export function isAlarm({ kind }: Finding): boolean {
  return findingTexts[kind].severity === 'Alarm';
}

export function findingKey({ kind, store, message, seq, file, line }: Finding): string {
  return [kind, store, seq ?? '', file ?? '', line ?? '', ...(message === undefined ? [] : [message])].join('|');
}

export function findingSentence(finding: Finding): string {
  const { kind, store, message, seq, file, line, detail } = finding;
  const place = [
    ...(message === undefined ? [`store ${store}`] : [`message ${message}`]),
    ...(seq === undefined ? [] : [`sequence ${seq}`]),
    ...(file === undefined ? [] : [line === undefined ? file : `${file}:${line}`]),
  ].join(', ');
  return `${kind}: ${place}: ${findingTexts[kind].sentence} Found: ${detail}. ${findingTexts[kind].whatToDo}`;
}
