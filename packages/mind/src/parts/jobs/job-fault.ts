/** What is wrong with a job that somebody gave. */
import { err } from '@retainer/contract/std/result';

/** Together they are one sentence: the field as its giver knows it, why, and what to do. */
export interface JobFault {
  readonly field: string;
  readonly why: string;
  readonly fix: string;
}

/** `at has passed, since it is 2030-01-31 08:00:05 UTC now: give a moment that is to come.` */
export function faultText({ field, why, fix }: JobFault): string {
  return `${field} ${why}: ${fix}.`;
}

export function fault(field: string, why: string, fix: string): { readonly ok: false; readonly error: JobFault } {
  return err({ field, why, fix });
}
