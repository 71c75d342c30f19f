/** `retainer audit summary`: what an agent did, day by day. */
import { summarizeRecord } from '@retainer/agent-pod/review/audit-summary';
import {
  springdriftFiles,
  summarizeSpringdrift,
  type SpringdriftAudit,
} from '@retainer/agent-pod/review/springdrift-files';
import { renderPlural } from '@retainer/mind/explain/figures';
import { renderSummary, type Summary } from '@retainer/mind/explain/audit/render-summary';
import { besideAgent } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { findDataDirectory } from '../data-directory.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface SummaryFlags extends PlaceFlags {
  readonly days?: number;
  readonly from?: string;
  readonly to?: string;
  readonly format?: 'springdrift';
  readonly output: OutputFormat;
}

export async function summaryCommand(directory: string | undefined, flags: SummaryFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const { days, from, to, data } = flags;
  if (days !== undefined && (from !== undefined || to !== undefined))
    return refuse(output, '--days counts back from the newest day: give it, or --from and --to');
  if (directory !== undefined && data !== undefined)
    return refuse(output, `${directory} and --data ${data}: give one of them`);
  if (flags.format === 'springdrift') return summarizeLogs(directory ?? data, flags, output);
  const placed = directory === undefined ? flags : { ...flags, data: directory };
  const options = [option('days', days), option('from', from), option('to', to)].flat();
  const here = (): Promise<number> => summaryHere(placed, output);
  return besideAgent(placed, { words: ['audit', 'summary', ...options] }, { output, here });
}

function option(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

async function summaryHere({ data, days, from, to }: SummaryFlags, output: Output): Promise<number> {
  const directory = await findDataDirectory(data);
  if (!directory.ok) return refuse(output, directory.error);
  return tell(output, await summarizeRecord(directory.value, { newest: days, from, to }));
}

function tell(output: Output, summary: Summary): number {
  output.data(summary);
  output.lines(renderSummary(summary));
  return exitCodes.done;
}

/** Malformed lines in the output for people; `-o json` has more. */
const MALFORMED_SHOWN = 20;

async function summarizeLogs(
  directory: string | undefined,
  { days, from, to }: SummaryFlags,
  output: Output,
): Promise<number> {
  if (directory === undefined) return refuse(output, 'name the directory of the logs');
  const files = await springdriftFiles(directory);
  if (files.length === 0)
    return refuse(output, `${directory} has no such logs: cycle-log/DAY.jsonl or narrative/DAY.jsonl`);
  return tellLogs(output, await summarizeSpringdrift(files, { newest: days, from, to }));
}

function tellLogs(output: Output, audit: SpringdriftAudit): number {
  const code = tell(output, audit);
  const { files, lines, malformed, malformedLines } = audit;
  const types = Object.entries(lines).map(([type, count]) => `${type} ${count}`);
  output.line(`${renderPlural(files, 'file')}; lines of the cycle log: ${types.join(', ')}`, 'Quiet');
  for (const { file, line, why } of malformed.slice(0, MALFORMED_SHOWN))
    output.line(`${file}, line ${line}: malformed: ${why}`, 'Warning');
  if (malformedLines > 0) output.line(`${renderPlural(malformedLines, 'malformed line')} not counted`, 'Warning');
  return code;
}
