/** `retainer explain`: the story of a run, from its record alone. */
import { recordedLife } from '@retainer/agent-pod/review/individual';
import { tellRun } from '@retainer/agent-pod/review/tell-records';
import { recordsOfRun, type RunSummary } from '@retainer/agent-pod/review/run-records';
import { renderDuration } from '@retainer/mind/explain/figures';
import { renderSpending } from '@retainer/mind/explain/render-spending';
import { renderStory } from '@retainer/mind/explain/render-story';
import type { Tone } from '@retainer/mind/part/story';
import { besideAgent } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { causeOfRun } from '../cause-of-run.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { workMeter } from '@retainer/mind/run/work-meter';
import { examineRecord, gapsInRun, openRun, openRuns, type OpenedRecords } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';
import { utcSecond } from '@retainer/contract/std/utc-date';
import { spendingOfRecords } from '../run-spending.ts';
import { damageOf, type Verification } from '../verify-record.ts';

export interface ExplainFlags extends PlaceFlags {
  readonly full?: true;
  readonly output: OutputFormat;
}

export function explainCommand(run: string | undefined, flags: ExplainFlags): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const words = ['explain', ...(flags.full === true ? ['--full'] : [])];
  return besideAgent(
    flags,
    { words, arguments: run === undefined ? [] : [run], task: run },
    { output, here: () => explainHere(run, flags, output) },
  );
}

async function explainHere(run: string | undefined, flags: ExplainFlags, output: Output): Promise<number> {
  const examined = await examineRecord(flags.data);
  if (!examined.ok) return refuse(output, examined.error);
  const damage = damageOf(examined.value);
  if (damage !== undefined) output.line(`the record is not whole (${damage.text}): it may lack what happened`, 'Bad');
  const code =
    run === undefined
      ? await explainRuns(output, flags)
      : await explainRun(run, flags, { output, examined: examined.value });
  return damage?.code ?? code;
}

async function explainRuns(output: Output, { data }: ExplainFlags): Promise<number> {
  const opened = await openRuns(data, workMeter());
  if (!opened.ok) return refuse(output, opened.error);
  return tellRuns(output, opened.value, (await recordedLife(opened.value.reader)).individual);
}

interface Examined {
  readonly output: Output;
  readonly examined: Verification;
}

async function explainRun(run: string, flags: ExplainFlags, { output, examined }: Examined): Promise<number> {
  const opened = await openRun(flags.data, run);
  if (!opened.ok) return refuse(output, opened.error);
  const { reader, run: found, dataDirectory } = opened.value;
  const records = await recordsOfRun(reader, found.runId);
  const gaps = gapsInRun(examined, found, records);
  for (const gap of gaps) output.line(`records of this run may be lost: ${gap}`, 'Warning');
  const story = tellRun(records);
  if (story === undefined) return refuse(output, `${dataDirectory}: the admission of ${found.runId} is missing`);
  const spending = spendingOfRecords(records);
  const cause = await causeOfRun(reader, story, records);
  output.lines(renderStory(story, { full: flags.full === true, instant: utcSecond, about: cause.lines }));
  // Runs of the first deciders are told in the words of their time; `retainer cost` counts them, too.
  if (story.deciders > 1) output.lines([{ tone: 'Plain', text: '' }, ...renderSpending(spending)]);
  const { individual } = await recordedLife(reader);
  if (flags.full === true && individual !== undefined) output.line(`individual ${individual}`, 'Quiet');
  if (flags.full !== true) {
    output.line('');
    output.line('--full shows prompts, arguments, outputs and replies', 'Quiet');
  }
  output.data({
    ...story,
    ...cause.data,
    ...(individual === undefined ? {} : { individual }),
    spending,
    ...(gaps.length === 0 ? {} : { gaps }),
  });
  return exitCodes.done;
}

function tellRuns(output: Output, { runs, dataDirectory }: OpenedRecords, individual: string | undefined): number {
  output.data(runs);
  if (individual !== undefined) output.line(`individual ${individual}`, 'Quiet');
  if (runs.length === 0) output.line(`${dataDirectory} has no runs yet`);
  const width = Math.max(...runs.map((run) => run.runId.length), 0);
  for (const run of runs) output.line(runLine(run, width), outcomeTones[run.outcome ?? 'Running']);
  const { program, options = `--data ${dataDirectory}` } = readEnvironment().caller;
  if (runs.length > 0) output.line(`read one with: ${program} explain RUN ${options}`, 'Quiet');
  return exitCodes.done;
}

const outcomeTones = {
  Accepted: 'Good',
  Succeeded: 'Good',
  Abandoned: 'Warning',
  Refused: 'Bad',
  Cancelled: 'Warning',
  Failed: 'Bad',
  Running: 'Plain',
} as const satisfies Record<NonNullable<RunSummary['outcome']> | 'Running', Tone>;

function runLine({ runId, outcome, startedAtMs, workedMs }: RunSummary, width: number): string {
  const lasted = workedMs === undefined ? '' : `  ${renderDuration(workedMs)}`;
  return `${runId.padEnd(width)}  ${(outcome ?? 'under way').padEnd(9)}  ${utcSecond(startedAtMs)}${lasted}`;
}
