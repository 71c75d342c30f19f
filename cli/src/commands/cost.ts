/** `retainer cost`: tokens and money of a run, or of all, by purpose and role; from the record alone. */
import type { RunSummary } from '@retainer/agent-pod/review/run-records';
import { renderCost, renderCount, renderPlural } from '@retainer/mind/explain/figures';
import { renderSpending } from '@retainer/mind/explain/render-spending';
import { promptTokensOf, type Spending } from '@retainer/mind/explain/spending';
import { besideAgent } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { openRun, openRuns, type OpenedRecords } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { costsByRun, spendingOfRuns } from '../run-spending.ts';

export interface CostFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

/** Dreams are over many runs: they are in the sum alone. */
const OF_NO_RUN = '';

export function costCommand(run: string | undefined, flags: CostFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const command = { words: ['cost'], arguments: run === undefined ? [] : [run], task: run };
  return besideAgent(flags, command, { output, here: () => costHere(run, flags, output) });
}

async function costHere(run: string | undefined, flags: CostFlags, output: Output): Promise<number> {
  if (run === undefined) {
    const opened = await openRuns(flags.data);
    return opened.ok ? tellAll(output, opened.value) : refuse(output, opened.error);
  }
  const opened = await openRun(flags.data, run);
  if (!opened.ok) return refuse(output, opened.error);
  const { reader, run: found } = opened.value;
  const spending = spendingOfRuns([(await costsByRun(reader)).get(found.runId)]);
  output.data({ ...found, ...spending });
  const { runId, jobId, namespace, task } = found;
  output.line(`Run ${runId}: ${jobId === undefined ? `Task ${namespace}/${task}` : `job ${jobId}`}`);
  output.line('');
  output.lines(renderSpending(spending));
  return exitCodes.done;
}

async function tellAll(output: Output, { reader, runs, dataDirectory }: OpenedRecords): Promise<number> {
  const costs = await costsByRun(reader);
  const rows = runs.map((run) => ({ ...run, total: spendingOfRuns([costs.get(run.runId)]).total }));
  const spending = spendingOfRuns([...runs.map(({ runId }) => runId), OF_NO_RUN].map((id) => costs.get(id)));
  output.data({ runs: rows, ...spending });
  if (runs.length === 0) output.line(`${dataDirectory} has no runs yet`);
  const width = Math.max(...runs.map(({ runId }) => runId.length), 0);
  for (const row of rows) output.line(runLine(row, width));
  if (runs.length === 0) return exitCodes.done;
  output.line('');
  output.lines(renderSpending(spending));
  return exitCodes.done;
}

function runLine({ runId, total }: RunSummary & Pick<Spending, 'total'>, width: number): string {
  const { usage, calls, cachedShare, costUsd, isCostComplete } = total;
  const cached = `${Math.round(cachedShare * 100)} % cached`;
  return (
    `${runId.padEnd(width)}  ${renderPlural(calls, 'call')}, ${renderCount(promptTokensOf(usage))} tokens in (${cached}), ` +
    `${renderCount(usage.outputTokens)} out, ${renderCost(costUsd, isCostComplete)}`
  );
}
