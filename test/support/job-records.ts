/** Jobs as their records make them, without a store on a disk. */
import type { PartRecord } from '@retainer/mind/part/store';
import type { JobCreated } from '@retainer/mind/parts/jobs/job';
import type { Jobs } from '@retainer/mind/parts/jobs/jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { Projections } from '@retainer/mind/projections/projections';
import { jobCreated } from './job-words.ts';

export const NOW_MS = Date.UTC(2026, 10, 29, 12);

export class JobRecords {
  readonly #projections = new Projections();
  #seq = 0;
  nowMs = NOW_MS;

  get jobs(): Jobs {
    return this.#projections.states.jobs;
  }

  take(records: readonly PartRecord[]): this {
    for (const { kind, payload } of records) {
      const schema = jobStore.kinds[kind as keyof typeof jobStore.kinds];
      const parsed = schema.parse(payload) as never;
      this.#projections.take({ store: 'job', kind, seq: this.#seq, timeMs: this.nowMs, payload: parsed });
      this.#seq += 1;
    }
    return this;
  }

  created(jobId: string, more: Partial<JobCreated> = {}): this {
    return this.take([{ store: 'job', kind: 'JobCreated', payload: jobCreated(jobId, more) }]);
  }
}
