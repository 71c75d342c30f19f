/** State of a cycle. A projection of its events; never stored. */
import type { Message, Usage } from '../request/model-request.ts';
import type { BudgetField } from '../gate/budget/budget.ts';
import type { Reading } from '../request/answers/reading.ts';
import type { GatePast } from '../gate/chain/inquiry.ts';
import type { GateAnswers } from '../gate/chain/answers.ts';
import { inertText } from '../gate/provenance/inert.ts';
import { ASK_PERSON, questionIn } from '../gate/person-question.ts';
import type { Choice } from '../gate/provenance/read-item.ts';
import type { StandingFields } from '../gate/standing.ts';
import type { Approval, DeniedBefore, GateName } from '../gate/verdict.ts';
import type { ToolOutcome } from './tool-outcome.ts';
import type { CycleInput, CycleOutcome, CycleSpec } from './event.ts';
import type { Parked } from '../request/parked.ts';
import type { Pace } from './pace.ts';
import type { UnrunReason } from './unrun-reason.ts';
import type { FellBack } from '../request/fell-back.ts';
import type { Reply } from './reply.ts';
import type { Json } from '@retainer/contract/std/canonical-json';

/** One tool use of the newest answer, with what stood where it acts at the last look, and its result when there is one. */
export interface OpenCall extends StandingFields {
  readonly callId: string;
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: Json;
  /** Why it cannot be taken as the model sent it. */
  readonly fault?: string;
  /** The request whose answer it waits for, or waited for: its own, or that of an equal call. */
  readonly approvalRequest?: string;
  /** Its arguments held a secret when the answer arrived. */
  readonly holdsSecret?: true;
  /** It would have replaced something that existed then. */
  readonly replaces?: true;
  /** Why its tool wanted a person's permission for it when the answer arrived. */
  readonly toolAsks?: string;
  /** What people had refused then, as far as it bears on it. */
  readonly deniedBefore?: DeniedBefore;
  readonly result?: { readonly text: string; readonly isError: boolean };
}

/** The calls that ran or were refused, in order: the evidence that a validator may cite. */
export interface CallRecord {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  /** Absent for a call that did not run. */
  readonly effectClass?: number;
  /** What its address told its server. */
  readonly choice?: Choice;
  /** Empty for a call that could not be read. */
  readonly argumentsDigest: string;
  /** A person approved it. */
  readonly approvalId?: string;
  /** It replaced something that existed before. */
  readonly replaces?: true;
  readonly end:
    | { readonly kind: 'Ran'; readonly outcome: ToolOutcome }
    | { readonly kind: 'Unrun'; readonly why: UnrunReason; readonly text: string }
    | { readonly kind: 'Running' };
}

/** With what stands where the call acts, as it is shown. */
export interface PendingApproval extends StandingFields {
  readonly requestId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly argumentsDigest: string;
  readonly effectClass: number;
  /** Of the rule that asks. */
  readonly reason: string;
  readonly agentSays?: string;
  /** The question is about the budget of choices for this site. */
  readonly site?: string;
  /** The request for an equal call, whose answer also serves this one. */
  readonly answeredWith?: string;
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
}

/** A question of who works, as `status.question` shows it. */
export interface WorkQuestion {
  readonly questionId: string;
  readonly question: string;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
}

/** Oldest first. */
export function workQuestions(state: CycleState): readonly WorkQuestion[] {
  return state.pendingApprovals
    .filter((it) => it.tool === ASK_PERSON && it.answeredWith === undefined)
    .map(({ requestId, input, requestedAtMs, expiresAtMs }) => ({
      questionId: requestId,
      question: toldToPeople(state, questionIn(input)),
      askedAtMs: requestedAtMs,
      expiresAtMs,
    }));
}

/** The decision that a person's answer is; undefined when no cycle asks this. */
export function answerInWork(
  states: readonly CycleState[],
  { questionId, text, by }: { readonly questionId: string; readonly text: string; readonly by: string },
): Omit<Extract<CycleInput, { kind: 'ApprovalDecided' }>, 'kind' | 'atMs'> | undefined {
  const asked = states
    .flatMap(({ pendingApprovals }) => pendingApprovals)
    .find((it) => it.tool === ASK_PERSON && it.requestId === questionId);
  if (asked === undefined) return undefined;
  const { requestId, argumentsDigest } = asked;
  return { requestId, argumentsDigest, decision: 'Answer', by, reason: text };
}

/** A request to a person, and the number of equal calls that its answer serves. */
export type ApprovalQuestion = PendingApproval & { readonly calls: number };

export function approvalQuestions(state: CycleState): readonly ApprovalQuestion[] {
  const { pendingApprovals } = state;
  return pendingApprovals
    .filter((it) => it.tool !== ASK_PERSON && it.answeredWith === undefined)
    .map((it) => ({
      ...it,
      ...(it.agentSays === undefined ? {} : { agentSays: toldToPeople(state, it.agentSays) }),
      calls: 1 + pendingApprovals.filter((other) => other.answeredWith === it.requestId).length,
    }));
}

