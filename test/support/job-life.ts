/** An agent with a calendar, on a wall clock that a test sets: what it records, and the notices that it leaves for people. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobNamed } from '@retainer/agent-pod/parts/jobs/job-tool';
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { JournalRecord } from '@retainer/journal/journal';
import type { JobMaker } from '@retainer/mind/parts/jobs/job';
import { nextMomentMs } from '@retainer/mind/parts/jobs/moments-of-job';
import { isLasting, type JobState } from '@retainer/mind/parts/jobs/jobs';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { Command } from '@retainer/mind/run/inbox';
import { agentDefinition, scripted } from './agents.ts';
import { payloadsIn } from './cut-record.ts';
import { jobWords, OF_PERSON, type Words } from './job-words.ts';
import { HeardRecords } from './heard-records.ts';
import { openedAgent } from './opened-agent.ts';
import { citingRule, oneStepRule } from './runs.ts';

const script = String.raw`
version: 1
rules:${oneStepRule}${citingRule}
  - name: what the workspace holds
    when: {role: executor, turn: 1}
    answer: {calls: [{tool: list_files, input: {}}]}
  - name: done
    when: {role: executor}
    answer: {text: The workspace was looked through.}
`;

/** A wall clock that can be set; what is waited for takes its real time. */
export class SetClock implements Clock {
  aheadMs = 0;

  nowMs(): number {
    return systemClock.nowMs() + this.aheadMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(durationMs, signal);
  }
}

export interface JobLifeOptions {
  readonly directory: string;
  readonly clock?: Clock;
  /** Of the Agent's spec. */
  readonly spec?: object;
  readonly script?: string;
}

export interface MadeJob {
  readonly jobId: string;
  readonly job: Words;
  readonly maker?: JobMaker;
  readonly label?: Label;
}

/** One process of the agent. */
export class JobLife {
  readonly notices: string[] = [];
  readonly #heard = new HeardRecords();
  readonly agent: OpenedAgent;
  readonly #directory: string;

  private constructor(directory: string, agent: OpenedAgent, heard: HeardRecords) {
    this.#directory = directory;
    this.agent = agent;
    this.#heard = heard;
  }

  static async begin({ directory, clock = systemClock, spec = {}, script: other }: JobLifeOptions): Promise<JobLife> {
    const heard = new HeardRecords();
    const agent = await openedAgent({
      definition: agentDefinition({ control: { maxReplans: 0 }, scheduler: { idleAfter: '0s' }, ...spec }),
      dataDirectory: directory,
      model: await scripted(other ?? script),
      clock,
      onRecord: heard.take,
    });
    return new JobLife(directory, agent, heard);
  }

  all(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.#heard.of(kind);
  }

  until(kind: string, count = 1): Promise<void> {
    return this.#heard.until(kind, count);
  }

  /** What this process has recorded. */
  get records(): readonly JournalRecord[] {
    return this.#heard.all;
  }

  /** As one of its tools makes it. */
  make(jobId: string, job: Words, maker: JobMaker = { kind: 'Agent' }, label: Label = OF_PERSON): Promise<void> {
    return this.makeAll([{ jobId, job, maker, label }]);
  }

  /** At once. */
  makeAll(made: readonly MadeJob[]): Promise<void> {
    const records = made.map(({ jobId, job, maker = { kind: 'Agent' }, label = OF_PERSON }) => {
      const payload = { jobId, job: jobWords({ name: jobId, ...job }), source: 'Tool', maker, label };
      return { store: 'job', kind: 'JobCreated', payload };
    });
    return this.agent.runtime.partsFor('Tools').write(records);
  }

  say(originId: string, command: Command): Promise<boolean> {
    return this.agent.runtime.accept(originId, 'test', command);
  }

  /** By id or name. */
  job(jobId: string): JobState | undefined {
    return jobNamed(this.agent.runtime.parts.known().jobs, jobId);
  }

  /** The words that lie in the outbox for people, by the file of their delivery. */
  delivered(): readonly string[] {
    return readdirSync(join(this.#directory, 'outbox'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(this.#directory, 'outbox', name), 'utf8')) as object)
      .flatMap((it) => ('channel' in it && it.channel === 'Notice' && 'body' in it ? [wordsOf(it.body)] : []));
  }

  /** Resolves when nothing is due, under way or on its way. */
  settled(): Promise<void> {
    const { runtime } = this.agent;
    const isQuiet = (it: JobState): boolean =>
      it.open === undefined && (!isLasting(it) || (nextMomentMs(it) ?? Infinity) > systemClock.nowMs());
    return this.#heard.when(
      () => runtime.openRuns().length === 0 && [...runtime.parts.known().jobs.byId.values()].every(isQuiet),
    );
  }

  /** Payloads of a kind in the whole record. */
  recorded(kind: string): Promise<readonly unknown[]> {
    return payloadsIn(this.#directory, kind);
  }

  end(): Promise<void> {
    return this.agent.close();
  }
}

function wordsOf(body: unknown): string {
  return (body as { readonly summary: string }).summary;
}
