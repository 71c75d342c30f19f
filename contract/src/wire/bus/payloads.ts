/**
 * The payloads of a run's messages, one for each type of `BUS_ROUTES`.
 *
 * Texts are bounded at their source, not here: a recorded message must stay readable.
 *
 * Source: artoo A.2 (all fields), A.3 to A.10.
 */
import { z } from 'zod';
import { DIRECTIVES, FAILURE_CLASSES, VERDICT_BASES } from '../../api/task-status.ts';
import { RecalledCase } from './recalled-case.ts';

export const FailureClass = z.enum(FAILURE_CLASSES);
export const Directive = z.enum(DIRECTIVES);

/** A success criterion: of the whole task or of one subtask. Source: artoo A.8. */
export const BusCriterion = z.object({
  text: z.string(),
  mode: z.enum(['Verifiable', 'Plausible']),
  required: z.boolean(),
});
export type BusCriterion = z.infer<typeof BusCriterion>;

/** One tool call, from the record, never from the model's words. `sha256` is of the whole output. Source: artoo A.5. */
export const ToolCallRecord = z.object({
  callId: z.string(),
  tool: z.string(),
  /** The arguments, canonical JSON, cut. */
  input: z.string(),
  /** Target of the call: path, host, query, command. Absent if the tool has no target. */
  target: z.string().exactOptional(),
  status: z.enum(['Ok', 'Error', 'TimedOut', 'Cancelled', 'Unknown', 'Unrun']),
  /** Head and tail of the output, or why the call was not run. */
  output: z.string(),
  artifactId: z.string().exactOptional(),
  exitCode: z.number().exactOptional(),
  sandboxFailed: z.literal(true).exactOptional(),
  sha256: z.string().exactOptional(),
  durationMs: z.number(),
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), sha256: z.string() })),
  /** Paths that it removed (absent: nobody looked); then symbolic links that it made or changed. As many as `files` lists. */
  gone: z.array(z.string()).exactOptional(),
  links: z.array(z.string()).exactOptional(),
  /** A person let it replace what was there: its files are not the run's own. */
  replacedByLeave: z.literal(true).exactOptional(),
  /** What it shows may be the words of others: a stranger's file, a page. */
  untrusted: z.literal(true).exactOptional(),
  /** Whom the run is for may not read what it shows. */
  unreadable: z.literal(true).exactOptional(),
  /** JSON pointers to the parts of the whole output that others wrote; the empty one means everything. */
  othersAt: z.array(z.string()).exactOptional(),
  /** Present if a gate, a blocked tool or a blocked target refused the call. */
  refusal: z.object({ rule: z.string(), reason: z.string() }).exactOptional(),
});
export type ToolCallRecord = z.infer<typeof ToolCallRecord>;

/** Verdict on one criterion, recomputed in code. Source: artoo A.6. */
export const CriteriaVerdict = z.object({
  /** From 1, in the order of the criteria. */
  index: z.number(),
  verdict: z.enum(['Met', 'Unmet', 'Unverified']),
  failureClass: FailureClass.exactOptional(),
  /** Of a met criterion: whether calls show what it names, or whether the validator judged them. Absent: nobody says. */
  basis: z.enum(VERDICT_BASES).exactOptional(),
  /** Of a met criterion: some of its evidence rests on untrusted data. */
  untrusted: z.literal(true).exactOptional(),
  /** Ids of calls that ran and succeeded. */
  evidence: z.array(z.string()),
  reason: z.string(),
});
export type CriteriaVerdict = z.infer<typeof CriteriaVerdict>;

/** One attempt at a subtask. `failureClass`: of its unmet criteria together. Source: artoo A.6. */
export const GapTrajectoryPoint = z.object({
  attempt: z.number(),
  /** Share of met criteria, 0 to 1. */
  score: z.number(),
  /** Indexes of the criteria that are not met. */
  unmet: z.array(z.number()),
  failureClass: z.enum(['Logical', 'Environmental', 'Mixed', 'None']),
});
export type GapTrajectoryPoint = z.infer<typeof GapTrajectoryPoint>;

/** One way of doing a thing. */
export const WorkPair = z.object({ tool: z.string(), target: z.string() });
export type WorkPair = z.infer<typeof WorkPair>;

