/** The frame of every command that only looks at the record of an agent, or leaves a word for it on what the record says. */
import { openRecords } from '@retainer/agent-pod/review/run-records';
import type { JournalReader } from '@retainer/journal/journal';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { besideAgent, type Beside } from './open-access.ts';
import type { PlaceFlags } from './place.ts';

export interface AskedRecord {
  readonly output: Output;
  /** The data directory that the record is in. */
  readonly directory: string;
  readonly reader: JournalReader;
}

/**
 * Asks the record of the place that the options mean: here, or by the command line beside the agent.
 *
 * @param command  as of {@link besideAgent}
 * @param tell     answers from the record of a data directory. @returns its exit code
 */
export function askRecord(
  flags: PlaceFlags & { readonly output: OutputFormat },
  command: Beside,
  tell: (asked: AskedRecord) => number | Promise<number>,
): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const here = async (): Promise<number> => {
    const directory = await findDataDirectory(flags.data);
    if (!directory.ok) return refuse(output, directory.error);
    return tell({ output, directory: directory.value, reader: await openRecords(directory.value) });
  };
  return besideAgent(flags, command, { output, here });
}
