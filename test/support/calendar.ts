/** A calendar for tests, told in verbs. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { JobDefinition, JobMaker } from '@retainer/mind/parts/jobs/job';
import { JobRecords } from './job-records.ts';
import { jobDefinition, OF_PERSON } from './job-words.ts';

export { NOW_MS as JOBS_NOW_MS } from './job-records.ts';

export function jobOf({ name = 'look', ...more }: Partial<JobDefinition> = {}): JobDefinition {
  return jobDefinition(name, more);
}

export class Calendar extends JobRecords {
  #words = 0;

  make(
    jobId: string,
    job: JobDefinition,
    atMs: number,
    { maker = { kind: 'Person' }, label = OF_PERSON }: { readonly maker?: JobMaker; readonly label?: Label } = {},
  ): this {
    const source = maker.kind === 'Person' ? 'Manifest' : 'Tool';
    return this.#take('JobCreated', { jobId, job: job as unknown as Json, source, maker, label }, atMs);
  }

  /** @param runId  undefined: words to a person */
  fire(jobId: string, momentMs: number, runId: string | undefined): this {
    return this.#take('JobFired', { jobId, momentMs, ...(runId === undefined ? {} : { runId }) }, momentMs);
  }

  end(jobId: string, atMs: number, outcome: string): this {
    const { momentMs = atMs } = this.jobs.byId.get(jobId)?.open ?? {};
    return this.#take('JobEnded', { jobId, momentMs, outcome }, atMs);
  }

  skip(jobId: string, momentMs: number, count = 1): this {
    return this.#take('JobSkipped', { jobId, why: 'Missed', count, firstMs: momentMs, lastMs: momentMs }, momentMs);
  }

  pause(jobId: string, atMs: number): this {
    return this.#take('JobPaused', { jobId, reason: 'later', by: 'ann', originId: this.#originId() }, atMs);
  }

  cancel(jobId: string, atMs: number): this {
    return this.#take('JobCancelled', { jobId, reason: 'no more', by: 'ann', originId: this.#originId() }, atMs);
  }

  want(jobId: string, momentMs: number): this {
    const payload = { jobId, momentMs, reason: 'now', by: 'ann', originId: this.#originId() };
    return this.#take('JobWanted', payload, momentMs);
  }

  #originId(): string {
    this.#words += 1;
    return `o${this.#words}`;
  }

  #take(kind: string, payload: Json, timeMs: number): this {
    this.nowMs = timeMs;
    return this.take([{ store: 'job', kind, payload }]);
  }
}
