/** An agent of a test from its beginning to its end: what it recorded, and what it is told. */
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { JournalRecord } from '@retainer/journal/journal';
import type { Command } from '@retainer/mind/run/inbox';
import { agentDefinition, scripted } from './agents.ts';
import { HeardRecords } from './heard-records.ts';
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
  readonly notices: string[] = [];
  readonly directory: string;
  readonly #heard = new HeardRecords();
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
      onRecord: life.#heard.take,
    });
    return life;
  }

  get agent(): OpenedAgent {
    if (this.#agent === undefined) throw new Error('this life is over');
    return this.#agent;
  }

  get records(): readonly JournalRecord[] {
    return this.#heard.all;
  }

  all(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.#heard.of(kind);
  }

  until(kind: string, count = 1): Promise<void> {
    return this.#heard.until(kind, count);
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
