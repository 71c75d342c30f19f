/** Jobs for tests: a state folded from records of the kinds that an agent writes. */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { Label } from '@retainer/mind/gate/provenance/label';
import type { JobDefinition, JobMaker } from '@retainer/mind/parts/jobs/job';
import { jobs, type Jobs } from '@retainer/mind/parts/jobs/jobs';
import { jobDefinition, OF_PERSON } from './job-words.ts';

/** Noon. */
export const JOBS_NOW_MS = Date.UTC(2030, 0, 1, 12);

export function jobOf({ name = 'look', ...more }: Partial<JobDefinition> = {}): JobDefinition {
  return jobDefinition(name, more);
}

export class Calendar {
  readonly jobs: Jobs = jobs.start();
  #seq = 0;

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
    return this.#take('JobPaused', { jobId, reason: 'later', by: 'ann', originId: `o${this.#seq}` }, atMs);
  }

  cancel(jobId: string, atMs: number): this {
    return this.#take('JobCancelled', { jobId, reason: 'no more', by: 'ann', originId: `o${this.#seq}` }, atMs);
  }

  want(jobId: string, momentMs: number): this {
    const payload = { jobId, momentMs, reason: 'now', by: 'ann', originId: `o${this.#seq}` };
    return this.#take('JobWanted', payload, momentMs);
  }

  #take(kind: string, payload: Json, timeMs: number): this {
    this.#seq += 1;
    jobs.take(this.jobs, { store: 'job', kind, seq: this.#seq, timeMs, payload });
    return this;
  }
}
