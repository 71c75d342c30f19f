/** The findings of the auditor as data: a kind, a place, and for each kind a sentence and advice for a person. Pure. */

interface FindingText {
  readonly sentence: string;
  readonly whatToDo: string;
}

const stopAndCompare =
  'Stop the agent, keep a copy of the volume as it is, and compare it with the last backup from before this head.';

const stopAndDistrust =
  'Stop the agent, keep a copy of the volume as it is, and do not rely on the reports of this run. If another version wrote the record, audit a copy with that version.';

export const findingTexts = {
  ChainBroken: {
    sentence: 'A line was changed, or does not continue the line before it.',
    whatToDo: 'Run "retainer journal verify" for the full list; then "retainer journal repair", or restore a backup.',
  },
  SegmentMissing: { sentence: 'A segment is gone.', whatToDo: stopAndCompare },
  SegmentReplaced: {
    sentence: 'The file of the open segment is another one than at the last check.',
    whatToDo: stopAndCompare,
  },
  BytesChanged: {
    sentence: 'Bytes of the open segment are others than when they were first read.',
    whatToDo: stopAndCompare,
  },
  SegmentUnsealed: {
    sentence: 'A segment has no footer, but a later segment exists: its end is missing.',
    whatToDo: stopAndCompare,
  },
  FooterWrong: {
    sentence: 'The footer of a segment does not agree with the records before it.',
    whatToDo: 'Run "retainer journal verify" for the full list; then "retainer journal repair", or restore a backup.',
  },
  HeadMissing: { sentence: 'A record that once was the last of the store is gone.', whatToDo: stopAndCompare },
  TailCut: {
    sentence: 'The store ends before a record that once existed: its tail was cut, or an old copy was restored.',
    whatToDo: stopAndCompare,
  },
  SuffixRewritten: {
    sentence: 'The store has other records than before, with a valid chain: it was rewritten.',
    whatToDo: stopAndCompare,
  },
  StoreMissing: { sentence: 'A store with records is gone.', whatToDo: stopAndCompare },
  BlobMissing: {
    sentence: 'The content that a record refers to is missing.',
    whatToDo: 'Restore the named file from a backup; its name is the hash of its content.',
  },
  BlobCorrupt: {
    sentence: 'The content that a record refers to does not match its hash.',
    whatToDo: 'Restore the named file from a backup; its name is the hash of its content.',
  },
  EpochWentBack: {
    sentence: 'A replaced writer wrote a record: there are two writers, or an old copy runs.',
    whatToDo: 'Find and stop the other writer before you start anything.',
  },
  TooManyStores: {
    sentence: 'The directory has more stores than an agent can have; the auditor does not check the rest.',
    whatToDo: 'Find out which program created these directories, and remove those that are not stores.',
  },
  ObservationGap: {
    sentence: 'A message between the roles of a run is missing on the bus or in the journal.',
    whatToDo:
      'Run "retainer explain" for the run; if no fault of the bus explains the difference, do not rely on the reports of the run.',
  },
  MessageDiffers: {
    sentence: 'A message between the roles of a run differs on the bus and in the journal.',
    whatToDo: 'Stop the agent, keep a copy of the volume as it is, and do not rely on the reports of the run.',
  },
  BoundaryViolation: {
    sentence: 'A message has a sender or receiver that its type does not allow, or is not a message.',
    whatToDo: 'Stop the agent: another program writes to its bus or its journal.',
  },
  VerdictMismatch: {
    sentence: 'A verdict of a gate differs from the verdict recomputed from the recorded inputs.',
    whatToDo: stopAndDistrust,
  },
  UngatedEffect: { sentence: 'A tool call in the record has no verdict that accepts it.', whatToDo: stopAndDistrust },
  UngatedReply: {
    sentence: 'The reply of a cycle differs from the text that its output gate accepted.',
    whatToDo: stopAndDistrust,
  },
  ForeignCharacter: {
    sentence: 'The agent decides under another character than those given by --character.',
    whatToDo: stopAndDistrust,
  },
  DecisionMissing: { sentence: 'A run lacks a record that its deciders give.', whatToDo: stopAndDistrust },
  DecisionDiffers: {
    sentence: 'A run has a record that its deciders do not give, or give otherwise.',
    whatToDo: stopAndDistrust,
  },
  CannotRecompute: {
    sentence: 'Verdicts or decisions cannot be recomputed from the record.',
    whatToDo:
      'If a character is missing, give its CharacterSpec as a file with --character; if records are missing, restore a backup. Do not rely on these verdicts meanwhile.',
  },
  OtherRules: {
    sentence:
      'Cycles were recorded under another version of the gate rules, and this version decides them differently.',
    whatToDo:
      'Audit a copy with the version that wrote it. If no other version ever ran here, the record was changed: stop the agent and keep a copy of the volume.',
  },
  GapRecorded: {
    sentence: 'A repair gave up records, and nobody has acknowledged that here.',
    whatToDo:
      'Compare with the report of the repair and with the copies below "damaged". If it is right, acknowledge it with --set-aside STORE/SEQUENCE --by NAME --reason TEXT.',
  },
  GapAcknowledged: {
    sentence: 'A repair gave up records, and a person acknowledged that.',
    whatToDo: "Nothing: the auditor's own record holds name and reason.",
  },
  TailRecovered: {
    sentence: 'The journal cut off an unfinished end when it was opened, and kept a copy.',
    whatToDo: 'After a crash, nothing. Otherwise, check the copy below "recovered".',
  },
  TailUnfinished: {
    sentence: 'The last line is incomplete.',
    whatToDo: 'Nothing: the agent is writing it, or will cut it off at its next start.',
  },
} as const satisfies Readonly<Record<string, FindingText>>;

export type FindingKind = keyof typeof findingTexts;

const NOTICES: ReadonlySet<FindingKind> = new Set(['OtherRules', 'GapAcknowledged', 'TailRecovered', 'TailUnfinished']);

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

/** Stands for a store in findings that concern no single one. */
export const JOURNAL_ITSELF = '*';

/** Do not trust the record. A notice is worth knowing, and explained by the record itself. */
export function isAlarm({ kind }: Finding): boolean {
  return !NOTICES.has(kind);
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
