/**
 * All events of a cycle's record. Folding them restores the cycle's state completely.
 *
 * `cycleInputs` come from the environment, `cycleDecisions` from the cycle. Replay feeds the inputs to `decide` and expects the
 * decisions, byte for byte.
 *
 * I1  An intent (`ModelRequested`, `ToolRequested`, `ApprovalRequested`, `GateProbeRequested`, `GateScoreRequested`,
 *     `ReadingRequested`) precedes its effect; the result follows it.
 * I2  Exactly one `CycleEnded`, and nothing after it.
 * I3  Every tool use of an answer gets exactly one result before the next request.
 */
import { ANSWER_KINDS, roleName, THINKING_ROLES } from '@retainer/contract/api/roles';
import { Blocked } from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import { ReaderAnswer } from '../gate/provenance/reading.ts';
import { modelFailureKinds } from '../request/model-request.ts';
import { HistoryMended } from './history-mended.ts';
import { budgetFields } from '../gate/budget/budget.ts';
import { knownByField } from '../part/known-by.ts';
import { idleInputs } from './standing-still.ts';
import { changedHands } from './deciders.ts';
import { startFields } from './start-fields.ts';
import { StandingUse, standsThere } from '../gate/standing.ts';
import { OverrideRecord } from '../gate/override.ts';
import { FellBack } from '../request/fell-back.ts';
import type { GateRecord } from '../gate/chain/gate-record.ts';
import { provenanceFields } from './provenance-fields.ts';
import {
  askedFields,
  budgetRefusal,
  contentBlock,
  json,
  mendedField,
  ModelAsk,
  modelRequest,
  UsageRecord,
} from './request-record.ts';
import { approvalModes, gateNames, verdictKinds } from '../gate/verdict.ts';
import { ToolOutcomeRecord } from './tool-outcome-record.ts';
import { UnrunReason } from './unrun-reason.ts';

/** The limits of one cycle. Reaching any of them is recorded as an event. */
export const CycleLimits = z.object({
  /** Model calls. */
  turns: z.number(),
  toolCalls: z.number(),
  failedTurnsInRow: z.number(),
  /** Input and output together, over all calls of the cycle. A call whose estimate exceeds it is not made. */
  tokens: z.number(),
  /** US dollars over all calls. A call that may exceed it is not made. Unknown prices count as zero, shown as unknown. */
  costUsd: z.number(),
  wallClockMs: z.number(),
  /** An approval that nobody gives within this time is a refusal. */
  approvalWaitMs: z.number(),
  /** Estimated size of a request's messages. Older turns are dropped beyond it. */
  contextTokens: z.number(),
  outputTokens: z.number(),
  modelTimeoutMs: z.number(),
  /** How often an answer that breaks its schema is requested again; absent: 2. */
  structuredRetries: z.number().exactOptional(),
});
export type CycleLimits = z.infer<typeof CycleLimits>;

/** Highest price of one token in US dollars, for the prompt and for the answer. */
export const TokenPrice = z.object({ promptUsd: z.number(), answerUsd: z.number() });
export type TokenPrice = z.infer<typeof TokenPrice>;

export const ApprovalMode = z.enum(approvalModes);

export const AskedModel = z.object({
  tier: z.enum(['Fast', 'Capable']),
  model: z.string(),
  /** Absent when the price is unknown: then money is counted only after each call. */
  price: TokenPrice.exactOptional(),
  /** 0 to 1; absent: the provider's default. */
  temperature: z.number().exactOptional(),
  ask: ModelAsk.exactOptional(),
});
export type AskedModel = z.infer<typeof AskedModel>;

/** Who is asked where the model is out of reach; absent: nobody. */
const fallback = { fallback: AskedModel.exactOptional() };

const gateModel = AskedModel.extend({
  /** Of one answer; absent: as many as the question needs. */
  outputTokens: z.number().exactOptional(),
  ...fallback,
});

/** The models that the gates may ask, and the time limit of each answer. Source: springdrift 2. */
export const GateModels = z.object({
  scorer: gateModel,
  canary: gateModel,
  /** Reads long untrusted texts. */
  reader: gateModel,
  timeoutMs: z.number(),
});
export type GateModels = z.infer<typeof GateModels>;

