/** `retainer audit cycle`: one cycle with every request, verdict and call, as the record has it. */
import { auditCycle } from '@retainer/agent-pod/review/audit-cycle';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { renderCycle } from '@retainer/mind/explain/audit/render-cycle';
import { besideAgent } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { instant } from '../render-instant.ts';

export interface CycleFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export function cycleCommand(id: string, flags: CycleFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const here = (): Promise<number> => cycleHere(id, flags, output);
  return besideAgent(flags, { words: ['audit', 'cycle'], arguments: [id] }, { output, here });
}

async function cycleHere(id: string, { data }: CycleFlags, output: Output): Promise<number> {
  const directory = await findDataDirectory(data);
  if (!directory.ok) return refuse(output, directory.error);
  const audited = await auditCycle(await openRecords(directory.value), id);
  if (!audited.ok) return refuse(output, `${directory.value}: ${audited.error}`);
  output.data(audited.value);
  output.lines(renderCycle(audited.value, instant));
  return exitCodes.done;
}
