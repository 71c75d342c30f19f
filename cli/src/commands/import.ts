/** `retainer import`: takes the narrative of another system over, as untrusted words, each entry once. */
import { importableRuns, importOrigin } from '@retainer/agent-pod/review/imported-runs';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { springdriftFiles } from '@retainer/agent-pod/review/springdrift-files';
import { renderCount, renderPlural } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { leaveWord } from '../leave-word.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface ImportFlags {
  readonly data?: string;
  readonly reason: string;
  readonly output: OutputFormat;
}

/** Malformed lines in the output for people; `-o json` has all. */
const MALFORMED_SHOWN = 20;

export async function importCommand(from: string, flags: ImportFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const directory = await findDataDirectory(flags.data);
  if (!directory.ok) return refuse(output, directory.error);
  const files = (await springdriftFiles(from)).filter(({ log }) => log === 'narrative');
  if (files.length === 0) return refuse(output, `${from} has no narrative: narrative/DAY.jsonl`);
  const { fresh, known, malformed } = await importableRuns(await openRecords(directory.value), files);
  for (const entry of fresh) await leaveWord(directory.value, { ...entry, reason: flags.reason }, importOrigin(entry));
  output.data({ taken: fresh.length, known, malformed });
  tell(output, { taken: fresh.length, known, malformed });
  return exitCodes.done;
}

interface Told {
  readonly taken: number;
  readonly known: number;
  readonly malformed: readonly { readonly file: string; readonly line: number; readonly why: string }[];
}

function tell(output: Output, { taken, known, malformed }: Told): void {
  for (const { file, line, why } of malformed.slice(0, MALFORMED_SHOWN))
    output.line(`${file}, line ${line}: malformed: ${why}`, 'Warning');
  if (malformed.length > 0) output.line(`${renderPlural(malformed.length, 'malformed line')} left out`, 'Warning');
  if (known > 0) output.line(`${renderCount(known)} known already`, 'Quiet');
  output.line(
    taken === 0
      ? 'nothing new'
      : `${renderPlural(taken, 'run')} of another system left for the agent, untrusted; it reads them when it runs`,
    'Good',
  );
}