export const CycleSpec = z.object({
  cycleId: z.string(),
  runId: z.string(),
  role: z.enum(THINKING_ROLES),
  /** Who works instead of the Executor: `Coder`. Absent: the role itself. */
  worker: z.string().exactOptional(),
  /** No person is in the conversation: scheduled, mailed or applied work. */
  autonomous: z.boolean(),
  /** No Task asked for its run: it counts in `spec.scheduler` of the Agent. Absent: a Task did. */
  ownTime: z.literal(true).exactOptional(),
  ...AskedModel.shape,
  ...fallback,
  system: modelRequest.shape.system,
  /** How all requests of the run to this model begin. */
  shared: z.object({
    /** Who the agent is; empty where only one role asks the model. */
    identity: z.string(),
    /** The Task and its criteria, as sections. */
    task: z.string(),
    /** Names of the tools in the request, sorted. `tools` are those that the role may call. */
    tools: z.array(z.string()),
  }),
  /** The user turn that opens the cycle. */
  input: z.string(),
  /** The part of the input that the input gate judges, without turns and memories, which it judged when they came; absent: all of it. */
  judged: z.string().exactOptional(),
  ...provenanceFields,
  tools: z.array(z.string()),
  /** The final text must parse as this structure. */
  structured: z.enum(ANSWER_KINDS).exactOptional(),
  /** Its model is held to begin with a call of a tool: an attempt before answered without one. */
  callsFirst: z.literal(true).exactOptional(),
  /** What the round may not use. Such calls are refused before the gate is asked. Source: artoo A.4. */
  blocked: Blocked.exactOptional(),
  /** Too many texts in a row were rejected: a text that needs a revision is held for a person instead. */
  outputsHeld: z.literal(true).exactOptional(),
  /** What a principal overrules, in every cycle of the run. */
  override: OverrideRecord.exactOptional(),
  /** Absent: ByPolicy. */
  approvalMode: ApprovalMode.exactOptional(),
  /** The specialist by whose override its outgoing texts are judged as well, as the run answers people outside. Absent: none. */
  repliesAs: z.string().exactOptional(),
  /** The observer's factor on the thresholds, above 0 and below 1; absent: none. Source: springdrift 2. */
  tightening: z.number().exactOptional(),
  /** Absent: no model can be asked, so a required score is unavailable. */
  gates: GateModels.exactOptional(),
  limits: CycleLimits,
});
export type CycleSpec = z.infer<typeof CycleSpec>;

/** The name of the agent for models, gates, scripts and metrics: `agent-validator`, `coder`. */
export function agentName({ role, worker = role }: Pick<CycleSpec, 'role' | 'worker'>): string {
  return roleName(worker);
}

/** A budget for all the agent's work, as the manifest names it. */
export const BudgetField = z.enum(budgetFields);

const at = { atMs: z.number() };
const structured = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    value: json,
    /** What was mended of its form, one sentence each. */
    mended: z.array(z.string()).exactOptional(),
  }),
  z.object({ ok: z.literal(false), faults: z.string() }),
]);

const forecasts = z.discriminatedUnion('available', [
  z.object({
    available: z.literal(true),
    forecasts: z.array(z.object({ feature: z.string(), magnitude: z.number(), rationale: z.string() })),
  }),
  z.object({
    available: z.literal(false),
    reason: z.string(),
    /** An answer came, but not in the requested form. */
    isMalformed: z.literal(true).exactOptional(),
  }),
]);

/** The cost of the gate's question to a model. */
const asked = {
  /** The earlier question of the run about the same text, whose answer holds; no model was asked. */
  heldFrom: z.string().exactOptional(),
  ...askedFields,
};

const probe = z.object({
  outcome: z.enum(['Clean', 'Detected', 'Inconclusive']),
  /** SHA-256 of the random token; the token and the reply are not kept. */
  tokenDigest: z.string(),
  /** Why it is inconclusive. */
  reason: z.string().exactOptional(),
});

