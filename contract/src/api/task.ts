/** The kind Task: one piece of work for an Agent. Source: design 3, 7 (approvals, questions, outcomes). */
import { z } from 'zod';
import { atomicList, immutableFields, mapList, withRules, type CelRule } from './cel-rule.ts';
import {
  CatchUp,
  CronText,
  DNS_LABEL_LENGTH_MAX,
  DurationText,
  Instant,
  LocalRef,
  ObjectName,
  ReasonText,
  RecordId,
  Sha256Digest,
  TimeZone,
} from './fields.ts';
import { columns, kindSchema, nameRule, type KindDefinition } from './object.ts';
import { DEPENDENCY_OUTCOMES, TaskStatus } from './task-status.ts';

/** The length of a long mail. */
const INTENT_LENGTH_MAX = 8192;
/** Up to ten pages of background; more belongs in a file of the workspace. */
const CONTEXT_LENGTH_MAX = 32_768;
const CRITERIA_MAX = 32;
const DEPENDENCIES_MAX = 32;
const ANSWERS_MAX = 32;
/** After twenty requests the task is stopped. Source: reliability-security 4. */
const APPROVALS_MAX = 20;
/** One week: a run that needs longer is an endeavour of several Tasks. */
const TTL_SECONDS_MAX = 31_536_000;

/** A requirement on the result. Source: artoo A.9, A.8. */
export const SuccessCriterion = z
  .object({
    text: z.string().min(1).max(1024).describe('A statement that must be true of the result.'),
    mode: z
      .enum(['Verifiable', 'Plausible'])
      .default('Verifiable')
      .describe(
        'Verifiable: proved by recorded evidence. Plausible: judged; the share of failed attempts counts against it.',
      ),
    required: z.boolean().default(true).describe('Whether the Task can succeed only if this is met.'),
  })
  .describe('One success criterion.');
export type SuccessCriterion = z.infer<typeof SuccessCriterion>;

/** Limits of one run; defaults come from the Agent. */
export const TaskBudget = withRules(
  z
    .object({
      wallClock: DurationText.default('5m').describe(
        'Maximum duration of the run, without the time that it waits for people.',
      ),
      maxReplans: z
        .int()
        .min(0)
        .max(16)
        .exactOptional()
        .describe('Maximum number of replans, if lower than that of the Agent.'),
      tokens: z
        .int()
        .min(1000)
        .max(100_000_000)
        .optional()
        .describe('Maximum input and output tokens of all model calls.'),
      costUsd: z.number().min(0).max(100_000).optional().describe('Maximum cost of all model calls in US dollars.'),
      toolCalls: z.int().min(1).max(10_000).optional().describe('Maximum number of tool calls.'),
    })
    .describe('Limits of the run.'),
  [
    {
      rule: "duration(self.wallClock) >= duration('1s') && duration(self.wallClock) <= duration('168h')",
      message: 'wallClock must be between 1s and 168h',
      fieldPath: '.wallClock',
    },
  ],
);
export type TaskBudget = z.infer<typeof TaskBudget>;

export const TaskAnswer = z
  .object({
    question: RecordId.describe('Id of the question in status.question.'),
    text: z.string().min(1).max(8192).describe('The answer.'),
    by: z.string().min(1).max(253).describe('Name of the person.'),
    at: Instant.optional().describe('Time of the answer.'),
  })
  .describe('An answer to a question.');
export type TaskAnswer = z.infer<typeof TaskAnswer>;

/** A person's decision on one call with exactly these arguments. */
export const TaskApproval = z
  .object({
    request: RecordId.describe('Id of the request in status.pendingApprovals.'),
    argumentsDigest: z
      .string()
      .max(71)
      .regex(/^sha256:[0-9a-f]{64}$/)
      .describe('Digest of the arguments in the request; the decision covers only these.'),
    decision: z.enum(['Approve', 'Deny']).describe('Whether the call may be made, once.'),
    reason: ReasonText.describe('Why.'),
    by: z.string().min(1).max(253).describe('Name of the person.'),
    at: Instant.optional().describe('Time of the decision.'),
  })
  .describe('A decision on an approval request.');
export type TaskApproval = z.infer<typeof TaskApproval>;

const TaskSchedule = z
  .object({
    cron: CronText.describe('Minute, hour, day of month, month, day of week; or @daily and the like.'),
    timeZone: TimeZone.default('UTC').describe('IANA time zone of the schedule.'),
    catchUp: CatchUp,
    maxRuns: z.int().min(1).max(1_000_000).optional().describe('Stop after this many runs.'),
    until: Instant.optional().describe('Stop after this time.'),
  })
  .describe('Schedule of a recurring Task.');

export const IMMUTABLE_TASK_FIELDS = [
  'agentRef',
  'intent',
  'context',
  'successCriteria',
  'constraints',
  'budget',
  'approval',
  'dependsOn',
  'schedule',
  'override',
  'onNoAnswer',
] as const;

