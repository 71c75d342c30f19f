/** `retainer answer`: a person's answer to an open question, which the agent reads when it runs. */
import { renderDuration } from '@retainer/mind/explain/figures';
import type { AgentAccess, OpenQuestion } from '../access/agent-access.ts';
import { openAccess } from '../access/open-access.ts';
import type { PlaceFlags } from '../access/place.ts';
import { readEnvironment } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput, type Output, type OutputFormat } from '../output.ts';
import { refuse } from '../refuse.ts';

export interface AnswerFlags extends PlaceFlags {
  readonly output: OutputFormat;
}

export async function answerCommand(
  typed: string | undefined,
  text: string | undefined,
  flags: AnswerFlags,
): Promise<number> {
  const output = createOutput(flags.output, readEnvironment().colour);
  const access = await openAccess(flags, output);
  try {
    const open = await access.openQuestions();
    if (typed === undefined) return tellOpen(output, open, access.options);
    return await answer({ typed, text: (text ?? '').trim() }, open, { output, access });
  } finally {
    access.close();
  }
}

interface Opened {
  readonly output: Output;
  readonly access: AgentAccess;
}

async function answer(
  { typed, text }: { readonly typed: string; readonly text: string },
  open: readonly OpenQuestion[],
  { output, access }: Opened,
): Promise<number> {
  const asking = open.filter(({ runId, task }) => task === typed || runId.startsWith(typed));
  const question =
    asking.find(({ runId }) => runId === typed) ?? asking.findLast(({ task }) => task === typed) ?? asking[0];
  if (question === undefined)
    return refuse(
      output,
      `run ${typed} has no open question; runs with one: ${open.map((it) => it.runId).join(', ') || 'none'}`,
    );
  if (question.runId !== typed && question.task !== typed && asking.length > 1)
    return refuse(output, `${typed} is the beginning of several run ids: ${asking.map((it) => it.runId).join(', ')}`);
  if (text === '')
    return refuse(output, `the answer is missing: retainer answer ${typed} "TEXT". Question: ${question.question}`);
  output.data(await access.answer(question, text));
  output.line(`answered question ${question.questionId}; the agent reads the answer when it runs`, 'Good');
  return exitCodes.done;
}

function tellOpen(output: Output, open: readonly OpenQuestion[], options: string): number {
  const { program } = readEnvironment().caller;
  output.data(open);
  if (open.length === 0) output.line('no question is open');
  for (const asked of open) {
    const { runId, task, question } = asked;
    output.line(`${runId}  Task ${task}${waitText(asked)}`, 'Warning');
    for (const line of question.trim().split('\n')) output.line(`  ${line}`);
    output.line(`  ${program} answer ${runId} "TEXT" ${options}`, 'Quiet');
  }
  return exitCodes.done;
}

function waitText({ expiresAtMs, askedAtMs, isLimitUnknown }: OpenQuestion): string {
  if (isLimitUnknown === true) return `, asked ${renderDuration(Math.max(0, Date.now() - askedAtMs))} ago`;
  if (expiresAtMs === undefined) return ', waits for an answer without a time limit';
  const left = expiresAtMs - Date.now();
  return left > 0 ? `, ${renderDuration(left)} left` : ', expired';
}