/** The recorded facts about a gate's question, before it is asked. */
const gateQuestion = {
  /** Id of the model call, or of both probes. */
  askId: z.string(),
  gate: z.enum(gateNames),
  /** The tool call under judgement. */
  callId: z.string().exactOptional(),
  /** SHA-256 of the text, or of the call's tool and arguments. */
  subjectDigest: z.string(),
  /** Estimated, input and output together. The cycle's budget reserves them until the answer is there. */
  tokens: z.number(),
};

export const cycleInputs = {
  CycleStarted: z.object({
    ...at,
    spec: CycleSpec,
    characterDigest: z.string(),
    ...startFields,
  }),
  ...changedHands,
  ModelAnswered: z.object({
    ...at,
    callId: z.string(),
    answer: z.object({
      content: z.array(contentBlock),
      stop: z.enum(['EndTurn', 'ToolUse', 'MaxTokens', 'Refusal']),
      refusalCategory: z.string().exactOptional(),
      usage: UsageRecord,
      model: z.string(),
      latencyMs: z.number(),
      attempts: z.number(),
      mended: mendedField,
    }),
    /** US dollars; absent when the model's price is unknown. */
    costUsd: z.number().exactOptional(),
    structured: structured.exactOptional(),
    /** Tool uses whose arguments held a secret, in any encoding, before secrets were removed. */
    secretUses: z.array(z.string()).exactOptional(),
    /** Tool uses that would replace a file, or a trusted fact. */
    replacements: z.array(z.string()).exactOptional(),
    /** SHA-256 of what stands where a tool use acts; none where nothing does. An approval is bound to it. */
    standing: z.array(StandingUse).exactOptional(),
    /** Tool uses for which their tool wants a person's permission, as recorded state has it, and why. */
    toolAsks: z.array(z.object({ use: z.string(), reason: z.string() })).exactOptional(),
    /** Tool uses that what people refused before bears on, see `DeniedBefore`. */
    deniedBefore: z
      .array(z.object({ use: z.string(), call: z.string().exactOptional(), inRun: z.literal(true).exactOptional() }))
      .exactOptional(),
    choicesSpent: z.record(z.string(), z.number()).exactOptional(),
  }),
  ModelFailed: z.object({
    ...at,
    callId: z.string(),
    failure: z.object({
      /** `BudgetUsedUp`: the agent's own budgets forbid the call, and no model was asked. */
      kind: z.enum([...modelFailureKinds, 'BudgetUsedUp']),
      message: z.string(),
      attempts: z.number(),
      latencyMs: z.number(),
      budget: z.object(budgetRefusal).exactOptional(),
    }),
  }),
  ToolFinished: z.object({ ...at, callId: z.string(), outcome: ToolOutcomeRecord }),
  ApprovalDecided: z.object({
    ...at,
    requestId: z.string(),
    argumentsDigest: z.string(),
    /** `Answer`: to a question of `ask_person`; the reason is the answer. */
    decision: z.enum(['Approve', 'Deny', 'Answer']),
    by: z.string(),
    reason: z.string(),
    ...knownByField,
    /** What stands where the call acts, now; absent when nothing does. If it is not what was shown, a person is asked again. */
    ...standsThere,
  }),
  GateProbed: z.object({ ...at, askId: z.string(), hijack: probe, leakage: probe, ...asked }),
  GateScored: z.object({
    ...at,
    askId: z.string(),
    forecasts,
    /** Of the other calls of the question, in its order. */
    others: z.array(z.object({ callId: z.string(), forecasts })).exactOptional(),
    ...asked,
  }),
  TextRead: z.object({ ...at, askId: z.string(), reading: ReaderAnswer, ...asked }),
  ...idleInputs,
  /** The intent is in the record, its result is not, and nobody else knows the result. */
  EffectLost: z.object({ ...at, callId: z.string(), epoch: z.number() }),
  TimeExpired: z.object({ ...at, what: z.enum(['Cycle', 'Approval']), requestId: z.string().exactOptional() }),
  CycleCancelled: z.object({ ...at, by: z.string(), reason: z.string() }),
} as const;

export const CycleOutcome = z.enum(['Replied', 'Refused', 'Failed', 'Cancelled', 'OutOfBudget']);
export type CycleOutcome = z.infer<typeof CycleOutcome>;

