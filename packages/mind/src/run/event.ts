/**
 * Everything that the record of one Task run holds.
 *
 * I1  Exactly one `RunConcluded`; deliveries and the archive follow it, `RunClosed` is last.
 * I2  A verdict that cites no call which ran and succeeded is unmet, whatever the validator says.
 * I3  What one role tells another stands here in a `MessageSent`, and is acted on once.
 * I4  Messages are passed on with the input that they follow from: input, messages and decisions are one append.
 */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { THINKING_ROLES } from '@retainer/contract/api/roles';
import { BusMessage } from '@retainer/contract/wire/bus/envelope';
import {
  CriteriaVerdict,
  Directive,
  GapTrajectoryPoint,
  Loss,
  MemoryAnswer,
  ToolCallRecord,
} from '@retainer/contract/wire/bus/payloads';
import { z } from 'zod';
import {
  GateModels,
  ApprovalMode,
  BudgetField,
  CycleLimits,
  CycleOutcome,
  CycleSpec,
  json,
  OverrideRecord,
  TokenPrice,
  UsageRecord,
} from '../cycle/event.ts';
import { Label } from '../gate/provenance/label.ts';
import { SteerExplanation } from './steer/explanation.ts';
import { SteerState } from './steer/steer-state.ts';

export const Criterion = z.object({
  text: z.string(),
  mode: z.enum(['Verifiable', 'Plausible']),
  required: z.boolean(),
});
export type Criterion = z.infer<typeof Criterion>;

const rolePart = z.object({
  tier: z.enum(['Fast', 'Capable']),
  model: z.string(),
  price: TokenPrice.exactOptional(),
  temperature: z.number().exactOptional(),
  system: z.array(z.object({ text: z.string(), cache: z.boolean() })),
  tools: z.array(z.string()),
  limits: CycleLimits,
  /** Of who calls tools; absent: ByPolicy. */
  approvalMode: ApprovalMode.exactOptional(),
});

/** All that a run needs to know, fixed at its admission: later changes of a manifest touch later runs only. */
export const RunSpec = z.object({
  runId: z.string(),
  /** `namespace/name`. */
  agent: z.string(),
  task: z.object({ namespace: z.string(), name: z.string() }),
  intent: z.string(),
  /** The Task as people wrote it: intent, background, scope, criteria, and what the agent remembers. */
  input: z.string(),
  /** Of `input`, what is neither intent, scope nor criteria; empty where there is nothing. */
  background: z.string(),
  /** Of `background`, what the agent remembers; absent where there is nothing. */
  remembered: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  /** That people named in intent, scope and criteria of the Task: fixed before anything is read. */
  addresses: z.array(z.string()).exactOptional(),
  criteria: z.array(Criterion),
  autonomous: z.boolean(),
  /** Milliseconds since 1970; it does not stand still. */
  deadlineMs: z.number().exactOptional(),
  /** What all cycles of the run may use together; what is absent has no limit. */
  budget: z
    .object({
      tokens: z.number().exactOptional(),
      costUsd: z.number().exactOptional(),
      toolCalls: z.number().exactOptional(),
    })
    .exactOptional(),
  /** What may think in this run, and how. */
  roles: z.record(z.enum(THINKING_ROLES), rolePart),
  /** Who may work in the Executor's place, where the plan names one. Absent in records from before there were any: nobody. */
  workers: z.array(rolePart.extend({ name: z.string(), purpose: z.string() })).exactOptional(),
  /** As of a cycle. */
  gates: GateModels.exactOptional(),
  /** The Agent's, with the Task's own time and replans in it. */
  control: AgentControl,
  /** What the perceiver is told of before. Source: artoo A.16. */
  session: z
    .object({
      /** The agent's newest runs, oldest first. */
      turns: z.array(z.object({ input: z.string(), summary: z.string() })),
      /** What it remembers of its user. */
      user: z.array(z.string()),
    })
    .exactOptional(),
  /** What the planner is told when it reports on a run that is given up; absent: no report is asked for. Source: artoo A.9. */
  reportDuties: rolePart.shape.system.exactOptional(),
  /** The run ends after it, whatever the steering says; waiting for people does not count. */
  wallClockMs: z.number(),
  /** Tools that a plan may count on, with one line on each. */
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  /** Where it works, as memory is told. */
  environment: z.string(),
  onNoAnswer: z.enum(['Wait', 'Proceed', 'Refuse']),
  /** SHA-256 of the Task as people wrote it: what a refusal of its text is bound to. */
  wordsDigest: z.string().exactOptional(),
  /** The refusal of another Task that a principal overrules. */
  override: OverrideRecord.exactOptional(),
  /** How often people are asked to approve a call, and say no, before the run is stopped; absent: the defaults of the Agent. */
  approvals: z.object({ requestsMax: z.number(), refusalsMax: z.number() }).exactOptional(),
  /** How long an open question waits where the Task does not wait for ever. */
  answerWaitMs: z.number(),
  characterDigest: z.string(),
});
export type RunSpec = z.infer<typeof RunSpec>;

