/**
 * The words of a gate's chain: what is judged, what was asked so far, and the next step.
 *
 * The chain is pure and remembers nothing: `next` is called again with every answer, from the record alone, so that a replay and
 * the auditor come to the same verdict.
 *
 * Source: springdrift 2; design 5.
 */
import type { GateFeature } from '@retainer/contract/api/gate-policy';
import type { ModelRequest } from '../../request/model-request.ts';
import type { ApprovalMode, CallFacts, GateContext, Verdict } from '../verdict.ts';
import type { GateAnswers } from './answers.ts';
import type { GateRecord } from './gate-record.ts';

export type GateSubject =
  | { readonly gate: 'Input' | 'Output'; readonly text: string }
  | { readonly gate: 'Tool'; readonly call: CallFacts };

/** What of this cycle's earlier verdicts of the same gate counts. */
export interface GatePast {
  /** `GateRecord.score` of each verdict whose scorer was available, oldest first. */
  readonly scores: readonly number[];
  /** Verdicts of Modify and Reject: a question to a person is no doubt. Never reset within a cycle. */
  readonly iterations: number;
  /** Revisions asked for of the outgoing text. Never reset within a cycle. */
  readonly modifications: number;
  /** The outgoing text that the first revision was asked of; absent before that. */
  readonly original?: string;
}

export interface Inquiry {
  readonly subject: GateSubject;
  readonly context: GateContext;
  /** For the scorer: what the task is about, in bounded form. */
  readonly background: string;
  readonly past: GatePast;
  readonly answers: GateAnswers;
  /** Times that a score without the form is asked for again; absent: `SCORE_RETRIES`. */
  readonly scoreRetries?: number;
  /** What the observer of the gates multiplies the thresholds by, above 0 and at most 1; 1 or absent: nothing. */
  readonly tightening?: number;
  /** What the Task wants a person to approve beyond the policy; absent: nothing. */
  readonly approvalMode?: ApprovalMode;
  /** A call of this cycle has run. */
  readonly hasRunCalls?: boolean;
  /** The observer of the gates holds texts for a person: none is revised. */
  readonly outputsHeld?: boolean;
}

/** What is to be done about a verdict. */
export type GateAction =
  /** The input is taken, the call runs, the text leaves. A caution is for the model, not for the conversation. */
  | { readonly kind: 'Proceed'; readonly caution?: string }
  /** A person has to approve exactly this call. */
  | { readonly kind: 'AskApproval' }
  /** The call does not run; the model reads this as its result and thinks again. */
  | { readonly kind: 'Caution'; readonly text: string }
  /** The text does not leave yet; the model is asked, with these words, for another version of it. */
  | { readonly kind: 'Revise'; readonly text: string }
  /** This text leaves instead: the original, and a warning that people see. */
  | { readonly kind: 'DeliverWithWarning'; readonly text: string }
  /** It ends here. The verdict's reason says why. */
  | { readonly kind: 'Refuse' };

export type GateQuestion =
  /** Both probes are to be asked about this text, with fresh tokens. */
  | { readonly kind: 'Probe'; readonly text: string }
  | {
      readonly kind: 'Score';
      /** From 1 on; higher where the answers before could not be used. */
      readonly attempt: number;
      readonly request: Pick<ModelRequest, 'system' | 'messages' | 'maxOutputTokens'>;
      /** One forecast of each is expected. */
      readonly features: readonly GateFeature[];
    };

export interface Decided {
  readonly kind: 'Decided';
  readonly verdict: Verdict;
  readonly action: GateAction;
  readonly record: GateRecord;
}

export type GateStep = GateQuestion | Decided;
