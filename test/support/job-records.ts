/** Jobs as their records make them, without a store on a disk. */
import type { PartRecord } from '@retainer/mind/part/store';
import type { JobCreated, JobDefinition } from '@retainer/mind/parts/jobs/job';
import type { Jobs } from '@retainer/mind/parts/jobs/jobs';
import { jobStore } from '@retainer/mind/parts/jobs/part';
import { Projections } from '@retainer/mind/projections/projections';

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

export function jobDefinition(name: string, more: Partial<JobDefinition> = {}): JobDefinition {
  return {
    ...{ kind: 'Recurring', for: 'Agent', name, words: `Do ${name}.`, catchUp: 'Once' },
    ...{
      when: { type: 'Cron', cron: '0 8 * * *', timeZone: 'UTC' },
      requiredTools: [],
      onlyIfChanged: false,
      tags: [],
    },
    ...more,
  };
}

export function jobCreated(jobId: string, more: Partial<JobCreated> = {}): JobCreated {
  const label = { source: { kind: 'Task' }, trust: 'Trusted', readers: 'Principal' } as const;
  return { jobId, job: jobDefinition(jobId), source: 'Tool', maker: { kind: 'Agent', runId: 'run-0' }, label, ...more };
}