/** Tools and targets that a round may not use. Never both lists filled. Source: artoo A.9, A.17, A.4. */
export const Blocked = z.object({
  tools: z.array(z.string()),
  targets: z.array(z.string()),
  /** Tools on these targets, which each may be used with another. Absent in the profile that blocks for the whole plan. */
  pairs: z.array(WorkPair).exactOptional(),
  /** Tools with external effects that were not in the plan made before the run read untrusted text. */
  unplanned: z.array(z.string()).exactOptional(),
});
export type Blocked = z.infer<typeof Blocked>;

/** How to go on with one part of the task: a subtask's criteria that are not yet shown. Source: design 5 */
export const PartAdvice = z.object({
  /** Texts of its required criteria, as the plan put them. */
  criteria: z.array(z.string()),
  directive: z.enum(['Retry', 'Refine', 'ChangePath', 'ChangeApproach', 'BreakSymmetry']),
  /** What may be tried next, best first. Options of one rank are as good as each other. */
  options: z.array(
    z.object({
      /** From 1. */
      rank: z.number(),
      /** Absent: one that was not tried for this part. */
      tool: z.string().exactOptional(),
      target: z.string().exactOptional(),
      /** That one round of it succeeds, 0 to 1; absent where a rule decides. */
      chance: z.number().exactOptional(),
      /** What a round of it takes. */
      tokens: z.number().exactOptional(),
    }),
  ),
  /** What failed by itself, not by chance: refused in the next round. */
  avoid: z.array(WorkPair),
  why: z.string(),
});
export type PartAdvice = z.infer<typeof PartAdvice>;

/** Source: artoo A.9. */
export const Loss = z.object({
  /** Distance between the goal and the result. */
  d: z.number(),
  /** Implausibility of the attempted approach. */
  p: z.number(),
  /** Use of replans and time. */
  omega: z.number(),
  /** The weighted sum. */
  l: z.number(),
  /** The weighted sum without the use of resources. Source: artoo A.9. */
  q: z.number(),
});
export type Loss = z.infer<typeof Loss>;

/** A matched subtask of an earlier round, kept. Source: artoo A.4. */
export const Salvage = z.object({
  subtaskId: z.string(),
  round: z.number(),
  intent: z.string(),
  output: z.string(),
  artifactId: z.string().exactOptional(),
});
export type Salvage = z.infer<typeof Salvage>;

const SubTask = z.object({
  /** Given by the runtime, never by a model. Source: artoo A.4. */
  subtaskId: z.string(),
  /** From 1, dense; equal ones run in parallel. */
  sequence: z.number(),
  /** Place in the manifest, from 0. */
  position: z.number(),
  intent: z.string(),
  context: z.string(),
  criteria: z.array(BusCriterion),
  blocked: Blocked,
  /** Who works on it: `Coder`. Absent: the executor. Source: artoo C. */
  worker: z.string().exactOptional(),
  /** The lines of memory that the plan cites for it, or, where nobody planned, all; its worker is shown them. Absent: none. */
  advice: z.array(z.string()).exactOptional(),
});

const SubTaskOutcome = z.object({
  subtaskId: z.string(),
  intent: z.string(),
  sequence: z.number(),
  position: z.number(),
  criteria: z.array(BusCriterion),
  status: z.enum(['Matched', 'Failed']),
  /** The executor's own words; a claim, not evidence. */
  output: z.string(),
  artifactId: z.string().exactOptional(),
  failureReason: z.string().exactOptional(),
  /** Set if the subtask failed before its criteria were judged. */
  failureClass: FailureClass.exactOptional(),
  /** False if an earlier group failed. Source: artoo A.7. */
  started: z.boolean(),
  trajectory: z.array(GapTrajectoryPoint),
  /** Of the last attempt. */
  verdicts: z.array(CriteriaVerdict),
  calls: z.array(ToolCallRecord),
});
export type SubTaskOutcome = z.infer<typeof SubTaskOutcome>;
export type SubTask = z.infer<typeof SubTask>;

/** Potentials of one pair in memory. Source: artoo A.11. */
export const Potentials = z.object({
  attention: z.number(),
  decision: z.number(),
  action: z.enum(['Ignore', 'Exploit', 'Avoid', 'Caution']),
});
export type Potentials = z.infer<typeof Potentials>;

export const MegramLevel = z.enum(['M', 'K', 'C', 'T']);