/** Verdict on a criterion of the whole task, with its text: what people are told. */
export const CriterionVerdict = CriteriaVerdict.extend({ text: z.string(), required: z.boolean() });
export type CriterionVerdict = z.infer<typeof CriterionVerdict>;

export const RunOutcome = z.enum(['Accepted', 'Succeeded', 'Abandoned', 'Refused', 'Cancelled', 'Failed']);
export type RunOutcome = z.infer<typeof RunOutcome>;

const rejection = z.object({
  gate: z.string(),
  rule: z.string(),
  reason: z.string(),
  subjectDigest: z.string().exactOptional(),
});
const at = { atMs: z.number() };

/** What a cycle is for: the role that thinks, and the step and attempt it thinks about. */
export const CyclePurpose = z.object({
  role: z.enum(THINKING_ROLES),
  round: z.number(),
  subtaskId: z.string().exactOptional(),
  /** From 1. */
  attempt: z.number().exactOptional(),
  /** Message that set it going. */
  causationId: z.string(),
});
export type CyclePurpose = z.infer<typeof CyclePurpose>;

export const runInputs = {
  RunAdmitted: z.object({
    ...at,
    spec: RunSpec,
    /** Drawn at random, as in `CycleStarted`. */
    nonce: z.string().exactOptional(),
    /** How messages reach their roles. Absent in records from before: each by a `MessageReceived` of its own. */
    messagePassing: z.literal('Inline').exactOptional(),
  }),
  /** A message has come to its role. Only in runs whose messages are not passed inline, and where another version recorded the end. */
  MessageReceived: z.object({ ...at, messageId: z.string() }),
  CycleConcluded: z.object({
    ...at,
    cycleId: z.string(),
    outcome: CycleOutcome,
    text: z.string(),
    reason: z.string().exactOptional(),
    value: json.exactOptional(),
    calls: z.array(ToolCallRecord),
    rejections: z.array(rejection),
    usage: UsageRecord,
    costUsd: z.number(),
    isCostComplete: z.boolean(),
    modelCalls: z.number(),
    /** Of everything that it had read. Absent in records from before there were labels: untrusted. */
    label: Label.exactOptional(),
    /** The budget of the Agent that it ended by: no other cycle of the run would come further. */
    budget: BudgetField.exactOptional(),
  }),
  /** What memory answered to a `MemoryRead`. */
  MemoryRecalled: z.object({ ...at, messageId: z.string(), answers: z.array(MemoryAnswer) }),
  QuestionAnswered: z.object({ ...at, questionId: z.string(), text: z.string(), by: z.string() }),
  /** Nobody answered in time. */
  QuestionExpired: z.object({ ...at, questionId: z.string() }),
  /** A person is asked to approve a call of this cycle: the run's clock stands still until `WaitEnded`. */
  WaitBegan: z.object({ ...at, cycleId: z.string() }),
  WaitEnded: z.object({ ...at, cycleId: z.string() }),
  /** What this cycle has asked of people so far: questions about calls, and how many ended in a refusal. */
  ApprovalsAsked: z.object({ ...at, cycleId: z.string(), requests: z.number(), refusals: z.number() }),
  /** The megrams of this message are written. */
  Remembered: z.object({ ...at, messageId: z.string() }),
  RunCancelled: z.object({ ...at, by: z.string(), reason: z.string() }),
  /** The watchdog, or the Task's own deadline. */
  DeadlinePassed: z.object({ ...at }),
  /** The pause before a failed cycle is asked again is over. */
  RetryDue: z.object({ ...at, cycleId: z.string() }),
  /** The planner's report did not come in time: the run ends without it. */
  ReportOverdue: z.object({ ...at }),
  /** Cycles that were given up did not say in time what they had used: the run is told without it. */
  EndsOverdue: z.object({ ...at }),
  Delivered: z.object({ ...at, deliveryId: z.string() }),
  Archived: z.object({ ...at }),
} as const;

