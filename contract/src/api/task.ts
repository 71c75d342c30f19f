/** The kind Task: one piece of work for an Agent. Source: design 3, 7 (approvals, questions, outcomes). */
import { z } from 'zod';
import { atomicList, immutableFields, mapList, withRules } from './cel-rule.ts';
import type { CelRule } from './cel-rule.ts';
import {
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
import { columns, kindSchema, nameRule } from './object.ts';
import type { KindDefinition } from './object.ts';
import { TaskStatus } from './task-status.ts';

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
    text: z.string().min(1).max(1024).describe('What must be true of the result.'),
    mode: z
      .enum(['Verifiable', 'Plausible'])
      .default('Verifiable')
      .describe('Verifiable: proved by recorded evidence. Plausible: judged; counts by the share of failed attempts.'),
    required: z.boolean().default(true).describe('Whether the result is worthless without it.'),
  })
  .describe('One success criterion.');
export type SuccessCriterion = z.infer<typeof SuccessCriterion>;

/** Limits of one run; defaults come from the Agent. */
export const TaskBudget = withRules(
  z
    .object({
      wallClock: DurationText.default('5m').describe(
        'Time for the run; time spent waiting for an answer does not count.',
      ),
      maxReplans: z.int().min(0).max(16).default(3).describe('How often the run may plan anew.'),
      tokens: z.int().min(1000).max(100_000_000).optional().describe('Input and output tokens of all model calls.'),
      costUsd: z.number().min(0).max(100_000).optional().describe('Cost of all model calls in US dollars.'),
      toolCalls: z.int().min(1).max(10_000).optional().describe('Calls of tools.'),
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
    by: z.string().min(1).max(253).describe('Who answered.'),
    at: Instant.optional().describe('When it was given.'),
  })
  .describe('One answer.');
export type TaskAnswer = z.infer<typeof TaskAnswer>;

/** A person's decision on one call with exactly these arguments. */
export const TaskApproval = z
  .object({
    request: RecordId.describe('Id of the request in status.pendingApprovals.'),
    argumentsDigest: z
      .string()
      .max(71)
      .regex(/^sha256:[0-9a-f]{64}$/)
      .describe('Digest of the arguments that were shown; the decision holds for no others.'),
    decision: z.enum(['Approve', 'Deny']).describe('Whether the call may happen, once.'),
    reason: ReasonText.describe('Why.'),
    by: z.string().min(1).max(253).describe('Who decided.'),
    at: Instant.optional().describe('When it was decided.'),
  })
  .describe('One decision on a requested call.');
export type TaskApproval = z.infer<typeof TaskApproval>;

const TaskSchedule = z
  .object({
    cron: CronText.describe('Minute, hour, day of month, month, day of week; or @daily and the like.'),
    timeZone: TimeZone.default('UTC').describe('IANA time zone in which the schedule is read.'),
    catchUp: z
      .enum(['Skip', 'Once', 'All'])
      .default('Once')
      .describe('What to do about moments missed while the agent was down.'),
    maxRuns: z.int().min(1).max(1_000_000).optional().describe('Stop after this many runs.'),
    until: Instant.optional().describe('Stop after this moment.'),
  })
  .describe('When the Task runs again.');

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
    message: 'cancel cannot be taken back; create a new Task instead',
    fieldPath: '.cancel',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'oldSelf.answers.all(o, self.answers.exists(n, n == o))',
    message: 'an answer cannot be changed or removed once it is given',
    fieldPath: '.answers',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'oldSelf.approvals.all(o, self.approvals.exists(n, n == o))',
    message: 'a decision on an approval cannot be changed or removed once it is given',
    fieldPath: '.approvals',
    reason: 'FieldValueForbidden',
  },
  {
    rule: 'self.successCriteria.size() == 0 || self.successCriteria.exists(c, c.required)',
    message: 'at least one success criterion must be required',
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

const TaskSpec = withRules(
  z
    .object({
      agentRef: LocalRef.describe('The Agent that does the work, in the same namespace.'),
      intent: z
        .string()
        .min(1)
        .max(INTENT_LENGTH_MAX)
        .regex(/\S/)
        .describe('What is wanted, in the words of the person who wants it.'),
      context: z
        .string()
        .max(CONTEXT_LENGTH_MAX)
        .optional()
        .describe('Background that helps to understand the intent.'),
      successCriteria: atomicList(z.array(SuccessCriterion).max(CRITERIA_MAX))
        .default([])
        .describe('What must be true of the result. The planner may add criteria, never remove these.'),
      constraints: z
        .object({
          scope: z.string().min(1).max(2048).optional().describe('What the work must keep to.'),
          deadline: Instant.optional().describe('Moment after which the result is worthless.'),
        })
        .prefault({})
        .describe('Limits on what is done and when.'),
      priority: z.int().min(-100).max(100).default(0).describe('Higher runs first; equal ones in order of creation.'),
      budget: TaskBudget.prefault({}),
      approval: z
        .object({
          mode: z
            .enum(['ByPolicy', 'BeforeStart', 'EveryEffect'])
            .default('ByPolicy')
            .describe(
              'ByPolicy: what effect classes and the character demand. BeforeStart: also before the first call. EveryEffect: also every call of class 1 and above.',
            ),
          timeout: DurationText.optional().describe(
            'A request that nobody answers in this time is refused; absent: budgets.approvals.timeout of the Agent.',
          ),
        })
        .prefault({})
        .describe('When people are asked before something happens.'),
      dependsOn: mapList(
        z
          .array(
            z
              .object({ name: ObjectName.describe('Task that must have succeeded first.') })
              .describe('A Task in the same namespace.'),
          )
          .max(DEPENDENCIES_MAX),
        'name',
      )
        .default([])
        .describe('Tasks that must end Accepted or Succeeded before this one starts.'),
      schedule: TaskSchedule.optional(),
      cancel: z.boolean().default(false).describe('Set to true to stop the Task; it ends Cancelled.'),
      answers: mapList(z.array(TaskAnswer).max(ANSWERS_MAX), 'question')
        .default([])
        .describe('Answers to questions of the agent.'),
      approvals: mapList(z.array(TaskApproval).max(APPROVALS_MAX), 'request')
        .default([])
        .describe('Decisions on requested calls. Needs the verb approve on tasks; agents never have it.'),
      override: z
        .object({
          of: ObjectName.describe('The refused Task.'),
          rule: z
            .string()
            .min(1)
            .max(128)
            .describe('The rule that refused, from status.refusal.rule; no other is overruled.'),
          subjectDigest: Sha256Digest.describe(
            'What was refused, from status.refusal.subjectDigest; nothing else is let through.',
          ),
          reason: ReasonText.describe('Why the refusal is overruled; recorded.'),
          by: z.string().min(1).max(253).describe('Who overrules.'),
        })
        .optional()
        .describe(
          'A principal overrules a refusal of the same words, call or text, within policy. See status.refusal.appeal.',
        ),
      onNoAnswer: z
        .enum(['Wait', 'Proceed', 'Refuse'])
        .default('Wait')
        .describe(
          'What happens while a question stays open. Wait: the run’s clock stands still, the deadline does not. Proceed: an assumption is recorded. Refuse: the Task ends Refused.',
        ),
      ttlSecondsAfterFinished: z
        .int()
        .min(0)
        .max(TTL_SECONDS_MAX)
        .optional()
        .describe(
          'Delete the finished Task after this many seconds; absent keeps it. The agent’s journal keeps the record.',
        ),
    })
    .describe('The work, and what people say about it while it runs.'),
  SPEC_RULES,
);

export const Task = kindSchema('Task', {
  spec: TaskSpec,
  status: TaskStatus,
  description: 'One piece of work for an Agent.',
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
    { name: 'Outcome', type: 'string', jsonPath: '.status.outcome', description: 'How the Task ended.', priority: 0 },
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
    { name: 'Replans', type: 'integer', jsonPath: '.status.replans', description: 'Plans made anew.', priority: 1 },
    {
      name: 'Run',
      type: 'string',
      jsonPath: '.status.runId',
      description: 'Run to explain, audit or replay.',
      priority: 1,
    },
  ),
  schema: Task,
};
