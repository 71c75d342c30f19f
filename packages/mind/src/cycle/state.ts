/** Where a cycle stands. A projection of its events; never stored. */
import type { Message, Usage } from '../request/model-request.ts';
import type { BudgetField } from '../gate/budget/budget.ts';
import type { Reading } from '../gate/provenance/reading.ts';
import type { GatePast } from '../gate/chain/inquiry.ts';
import type { GateAnswers } from '../gate/chain/answers.ts';
import type { Approval, GateName } from '../gate/verdict.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { CycleOutcome, CycleSpec, UnrunReason } from './event.ts';
import type { Reply } from './reply.ts';
import type { Json } from '@retainer/contract/std/canonical-json';

/** One tool use of the newest answer, and its result once there is one. */
export interface OpenCall {
  readonly callId: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Json;
  /** The request whose answer it waits for, or waited for: its own, or that of an equal call. */
  readonly approvalRequest?: string;
  /** Its arguments held a secret when the answer came in. */
  readonly holdsSecret?: true;
  /** It would have replaced something that was there then. */
  readonly replaces?: true;
  readonly result?: { readonly text: string; readonly isError: boolean };
}

/** What was run or refused, in order: the evidence that a validator may cite. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** Absent for a call that did not run. */
  readonly effectClass?: number;
  /** Empty for a call that could not be read. */
  readonly argumentsDigest: string;
  readonly end:
    | { readonly kind: 'Ran'; readonly outcome: ToolOutcome }
    | { readonly kind: 'Unrun'; readonly why: UnrunReason; readonly text: string }
    | { readonly kind: 'Running' };
}

export interface PendingApproval {
  readonly requestId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly argumentsDigest: string;
  readonly effectClass: number;
  readonly agentSays?: string;
  /** The request for an equal call, whose answer serves this one too. */
  readonly answeredWith?: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

/** A request that a person is asked about, and how many equal calls its answer serves. */
export type ApprovalQuestion = PendingApproval & { readonly calls: number };

export function approvalQuestions({ pendingApprovals }: CycleState): readonly ApprovalQuestion[] {
  return pendingApprovals
    .filter((it) => it.answeredWith === undefined)
    .map((it) => ({
      ...it,
      calls: 1 + pendingApprovals.filter((other) => other.answeredWith === it.requestId).length,
    }));
}

export interface GateRejection {
  readonly gate: string;
  readonly rule: string;
  readonly reason: string;
  /** Of the call or the text that was refused; absent for an input, whose words are the Task's. */
  readonly subjectDigest?: string;
}

/** A question of the gate or the quarantine reader's that a model has not answered yet. */
export interface PendingAsk {
  readonly askId: string;
  readonly kind: 'Probe' | 'Score' | 'Read';
  /** What is judged: `subjectId` in `inquire.ts`; of what is read, the call that brought it. */
  readonly subjectId: string;
  /** Estimated; kept free of the cycle's budget. */
  readonly tokens: number;
}

/** What the quarantine reader was asked of one call's result. */
export interface ReaderRecord {
  readonly attempts: number;
  /** Absent while there is none. */
  readonly reading?: Reading;
}

/** A call that the gate accepted, until it has run: the chokepoint compares. */
export interface AcceptedCall {
  readonly callId: string;
  readonly argumentsDigest: string;
  readonly approvalId?: string;
}

export interface CycleState {
  readonly spec: CycleSpec;
  /** See `CycleStarted`. */
  readonly nonce: string | undefined;
  readonly startedAtMs: number;
  /** Time spent waiting for people: the cycle's clock stands still meanwhile. */
  readonly waitedMs: number;
  readonly waitingSinceMs: number | undefined;
  readonly nowMs: number;
  /** Complete turns, oldest first. */
  readonly messages: readonly Message[];
  /** Text that goes to the model with the next request. */
  readonly pendingNotes: readonly string[];
  readonly openCalls: readonly OpenCall[];
  readonly pendingModelCall: string | undefined;
  readonly pendingTools: readonly string[];
  readonly pendingApprovals: readonly PendingApproval[];
  /** Decided and not yet used. */
  readonly approvals: readonly Approval[];
  /** Each served one call; the chokepoint asks for it by id. */
  readonly usedApprovals: readonly Approval[];
  readonly calls: readonly CallRecord[];
  readonly rejections: readonly GateRejection[];
  /** Questions put to people, and how many of them ended in a refusal: a denial, or no answer in time. */
  readonly asked: { readonly requests: number; readonly refusals: number };
  readonly pendingAsks: readonly PendingAsk[];
  /** What models answered on subjects that are not decided yet, by the subject's id. */
  readonly gateAnswers: Readonly<Record<string, GateAnswers>>;
  /** By the call's id. */
  readonly readings: Readonly<Record<string, ReaderRecord>>;
  /** Nothing in it is ever reset. */
  readonly gatePasts: Readonly<Record<GateName, GatePast>>;
  readonly acceptedCalls: readonly AcceptedCall[];
  /** The newest. */
  readonly reply: Reply | undefined;
  /** The reply that a revision was asked of first. */
  readonly original: Reply | undefined;
  /** Model calls made; also numbers their ids. */
  readonly turns: number;
  /** How long the newest answer might be, tokens. */
  readonly maxOutputTokens: number;
  readonly callCount: number;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly isCostComplete: boolean;
  readonly failedTurnsInRow: number;
  readonly nudges: Readonly<Record<string, number>>;
  readonly ended:
    | {
        readonly outcome: CycleOutcome;
        readonly text: string;
        readonly reason?: string;
        readonly value?: Json;
        readonly budget?: BudgetField;
      }
    | undefined;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

/** Tokens that count against a budget. */
export function totalTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export interface CycleTimer {
  readonly atMs: number;
  readonly what: 'Cycle' | 'Approval';
  readonly requestId?: string;
}

/** When time itself becomes an input, if nothing else happens before. */
export function nextCycleTimer(state: CycleState): CycleTimer | undefined {
  if (state.ended !== undefined) return undefined;
  const [approval] = state.pendingApprovals.toSorted((a, b) => a.expiresAtMs - b.expiresAtMs);
  if (approval !== undefined) {
    return { atMs: approval.expiresAtMs, what: 'Approval', requestId: approval.requestId };
  }
  return { atMs: state.startedAtMs + state.spec.limits.wallClockMs + state.waitedMs, what: 'Cycle' };
}
