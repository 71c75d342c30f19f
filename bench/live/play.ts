/** Plays tasks by Retainer in one data directory, grades each by what it left, and replays the record. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openAgent, type OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { replayRun } from '@retainer/agent-pod/review/replay-run';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { totalTokens } from '@retainer/mind/cycle/state';
import { endsOf, resultText } from '@retainer/mind/run/state';
import { fail } from '../figures.ts';
import { liveDefinition, manifestOf, type LiveModels } from './agent.ts';
import { playConversations, type PlayConversation } from './conversations.ts';
import { asSaid, type LiveRow } from './row.ts';
import { grade, type LiveTask } from './tasks/task.ts';
import { filesOf, seedFiles, servePage } from './workspace.ts';

export interface LiveOptions {
  readonly tasks: readonly LiveTask[];
  readonly model: ModelPort;
  readonly models: LiveModels;
  /** New, or absent so far. */
  readonly dataDirectory: string;
  /** Tasks at the same time. */
  readonly parallel: number;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** Called when a task has ended, in the order in which they end. */
  readonly onEnd?: (row: LiveRow) => void;
}

interface Ended {
  readonly runId: string;
  readonly row: LiveRow;
}

/** @returns one row for each task, in their order */
export async function playLive(options: LiveOptions): Promise<readonly LiveRow[]> {
  const { dataDirectory, model, models, secrets, parallel } = options;
  const workspace = join(dataDirectory, 'workspace');
  await mkdir(workspace, { recursive: true });
  await seedFiles(workspace);
  const page = await servePage();
  try {
    const opened = await openAgent({
      definition: liveDefinition(models, parallel),
      dataDirectory,
      model,
      secrets,
      fetchNetwork: page.network,
      onFault: fail,
    });
    if (!opened.ok) throw new Error(opened.error.join('\n'));
    return await playOpened(opened.value, options);
  } finally {
    await page.close();
  }
}

async function playOpened(agent: OpenedAgent, options: LiveOptions): Promise<readonly LiveRow[]> {
  const { dataDirectory, tasks, parallel, onEnd } = options;
  const runIds = new Map<string, string>();
  const playTurns: PlayConversation = async (turns) => {
    const rows: LiveRow[] = [];
    for (const task of turns) {
      const { runId, row } = await playOne(agent, task, options);
      runIds.set(task.name, runId);
      rows.push(row);
      onEnd?.(row);
    }
    return rows;
  };
  let played: readonly LiveRow[];
  try {
    played = await playConversations(tasks, parallel, playTurns);
  } finally {
    await agent.close();
  }
  return replayed(dataDirectory, played, runIds);
}

async function playOne(agent: OpenedAgent, task: LiveTask, { dataDirectory, models }: LiveOptions): Promise<Ended> {
  const { runId } = await agent.submitTask(manifestOf(task), 'live');
  const ended = await agent.runtime.closed(runId);
  const { concluded } = ended;
  if (concluded === undefined) throw new Error(`${task.name}: the run ended without a conclusion`);
  // What is asked for memory would count in the seconds of the next task.
  await agent.runtime.archived();
  const { outcome, summary, reasons, usage, startedAtMs, endedAtMs } = concluded;
  const text = resultText(ended) ?? '';
  const graded = grade(task, { outcome, text, file: filesOf(join(dataDirectory, 'workspace')) });
  const row: LiveRow = {
    ...{ way: 'Retainer', model: liveDefinition(models, 1).agent.spec.models.capable, task: task.name, ...graded },
    outcome,
    said: asSaid(reasons[0] ?? summary),
    modelCalls: endsOf(ended).reduce((sum, { modelCalls }) => sum + modelCalls, 0),
    tokens: totalTokens(usage),
    uncachedTokens: totalTokens(usage) - usage.cacheReadTokens,
    durationMs: endedAtMs - startedAtMs,
  };
  return { runId, row };
}

async function replayed(
  dataDirectory: string,
  rows: readonly LiveRow[],
  runIds: ReadonlyMap<string, string>,
): Promise<readonly LiveRow[]> {
  const reader = await openRecords(dataDirectory);
  const all: LiveRow[] = [];
  for (const row of rows) {
    const replay = await replayRun(reader, runIds.get(row.task) ?? '');
    all.push({ ...row, replays: replay.ok && replay.value.isByteEqual });
  }
  return all;
}
