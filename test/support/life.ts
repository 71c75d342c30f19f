/** An agent of a test from its beginning to its end: what it recorded, and what it is told. */
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { JournalRecord } from '@retainer/journal/journal';
import type { Command } from '@retainer/mind/run/inbox';
import { agentDefinition, scripted } from './agents.ts';
import { openedAgent } from './opened-agent.ts';
import { citingRule, oneStepRule } from './runs.ts';

/** The note waits for a person before its only call; the sum has none. */
const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: a call that waits for a person
    when: {role: executor, task: 'Write a note', turn: 1}
    answer: {calls: [{tool: write_file, input: {path: notes/a.md, content: hello}}]}
  - name: done
    when: {role: executor}
    answer: {text: done}
`;

/** One process of an agent. */
export class Life {
  readonly records: JournalRecord[] = [];
  readonly notices: string[] = [];
  readonly directory: string;
  readonly #listeners = new Set<() => void>();
  #agent: OpenedAgent | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  static async begin(directory: string): Promise<Life> {
    const life = new Life(directory);
    life.#agent = await openedAgent({
      definition: agentDefinition({ control: { maxReplans: 0 }, limits: { concurrentRuns: 4 } }),
      dataDirectory: directory,
      model: await scripted(script),
      onNotice: (notice) => life.notices.push(notice),
      onRecord: (record) => {
        life.records.push(record);
        for (const listener of life.#listeners) listener();
      },
    });
    return life;
  }

  get agent(): OpenedAgent {
    if (this.#agent === undefined) throw new Error('this life is over');
    return this.#agent;
  }

  all(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.records.filter((it) => it.kind === kind).map((it) => it.payload as Record<string, unknown>);
  }

  async until(kind: string, count = 1): Promise<void> {
    while (this.all(kind).length < count)
      await new Promise<void>((resolve) => {
        const listener = (): void => {
          this.#listeners.delete(listener);
          resolve();
        };
        this.#listeners.add(listener);
      });
  }

  say(originId: string, command: Command): Promise<boolean> {
    return this.agent.runtime.accept(originId, 'test', command);
  }

  end(): Promise<void> {
    return this.agent.close();
  }
}

/** Yes to the newest request. */
export function yesTo(records: readonly JournalRecord[]): Command {
  const request = records.findLast(({ kind }) => kind === 'ApprovalRequested');
  if (request === undefined) throw new Error('nothing was asked');
  const { requestId = '', argumentsDigest = '' } = request.payload as Record<string, string>;
  return { type: 'DecideApproval', requestId, argumentsDigest, decision: 'Approve', by: 'ann', reason: 'fine' };
}
