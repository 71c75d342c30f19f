/** A real agent on a directory of its own, through restarts, with a scripted model and a clock that a test moves. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OpenAgentOptions, OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { SandboxPort } from '@retainer/agent-pod/ports/ports';
import type { JournalRecord } from '@retainer/journal/journal';
import type { ModelRequest } from '@retainer/mind/request/model-request';
import type { Command } from '@retainer/mind/run/inbox';
import { inTemporaryDirectory, scripted, task } from './agents.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';
import { openedAgent } from './opened-agent.ts';

type Payload = Readonly<Record<string, string>>;

export interface Ended {
  readonly runId: string;
  readonly outcome: string;
  readonly summary: string;
}

interface Lived extends Pick<OpenAgentOptions, 'definition'> {
  /** Of its model. */
  readonly script: string;
  /** Nothing isolates code where absent. */
  readonly sandbox?: SandboxPort | undefined;
}

export class LivedAgent {
  /** Of all its processes, oldest first. */
  readonly records: JournalRecord[] = [];
  readonly clock: ManualClock = manualClock();
  readonly #directory: string;
  readonly #listeners = new Set<() => void>();
  #agent: OpenedAgent | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes files of the workspace, by their paths. */
  async put(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const place = join(this.#directory, 'workspace', path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, text);
    }
  }

  /** Ends the process before, if there is one. */
  async open({ definition, script, sandbox }: Lived): Promise<void> {
    await this.close();
    this.#agent = await openedAgent({
      definition,
      dataDirectory: this.#directory,
      model: await scripted(script, this.clock),
      clock: this.clock,
      ...(sandbox === undefined ? {} : { sandbox }),
      onRecord: (record) => {
        this.records.push(record);
        for (const listener of this.#listeners) listener();
      },
    });
  }

  async close(): Promise<void> {
    await this.#agent?.close();
    this.#agent = undefined;
  }

  /** @returns its run */
  async begin(name: string, intent: string, spec: object = {}): Promise<string> {
    const { runId } = await this.#opened.submitTask(task(name, intent, spec), 'test');
    return runId;
  }

  async work(name: string, intent: string, spec: object = {}): Promise<Ended> {
    return this.ended(await this.begin(name, intent, spec));
  }

  async ended(runId: string): Promise<Ended> {
    const { concluded } = await this.#opened.runtime.closed(runId);
    await this.#opened.runtime.archived();
    return { runId, outcome: concluded?.outcome ?? '', summary: concluded?.summary ?? '' };
  }

  /** Waits until the record has what is looked for. */
  async until<Found>(find: () => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
    }
  }

  /** Waits until work of the run waits for a person, for the so manieth time. @returns what it asks */
  async asked(runId: string, times = 1): Promise<Payload> {
    return this.until(() =>
      this.of(runId, 'WaitBegan').length < times ? undefined : this.of(runId, 'ApprovalRequested')[times - 1],
    );
  }

  async answer({ requestId: questionId = '' }: Payload, runId: string, text: string): Promise<void> {
    await this.tell({ type: 'AnswerQuestion', runId, questionId, text, by: 'ann' });
  }

  async approve({ requestId = '', argumentsDigest = '' }: Payload, reason = 'fine'): Promise<void> {
    await this.tell({ type: 'DecideApproval', requestId, argumentsDigest, decision: 'Approve', by: 'ann', reason });
  }

  async tell(command: Command): Promise<void> {
    await this.#opened.runtime.accept(`word:${this.records.length}`, 'test', command);
  }

  of(runId: string, kind: string): readonly Payload[] {
    return this.records.filter((it) => it.runId === runId && it.kind === kind).map(({ payload }) => payload as Payload);
  }

  /** Names of the tools that ran, in order. */
  calls(runId: string): readonly string[] {
    return this.of(runId, 'ToolRequested').map(({ tool = '' }) => tool);
  }

  /** What the first request of each attempt says of the agent itself. */
  told(runId: string): readonly string[] {
    return this.of(runId, 'ModelRequested')
      .map((payload) => (payload as unknown as { readonly request: ModelRequest }).request)
      .filter(({ role, messages }) => role === 'executor' && messages.length === 1)
      .map(({ system }) => system.at(-1)?.text ?? '');
  }

  get #opened(): OpenedAgent {
    if (this.#agent === undefined) throw new Error('the agent is not open');
    return this.#agent;
  }
}

/** Closes the agent after `use`. */
export async function withLivedAgent(use: (agent: LivedAgent) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (directory) => {
    const agent = new LivedAgent(directory);
    try {
      await use(agent);
    } finally {
      await agent.close();
    }
  });
}
