/**
 * All events in the record of one Task run.
 *
 * I1  Exactly one `RunConcluded`; deliveries and the archive follow it, `RunClosed` is last.
 * I2  A verdict that cites no call which ran and succeeded is unmet, whatever the validator says.
 * I3  Every message between roles is recorded in a `MessageSent`, and handled once.
 * I4  Messages are passed on with the input that causes them: input, messages and decisions are one append.
 */
import { AgentControl } from '@retainer/contract/api/agent-control';
import { THINKING_ROLES } from '@retainer/contract/api/roles';
import { BusMessage } from '@retainer/contract/wire/bus/envelope';
import {
  BusCriterion,
  CriteriaVerdict,
  Directive,
  GapTrajectoryPoint,
  Loss,
  MemoryAnswer,
  ToolCallRecord,
} from '@retainer/contract/wire/bus/payloads';
import { RecalledCase } from '@retainer/contract/wire/bus/recalled-case';
import { z } from 'zod';
import { characterChangeFields, Compared } from '../cycle/character-change.ts';
import { deciders, DecidersChanged } from '../cycle/deciders.ts';
import { Pace } from '../cycle/pace.ts';
import { StoodStill } from '../cycle/standing-still.ts';
import { parkedFields } from '../request/parked.ts';
import { OverrideRecord } from '../gate/override.ts';
import {
  GateModels,
  ApprovalMode,
  AskedModel,
  BudgetField,
  CycleLimits,
  CycleOutcome,
  CycleSpec,
} from '../cycle/event.ts';
import { FellBack } from '../request/fell-back.ts';
import { json, UsageRecord } from '../cycle/request-record.ts';
import { Label } from '../gate/provenance/label.ts';
import { WORDS_ONLY } from '../memory/recall/recalled.ts';
import { CHANNELS, originFields } from './run-cause.ts';
import { SteerExplanation } from './steer/explanation.ts';
import { SteerState } from './steer/steer-state.ts';

const rolePart = AskedModel.extend({
  fallback: AskedModel.exactOptional(),
  /** For simple work; absent: the model above does it, too. */
  light: AskedModel.exactOptional(),
  system: z.array(z.object({ text: z.string(), cache: z.boolean() })),
  tools: z.array(z.string()),
  limits: CycleLimits,
  /** For roles that call tools; absent: ByPolicy. */
  approvalMode: ApprovalMode.exactOptional(),
});

/** Everything that a run needs, fixed at its admission: later changes of a manifest affect only later runs. */
export const RunSpec = z.object({
  runId: z.string(),
  /** `namespace/name`. */
  agent: z.string(),
  /** The name of the work that people know: the Task's, or `job-NAME` in the agent's namespace. */
  task: z.object({ namespace: z.string(), name: z.string() }),
  ...originFields,
  /** Mail addresses whose holders are the owner, lower case. Absent: none. */
  owners: z.array(z.string()).exactOptional(),
  intent: z.string(),
  /** The Task as people wrote it: intent, background, scope, criteria, and the agent's remembered facts. */
  input: z.string(),
  /** The part of `input` that is neither intent, scope nor criteria; empty when there is none. */
  background: z.string(),
  /** The part of `background` that the agent remembers; absent when there is none. */
  remembered: z.string().exactOptional(),
  scope: z.string().exactOptional(),
  /** Addresses in the Task's intent, scope and criteria, fixed before the run reads anything. */
  addresses: z.array(z.string()).exactOptional(),
  criteria: z.array(BusCriterion),
  autonomous: z.boolean(),
  /** Milliseconds since 1970. It does not pause. */
  deadlineMs: z.number().exactOptional(),
  /** Limits of all cycles of the run together. An absent field has no limit. */
  budget: z
    .object({
      tokens: z.number().exactOptional(),
      costUsd: z.number().exactOptional(),
      toolCalls: z.number().exactOptional(),
    })
    .exactOptional(),
  /** Who the agent is: all requests of the run begin with it. */
  identity: z.string(),
  /** The model, duties and limits of each role. */
  roles: z.record(z.enum(THINKING_ROLES), rolePart),
  /** The possible workers besides the Executor, if the plan names one. */
  workers: z.array(rolePart.extend({ name: z.string(), purpose: z.string() })),
  /** See `CycleSpec`. */
  gates: GateModels.exactOptional(),
  /** The Agent's settings, limited by the Task's own time and replans. */
  control: AgentControl,
  /** The past that the perceiver sees. Source: artoo A.16. */
  session: z
    .object({
      /** The agent's newest runs, oldest first. */
      turns: z.array(z.object({ input: z.string(), summary: z.string() })),
      user: z.array(z.string()),
    })
    .exactOptional(),
  /** The planner's instructions for the report on an abandoned run; absent: no report is requested. Source: artoo A.9. */
  reportDuties: rolePart.shape.system.exactOptional(),
  /** The run ends after this time, whatever the steerer says. Time spent waiting for people does not count. */
  wallClockMs: z.number(),
  /** Models whose result counts only when two attempts at the subtask came to it. Absent: none. */
  selfConsistency: z.array(z.string()).exactOptional(),
  /** Tools that a plan may use, with one line on each. */
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  /** The name of the environment for memory. */
  environment: z.string(),
  onNoAnswer: z.enum(['Wait', 'Proceed', 'Refuse']),
  /** The character's persona is confidential. Absent: it is not. */
  confidential: z.literal(true).exactOptional(),
  /** SHA-256 of the Task as people wrote it. A refusal of its text is bound to it. */
  wordsDigest: z.string().exactOptional(),
  /** The refusal of another Task that a principal overrules. */
  override: OverrideRecord.exactOptional(),
  /** The override that the Task carries was for another run, which had it before: an override passes once. */
  overrideSpent: z.object({ of: z.string(), rule: z.string(), runId: z.string() }).exactOptional(),
  /** How many approval requests, and how many refusals, stop the run; absent: the defaults of the Agent. */
  approvals: z.object({ requestsMax: z.number(), refusalsMax: z.number() }).exactOptional(),
  /** How long an open question waits, unless the Task waits for ever. */
  answerWaitMs: z.number(),
  characterDigest: z.string(),
});
export type RunSpec = z.infer<typeof RunSpec>;