export const cycleDecisions = {
  GateDecided: z.object({
    gate: z.enum(gateNames),
    verdict: z.enum(verdictKinds),
    rule: z.string(),
    reason: z.string(),
    callId: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    effectClass: z.number().exactOptional(),
    argumentsDigest: z.string().exactOptional(),
    approvalId: z.string().exactOptional(),
    characterDigest: z.string(),
    /** How the verdict was reached; absent when no gate was asked, such as at a person's denial. */
    record: z.custom<GateRecord>((value) => value !== undefined).exactOptional(),
  }),
  GateProbeRequested: z.object({ ...gateQuestion, model: z.string(), text: z.string() }),
  GateScoreRequested: z.object({
    ...gateQuestion,
    /** Further calls of the same answer that the same question is about. */
    others: z.array(z.object({ callId: z.string(), subjectDigest: z.string() })).exactOptional(),
    request: modelRequest,
    features: z.array(z.string()),
  }),
  /** A long untrusted text goes to the quarantine reader. */
  ReadingRequested: z.object({
    /** Id of the model call. A second call follows when the first had no result. */
    askId: z.string(),
    /** The call whose result is read. */
    callId: z.string(),
    tokens: gateQuestion.tokens,
    request: modelRequest,
  }),
  ModelRequested: z.object({
    callId: z.string(),
    turn: z.number(),
    request: modelRequest,
    droppedMessages: z.number(),
  }),
  /** The conversation goes on without what its server refused. */
  HistoryMended,
  /** From here on the cycle asks the other model. */
  ModelFellBack: FellBack,
  ToolRequested: z.object({
    callId: z.string(),
    tool: z.string(),
    input: json,
    argumentsDigest: z.string(),
    effectClass: z.number(),
    approvalId: z.string().exactOptional(),
    choice: z.object({ site: z.string(), bits: z.number(), isNext: z.boolean() }).exactOptional(),
  }),
  CallAnswered: z.object({
    callId: z.string(),
    tool: z.string(),
    why: UnrunReason,
    text: z.string(),
    /** Absent when the call could not be read. */
    argumentsDigest: z.string().exactOptional(),
  }),
  ApprovalRequested: z.object({
    requestId: z.string(),
    callId: z.string(),
    tool: z.string(),
    input: json,
    argumentsDigest: z.string(),
    effectClass: z.number(),
    /** The reason of the rule that asks. */
    reason: z.string(),
    /** The model's own words, when it asked in advance: always shown as the model's. */
    agentSays: z.string().exactOptional(),
    /** SHA-256 of what stands where the call acts; absent when nothing does. The approval is bound to it. */
    ...standsThere,
    site: z.string().exactOptional(),
    /** The request for an equal call. Its answer also serves this one, so nobody is asked twice. */
    answeredWith: z.string().exactOptional(),
    expiresAtMs: z.number(),
  }),
  ApprovalWithdrawn: z.object({ requestId: z.string(), callId: z.string(), reason: z.string() }),
  Nudged: z.object({
    why: z.enum(['EmptyReply', 'Truncated', 'Malformed', 'TurnsLeft', 'InputFlagged', 'Revision']),
    text: z.string(),
  }),
  LimitReached: z.object({ limit: z.string(), value: z.number(), max: z.number() }),
  CycleEnded: z.object({
    outcome: CycleOutcome,
    /** The reply, or the part of it that exists. */
    text: z.string(),
    reason: z.string().exactOptional(),
    value: json.exactOptional(),
    /** The budget of the Agent that forbids any further call. */
    budget: BudgetField.exactOptional(),
  }),
} as const;

export const cycleKinds = { ...cycleInputs, ...cycleDecisions } as const;
type EventOf<K extends keyof typeof cycleKinds> = { readonly kind: K } & Readonly<z.infer<(typeof cycleKinds)[K]>>;
export type CycleEvent = { [K in keyof typeof cycleKinds]: EventOf<K> }[keyof typeof cycleKinds];
export type CycleInput = { [K in keyof typeof cycleInputs]: EventOf<K> }[keyof typeof cycleInputs];
export type CycleDecision = { [K in keyof typeof cycleDecisions]: EventOf<K> }[keyof typeof cycleDecisions];

export function isCycleInput(event: CycleEvent): event is CycleInput {
  return event.kind in cycleInputs;
}
