/** The status of a Task. Bounded: a summary and a pointer, never a transcript. */
import { z } from 'zod';
import { atomicList, mapList } from './cel-rule.ts';
import { Conditions } from './conditions.ts';
import { Instant, Ratio, RecordId, Sha256Digest, STATUS_SUMMARY_LENGTH_MAX } from './fields.ts';

const CRITERIA_MAX = 64;
const EVIDENCE_MAX = 16;
const PENDING_APPROVALS_MAX = 20;
const ARTIFACTS_MAX = 32;
const AXIOMS_MAX = 32;

/** Source: design 7 (outcomes). */
export const TASK_OUTCOMES = ['Accepted', 'Succeeded', 'Abandoned', 'Refused', 'Cancelled', 'Failed'] as const;
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

/** Decisions of the control loop at the end of a round. Source: artoo A.9. */
export const DIRECTIVES = [
  'Accept',
  'Success',
  'Refine',
  'ChangePath',
  'ChangeApproach',
  'BreakSymmetry',
  'Abandon',
] as const;
export type Directive = (typeof DIRECTIVES)[number];

/** Why a criterion is unmet. Source: artoo C, A.6. */
export const FAILURE_CLASSES = ['Logical', 'Environmental', 'Policy', 'Infrastructure', 'Unverified'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

const Usage = z
  .object({
    inputTokens: z.int().min(0).optional().describe('Tokens read by models.'),
    outputTokens: z.int().min(0).optional().describe('Tokens written by models.'),
    costUsd: z.number().min(0).optional().describe('Cost in US dollars.'),
    modelCalls: z.int().min(0).optional().describe('Calls of models.'),
    toolCalls: z.int().min(0).optional().describe('Calls of tools.'),
    cycles: z.int().min(0).optional().describe('Cognitive cycles.'),
  })
  .describe('What the run used.');

const ArtifactRef = z
  .object({
    path: z.string().min(1).max(1024).describe('Where it is on the agent’s volume.'),
    digest: Sha256Digest.optional().describe('SHA-256 of its content.'),
    sizeBytes: z.int().min(0).optional().describe('Size in bytes.'),
  })
  .describe('A file on the agent’s volume.');

export const CriterionStatus = z
  .object({
    index: z
      .int()
      .min(0)
      .max(CRITERIA_MAX)
      .describe('Place in successCriteria; higher numbers were added by the planner.'),
    verdict: z.enum(['Met', 'Unmet', 'Unverified']).describe('Whether the criterion is met.'),
    failureClass: z.enum(FAILURE_CLASSES).optional().describe('Why it is not met.'),
    evidence: atomicList(z.array(RecordId).max(EVIDENCE_MAX))
      .optional()
      .describe('Ids of the tool calls that prove it.'),
    reason: z.string().max(512).optional().describe('The judgement in one sentence.'),
  })
  .describe('Verdict on one criterion.');
export type CriterionStatus = z.infer<typeof CriterionStatus>;

export const PendingApproval = z
  .object({
    id: RecordId.describe('Id to name in spec.approvals.'),
    tool: z.string().min(1).max(128).describe('Tool that would be called.'),
    argumentsDigest: Sha256Digest.describe('Digest of the exact arguments.'),
    effectClass: z.int().min(0).max(4).describe('Effect class of the call.'),
    effect: z.string().max(1024).describe('The effect, as the agent’s code renders it; never the model’s own words.'),
    agentSays: z.string().max(512).optional().describe('Why the agent asks, in the model’s own words: a claim.'),
    requestedAt: Instant.describe('When it was requested.'),
    expiresAt: Instant.describe('When it will be refused for want of an answer.'),
  })
  .describe('A call that waits for a decision.');
export type PendingApproval = z.infer<typeof PendingApproval>;

/** The agent writes it, except for the operator's conditions Ready and Admitted. */
export const TaskStatus = z
  .object({
    observedGeneration: z.int().min(0).optional().describe('Generation of the spec that was read.'),
    conditions: Conditions.optional(),
    outcome: z.enum(TASK_OUTCOMES).optional().describe('How the Task ended; absent while it has not.'),
    question: z
      .object({
        id: RecordId.describe('Id to name in spec.answers.'),
        text: z.string().min(1).max(2048).describe('What the agent wants to know.'),
        askedAt: Instant.describe('When it was asked.'),
      })
      .optional()
      .describe('Open question.'),
    pendingApprovals: mapList(z.array(PendingApproval).max(PENDING_APPROVALS_MAX), 'id')
      .optional()
      .describe('Calls that wait for a decision.'),
    loss: z
      .object({
        distance: Ratio.describe('Distance between what was wanted and what is there.'),
        process: Ratio.describe('Implausibility of the way it was tried.'),
        resource: Ratio.describe('Share of the budget that is used.'),
        total: Ratio.describe('Weighted sum.'),
      })
      .optional()
      .describe('Loss of the last round.'),
    gradient: z.number().min(-1).max(1).optional().describe('Change of the total loss since the round before.'),
    directive: z.enum(DIRECTIVES).optional().describe('Last decision of the control loop.'),
    replans: z.int().min(0).max(64).optional().describe('Plans made anew.'),
    criteria: mapList(z.array(CriterionStatus).max(CRITERIA_MAX), 'index')
      .optional()
      .describe('Verdicts on the criteria.'),
    refusal: z
      .object({
        rule: z.string().min(1).max(128).describe('Id of the rule, floor or gate that refused.'),
        reason: z.string().max(1024).describe('The refusal in words that people can act on.'),
        subjectDigest: Sha256Digest.optional().describe('What was refused: the Task’s words, a call, or a text.'),
        appeal: z.string().max(512).optional().describe('What a principal may do about it.'),
        axioms: atomicList(z.array(z.string().max(64)).max(AXIOMS_MAX))
          .optional()
          .describe('Axioms that fired, in order.'),
      })
      .optional()
      .describe('Why the Task was refused.'),
    summary: z.string().max(STATUS_SUMMARY_LENGTH_MAX).optional().describe('The result in short.'),
    resultRef: ArtifactRef.optional().describe('The whole result.'),
    artifacts: atomicList(z.array(ArtifactRef).max(ARTIFACTS_MAX)).optional().describe('Files that the run made.'),
    runId: RecordId.optional().describe('Run to explain, audit or replay.'),
    characterDigest: Sha256Digest.optional().describe('Character under which the run was decided.'),
    usage: Usage.optional(),
    runs: z.int().min(0).optional().describe('Finished runs of a scheduled Task.'),
    acceptedAt: Instant.optional().describe('When the agent took the Task on.'),
    startedAt: Instant.optional().describe('When the run began.'),
    finishedAt: Instant.optional().describe('When it ended.'),
    lastScheduledAt: Instant.optional().describe('Moment of the schedule that was served last.'),
    nextScheduledAt: Instant.optional().describe('Next moment of the schedule.'),
  })
  .describe('What the agent and the operator report.');
export type TaskStatus = z.infer<typeof TaskStatus>;