/** One memory, the source's eleven fields. Source: artoo A.2, A.10. */
export const Megram = z.object({
  id: z.string(),
  level: MegramLevel,
  /** Milliseconds since 1970. */
  createdAtMs: z.number(),
  lastRecalledAtMs: z.number().exactOptional(),
  space: z.string(),
  entity: z.string(),
  /** The space's intent, cut: for finding similar tasks in other words. Source: artoo A.11. */
  about: z.string().exactOptional(),
  content: z.string(),
  /** Its origin: a directive, or `PolicyBlock`. */
  state: z.enum([...DIRECTIVES, 'PolicyBlock']),
  /** Strength, 0 to 1. */
  f: z.number(),
  /** Valence, -1 to 1. */
  sigma: z.number(),
  /** Decay per day. */
  k: z.number(),
  /** Of an abandoned run: the tools on targets that failed. Absent: none that the Task can do without. */
  blamed: z.array(WorkPair).exactOptional(),
});
export type Megram = z.infer<typeof Megram>;

/** A run that had read untrusted text taught it: its words are left out, and the content is empty. */
const wordless = { isWordless: z.literal(true).exactOptional() };

/** As of the megram. */
const blamed = { blamed: Megram.shape.blamed };

/** Memory's answer for one pair of space and entity, not formatted. Source: artoo A.11, A.17. */
export const MemoryAnswer = z.object({
  space: z.string(),
  entity: z.string(),
  /** 0 to 1: a neighbouring task's weight; absent for the requested pair itself. Source: artoo A.11. */
  similarity: z.number().exactOptional(),
  rules: z.array(z.object({ id: z.string(), content: z.string(), sigma: z.number(), ...wordless, ...blamed })),
  recent: z.array(z.object({ id: z.string(), state: Megram.shape.state, content: z.string(), ...wordless, ...blamed })),
  potentials: Potentials,
});
export type MemoryAnswer = z.infer<typeof MemoryAnswer>;

/** Report on an abandoned run, for the person who asked for it. Source: artoo A.9. */
const Report = z.object({ done: z.array(z.string()), missing: z.array(z.string()), nextMoves: z.array(z.string()) });

const FinalResult = z.object({
  directive: z.enum(['Accept', 'Success', 'Abandon']),
  previous: z.union([Directive, z.literal('Init')]),
  /** Why it was abandoned; absent otherwise. */
  cause: z
    .enum(['Policy', 'Infrastructure', 'Aborted', 'Deadline', 'Budget', 'Worsening', 'Replans', 'Planning', 'Distance'])
    .exactOptional(),
  summary: z.string(),
  output: z.string(),
  /** Whether `output` is incomplete. */
  partial: z.boolean(),
  loss: Loss,
  gradL: z.number(),
  gradQ: z.number(),
  replans: z.number(),
  taskVerdicts: z.array(CriteriaVerdict),
  /** Texts of all criteria that are not met, even plausible ones. */
  unmet: z.array(z.string()),
  fastPath: z.boolean(),
  /** The planner's report on an abandoned run, as far as the record proves it. Source: artoo A.9. */
  report: Report.exactOptional(),
});

