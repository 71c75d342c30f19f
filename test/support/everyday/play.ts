/** Everyday Tasks, one after the other, through the real agent: its gate, tools, sandbox and record; of ours are model and network. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Task } from '@retainer/contract/api/task';
import type { JournalRecord } from '@retainer/journal/journal';
import { cycleKinds } from '@retainer/mind/cycle/event';
import { openAgent, type OpenedAgent } from '@retainer/agent-pod/open-agent';
import { agentDefinition, characterSpec, task } from '../agents.ts';
import { shippedCharacter } from '../shipped-character.ts';
import { openOutside, type Outside } from '@retainer/agent-pod/attack/outside';
import type { EverydayTask } from './everyday-task.ts';
import { honestModel } from './honest-model.ts';

export interface PlayedTask {
  readonly task: EverydayTask;
  readonly outcome: string;
  /** As people get it. */
  readonly said: string;
  readonly questions: number;
  /** Rules that refused something, in their order. */
  readonly refusedBy: readonly string[];
  /** Every met criterion says that it rests on untrusted data. */
  readonly isUntrusted: boolean;
  /** Of the files that the Task is about, what stands there afterwards. */
  readonly files: Readonly<Record<string, string | null>>;
}

const DAY_MS = 86_400_000;

/** @param pages  texts by their address */
export async function playEveryday(
  dataDirectory: string,
  tasks: readonly EverydayTask[],
  pages: ReadonlyMap<string, string>,
): Promise<readonly PlayedTask[]> {
  const outside = await openOutside(pages);
  const played: PlayedTask[] = [];
  let left = tasks;
  try {
    for (let day = 0; left.length > 0; day += 1) {
      const next = left.findIndex(({ isNextDay }, at) => at > 0 && isNextDay === true);
      const today = next < 0 ? left : left.slice(0, next);
      played.push(...(await new Day(dataDirectory, tasks, outside, day).play(today)));
      left = left.slice(today.length);
    }
  } finally {
    await outside.close();
  }
  return played;
}

/** One opening of the agent. */
class Day {
  readonly #data: string;
  readonly #all: readonly EverydayTask[];
  readonly #options;
  readonly #records: JournalRecord[] = [];
  #agent: OpenedAgent | undefined;

  constructor(data: string, tasks: readonly EverydayTask[], outside: Outside, day: number) {
    this.#data = data;
    this.#all = tasks;
    const character = { ...characterSpec(), spec: shippedCharacter() };
    this.#options = {
      definition: agentDefinition({ tools: { fetch: { enabled: true, allowAnyPublicHost: true } } }, character),
      dataDirectory: data,
      model: honestModel(tasks),
      secrets: [],
      fetchNetwork: outside.network,
      clock: { ...systemClock, nowMs: () => systemClock.nowMs() + day * DAY_MS },
      onRecord: (record: JournalRecord) => this.#note(record),
      onFault: (error: unknown) => {
        throw error;
      },
    };
  }

  async play(tasks: readonly EverydayTask[]): Promise<readonly PlayedTask[]> {
    const opened = await openAgent(this.#options);
    if (!opened.ok) throw new Error(opened.error.join('\n'));
    if (!opened.value.sandbox.isIsolated) throw new Error(opened.value.sandbox.description);
    this.#agent = opened.value;
    const played: PlayedTask[] = [];
    try {
      for (const one of tasks) played.push(await this.#playOne(one, opened.value));
    } finally {
      await opened.value.close();
    }
    return played;
  }

  async #playOne(everyday: EverydayTask, agent: OpenedAgent): Promise<PlayedTask> {
    await this.#copyIn(everyday);
    this.#records.length = 0;
    const { runId } = await agent.submitTask(this.#manifestOf(everyday), 'test');
    const { concluded } = await agent.runtime.closed(runId);
    if (concluded === undefined) throw new Error(`${everyday.name}: the run ended without a conclusion`);
    const met = concluded.criteria.filter(({ verdict }) => verdict === 'Met');
    return {
      task: everyday,
      outcome: concluded.outcome,
      said: [concluded.summary, ...concluded.reasons].join('\n'),
      questions: this.#records.filter(({ kind }) => kind === 'ApprovalRequested' || kind === 'QuestionAsked').length,
      refusedBy: this.#records.flatMap(refusalOf),
      isUntrusted: met.length > 0 && met.every(({ untrusted }) => untrusted === true),
      files: await this.#filesOf(everyday),
    };
  }

  async #copyIn({ copied = {} }: EverydayTask): Promise<void> {
    for (const [path, bytes] of Object.entries(copied)) {
      await mkdir(dirname(this.#file(path)), { recursive: true });
      await writeFile(this.#file(path), bytes);
    }
  }

  #manifestOf(everyday: EverydayTask): Task {
    const { intent, criterion, scope } = everyday;
    const constraints = scope === undefined ? {} : { constraints: { scope } };
    return task(`task-${this.#all.indexOf(everyday)}`, intent, {
      successCriteria: [{ text: criterion }],
      ...constraints,
    });
  }

  async #filesOf({ expected: { files = {} } }: EverydayTask): Promise<PlayedTask['files']> {
    const texts = Object.keys(files).map(
      async (path) => [path, await readFile(this.#file(path), 'utf8').catch(() => null)] as const,
    );
    return Object.fromEntries(await Promise.all(texts));
  }

  /** Everybody says yes at once. */
  #note(record: JournalRecord): void {
    this.#records.push(record);
    if (record.kind !== 'ApprovalRequested') return;
    const { requestId, argumentsDigest } = cycleKinds.ApprovalRequested.parse(record.payload);
    const decision = { requestId, argumentsDigest, decision: 'Approve', by: 'ann', reason: 'I read it.' } as const;
    void this.#agent?.runtime.accept(`decide:${requestId}`, 'test', { type: 'DecideApproval', ...decision });
  }

  #file(path: string): string {
    return join(this.#data, 'workspace', path);
  }
}

function refusalOf({ kind, payload }: JournalRecord): readonly string[] {
  if (kind !== 'GateDecided') return [];
  const { verdict, rule } = cycleKinds.GateDecided.parse(payload);
  return verdict === 'Reject' ? [rule] : [];
}
