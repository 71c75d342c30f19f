/** The status of a Task. Bounded: a summary and a pointer, never a transcript. */
import { z } from 'zod';
import { atomicList, mapList } from './cel-rule.ts';
import { Conditions, ObservedGeneration } from './conditions.ts';
import { Instant, Ratio, RecordId, Sha256Digest, STATUS_SUMMARY_LENGTH_MAX } from './fields.ts';

const CRITERIA_MAX = 64;
const EVIDENCE_MAX = 16;
const PENDING_APPROVALS_MAX = 20;
const ARTIFACTS_MAX = 32;
const AXIOMS_MAX = 32;
const UNSUPPORTED_MAX = 32;

/** Source: design 7 (outcomes). */
export const TASK_OUTCOMES = ['Accepted', 'Succeeded', 'Abandoned', 'Refused', 'Cancelled', 'Failed'] as const;
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

/** Whether a Task, or its run, reached its goal. False of the words of other systems, and while there is no outcome. */
export function isReached(outcome: string | undefined): boolean {
  return outcome === 'Accepted' || outcome === 'Succeeded';
}

/** Outcomes that a Task can ask of one that it depends on: the first one where it says nothing. */
export const DEPENDENCY_OUTCOMES = ['Accepted', 'Succeeded'] as const satisfies readonly TaskOutcome[];
export type DependencyOutcome = (typeof DEPENDENCY_OUTCOMES)[number];

/** Whether a Task may start after one that ended so. @param wanted  `dependsOn[].outcome` */
export function isEnough(outcome: string | undefined, wanted: DependencyOutcome | undefined): boolean {
  return wanted === 'Succeeded' ? isReached(outcome) : outcome === 'Accepted';
}

/** Positions, from 0, of required criteria that were not found met. */
export function requiredUnmet(criteria: readonly { readonly required: boolean; readonly verdict: string }[]): number[] {
  return criteria.flatMap(({ required, verdict }, index) => (required && verdict !== 'Met' ? [index] : []));
}