export const busPayloads = {
  TaskReceived: z.object({
    intent: z.string(),
    /** Verbatim. */
    rawInput: z.string(),
    scope: z.string().exactOptional(),
    deadlineMs: z.number().exactOptional(),
    /** From people: the planner may add criteria, but remove none of these. */
    criteria: z.array(BusCriterion),
  }),
  ClarificationRequest: z.object({ questionId: z.string(), question: z.string() }),
  ClarificationAnswer: z.object({
    questionId: z.string(),
    /** Absent: nobody answered in time. */
    text: z.string().exactOptional(),
    by: z.string().exactOptional(),
  }),
  TaskSpec: z.object({
    /** A name for people; the key of everything is the run's id. Source: artoo A.2. */
    taskSlug: z.string(),
    intent: z.string(),
    /** `SingleStep`: one subtask is enough, so no model plans. Source: artoo C. */
    shape: z.enum(['SingleStep', 'Plan']),
    scope: z.string().exactOptional(),
    deadlineMs: z.number().exactOptional(),
    rawInput: z.string(),
    /** Assumptions made because nobody answered. */
    assumptions: z.array(z.string()),
  }),
  FastReply: z.object({ reply: z.string() }),
  PerceptionFailure: z.object({ reason: z.string(), failureClass: FailureClass }),
  MemoryRead: z.object({
    pairs: z.array(z.object({ space: z.string(), entity: z.string() })),
    /** For the search for neighbours of the pairs; absent: no search. Source: artoo A.11. */
    intent: z.string().exactOptional(),
  }),
  MemoryResponse: z.object({
    answers: z.array(MemoryAnswer),
    /** Best first. Absent: none was found. */
    cases: z.array(RecalledCase).exactOptional(),
  }),
  MemoryWrite: z.object({ megrams: z.array(Megram) }),
  DispatchManifest: z.object({
    taskSlug: z.string(),
    subtaskIds: z.array(z.string()),
    /** Criteria of the combined result. Those of people come first, in their order. */
    criteria: z.array(BusCriterion),
    salvage: z.array(Salvage),
    /** Memories that the planner, or the worker of a single step, was shown. Source: artoo A.11. */
    memoryRefs: z.array(z.string()),
    /** Those of them that the plan cites. Absent: nobody was asked, or nothing was shown; then all shown ones count as followed. */
    basedOn: z.array(z.string()).exactOptional(),
    /** Digest of the requested work. The first plan's is fixed before the run reads untrusted text. */
    planDigest: z.string().exactOptional(),
  }),
  SubTask,
  PlanFailure: z.object({ reason: z.string(), failureClass: FailureClass }),
  SubTaskDispatch: SubTask,
  ExecutionResult: z.object({
    subtaskId: z.string(),
    attempt: z.number(),
    status: z.enum(['Completed', 'Uncertain', 'Failed']),
    output: z.string(),
    artifactId: z.string().exactOptional(),
    /** The cause of a failure. */
    reason: z.string().exactOptional(),
    failureClass: FailureClass.exactOptional(),
    calls: z.array(ToolCallRecord),
  }),
  CorrectionSignal: z.object({
    subtaskId: z.string(),
    /** Number of the requested attempt, from 2. */
    attempt: z.number(),
    failedCriterion: z.string(),
    failureClass: FailureClass,
    whatWasWrong: z.string(),
    whatToDo: z.string(),
    /**
     * Blind: nothing was wrong; the attempt is to come to the result by itself, and is told nothing of the first one. Differs: two
     * attempts came to different results. Absent: the attempt fell short.
     */
    selfConsistency: z.enum(['Blind', 'Differs']).exactOptional(),
  }),
  SubTaskOutcome,
  ReplanRequest: z.object({
    gapSummary: z.string(),
    failedSubtasks: z.array(z.string()),
    /** Not attempts. Source: artoo A.12. */
    corrections: z.number(),
    elapsedMs: z.number(),
    outcomes: z.array(SubTaskOutcome),
    /** Empty if a subtask failed, so that nobody judged the whole. */
    taskVerdicts: z.array(CriteriaVerdict),
    recommendation: z.enum(['Replan', 'Abandon']),
  }),
  OutcomeSummary: z.object({
    summary: z.string(),
    output: z.string(),
    elapsedMs: z.number(),
    outcomes: z.array(SubTaskOutcome),
    taskVerdicts: z.array(CriteriaVerdict),
  }),
  PlanDirective: z.object({
    /** With parts: of the first of them. */
    directive: z.enum(['Retry', 'Refine', 'ChangePath', 'ChangeApproach', 'BreakSymmetry']),
    /** What is not yet shown, part by part; absent in the profile that advises on the whole. */
    parts: z.array(PartAdvice).exactOptional(),
    previous: z.union([Directive, z.literal('Init')]),
    loss: Loss,
    gradL: z.number(),
    gradQ: z.number(),
    blocked: Blocked,
    failedCriterion: z.string(),
    failureClass: z.enum(['Logical', 'Environmental', 'Mixed']),
    budgetPressure: z.number(),
    /** Direction of the loss; only if it changes and the Agent uses it. Source: artoo A.19. */
    urgency: z.enum(['Improving', 'Worsening']).exactOptional(),
    salvage: z.array(Salvage),
    rationale: z.string(),
  }),
  TaskAbort: z.object({ by: z.string(), reason: z.string() }),
  /** Requests a report on an abandoned run. Source: artoo A.9. */
  ReportRequest: z.object({
    /** Computed by code: the run ends with it, even without a report. */
    result: FinalResult,
  }),
  /** Empty if the planner said nothing that may be published. */
  AbandonReport: Report,
  FinalResult,
} as const;
