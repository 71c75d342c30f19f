/** The meanings of exit codes. Documented in `docs/cli.md` and in `retainer --help`. */
import type { RunSummary } from '@retainer/agent-pod/review/run-records';

type RunOutcome = NonNullable<RunSummary['outcome']>;

export const exitCodes = {
  /** The command did everything. A refusal is an outcome, not an error. */
  done: 0,
  /** The command line, a manifest or a name was wrong; nothing was changed. */
  usage: 1,
  /** A Task ended Abandoned or Cancelled, or without a required criterion, or could not start because of one that it depends on; a tried case is Constrained. */
  unfinished: 2,
  /** With `--strict`: a Task was refused. A tried case is Prohibited. */
  refused: 3,
  /** A Task ended Failed, the agent could not go on, an installation did not succeed, the doctor found a fault, or a rollout is halted. */
  failed: 4,
  /** The record is damaged, a replay decided otherwise than the record, or nobody answers for an effect in it. */
  record: 5,
  /** The record is whole but for records that a repair gave up, which it tells. */
  gap: 6,
  /** A store that must be there is gone. */
  storeMissing: 7,
  /** A head that was seen before is not in the record: cut, rewritten, or an older copy. */
  rolledBack: 8,
  /** The record is whole; a checkpoint that was there is gone. */
  checkpointMissing: 9,
  /** A call or a question waits for a person and nobody is there: decide or answer, and the same command goes on. */
  awaiting: 10,
  /** An attack of the worst case got through. */
  gotThrough: 11,
  /** The command only prints, and what it printed could not be written. Source: sysexits.h, EX_IOERR. */
  outputLost: 74,
  /** Another process holds the data directory: try again later. Or a restoring in it was cut off: finish it first. Source: sysexits.h, EX_TEMPFAIL. */
  held: 75,
  /** Stopped by Ctrl-C; the same command goes on from there. */
  interrupted: 130,
} as const;

export const exitCodeLines: readonly string[] = [
  '0    done, even if a Task was refused (see --strict)',
  '1    an error in the command line, a manifest or a name; nothing was changed',
  '2    a Task was abandoned or cancelled, lacks a required criterion, or a Task that it depends on fell short; calculus: Constrained',
  '3    with --strict: a Task was refused; calculus: Prohibited',
  '4    a Task, the agent or an installation failed, doctor found a fault, or a rollout is halted',
  '5    the record is damaged, a replay came to another decision, or nobody answers for an effect (audit map)',
  '6    journal verify: the record is whole, except for records that a repair gave up',
  '7    a store of the record is missing',
  '8    a head that was seen before is not in the record: it was cut, rewritten, or is an older copy',
  '9    journal verify: the record is whole, but a checkpoint is missing',
  '10   a call or a question waits for a person: decide (retainer approve) or answer, then the same command continues',
  '11   gate attack: an attack got through',
  '74   the output of a command that only prints could not be written, as on a full disk',
  '75   another process uses the data directory, or a restoring in it was cut off and is to be finished first',
  '130  stopped by Ctrl-C; the same command continues',
];

/**
 * How one Task ended; `NotStarted` when one that it depends on did not succeed, `AwaitingApproval` and `AwaitingAnswer` when its run is
 * left open for a person's decision or answer.
 */
export type TaskEnd = RunOutcome | 'NotStarted' | 'AwaitingApproval' | 'AwaitingAnswer';

/** How a Task ended, as its exit code tells it. `RequiredUnmet`: Succeeded, without a required criterion. */
export type CodedEnd = TaskEnd | 'RequiredUnmet';

interface Line {
  readonly ends: readonly CodedEnd[];
  readonly code: number;
  readonly onlyStrict?: true;
}

/** The first line that fits one of the Tasks counts. */
const lines: readonly Line[] = [
  { ends: ['Failed'], code: exitCodes.failed },
  { ends: ['AwaitingApproval', 'AwaitingAnswer'], code: exitCodes.awaiting },
  { ends: ['Abandoned', 'Cancelled', 'NotStarted', 'RequiredUnmet'], code: exitCodes.unfinished },
  { ends: ['Refused'], code: exitCodes.refused, onlyStrict: true },
];

export function exitCodeOf(ends: readonly CodedEnd[], isStrict: boolean): number {
  const line = lines.find((it) => (isStrict || it.onlyStrict !== true) && ends.some((end) => it.ends.includes(end)));
  return line?.code ?? exitCodes.done;
}