const SPEC_RULES: readonly CelRule[] = [
  ...immutableFields(IMMUTABLE_TASK_FIELDS),
  {
    rule: '!oldSelf.cancel || self.cancel',
    message: 'cancel cannot be undone; create a new Task instead',
    fieldPath: '.cancel',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'oldSelf.answers.all(o, self.answers.exists(n, n == o))',
    message: 'an entry of answers cannot be changed or removed',
    fieldPath: '.answers',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'self.successCriteria.size() == 0 || self.successCriteria.exists(c, !has(c.required) || c.required)',
    message: 'at least one success criterion must have required: true',
    fieldPath: '.successCriteria',
  },
  {
    rule: 'self.successCriteria.all(a, self.successCriteria.exists_one(b, b.text == a.text))',
    message: 'two success criteria have the same text',
    fieldPath: '.successCriteria',
  },
  {
    rule: '!has(self.schedule) || !has(self.constraints.deadline)',
    message: 'a scheduled Task has no deadline; use schedule.until and budget.wallClock',
    fieldPath: '.constraints.deadline',
  },
  {
    rule: '!has(self.schedule) || !has(self.override)',
    message: 'an override is for one refusal, so it cannot be scheduled',
    fieldPath: '.override',
  },
];

/** What a person adds must be an answer to what is shown: an entry that fits nothing would be a silent dead end. */
const DECISION_RULES: readonly CelRule[] = [
  {
    rule: 'self.spec.approvals.all(n, oldSelf.spec.approvals.exists(o, o == n) || (has(oldSelf.status) && has(oldSelf.status.pendingApprovals) && oldSelf.status.pendingApprovals.exists(p, p.id == n.request && p.argumentsDigest == n.argumentsDigest)))',
    message: 'an entry of approvals must have the id and the argumentsDigest of a request in status.pendingApprovals',
    fieldPath: '.spec.approvals',
  },
  {
    rule: 'oldSelf.spec.approvals.all(o, self.spec.approvals.exists(n, n == o) || (self.spec.approvals.exists(n, n.request == o.request) && has(oldSelf.status) && has(oldSelf.status.pendingApprovals) && oldSelf.status.pendingApprovals.exists(p, p.id == o.request && p.argumentsDigest != o.argumentsDigest)))',
    message:
      'an entry of approvals cannot be changed or removed, unless its argumentsDigest is not that of its request',
    fieldPath: '.spec.approvals',
    reason: 'FieldValueForbidden',
  },
  {
    rule: '!has(self.spec.continueUnder) || (has(oldSelf.spec.continueUnder) && oldSelf.spec.continueUnder == self.spec.continueUnder) || (has(oldSelf.status) && has(oldSelf.status.heldUnder) && oldSelf.status.heldUnder == self.spec.continueUnder)',
    message: 'continueUnder must be the digest in status.heldUnder',
    fieldPath: '.spec.continueUnder',
  },
  {
    rule: 'self.spec.answers.all(n, oldSelf.spec.answers.exists(o, o == n) || (has(oldSelf.status) && has(oldSelf.status.question) && oldSelf.status.question.id == n.question))',
    message: 'an entry of answers must have the id of the question in status.question',
    fieldPath: '.spec.answers',
  },
];

