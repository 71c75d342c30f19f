/**
 * The jobs of the manifest, which people give and the agent cannot change, and what brings the record in line with them.
 *
 * I1  The same manifest twice changes nothing the second time.
 * I2  A job that a person cancelled by name stays so, until the manifest gives another one under its name.
 */
import type { AgentScheduler } from '@retainer/contract/api/agent-limits';
import { canonicalJson } from '@retainer/contract/std/canonical-json';
import { err, type Result } from '@retainer/contract/std/result';
import { PEOPLE, type Label } from '../../gate/provenance/label.ts';
import { recordIn } from '../../part/record-in.ts';
import type { PartRecord } from '../../part/store.ts';
import type { JobFault } from './job-fault.ts';
import type { JobDefinition } from './job.ts';
import { manifestJobId } from './job-names.ts';
import { isLasting, type Jobs, type JobState } from './jobs.ts';
import { jobStore } from './part.ts';
import { readJob, type JobsAround } from './read-job.ts';

type Entry = AgentScheduler['jobs'][number];

/** The words of a manifest are people's. */
export const manifestLabel: Label = { source: { kind: 'Operator' }, trust: 'Trusted', readers: [PEOPLE] };

export interface ManifestAround {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Names of the tools that the agent has; absent: nobody can tell. */
  readonly tools?: readonly string[] | undefined;
}

/** Names of fields in the manifest, where they differ from those of a job. */
const FIELDS: Readonly<Record<string, string>> = { words: 'intent' };

/** @returns a fault that names the field as it stands in the manifest: `spec.scheduler.jobs[weekly].cron` */
export function jobOfManifest(
  entry: Entry,
  scheduler: Pick<AgentScheduler, 'timeZone' | 'catchUp'>,
  { nowMs, tools }: ManifestAround,
): Result<JobDefinition, JobFault> {
  const { name, intent: words, cron, timeZone, requiredTools, onlyIfChanged } = entry;
  // How many there may be is a rule of the manifest, and each name of it is there once.
  const around: JobsAround = { nowMs, timeZone: scheduler.timeZone, lasting: [], maxJobs: Infinity, tools };
  const given = { name, words, cron, timeZone, requiredTools, onlyIfChanged, catchUp: scheduler.catchUp };
  const read = readJob({ kind: 'Recurring', for: 'Agent', ...given }, around);
  if (read.ok) return read;
  const { field, ...fault } = read.error;
  const isOfScheduler = field === 'timeZone' && timeZone === undefined;
  const place = isOfScheduler ? 'spec.scheduler' : `spec.scheduler.jobs[${name}]`;
  return err({ ...fault, field: `${place}.${FIELDS[field] ?? field}` });
}

export interface ManifestChanges {
  /** For the writer `Manifests`. */
  readonly records: readonly PartRecord[];
  /** Of entries that are no jobs. They change nothing: a job that stood under the name goes on as it was. */
  readonly faults: readonly JobFault[];
}

/** What brings the record in line with the manifest, at a start. */
export function manifestChanges(jobs: Jobs, scheduler: AgentScheduler, around: ManifestAround): ManifestChanges {
  const records: PartRecord[] = [];
  const faults: JobFault[] = [];
  for (const entry of scheduler.jobs) {
    const read = jobOfManifest(entry, scheduler, around);
    if (read.ok) records.push(...recordsFor(jobs, read.value));
    else faults.push(read.error);
  }
  const names = new Set(scheduler.jobs.map(({ name }) => name));
  const gone = [...jobs.byId.values()].filter((it) => isOfManifest(it) && isLasting(it) && !names.has(it.job.name));
  const reason = 'it is no longer in spec.scheduler.jobs';
  records.push(...gone.map(({ jobId }) => recordIn(jobStore, 'JobCancelled', { jobId, reason })));
  return { records, faults };
}

const isOfManifest = ({ source }: JobState): boolean => source === 'Manifest';

function recordsFor(jobs: Jobs, job: JobDefinition): readonly PartRecord[] {
  // The newest one of the name comes last.
  const known = [...jobs.byId.values()].findLast((it) => isOfManifest(it) && it.job.name === job.name);
  const isSame = known !== undefined && saysSame(known.job, job);
  if (known !== undefined && isLasting(known)) {
    const { jobId } = known;
    return isSame ? [] : [recordIn(jobStore, 'JobChanged', { jobId, job, label: manifestLabel })];
  }
  if (isSame && !hasLeft(known)) return [];
  const created = { jobId: manifestJobId(jobs, job.name), job, source: 'Manifest', maker: { kind: 'Person' } } as const;
  return [recordIn(jobStore, 'JobCreated', { ...created, label: manifestLabel })];
}

/** It was cancelled because the manifest did not have it, and not by a person's word. */
function hasLeft({ status, statusBy }: JobState): boolean {
  return status === 'Cancelled' && statusBy === undefined;
}

function saysSame(a: JobDefinition, b: JobDefinition): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
