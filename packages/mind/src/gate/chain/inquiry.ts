/**
 * The types of a gate's chain: the subject, the answers so far, and the next step.
 *
 * The chain is pure and keeps no state. `next` is called again with each answer, from the record alone, so a replay and the
 * auditor reach the same verdict.
 *
 * Source: springdrift 2; design 5.
 */
import type { GateFeature } from '@retainer/contract/api/gate-policy';
import type { ModelRequest } from '../../request/model-request.ts';
import type { Scale } from '../calculus/discrepancy.ts';
import type { ApprovalMode, CallFacts, GateContext, Verdict } from '../verdict.ts';
import type { GateAnswers } from './answers.ts';
import type { GateRecord } from './gate-record.ts';

export type GateSubject =
  | { readonly gate: 'Input' | 'Output'; readonly text: string }
  | { readonly gate: 'Tool'; readonly call: CallFacts };

/** The relevant earlier verdicts of this cycle at the same gate. */
export interface GatePast {
  /** `GateRecord.score` of each verdict whose scorer was available, oldest first. */
  readonly scores: readonly number[];
  /** Number of Modify and Reject verdicts; a question to a person does not count. Never reset within a cycle. */
  readonly iterations: number;
  /** Number of revisions requested of the outgoing text. Never reset within a cycle. */
  readonly modifications: number;
  /** The outgoing text before its first revision; absent until then. */
  readonly original?: string;
}

export interface Inquiry {
  readonly subject: GateSubject;
  readonly context: GateContext;
  /** A bounded description of the task, for the scorer. */
  readonly background: string;
  readonly past: GatePast;
  readonly answers: GateAnswers;
  /** Number of repeated requests after a malformed score; absent: `SCORE_RETRIES`. */
  readonly scoreRetries?: number;
  /** The observer's factor on the thresholds, above 0 and at most 1; absent: 1. */
  readonly tightening?: number;
  /** What the Task requires a person to approve beyond the policy; absent: nothing. */
  readonly approvalMode?: ApprovalMode;
  /** A call of this cycle has run. */
  readonly hasRunCalls?: boolean;
  /** The observer holds texts for a person; no text is revised. */
  readonly outputsHeld?: boolean;
}

export type GateAction =
  /** The input is accepted, the call runs, or the text leaves. A caution goes to the model, not to the conversation. */
  | { readonly kind: 'Proceed'; readonly caution?: string }
  /** A person must approve exactly this call. */
  | { readonly kind: 'AskApproval' }
  /** The call does not run; the model reads this text as its result. */
  | { readonly kind: 'Caution'; readonly text: string }
  /** The text does not leave yet; this text asks the model for another version. */
  | { readonly kind: 'Revise'; readonly text: string }
  /** This text leaves instead: the original with a visible warning. */
  | { readonly kind: 'DeliverWithWarning'; readonly text: string }
  /** Refused; the verdict's reason says why. */
  | { readonly kind: 'Refuse' };

export type GateQuestion =
  /** Ask both probes about this text, with fresh tokens. The score, if one is due, can be asked for at the same time. */
  | { readonly kind: 'Probe'; readonly text: string }
  | {
      readonly kind: 'Score';
      /** From 1; higher if earlier answers were unusable. */
      readonly attempt: number;
      readonly request: Pick<ModelRequest, 'system' | 'messages' | 'maxOutputTokens'>;
      /** The scorer must return one forecast for each. */
      readonly features: readonly GateFeature[];
      readonly scale: Scale;
      /** No other subject may stand in the same request. */
      readonly isAlone: boolean;
    };

export interface Decided {
  readonly kind: 'Decided';
  readonly verdict: Verdict;
  readonly action: GateAction;
  readonly record: GateRecord;
}

export type GateStep = GateQuestion | Decided;