/** Decisions of the control loop at the end of a round. Source: artoo A.9. */
export const DIRECTIVES = [
  'Accept',
  'Success',
  'Retry',
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

/** What a met criterion rests on. Source: artoo A.6 (evidence grounding), D. */
export const VERDICT_BASES = ['Shown', 'Judged'] as const;

const Usage = z
  .object({
    inputTokens: z.int().min(0).optional().describe('Input tokens.'),
    outputTokens: z.int().min(0).optional().describe('Output tokens.'),
    costUsd: z.number().min(0).optional().describe('Cost in US dollars.'),
    modelCalls: z.int().min(0).optional().describe('Model calls.'),
    toolCalls: z.int().min(0).optional().describe('Tool calls.'),
    cycles: z.int().min(0).optional().describe('Cognitive cycles.'),
  })
  .describe('Usage of the run.');

const ArtifactRef = z
  .object({
    path: z.string().min(1).max(1024).describe('Path on the agent’s volume.'),
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
      .describe('Position in successCriteria; the planner added those with higher numbers.'),
    verdict: z.enum(['Met', 'Unmet', 'Unverified']).describe('Whether the criterion is met.'),
    failureClass: z.enum(FAILURE_CLASSES).optional().describe('Reason why it is not met.'),
    basis: z
      .enum(VERDICT_BASES)
      .optional()
      .describe(
        'What a met criterion rests on. Shown: calls show what it names. Judged: a model judged it by the calls.',
      ),
    untrusted: z
      .boolean()
      .optional()
      .describe('True if the evidence of a met criterion rests on data that may be the words of others.'),
    evidence: atomicList(z.array(RecordId).max(EVIDENCE_MAX))
      .optional()
      .describe('Ids of the tool calls that prove the criterion.'),
    reason: z.string().max(512).optional().describe('Reason of the verdict in one sentence.'),
  })
  .describe('Verdict on one criterion.');
export type CriterionStatus = z.infer<typeof CriterionStatus>;

export const PendingApproval = z
  .object({
    id: RecordId.describe('Id for spec.approvals.'),
    tool: z.string().min(1).max(128).describe('Name of the tool.'),
    argumentsDigest: Sha256Digest.describe('Digest of the exact arguments.'),
    effectClass: z.int().min(0).max(4).describe('Effect class of the call.'),
    effect: z.string().max(1024).describe('The effect, described by the agent’s code, not by the model.'),
    agentSays: z.string().max(512).optional().describe('Reason for the call in the model’s own words; unverified.'),
    requestedAt: Instant.describe('Time of the request.'),
    expiresAt: Instant.describe('Time when the request expires and the call is denied.'),
  })
  .describe('A call that waits for approval.');
export type PendingApproval = z.infer<typeof PendingApproval>;

/** The agent writes it, except for the operator's conditions Ready and Admitted; with the outcome the agent writes Ready too. */
export const TaskStatus = z
  .object({
    observedGeneration: ObservedGeneration.optional(),
    conditions: Conditions.optional(),
    outcome: z.enum(TASK_OUTCOMES).optional().describe('Outcome of the Task; absent until it ends.'),
    question: z
      .object({
        id: RecordId.describe('Id for spec.answers.'),
        text: z.string().min(1).max(2048).describe('Text of the question.'),
        askedAt: Instant.describe('Time of the question.'),
      })
      .optional()
      .describe('Open question.'),
    pendingApprovals: mapList(z.array(PendingApproval).max(PENDING_APPROVALS_MAX), 'id')
      .optional()
      .describe('Calls that wait for approval.'),
    loss: z
      .object({
        distance: Ratio.describe('Distance between the criteria and the result.'),
        process: Ratio.describe('Implausibility of the process.'),
        resource: Ratio.describe('Used share of the budget.'),
        total: Ratio.describe('Weighted sum of these.'),
      })
      .optional()
      .describe('Loss of the last round.'),
    gradient: z.number().min(-1).max(1).optional().describe('Change of the total loss since the previous round.'),
    directive: z.enum(DIRECTIVES).optional().describe('Last decision of the control loop.'),
    replans: z.int().min(0).max(64).optional().describe('Number of replans.'),
    criteria: mapList(z.array(CriterionStatus).max(CRITERIA_MAX), 'index')
      .optional()
      .describe('Verdicts on the criteria.'),
    unmet: atomicList(z.array(z.int().min(0).max(CRITERIA_MAX)).max(CRITERIA_MAX))
      .optional()
      .describe('Required criteria that a Succeeded Task does not meet, by their index in criteria.'),
    refusal: z
      .object({
        rule: z.string().min(1).max(128).describe('Id of the rule, floor or gate that refused the Task.'),
        reason: z.string().max(1024).describe('Reason of the refusal, for people.'),
        subjectDigest: Sha256Digest.optional().describe('Digest of the refused text or call.'),
        appeal: z.string().max(512).optional().describe('How a principal can appeal.'),
        axioms: atomicList(z.array(z.string().max(64)).max(AXIOMS_MAX))
          .optional()
          .describe('Axioms that applied, in order.'),
      })
      .optional()
      .describe('Details of the refusal.'),
    summary: z.string().max(STATUS_SUMMARY_LENGTH_MAX).optional().describe('Summary of the result.'),
    unsupported: atomicList(z.array(z.string().min(1).max(256)).max(UNSUPPORTED_MAX))
      .optional()
      .describe('Claims of the summary that no tool showed; each is marked in it.'),
    resultRef: ArtifactRef.optional().describe('The whole result.'),
    artifacts: atomicList(z.array(ArtifactRef).max(ARTIFACTS_MAX)).optional().describe('Files that the run made.'),
    runId: RecordId.optional().describe('Id of the run, for explain, audit and replay.'),
    characterDigest: Sha256Digest.optional().describe('Digest of the character of the run.'),
    heldUnder: Sha256Digest.optional().describe(
      'Digest for which the run waits: of the changed character, or of this very hold if its record was restored or is another one. The run goes on when spec.continueUnder names it.',
    ),
    usage: Usage.optional(),
    runs: z.int().min(0).optional().describe('Finished runs of a scheduled Task.'),
    acceptedAt: Instant.optional().describe('Time when the agent admitted the Task.'),
    startedAt: Instant.optional().describe('Time when the run started.'),
    finishedAt: Instant.optional().describe('Time when the run ended.'),
    lastScheduledAt: Instant.optional().describe('Last scheduled time for which a Task was created.'),
    nextScheduledAt: Instant.optional().describe('Next scheduled time.'),
  })
  .describe('Observed state, written by the agent and the operator.');
export type TaskStatus = z.infer<typeof TaskStatus>;