/** Verdict on a criterion of the whole task, with its text, for people. */
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

/** What a character tells the models of a run. */
export const CharacterTexts = z.object({
  identity: z.string(),
  executor: rolePart.shape.system,
  workers: z.array(z.object({ name: z.string(), system: rolePart.shape.system })),
  confidential: z.literal(true).exactOptional(),
});
export type CharacterTexts = z.infer<typeof CharacterTexts>;

/** Repeated: an attempt failed before. Circled: in one, the worker went round. */
export const WorkKind = z.enum(['Simple', 'Complex', 'Repeated', 'Circled']);
export type WorkKind = z.infer<typeof WorkKind>;

/** The purpose of a cycle: its role, and the step and attempt that it works on. */
export const CyclePurpose = z.object({
  role: z.enum(THINKING_ROLES),
  round: z.number(),
  subtaskId: z.string().exactOptional(),
  /** From 1. */
  attempt: z.number().exactOptional(),
  /** Why this model works, where the run has two for it. */
  work: WorkKind.exactOptional(),
  /** The message that started it. */
  causationId: z.string(),
});
export type CyclePurpose = z.infer<typeof CyclePurpose>;

export const runInputs = {
  RunAdmitted: z.object({
    ...at,
    spec: RunSpec,
    /** Random, as in `CycleStarted`. */
    nonce: z.string(),
    /** How messages reach their roles: with the input that causes them, or each by a `MessageReceived` of its own. */
    messagePassing: z.enum(['Inline', 'Received']),
    /** The workspace at that moment: what stood there needs no call of the run that made it. */
    stood: z.object({
      files: z.array(z.object({ path: z.string(), sha256: z.string().exactOptional() })),
      /** False: there may be files that are not listed. */
      isWhole: z.boolean(),
    }),
    deciders,
  }),
  DecidersChanged,
  StoodStill,
  /** A call of this cycle waits for its provider: the run's clock stops until `RunUnparked`. Again with each try that fails. */
  RunParked: z.object({ ...at, cycleId: z.string(), ...parkedFields }),
  RunUnparked: z.object({ ...at, cycleId: z.string() }),
  /** The run goes on under another character, from its next step. */
  CharacterChanged: z.object({
    ...characterChangeFields,
    texts: CharacterTexts,
    /** Absent: no earlier run was decided again. */
    compared: Compared.exactOptional(),
    /** The new input gate refuses the Task's words; absent: it does not. */
    refused: rejection.exactOptional(),
  }),
  /** A message reached its role. Only in runs that do not pass messages inline, or whose end another version recorded. */
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
    /** Label of everything that the cycle has read. */
    label: Label,
    /** The budget of the Agent that ended it: no other cycle of the run could continue. */
    budget: BudgetField.exactOptional(),
    fellBack: FellBack.exactOptional(),
    /** Sites for which a person lifted the budget of choices until the run ends. */
    freeSites: z.array(z.string()).exactOptional(),
    /** Outside addresses that it asked for; absent where no choice is counted. */
    askedOutside: z.array(z.string()).exactOptional(),
    /** The model whose server took nothing but messages and tools. */
    plainModel: z.string().exactOptional(),
    /** Of each model that answered in it; absent: of none. */
    paces: z.array(Pace).exactOptional(),
  }),
  /** The answer of memory to a `MemoryRead`. */
  MemoryRecalled: z.object({
    ...at,
    messageId: z.string(),
    answers: z.array(MemoryAnswer),
    cases: z.array(RecalledCase).exactOptional(),
    /** Absent: compared as it was wanted. */
    wordsOnly: z.enum(WORDS_ONLY).exactOptional(),
  }),
  QuestionAnswered: z.object({ ...at, questionId: z.string(), text: z.string(), by: z.string() }),
  /** Nobody answered in time. */
  QuestionExpired: z.object({ ...at, questionId: z.string() }),
  /** A person is asked to approve a call of this cycle: the run's clock stops until `WaitEnded`. */
  WaitBegan: z.object({ ...at, cycleId: z.string() }),
  WaitEnded: z.object({ ...at, cycleId: z.string() }),
  /** The cycle's requests to people so far: the approvals requested, and how many ended in a refusal. */
  ApprovalsAsked: z.object({ ...at, cycleId: z.string(), requests: z.number(), refusals: z.number() }),
  /** The megrams of this message are written. */
  Remembered: z.object({ ...at, messageId: z.string() }),
  RunCancelled: z.object({ ...at, by: z.string(), reason: z.string() }),
  /** The watchdog, or the Task's own deadline. */
  DeadlinePassed: z.object({ ...at }),
  /** The pause before the repetition of a failed cycle is over. */
  RetryDue: z.object({ ...at, cycleId: z.string() }),
  /** The planner's report did not come in time: the run ends without it. */
  ReportOverdue: z.object({ ...at }),
  /** Abandoned cycles did not report their usage in time: the run concludes without it. */
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
  /** What the summary states and nothing shows; marked in it. Absent: nothing. */
  unsupported: z.array(z.string()).exactOptional(),
  /** The first gate that refused, when the outcome is Refused. */
  refusal: rejection.exactOptional(),
  /** Files that the run wrote below the workspace, newest state. */
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })),
  loss: Loss.exactOptional(),
  gradL: z.number().exactOptional(),
  directive: Directive.exactOptional(),
  replans: z.number(),
  /** The summary holds only a part of the requested result. */
  partial: z.boolean(),
  /** What the gate changed: the number of addresses that are inert text now, and the fields that held a key. Absent: nothing. */
  gated: z.object({ inert: z.number(), withheld: z.array(z.string()) }).exactOptional(),
  /** Models that were out of reach, each once; absent: none. */
  fellBack: z.array(FellBack).exactOptional(),
  usage: UsageRecord,
  costUsd: z.number(),
  isCostComplete: z.boolean(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
});

