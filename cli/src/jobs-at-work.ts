/**
 * Jobs while `retainer run` is at work: tells what comes of them, and knows what the command waits for.
 *
 * I1  Nothing that a job does counts in the exit code of the command.
 * I2  A command that does not stay waits for moments that had come when its Tasks had ended, and for no later one: a job that is due each
 *     minute does not hold it.
 */
import type { OpenedAgent } from '@retainer/agent-pod/open-agent';
import type { JournalRecord } from '@retainer/journal/journal';
import { JobNews, nextLine, noticeLines, type JobNotice } from './job-news.ts';
import type { Output } from './output.ts';
import type { LeftRun } from './run-task.ts';

export interface JobsAtWorkOptions {
  readonly output: Pick<Output, 'note' | 'lines'>;
  /** Whether the agent begins work by itself. */
  readonly isEnabled: boolean;
  /** The command stays: what is next is told whenever it changes. */
  readonly staysUp: boolean;
}

type JobsOfAgent = Pick<OpenedAgent, 'jobPlan'> & {
  readonly runtime: Pick<OpenedAgent['runtime'], 'asideRun' | 'openRuns'>;
};

export class JobsAtWork {
  readonly #options: JobsAtWorkOptions;
  readonly #news = new JobNews();
  readonly #notices: JobNotice[] = [];
  /** Runs that wait for a person while nobody is there. */
  readonly #left = new Set<string>();
  #agent: JobsOfAgent | undefined;
  #told = '';
  #wake: () => void = () => undefined;

  constructor(options: JobsAtWorkOptions) {
    this.#options = options;
  }

  /** A record of an earlier start. */
  learn(record: JournalRecord): void {
    this.#news.take(record);
  }

  /** A record that the agent has just written. */
  take(record: JournalRecord): void {
    const { output, staysUp } = this.#options;
    const { notice, note } = this.#news.take(record);
    if (note !== undefined) output.note(note.text, note.tone);
    if (notice !== undefined) {
      this.#notices.push(notice);
      output.lines(noticeLines(notice));
    }
    if (record.store !== 'job' && !ENDS.has(record.kind)) return;
    // The agent's own state follows the record within the same turn.
    setImmediate(() => {
      if (staysUp && this.#agent !== undefined) this.tellNext(Date.now());
      this.#wake();
    });
  }

  /** From now on the agent is asked what is due. */
  attach(agent: JobsOfAgent): void {
    this.#agent = agent;
  }

  get notices(): readonly JobNotice[] {
    return this.#notices;
  }

  isOfJob(runId: string): boolean {
    return this.#news.isOfJob(runId);
  }

  /** Whether a moment up to this one is served, or due. @param untilMs  milliseconds since 1970 */
  isBusy(untilMs: number): boolean {
    const plan = this.#agent?.jobPlan(untilMs);
    if (plan !== undefined && plan.steps.length > 0) return true;
    // The archive of a run may end its firing before its reply has gone out.
    const runs = (this.#agent?.runtime.openRuns() ?? []).map(({ spec: { runId } }) => ({
      runId,
      momentMs: this.#news.momentOf(runId) ?? Number.POSITIVE_INFINITY,
    }));
    return [...this.#news.open(), ...runs].some((it) => it.momentMs <= untilMs && !this.#isLeft(it.runId));
  }

  #isLeft(runId: string | undefined): boolean {
    return runId !== undefined && (this.#left.has(runId) || this.#agent?.runtime.asideRun(runId) !== undefined);
  }

  /** It waits for a person, and stays open. */
  leave(name: string, runId: string, { why }: Pick<LeftRun, 'why'>): void {
    this.#left.add(runId);
    this.#options.output.note(`${name}: run ${runId} waits for a person. ${why}`, 'Warning');
    this.#wake();
  }

  /** Resolves when {@link isBusy} may have changed. For one caller at a time. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Tells what is next, unless it was told so before. @param nowMs  milliseconds since 1970 */
  tellNext(nowMs: number): void {
    const { output, isEnabled, staysUp } = this.#options;
    const next = this.#news.next(isEnabled);
    const key = next === undefined ? '' : `${next.jobId} ${next.nextAtMs} ${next.deferred?.why ?? ''}`;
    if (key === this.#told) return;
    this.#told = key;
    if (next === undefined) output.note('next nothing: no job has a moment to come', 'Quiet');
    else output.note(`${nextLine(next, nowMs)}${staysUp ? '' : '; --watch waits for it'}`, 'Quiet');
  }

  /** For programs. */
  data(): { readonly jobs: object } {
    const next = this.#news.next(this.#options.isEnabled);
    const { jobId, nextAtMs } = next ?? {};
    return { jobs: { notices: this.#notices, ...(next === undefined ? {} : { next: { jobId, nextAtMs } }) } };
  }
}

/** Records after which a run goes on no more. */
const ENDS: ReadonlySet<string> = new Set(['RunClosed', 'RunSetAside', 'RunGivenUp']);