export const DeliveryBodyRecord = z.object({
  outcome: RunOutcome,
  summary: z.string(),
  reasons: z.array(z.string()),
  criteria: z.array(CriterionVerdict),
  unmet: z.array(z.string()),
  /** The first gate that refused, where the outcome is Refused. */
  refusal: rejection.exactOptional(),
  /** Files that the run wrote below the workspace, newest state. */
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })),
  loss: Loss.exactOptional(),
  gradL: z.number().exactOptional(),
  directive: Directive.exactOptional(),
  replans: z.number(),
  /** Less than what was asked for is in the summary. */
  partial: z.boolean(),
  usage: UsageRecord,
  costUsd: z.number(),
  isCostComplete: z.boolean(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
});

export const runDecisions = {
  /** In the order of their numbers. Version 1 had one, as `message`. */
  MessageSent: z.object({ messages: z.array(BusMessage) }),
  /** It came too late: its round is over. */
  MessageDropped: z.object({ messageId: z.string(), reason: z.string() }),
  CycleRequested: z.object({ spec: CycleSpec, purpose: CyclePurpose }),
  CycleAbandoned: z.object({ cycleId: z.string(), reason: z.string() }),
  /** A validator failed itself: it is asked again after a pause, in another cycle. Source: artoo A.6. */
  RetryScheduled: z.object({
    /** The one that failed. */
    cycleId: z.string(),
    purpose: CyclePurpose,
    failureClass: z.literal('Infrastructure'),
    reason: z.string(),
    dueAtMs: z.number(),
  }),
  /** What code made of a validator's words. */
  VerdictsJudged: z.object({
    /** Absent: on the task as a whole. */
    subtaskId: z.string().exactOptional(),
    attempt: z.number().exactOptional(),
    verdicts: z.array(CriteriaVerdict),
    /** Of the attempt; absent for the whole. */
    point: GapTrajectoryPoint.exactOptional(),
    /** What was wrong with the validator's own account, one sentence each. */
    corrections: z.array(z.string()),
  }),
  /** How a round was steered, or how the run ended: what `retainer explain` prints. */
  RoundSteered: z.object({
    round: z.number(),
    explanation: SteerExplanation,
    rationale: z.string(),
    /** What the next round starts from. */
    state: SteerState,
  }),
  QuestionAsked: z.object({ questionId: z.string(), question: z.string(), expiresAtMs: z.number().exactOptional() }),
  RunConcluded: DeliveryBodyRecord,
  DeliveryRequested: z.object({
    deliveryId: z.string(),
    channel: z.literal('TaskStatus'),
    target: z.string(),
    body: DeliveryBodyRecord,
  }),
  ArchiveRequested: z.object({ summary: z.string() }),
  RunClosed: z.object({
    outcome: RunOutcome,
    /** That were sent in all: an outsider sees by it whether the last one is missing. Absent where they are not passed inline. */
    messages: z.number().exactOptional(),
  }),
} as const;

export const runKinds = { ...runInputs, ...runDecisions } as const;

type Kinds = typeof runKinds;
type EventOf<K extends keyof Kinds> = { readonly kind: K } & Readonly<z.infer<Kinds[K]>>;

export type RunEvent = { [K in keyof Kinds]: EventOf<K> }[keyof Kinds];
export type RunInput = { [K in keyof typeof runInputs]: EventOf<K> }[keyof typeof runInputs];
export type RunDecision = { [K in keyof typeof runDecisions]: EventOf<K> }[keyof typeof runDecisions];
export type RunEventOf<K extends keyof Kinds> = EventOf<K>;

export function isRunInput(event: RunEvent): event is RunInput {
  return event.kind in runInputs;
}
