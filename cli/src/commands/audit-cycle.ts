/** `retainer audit cycle`: one cycle with every request, verdict and call, as the record has it. */
import { auditCycle } from '@retainer/agent-pod/review/audit-cycle';
import { renderCycle } from '@retainer/mind/explain/audit/render-cycle';
import { askRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { utcSecond } from '@retainer/contract/std/utc-date';

export interface CycleFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export function cycleCommand(id: string, flags: CycleFlags): Promise<number> {
  const command = { words: ['audit', 'cycle'], arguments: [id] };
  return askRecord(flags, command, async ({ output, directory, reader }) => {
    const audited = await auditCycle(reader, id);
    if (!audited.ok) return refuse(output, `${directory}: ${audited.error}`);
    output.data(audited.value);
    output.lines(renderCycle(audited.value, utcSecond));
    return exitCodes.done;
  });
}
