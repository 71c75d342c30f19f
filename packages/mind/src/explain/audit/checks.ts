/** Who checked an effect: the verdicts on the attempt that it belongs to, and those that cite it. Source: artoo A.6. */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { RunEventOf } from '../../run/event.ts';

export type Judgement = Pick<RunEventOf<'VerdictsJudged'>, 'subtaskId' | 'attempt' | 'verdicts'>;

export type Check =
  | {
      readonly kind: 'Checked';
      readonly by: 'agent-validator' | 'meta-validator';
      /** The attempt; absent: the task as a whole. */
      readonly subtaskId?: string;
      readonly attempt?: number;
      readonly met: number;
      readonly criteria: number;
      /** Numbers of the criteria whose verdict cites it as evidence. */
      readonly citedBy: readonly number[];
    }
  /** The Task names no criteria: whoever wrote it wanted no check. */
  | { readonly kind: 'NotWanted' }
  /** It reports no result. */
  | { readonly kind: 'NoResult' };

export interface CheckedCall {
  readonly callId: string;
  /** Of its cycle; absent: the record does not say. */
  readonly purpose: { readonly subtaskId?: string; readonly attempt?: number } | undefined;
  /** Of its run, oldest first. */
  readonly judgements: readonly Judgement[];
  readonly hasCriteria: boolean;
}

/** @returns the check, or why there is none, in a sentence */
export function checkOfCall({ callId, purpose, judgements, hasCriteria }: CheckedCall): Result<Check, string> {
  const own = judgements.findLast((it) => isAbout(it, purpose)) ?? judgements.findLast((it) => cites(it, callId));
  if (!hasCriteria && (own === undefined || own.verdicts.length === 0)) return ok({ kind: 'NotWanted' });
  if (own === undefined) return err('no validator judged the attempt that it belongs to');
  if (own.verdicts.every(({ verdict }) => verdict === 'Unverified')) return err('the validator gave no usable verdict');
  return ok({
    kind: 'Checked',
    by: own.subtaskId === undefined ? 'meta-validator' : 'agent-validator',
    ...(own.subtaskId === undefined ? {} : { subtaskId: own.subtaskId }),
    ...(own.attempt === undefined ? {} : { attempt: own.attempt }),
    ...metOf(own.verdicts),
    citedBy: own.verdicts.filter(({ evidence }) => evidence.includes(callId)).map(({ index }) => index),
  });
}

function isAbout({ subtaskId, attempt }: Judgement, purpose: CheckedCall['purpose']): boolean {
  return purpose?.subtaskId !== undefined && subtaskId === purpose.subtaskId && attempt === (purpose.attempt ?? 1);
}

function cites({ verdicts }: Judgement, callId: string): boolean {
  return verdicts.some(({ evidence }) => evidence.includes(callId));
}

function metOf(verdicts: readonly { readonly verdict: string }[]): { readonly met: number; readonly criteria: number } {
  return { met: verdicts.filter(({ verdict }) => verdict === 'Met').length, criteria: verdicts.length };
}

/** @returns the check of what is delivered, or why there is none */
export function checkOfDelivery(
  { outcome, criteria }: RunEventOf<'DeliveryRequested'>['body'],
  hasCriteria: boolean,
): Result<Check, string> {
  if (outcome === 'Refused' || outcome === 'Cancelled' || outcome === 'Failed') return ok({ kind: 'NoResult' });
  if (!hasCriteria) return ok({ kind: 'NotWanted' });
  if (criteria.length === 0) return err('no verdict on a criterion of the Task is in it');
  return ok({ kind: 'Checked', by: 'meta-validator', ...metOf(criteria), citedBy: [] });
}
