/**
 * The end of a command whose output may have been lost on the way.
 *
 * I1  The exit code of a command that does something is that of what it did, whatever became of its output.
 * I2  A command that only prints did nothing if its output was lost, unless its reader had seen enough (`retainer explain | head -1`).
 */
import { exitCodes } from './exit-codes.ts';
import type { Loss, StandardStream } from './standard-stream.ts';

/** Commands that do more than print, by their words; some of them only list if they get no argument. */
export const actingCommands: ReadonlyMap<string, 'Always' | 'WithArgument'> = new Map([
  ...(['approve', 'answer', 'gate false-positive'] as const).map((words) => [words, 'WithArgument'] as const),
  ...[
    ...['run', 'cancel', 'retry', 'install', 'import springdrift', 'rollout resume', 'task continue', 'task cancel'],
    ...[
      'files trust',
      'journal acknowledge',
      'journal repair',
      'backup now',
      'backup place',
      'restore',
      'memory remember',
    ],
    ...['memory forget', 'memory endorse', 'memory tend', 'memory teach', 'memory case correct'],
    ...['jobs pause', 'jobs resume', 'jobs cancel', 'jobs run-now', 'work abandon', 'work delete', 'mail release'],
    ...['memory case annotate', 'memory case suppress', 'memory case unsuppress', 'memory case boost'],
  ].map((words) => [words, 'Always'] as const),
]);

export interface EndedCommand {
  /** Its words without options and arguments, such as `journal verify`. */
  readonly words: string;
  readonly hasArguments: boolean;
  /** Its results are text for people, not data for programs. */
  readonly isForPeople: boolean;
  readonly code: number;
}

interface Streams {
  readonly out: StandardStream;
  readonly err: StandardStream;
}

/**
 * Waits until all output is written or lost, and tells a loss on the stream that still works.
 *
 * @returns the exit code
 */
export async function endOutput(command: EndedCommand, { out, err }: Streams): Promise<number> {
  const { isForPeople, code } = command;
  await Promise.all([out.flushed(), err.flushed()]);
  const isActing = acts(command);
  const hasSeenEnough = out.loss?.code === 'EPIPE' && !isActing;
  const { loss } = out;
  if (loss !== undefined && !hasSeenEnough) err.write(`retainer: ${lossText('standard output', loss, isActing)}\n`);
  // What a command only prints may be data for a program: nothing else may stand in it.
  if (err.loss !== undefined && isActing && isForPeople)
    out.write(`retainer: ${lossText('standard error', err.loss, isActing)}\n`);
  await Promise.all([out.flushed(), err.flushed()]);
  return code === exitCodes.done && !isActing && loss !== undefined && !hasSeenEnough ? exitCodes.outputLost : code;
}

function acts({ words, hasArguments }: EndedCommand): boolean {
  const when = actingCommands.get(words);
  return when === 'Always' || (when === 'WithArgument' && hasArguments);
}

const reasons: Readonly<Record<string, string>> = {
  EPIPE: 'nobody reads it any more',
  ENOSPC: 'no space is left where it goes',
  EDQUOT: 'the disk quota is used up where it goes',
  EFBIG: 'the file would be larger than is allowed',
  EIO: 'the terminal or the disk is gone',
};

function lossText(name: string, { lines, code }: Loss, isActing: boolean): string {
  const what = lines === 1 ? 'one line' : `${lines} lines`;
  const then = isActing
    ? 'what the command did is done all the same, and recorded'
    : 'give it another place, and repeat the command';
  return `${what} of ${name} could not be written: ${reasons[code] ?? 'the system refused it'} (${code}); ${then}`;
}
