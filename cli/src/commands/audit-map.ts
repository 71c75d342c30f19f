/** `retainer audit map`: for every effect who wanted it, who decided, who approved, who checked, what it took. */
import { mapRecord } from '@retainer/agent-pod/review/audit-map';
import { findingsIn, type AccountRow } from '@retainer/mind/explain/audit/account-row';
import { drawMap } from '@retainer/mind/explain/audit/draw-map';
import { renderMap } from '@retainer/mind/explain/audit/render-map';
import { besideAgent } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { openRun, openRuns } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface MapFlags extends PlaceFlags {
  readonly output: OutputFormat | 'svg';
}

export function mapCommand(run: string | undefined, flags: MapFlags): Promise<number> {
  const output = createOutput(flags.output === 'svg' ? 'text' : flags.output, readEnvironment().colour);
  const command = { words: ['audit', 'map'], arguments: run === undefined ? [] : [run], task: run };
  return besideAgent(flags, command, { output, here: () => mapHere(run, flags, output) });
}

async function mapHere(run: string | undefined, flags: MapFlags, output: Output): Promise<number> {
  if (run === undefined) {
    const opened = await openRuns(flags.data);
    if (!opened.ok) return refuse(output, opened.error);
    return tell(flags, output, await mapRecord(opened.value.reader));
  }
  const opened = await openRun(flags.data, run);
  if (!opened.ok) return refuse(output, opened.error);
  return tell(flags, output, await mapRecord(opened.value.reader, opened.value.run.runId));
}

function tell({ output: format }: MapFlags, output: Output, rows: readonly AccountRow[]): number {
  const findings = findingsIn(rows);
  output.data({ rows, findings: findings.map(({ id, store, seq, missing }) => ({ id, store, seq, missing })) });
  if (format === 'svg') for (const line of drawMap(rows)) output.line(line);
  else output.lines(renderMap(rows));
  return findings.length === 0 ? exitCodes.done : exitCodes.record;
}
