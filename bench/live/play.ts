/** Plays the twelve tasks in one data directory, grades each by what it left, and replays the record. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openAgent, type OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { ModelPort } from '@retainer/agent-pod/ports/ports';
import { replayRun } from '@retainer/agent-pod/review/replay-run';
import { openRecords } from '@retainer/agent-pod/review/run-records';
import { totalTokens } from '@retainer/mind/cycle/state';
import { resultText } from '@retainer/mind/run/state';
import { fail } from '../figures.ts';
import { liveDefinition, manifestOf, type LiveModels } from './agent.ts';
import { grade, liveTasks, type Grade, type LiveTask } from './tasks.ts';
import { seeds, servePage } from './workspace.ts';

export interface Played extends Grade {
  readonly task: LiveTask;
  readonly runId: string;
  readonly outcome: string;
  /** What people read first. */
  readonly said: string;
  readonly tokens: number;
  readonly costUsd: number;
  readonly isCostKnown: boolean;
  readonly durationMs: number;
  /** The record leads to the same decisions without a model. */
  readonly replays: boolean;
}

export interface LiveOptions {
  readonly model: ModelPort;
  readonly models: LiveModels;
  /** New, or absent so far. */
  readonly dataDirectory: string;
  readonly parallel: number;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  /** Called when a task has ended, in the order in which they end. */
  readonly onEnd?: (task: string, outcome: string) => void;
}

type Ended = Omit<Played, 'replays'>;

/** @returns one row for each task, in their order */
export async function playLive(options: LiveOptions): Promise<readonly Played[]> {
  const { dataDirectory, model, models, secrets, parallel } = options;
  const workspace = join(dataDirectory, 'workspace');
  await seed(workspace);
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
    const ended = await playOpened(opened.value, workspace, options);
    return await replayed(dataDirectory, ended);
  } finally {
    await page.close();
  }
}

async function playOpened(agent: OpenedAgent, workspace: string, options: LiveOptions): Promise<readonly Ended[]> {
  try {
    return await playAll(agent, workspace, options);
  } finally {
    await agent.close();
  }
}

/** The agent runs as many at a time as it may; the others wait here. */
async function playAll(agent: OpenedAgent, workspace: string, options: LiveOptions): Promise<readonly Ended[]> {
  const waiting = [...liveTasks.entries()];
  const ended = new Map<number, Ended>();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, task] = next;
      const row = await playOne(agent, task, workspace);
      ended.set(at, row);
      options.onEnd?.(task.name, row.outcome);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return liveTasks.flatMap((_, at) => ended.get(at) ?? []);
}

async function playOne(agent: OpenedAgent, task: LiveTask, workspace: string): Promise<Ended> {
  const { runId } = await agent.submitTask(manifestOf(task), 'live');
  const ended = await agent.runtime.closed(runId);
  const { concluded } = ended;
  if (concluded === undefined) throw new Error(`${task.name}: the run ended without a conclusion`);
  const { outcome, summary, reasons, usage, costUsd, isCostComplete, startedAtMs, endedAtMs } = concluded;
  const file = (path: string): string | undefined =>
    existsSync(join(workspace, path)) ? readFileSync(join(workspace, path), 'utf8') : undefined;
  return {
    task,
    runId,
    outcome,
    said: reasons[0] ?? summary,
    tokens: totalTokens(usage),
    costUsd,
    isCostKnown: isCostComplete,
    durationMs: endedAtMs - startedAtMs,
    ...grade(task, { outcome, text: resultText(ended) ?? '', file }),
  };
}

async function replayed(dataDirectory: string, ended: readonly Ended[]): Promise<readonly Played[]> {
  const reader = await openRecords(dataDirectory);
  const rows: Played[] = [];
  for (const row of ended) {
    const replay = await replayRun(reader, row.runId);
    rows.push({ ...row, replays: replay.ok && replay.value.isByteEqual });
  }
  return rows;
}

async function seed(workspace: string): Promise<void> {
  for (const [path, text] of Object.entries(seeds)) {
    const file = join(workspace, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
