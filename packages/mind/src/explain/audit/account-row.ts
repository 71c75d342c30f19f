/** A row of the accountability map: what an effect was, and a cell for each question that people ask about it. */
import type { Check } from './checks.ts';
import type { EffectCost } from './effect-costs.ts';
import type { JobCreated, JobMaker } from '../../parts/jobs/job.ts';
import type { Authentication } from '../../parts/mail/letter.ts';

/** Who made a job, and where: the place of its record. */
export interface WantingJob {
  readonly jobId: string;
  /** The moment that the run serves, milliseconds since 1970. */
  readonly momentMs: number;
  /** Absent: the record does not have the job. */
  readonly maker?: JobMaker & { readonly source: JobCreated['source']; readonly seq: number };
  /** Who wanted the run in which it was made. */
  readonly madeFor?: Wanted;
}

/** A letter that a run answers, and what is known of whoever wrote it. */
export interface WantingLetter {
  readonly letterId: string;
  /** Absent: the record does not have the letter. */
  readonly writer?: {
    readonly from: string;
    readonly authentication: Authentication;
    /** Of the record that has its head. */
    readonly seq: number;
  };
  /** Why it began a run: its sender is known, or a person let it. Absent: the record says neither. */
  readonly let?: { readonly kind: 'Known' } | { readonly kind: 'Released'; readonly by?: string };
}

export interface Wanted {
  /** `namespace/name`. */
  readonly task: string;
  readonly runId: string;
  /** The job that the run serves; absent: a Task is its own reason. */
  readonly job?: WantingJob;
  /** The letter that the run answers. */
  readonly letter?: WantingLetter;
  /** Who gave the Task, as the record names principals; absent: the inbox does not say. */
  readonly principal?: string;
  /** Where it came from: `manifest`, `spool`. */
  readonly source?: string;
  /** The refusal that a principal overruled for it. */
  readonly overrules?: string;
  /** Of a call: the cycle that asked for it, and its role. */
  readonly cycleId?: string;
  readonly role?: string;
}

export interface Decided {
  readonly gate: string;
  readonly verdict: string;
  readonly rule: string;
  readonly characterDigest: string;
  /** Version of the gates' rules in force; absent: the record does not name it. */
  readonly rules?: number;
  /** Place of the verdict in the store `cycle`; absent: the run itself refused or ended. */
  readonly seq?: number;
}

export type Approved =
  | { readonly kind: 'NotNeeded' }
  | {
      readonly kind: 'Approved';
      readonly requestId: string;
      readonly by: string;
      readonly reason: string;
      /** The name was not compared with anything: whoever left it says so. */
      readonly isClaimed?: true;
    };

export const COLUMNS = ['wanted', 'decided', 'approved', 'checked'] as const;
export type Column = (typeof COLUMNS)[number];

export interface AccountRow {
  readonly kind: 'Call' | 'Delivery';
  /** Of the call or the delivery. */
  readonly id: string;
  /** The tool, or the channel and its target. */
  readonly what: string;
  /** Only of a call. */
  readonly effectClass?: number;
  /** How it ended: a status of the call, the outcome of the run. */
  readonly end: string;
  readonly store: string;
  readonly seq: number;
  readonly atMs: number;
  readonly wanted?: Wanted;
  readonly decided?: Decided;
  readonly approved?: Approved;
  readonly checked?: Check;
  readonly cost: EffectCost;
  /** Columns that the record leaves empty, each with the reason. */
  readonly missing: readonly { readonly column: Column; readonly why: string }[];
  /** The run is under way. */
  readonly isOpen: boolean;
}

/** Rows of ended runs that lack something. */
export function findingsIn(rows: readonly AccountRow[]): readonly AccountRow[] {
  return rows.filter(({ missing, isOpen }) => !isOpen && missing.length > 0);
}
