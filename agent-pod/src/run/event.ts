/**
 * Everything that the record of one Task run holds.
 *
 * I1  Exactly one `RunConcluded`; deliveries and the archive follow it, `RunClosed` is last.
 * I2  A verdict that cites no call which ran and succeeded is unmet, whatever the validator says.
 */
import { z } from 'zod';
import {
  ApprovalMode,
  CycleLimits,
  CycleOutcome,
  CycleRole,
  CycleSpec,
  ToolOutcomeRecord,
  UnrunReason,
  UsageRecord,
} from '../cycle/event.ts';

export const Criterion = z.object({
  text: z.string(),
  mode: z.enum(['Verifiable', 'Plausible']),
  required: z.boolean(),
});
export type Criterion = z.infer<typeof Criterion>;

const rolePart = z.object({
  tier: z.enum(['Fast', 'Capable']),
  model: z.string(),
  system: z.array(z.object({ text: z.string(), cache: z.boolean() })),
  tools: z.array(z.string()),
  limits: CycleLimits,
});

/** All that a run needs to know, fixed at its admission: later changes of a manifest touch later runs only. */
export const RunSpec = z.object({
  runId: z.string(),
  task: z.object({ namespace: z.string(), name: z.string() }),
  intent: z.string(),
  /** The user turn that opens the executor's cycle. */
  input: z.string(),
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
  executor: rolePart.extend({ approvalMode: ApprovalMode.exactOptional() }),
  validator: rolePart,
  characterDigest: z.string(),
});
export type RunSpec = z.infer<typeof RunSpec>;

/** One call of the executor, as evidence. */
export const Evidence = z.object({
  callId: z.string(),
  tool: z.string(),
  /** Canonical JSON of the arguments, cut. */
  arguments: z.string(),
  outcome: ToolOutcomeRecord.exactOptional(),
  unrun: z.object({ why: UnrunReason, text: z.string() }).exactOptional(),
});
export type Evidence = z.infer<typeof Evidence>;

export const CriterionVerdict = z.object({
  /** From 1, in the order of the Task. */
  index: z.number(),
  text: z.string(),
  required: z.boolean(),
  verdict: z.enum(['Met', 'Unmet', 'Unverified']),
  /** Ids of calls that ran and succeeded. */
  evidence: z.array(z.string()),
  reason: z.string(),
});
export type CriterionVerdict = z.infer<typeof CriterionVerdict>;

export const RunOutcome = z.enum(['Accepted', 'Succeeded', 'Abandoned', 'Refused', 'Cancelled', 'Failed']);
export type RunOutcome = z.infer<typeof RunOutcome>;

const rejection = z.object({ gate: z.string(), rule: z.string(), reason: z.string() });
const at = { atMs: z.number() };

export const runInputs = {
  RunAdmitted: z.object({ ...at, spec: RunSpec }),
  CycleConcluded: z.object({
    ...at,
    cycleId: z.string(),
    role: CycleRole,
    outcome: CycleOutcome,
    text: z.string(),
    reason: z.string().exactOptional(),
    value: z.json().exactOptional(),
    evidence: z.array(Evidence),
    rejections: z.array(rejection),
    usage: UsageRecord,
    costUsd: z.number(),
    isCostComplete: z.boolean(),
    modelCalls: z.number(),
  }),
  RunCancelled: z.object({ ...at, by: z.string(), reason: z.string() }),
  DeadlinePassed: z.object({ ...at }),
  Delivered: z.object({ ...at, deliveryId: z.string() }),
  Archived: z.object({ ...at }),
} as const;

export const DeliveryBodyRecord = z.object({
  outcome: RunOutcome,
  summary: z.string(),
  reasons: z.array(z.string()),
  criteria: z.array(CriterionVerdict),
  unmet: z.array(z.string()),
  /** Files that the run wrote below the workspace, newest state. */
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })),
  usage: UsageRecord,
  costUsd: z.number(),
  isCostComplete: z.boolean(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
});

export const runDecisions = {
  CycleRequested: z.object({ spec: CycleSpec }),
  CycleAbandoned: z.object({ cycleId: z.string(), reason: z.string() }),
  VerdictsJudged: z.object({
    criteria: z.array(CriterionVerdict),
    /** What was wrong with the validator's own account, one sentence each. */
    corrections: z.array(z.string()),
  }),
  RunConcluded: DeliveryBodyRecord,
  DeliveryRequested: z.object({
    deliveryId: z.string(),
    channel: z.literal('TaskStatus'),
    target: z.string(),
    body: DeliveryBodyRecord,
  }),
  ArchiveRequested: z.object({ summary: z.string() }),
  RunClosed: z.object({ outcome: RunOutcome }),
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