export const runDecisions = {
  /** In the order of their numbers. */
  MessageSent: z.object({ messages: z.array(BusMessage) }),
  /** The message came too late: its round is over. */
  MessageDropped: z.object({ messageId: z.string(), reason: z.string() }),
  CycleRequested: z.object({ spec: CycleSpec, purpose: CyclePurpose }),
  CycleAbandoned: z.object({ cycleId: z.string(), reason: z.string() }),
  /** A validator itself failed: another cycle asks it again after a pause. Source: artoo A.6. */
  RetryScheduled: z.object({
    /** The cycle that failed. */
    cycleId: z.string(),
    purpose: CyclePurpose,
    failureClass: z.literal('Infrastructure'),
    reason: z.string(),
    dueAtMs: z.number(),
  }),
  /** The verdicts that code derived from a validator's answer. */
  VerdictsJudged: z.object({
    /** Absent: on the task as a whole. */
    subtaskId: z.string().exactOptional(),
    attempt: z.number().exactOptional(),
    verdicts: z.array(CriteriaVerdict),
    /** Of the attempt; absent for the whole. */
    point: GapTrajectoryPoint.exactOptional(),
    /** Faults of the validator's own account, one sentence each. */
    corrections: z.array(z.string()),
    /** How told figures follow from shown ones: `12.4 = 37.2 / 3 (t2, t2)`. Absent: none had to be computed. */
    derivations: z.array(z.string()).exactOptional(),
    /** What the output states as a result and nothing shows, in its own words. Absent: nothing. */
    unsupported: z.array(z.string()).exactOptional(),
    /** The comparison with another attempt at the subtask, by its number. Absent: there was none. */
    selfConsistency: z.object({ attempt: z.number(), agrees: z.boolean() }).exactOptional(),
  }),
  /** The steering of a round, or the end of the run, as `retainer explain` prints it. */
  RoundSteered: z.object({
    round: z.number(),
    explanation: SteerExplanation,
    rationale: z.string(),
    /** The steerer's state for the next round. */
    state: SteerState,
  }),
  QuestionAsked: z.object({ questionId: z.string(), question: z.string(), expiresAtMs: z.number().exactOptional() }),
  RunConcluded: DeliveryBodyRecord,
  DeliveryRequested: z.object({
    deliveryId: z.string(),
    channel: z.enum(CHANNELS),
    target: z.string(),
    body: DeliveryBodyRecord,
  }),
  ArchiveRequested: z.object({
    summary: z.string(),
    /** Unchanged: it says what the last result of its job said. Absent: it is delivered. */
    undelivered: z.literal('Unchanged').exactOptional(),
  }),
  RunClosed: z.object({
    outcome: RunOutcome,
    /** Number of all sent messages: shows an outsider whether the last is missing. Absent when not passed inline. */
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