const TaskSpec = withRules(
  z
    .object({
      agentRef: LocalRef.describe('The Agent that does the work, in the same namespace.'),
      intent: z
        .string()
        .min(1)
        .max(INTENT_LENGTH_MAX)
        .regex(/\S/)
        .describe('The wanted result, in the words of the person who wants it.'),
      context: z
        .string()
        .max(CONTEXT_LENGTH_MAX)
        .optional()
        .describe('Background that helps to understand the intent.'),
      successCriteria: atomicList(z.array(SuccessCriterion).max(CRITERIA_MAX))
        .default([])
        .describe('Criteria for the result. The planner can add criteria, but never remove these.'),
      constraints: z
        .object({
          scope: z.string().min(1).max(2048).optional().describe('Scope that the work must not exceed.'),
          deadline: Instant.optional().describe('Time at which the run stops, because a later result is worthless.'),
        })
        .prefault({})
        .describe('Scope and deadline of the work.'),
      priority: z
        .int()
        .min(-100)
        .max(100)
        .default(0)
        .describe('Tasks of higher priority run first; equal ones in order of creation.'),
      budget: TaskBudget.prefault({}),
      approval: z
        .object({
          mode: z
            .enum(['ByPolicy', 'BeforeStart', 'EveryEffect'])
            .default('ByPolicy')
            .describe(
              'ByPolicy: for calls whose effect class or character demands it. BeforeStart: also for the first call. EveryEffect: also for every call of class 1 or above.',
            ),
          timeout: DurationText.optional().describe(
            'Time after which a request without an answer counts as denied; absent: budgets.approvals.timeout of the Agent.',
          ),
        })
        .prefault({})
        .describe('When a call needs the approval of a person.'),
      dependsOn: mapList(
        z
          .array(
            z
              .object({
                name: ObjectName.describe('Task that must end first.'),
                outcome: z
                  .enum(DEPENDENCY_OUTCOMES)
                  .optional()
                  .describe(
                    'Outcome that it must have at least. Absent: Accepted, so every required criterion is met. Succeeded: a result that is good enough, or without criteria, will do.',
                  ),
              })
              .describe('A Task in the same namespace.'),
          )
          .max(DEPENDENCIES_MAX),
        'name',
      )
        .default([])
        .describe('Tasks that must end before this one starts.'),
      schedule: TaskSchedule.optional(),
      cancel: z.boolean().default(false).describe('True stops the Task; it ends Cancelled.'),
      continueUnder: Sha256Digest.optional().describe(
        'The digest in status.heldUnder: lets a held run go on, under a changed character (onCharacterChange Hold), or though its record was restored or lost.',
      ),
      answers: mapList(z.array(TaskAnswer).max(ANSWERS_MAX), 'question')
        .default([])
        .describe('Answers to questions of the agent.'),
      approvals: mapList(z.array(TaskApproval).max(APPROVALS_MAX), 'request')
        .default([])
        .describe(
          'Decisions on approval requests. Writing them needs the verb approve on tasks, which agents never have.',
        ),
      override: z
        .object({
          of: ObjectName.describe('The refused Task.'),
          rule: z.string().min(1).max(128).describe('The rule to overrule, from status.refusal.rule.'),
          subjectDigest: Sha256Digest.describe(
            'Digest of the refused text or call, from status.refusal.subjectDigest; the override covers only this.',
          ),
          reason: ReasonText.describe('Reason for overruling the refusal; it is recorded.'),
          by: z.string().min(1).max(253).describe('Name of the principal.'),
        })
        .optional()
        .describe(
          'A principal’s override of the refusal of the same text or call, as far as policy allows. See status.refusal.appeal.',
        ),
      onNoAnswer: z
        .enum(['Wait', 'Proceed', 'Refuse'])
        .default('Wait')
        .describe(
          'What to do without an answer to a question. Wait: pause the wall clock of the run, not the deadline. Proceed: record an assumption and go on. Refuse: end the Task Refused.',
        ),
      ttlSecondsAfterFinished: z
        .int()
        .min(0)
        .max(TTL_SECONDS_MAX)
        .optional()
        .describe(
          'Seconds after which the finished Task is deleted; absent keeps it. The agent’s journal keeps the record.',
        ),
    })
    .describe('The work, and the answers and decisions of people while it runs.'),
  SPEC_RULES,
);

export const Task = kindSchema('Task', {
  spec: TaskSpec,
  status: TaskStatus,
  description: 'A piece of work for an Agent.',
  rules: [
    nameRule(DNS_LABEL_LENGTH_MAX),
    {
      rule: '!self.spec.dependsOn.exists(d, d.name == self.metadata.name)',
      message: 'a Task cannot depend on itself',
      fieldPath: '.spec.dependsOn',
    },
    {
      rule: '!has(self.spec.override) || self.spec.override.of != self.metadata.name',
      message: 'override.of must name another Task, the refused one',
      fieldPath: '.spec.override.of',
    },
    ...DECISION_RULES,
    {
      rule: 'has(self.spec.schedule) || !has(oldSelf.status) || !has(oldSelf.status.outcome) || (has(self.status) && has(self.status.outcome) && self.status.outcome == oldSelf.status.outcome)',
      message: 'the outcome of a finished Task cannot change',
      fieldPath: '.status.outcome',
      reason: 'FieldValueForbidden',
    },
  ],
});
export type Task = z.infer<typeof Task>;
export type TaskSpec = Task['spec'];

export const taskDefinition: KindDefinition = {
  kind: 'Task',
  plural: 'tasks',
  singular: 'task',
  shortName: 'rtask',
  selectableFields: ['.spec.agentRef.name'],
  columns: columns(
    { name: 'Outcome', type: 'string', jsonPath: '.status.outcome', description: 'Outcome of the Task.', priority: 0 },
    {
      name: 'Agent',
      type: 'string',
      jsonPath: '.spec.agentRef.name',
      description: 'Agent that works on it.',
      priority: 1,
    },
    {
      name: 'Directive',
      type: 'string',
      jsonPath: '.status.directive',
      description: 'Last decision of the control loop.',
      priority: 1,
    },
    {
      name: 'Loss',
      type: 'number',
      jsonPath: '.status.loss.total',
      description: 'Last loss of the control loop.',
      priority: 1,
    },
    { name: 'Replans', type: 'integer', jsonPath: '.status.replans', description: 'Number of replans.', priority: 1 },
    {
      name: 'Run',
      type: 'string',
      jsonPath: '.status.runId',
      description: 'Id of the run, for explain, audit and replay.',
      priority: 1,
    },
  ),
  schema: Task,
};
