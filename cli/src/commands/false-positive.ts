/** `retainer gate false-positive`: leaves a person's word on a refusal for the agent, which need not run. */
import { gateRefusals, type GateRefusal } from '@retainer/agent-pod/review/gate-refusals';
import { printable } from '@retainer/contract/std/printable';
import { askRecord, type AskedRecord } from '../access/ask-record.ts';
import type { PlaceFlags } from '../access/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { leaveWord } from '../leave-word.ts';
import type { Output, OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface FalsePositiveFlags extends PlaceFlags {
  readonly reason?: string;
  readonly output: OutputFormat;
}

/** Refusals that are listed; the record has all. */
const LISTED_MAX = 20;

export function falsePositiveCommand(record: string | undefined, flags: FalsePositiveFlags): Promise<number> {
  const reason = flags.reason === undefined ? [] : [`--reason=${flags.reason}`];
  const words = ['gate', 'false-positive', ...reason];
  const command = record === undefined ? { words } : ({ words, arguments: [record], tells: true } as const);
  return askRecord(flags, command, (asked) => report(record, flags, asked));
}

async function report(
  record: string | undefined,
  flags: FalsePositiveFlags,
  { output, directory, reader }: AskedRecord,
): Promise<number> {
  const refusals = await gateRefusals(reader);
  if (record === undefined) return tellRefusals(output, refusals);
  const found = refusals.find((it) => it.record === record);
  if (found === undefined)
    return refuse(output, `${record} is no refusal of a gate; retainer gate false-positive lists them`);
  if (flags.reason === undefined) return refuse(output, '--reason TEXT is missing: it is recorded with the report');
  const { cycleId, gate, rule, subjectDigest } = found;
  const refused = { cycleId, gate, rule, ...(subjectDigest === undefined ? {} : { subjectDigest }) };
  const word = { type: 'ReportFalsePositive', ...refused, reason: flags.reason } as const;
  output.data({ record, ...(await leaveWord(directory, word)) });
  output.line(`${record} is called wrong; the agent reads it when it runs, and no rule becomes looser by it`, 'Good');
  return exitCodes.done;
}

function tellRefusals(output: Output, refusals: readonly GateRefusal[]): number {
  const newest = refusals.slice(-LISTED_MAX);
  output.data(newest);
  if (newest.length === 0) output.line('no gate has refused anything');
  for (const { record, runId, gate, rule, reason, atMs, agentsView } of newest) {
    output.line(`${record}  ${new Date(atMs).toISOString()}  run ${runId}  ${gate} gate, ${rule}`);
    output.line(`  ${printable(reason)}`, 'Quiet');
    if (agentsView !== undefined) output.line(`  the agent itself calls it wrong: ${printable(agentsView)}`, 'Quiet');
  }
  return exitCodes.done;
}
