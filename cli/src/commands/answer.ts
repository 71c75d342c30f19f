/** `retainer answer`: leaves a person's answer to an open question for the agent, which need not run. */
import { leaveCommand } from '@retainer/agent-pod/input/spool';
import { openQuestions, type OpenRunQuestion } from '@retainer/agent-pod/review/run-records';
import { renderDuration } from '@retainer/mind/explain/figures';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { openRuns } from '../open-run.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface AnswerFlags {
  readonly data?: string;
  readonly output: OutputFormat;
}

export async function answerCommand(
  typed: string | undefined,
  text: string | undefined,
  flags: AnswerFlags,
): Promise<number> {
  const { colour, userName } = readEnvironment();
  const output = createOutput(flags.output, colour);
  const opened = await openRuns(flags.data);
  if (!opened.ok) return refuse(output, opened.error);
  const { reader, runs, dataDirectory } = opened.value;
  const open = await openQuestions(reader);
  if (typed === undefined) return tellOpen(output, open, dataDirectory);
  const run = findRun(runs, typed);
  if (!run.ok) return refuse(output, `${dataDirectory}: ${run.error}`);
  const { runId } = run.value;
  const question = open.find((it) => it.runId === runId);
  if (question === undefined)
    return refuse(
      output,
      `run ${runId} has no open question; runs with one: ${open.map((it) => it.runId).join(', ') || 'none'}`,
    );
  const answer = (text ?? '').trim();
  if (answer === '')
    return refuse(output, `the answer is missing: retainer answer ${typed} "TEXT". Question: ${question.question}`);
  const command = {
    type: 'AnswerQuestion',
    runId,
    questionId: question.questionId,
    text: answer,
    by: userName,
  } as const;
  const originId = await leaveCommand(dataDirectory, command);
  output.data({ ...command, originId });
  output.line(`answered question ${question.questionId}; the agent reads the answer when it runs`, 'Good');
  return exitCodes.done;
}

function tellOpen(output: Output, open: readonly OpenRunQuestion[], dataDirectory: string): number {
  output.data(open);
  if (open.length === 0) output.line('no question is open');
  for (const { runId, task, question, expiresAtMs } of open) {
    output.line(`${runId}  Task ${task}${waitText(expiresAtMs)}`, 'Warning');
    for (const line of question.trim().split('\n')) output.line(`  ${line}`);
    output.line(`  retainer answer ${runId} "TEXT" --data ${dataDirectory}`, 'Quiet');
  }
  return exitCodes.done;
}

function waitText(expiresAtMs: number | undefined): string {
  if (expiresAtMs === undefined) return ', waits for an answer without a time limit';
  const left = expiresAtMs - Date.now();
  return left > 0 ? `, ${renderDuration(left)} left` : ', expired';
}
