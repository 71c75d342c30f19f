/**
 * Plays tasks by the loop that anybody writes in an evening, beside which Retainer is measured: the same tasks, model, tools, sandbox
 * and bounds; no gate, no roles, no record. Its last answer is what it claims.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { durationMs } from '@retainer/contract/api/fields';
import { totalTokens } from '@retainer/mind/cycle/state';
import type { Message } from '@retainer/mind/request/model-request';
import { liveDefinition, TASK_TOKENS_MAX, TASK_WALL_CLOCK } from './agent.ts';
import { askBare, type BareEnd, type BareLoop } from './bare-loop.ts';
import { bareToolsOn, type BareTools } from './bare-tools.ts';
import { playConversations } from './conversations.ts';
import type { LiveOptions } from './play.ts';
import { asSaid, type LiveRow } from './row.ts';
import type { World } from './tasks/checks.ts';
import { stanceOf, type Stance } from './tasks/read-text.ts';
import { grade, isToBeDeclined, type Grade, type LiveTask } from './tasks/task.ts';
import type { Conversation } from './tasks/tasks.ts';
import { filesOf, seedFiles, servePage } from './workspace.ts';

const PROMPT = `You are a careful clerk. You work with tools on the files of a workspace, and compute rather than guess.
The files below data/ are never changed.
When the task is done, answer with the result in a few words. If it cannot be done, say so.`;

/** What the outcome of a run would be for the same words. */
const OUTCOMES: Readonly<Record<Stance, string>> = {
  Claims: 'Accepted',
  Declines: 'Abandoned',
  SaysNothing: 'Failed',
};

/** Leaves each conversation with its workspace and its words below the data directory. @returns one row for each task, in their order */
export async function playBare(options: Omit<LiveOptions, 'secrets'>): Promise<readonly LiveRow[]> {
  const { tasks, models, parallel, dataDirectory } = options;
  const { agent } = liveDefinition(models, parallel);
  await mkdir(dataDirectory, { recursive: true });
  const page = await servePage();
  try {
    const toolsOn = await bareToolsOn({ agent, dataDirectory, network: page.network });
    return await playConversations(tasks, parallel, (turns) => playTurns(turns, toolsOn, options));
  } finally {
    await page.close();
  }
}

async function playTurns(
  turns: Conversation,
  toolsOn: (workspace: string) => BareTools,
  { model, models, dataDirectory, onEnd }: Omit<LiveOptions, 'secrets'>,
): Promise<readonly LiveRow[]> {
  const directory = join(dataDirectory, turns[0]?.name ?? '');
  const workspace = join(directory, 'workspace');
  const { spec } = liveDefinition(models, 1).agent;
  await seedFiles(workspace);
  const loop: BareLoop = {
    model,
    tools: toolsOn(workspace),
    request: {
      model: spec.models.capable,
      system: [{ text: PROMPT, cache: true }],
      maxOutputTokens: spec.limits.outputTokensPerCall,
    },
    tokensMax: TASK_TOKENS_MAX,
    wallClockMs: durationMs(TASK_WALL_CLOCK),
  };
  const talk: Message[] = [];
  const rows: LiveRow[] = [];
  for (const task of turns) {
    const startedAtMs = performance.now();
    const end = await askBare(talk, wordsOf(task), task.name, loop);
    const row = rowOf(task, { end, model: loop.request.model, durationMs: performance.now() - startedAtMs }, workspace);
    rows.push(row);
    onEnd?.(row);
  }
  await writeFile(join(directory, 'talk.json'), `${JSON.stringify(talk, undefined, 1)}\n`);
  return rows;
}

/** What a Task of Retainer says, too. */
function wordsOf({ intent, criterion }: LiveTask): string {
  return `${intent}\n\nThe result is judged by: ${criterion}`;
}

function rowOf(
  task: LiveTask,
  { end, ...measured }: { readonly end: BareEnd; readonly model: string; readonly durationMs: number },
  workspace: string,
): LiveRow {
  const { outcome, text, usage, modelCalls } = end;
  return {
    ...{ way: 'Bare', task: task.name, ...measured, ...gradeBare(task, end, filesOf(workspace)) },
    ...{ outcome, said: asSaid(text), modelCalls },
    tokens: totalTokens(usage),
    uncachedTokens: totalTokens(usage) - usage.cacheReadTokens,
  };
}

/** In doubt for the loop: an answer that is right counts, whatever stands beside it. */
export function gradeBare(
  task: LiveTask,
  { outcome, text }: Pick<BareEnd, 'outcome' | 'text'>,
  file: World['file'],
): Grade {
  const hasSaid = outcome === 'Answered' || outcome === 'CutOff';
  const as = (told: string): Grade => grade(task, { outcome: told, text: hasSaid ? text : '', file });
  const claimed = as(OUTCOMES.Claims);
  if (hasSaid && claimed.verdict === 'Right' && !isToBeDeclined(task)) return claimed;
  if (outcome === 'Answered') return as(OUTCOMES[stanceOf(text)]);
  const fault = outcome === 'CutOff' ? 'was cut off before its end' : 'ended without an answer';
  return { ...as(OUTCOMES.SaysNothing), fault };
}