/** The model's own words to a person: nothing but what people named can be followed in them. */
function toldToPeople({ spec }: CycleState, text: string): string {
  const named = new Set(spec.addresses ?? []);
  return inertText(text, ({ whole }) => whole.some((it) => named.has(it))).text;
}

export interface GateRejection {
  readonly gate: string;
  readonly rule: string;
  readonly reason: string;
  /** Of the refused call or text; absent for an input, whose words are the Task's. */
  readonly subjectDigest?: string;
}

/** A question of the gate or of the quarantine reader that a model has not answered yet. */
export interface PendingAsk {
  readonly askId: string;
  readonly kind: 'Probe' | 'Score' | 'Read';
  /** The subjects: `subjectIdOf`; for a reading, the call that brought the text. */
  readonly subjectIds: readonly string[];
  /** Estimated; the cycle's budget reserves them. */
  readonly tokens: number;
}

/** The quarantine reader's work on one call's result. */
export interface ReaderRecord {
  readonly attempts: number;
  /** Absent until there is one. */
  readonly reading?: Reading;
}

/** A call that the gate accepted, until it has run. The chokepoint compares it with the call. */
export interface AcceptedCall {
  readonly callId: string;
  readonly argumentsDigest: string;
  readonly approvalId?: string;
}

export interface CycleState {
  readonly spec: CycleSpec;
  /** See `CycleStarted`. */
  readonly nonce: string;
  /** The number of the deciders that decide it now. */
  readonly deciders: number;
  /** Of the character that decides it now. */
  readonly characterDigest: string;
  readonly startedAtMs: number;
  /** Time spent waiting for people or a provider, and standing still. The cycle's clock stops meanwhile. */
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
  /** Calls and questions that wait for their provider, by id. The cycle's clock stops meanwhile. */
  readonly parked: Readonly<Record<string, Parked>>;
  /** Decided and not yet used. */
  readonly approvals: readonly Approval[];
  /** Each served one call; the chokepoint finds it by id. */
  readonly usedApprovals: readonly Approval[];
  readonly calls: readonly CallRecord[];
  readonly rejections: readonly GateRejection[];
  /** Requests to people, and how many of them ended in a refusal: a denial, or no answer in time. */
  readonly asked: { readonly requests: number; readonly refusals: number };
  /** Bits by site within 30 days, when the newest answer came. */
  readonly choicesSpent: Readonly<Record<string, number>>;
  readonly freeSites: readonly string[];
  readonly pendingAsks: readonly PendingAsk[];
  /** Answers of models on subjects without a verdict yet, by the subject's id. */
  readonly gateAnswers: Readonly<Record<string, GateAnswers>>;
  /** By the call's id. */
  readonly readings: Readonly<Record<string, ReaderRecord>>;
  /** Nothing in it is ever reset. */
  readonly gatePasts: Readonly<Record<GateName, GatePast>>;
  readonly acceptedCalls: readonly AcceptedCall[];
  readonly reply: Reply | undefined;
  /** The first reply for which a revision was requested. */
  readonly original: Reply | undefined;
  /** The newest request asked for more than messages and tools, if only for a cache. */
  readonly isAskedSpecially: boolean;
  /** The server refused that: the rest of the cycle is asked in plain text and XML, and nothing is cached. */
  readonly isPlain: boolean;
  /** Limits that the server named: of the conversation, estimated, and of an answer. */
  readonly contextTokens: number | undefined;
  readonly outputTokens: number | undefined;
  /** How often the conversation was mended. */
  readonly mends: number;
  /** Absent: the cycle asks the model that it began with. */
  readonly fellBack: FellBack | undefined;
  /** Of the answers so far. */
  readonly paces: readonly Pace[];
  /** Model calls made; also numbers their ids. */
  readonly turns: number;
  /** Those of them that no model answered: no turn of the work is used up by them. */
  readonly unansweredTurns: number;
  /** The token limit of the newest answer. */
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

/** Tokens of the cycle that are neither used nor reserved for a pending question. */
export function tokensLeft({ spec, usage, pendingAsks }: CycleState): number {
  const kept = pendingAsks.reduce((sum, ask) => sum + ask.tokens, 0);
  return spec.limits.tokens - totalTokens(usage) - kept;
}

/** The id of a gate's subject: a call's own; for an input or a reply, one that is made of the cycle and the turn. */
export function subjectIdOf(
  { spec, turns }: Pick<CycleState, 'spec' | 'turns'>,
  { gate, callId }: { readonly gate: GateName; readonly callId?: string },
): string {
  if (gate === 'Tool') return callId ?? spec.cycleId;
  return gate === 'Input' ? `${spec.cycleId}-in` : `${spec.cycleId}-o${turns}`;
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
  if (Object.keys(state.parked).length > 0) return undefined;
  return { atMs: state.startedAtMs + state.spec.limits.wallClockMs + state.waitedMs, what: 'Cycle' };
}

/** A gate's question about the subject, or the reading of its result, has no answer yet. */
export function isAskedAbout({ pendingAsks }: CycleState, subjectId: string): boolean {
  return pendingAsks.some(({ subjectIds }) => subjectIds.includes(subjectId));
}
