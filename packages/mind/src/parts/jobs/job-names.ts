/**
 * Names of jobs, which people and models choose, and their ids, which stand for life in the record and in the sensorium.
 *
 * I1  No id holds words that a model or a stranger chose: the id of a job that a tool made is its kind and a digest.
 * I2  Of two lasting jobs, no two have one name.
 */
import { DNS_LABEL_LENGTH_MAX, Slug } from '@retainer/contract/api/fields';
import { sha256Hex } from '@retainer/contract/std/hash';
import type { JobFault } from './job-fault.ts';
import type { JobKind } from './job.ts';
import { isLasting, type Jobs, type JobState } from './jobs.ts';

/** Characters of a name that is made of words: short enough to be typed. */
const NAME_OF_WORDS_MAX = 40;
/** Hexadecimal digits in the id of a job that a tool made. */
const DIGEST_DIGITS = 8;

export function nameFault(name: string, lasting: readonly Pick<JobState, 'job'>[]): JobFault | undefined {
  if (!Slug.safeParse(name).success) {
    const fix = `give 1 to ${DNS_LABEL_LENGTH_MAX} of a-z, 0-9 and hyphens, as weekly-report`;
    return { field: 'name', why: 'is no name of a job', fix };
  }
  return lasting.some(({ job }) => job.name === name)
    ? { field: 'name', why: `is ${name}, and there is such a job`, fix: 'give another name, or change that job' }
    : undefined;
}

/** A name for a job that was given none: its first words, with a number where a lasting job has the name. */
export function nameOfWords(words: string, lasting: readonly Pick<JobState, 'job'>[]): string {
  const ascii = words
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036F]/g, '');
  const slug = ascii
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_OF_WORDS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  const names = new Set(lasting.map(({ job }) => job.name));
  return numbered(slug === '' ? 'job' : slug, (name) => names.has(name));
}

/**
 * The id of a job that a tool makes: ids stand in the sensorium, in Events and in the status of an Agent, so none has a word of its maker.
 *
 * @param callId  of the call that makes it
 */
export function newJobId(
  { byId }: Jobs,
  { kind, callId }: { readonly kind: JobKind; readonly callId: string },
): string {
  const base = `${kind.toLowerCase()}-${sha256Hex(callId).slice(0, DIGEST_DIGITS)}`;
  return numbered(base, (id) => byId.has(id));
}

/** The id of a job of the manifest: its name, also where an earlier one of the manifest had it. */
export function manifestJobId({ byId }: Jobs, name: string): string {
  return numbered(name, (id) => {
    const other = byId.get(id);
    return other !== undefined && (other.source !== 'Manifest' || isLasting(other) || other.open !== undefined);
  });
}

function numbered(base: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(base)) return base;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const name = `${base.slice(0, DNS_LABEL_LENGTH_MAX - suffix.length)}${suffix}`;
    if (!isTaken(name)) return name;
  }
}
