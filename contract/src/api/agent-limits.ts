/**
 * Limits of a cycle, of a day, and of the agent's own initiatives. Source: reliability-security 4; springdrift 9, 14; artoo B.
 */
import { z } from 'zod';
import { mapList, withRules } from './cel-rule.ts';
import { CatchUp, CronText, DurationText, Slug, TimeZone, ToolPattern } from './fields.ts';

const Tokens = z.int().min(0).max(10_000_000_000);
const CostUsd = z.number().min(0).max(1_000_000);
const JOBS_MAX = 100;

/** Limits of one cognitive cycle. Reaching one ends the cycle, with that reason. */
export const AgentLimits = z
  .object({
    turnsPerCycle: z.int().min(1).max(200).default(10).describe('Maximum number of model calls in one cycle.'),
    toolCallsPerCycle: z.int().min(1).max(1000).default(50).describe('Maximum number of tool calls in one cycle.'),
    consecutiveErrors: z
      .int()
      .min(1)
      .max(20)
      .default(3)
      .describe('Maximum number of turns in a row with a failed tool call.'),
    outputTokensPerCall: z
      .int()
      .min(256)
      .max(128_000)
      .default(8192)
      .describe('Maximum output tokens of one model call.'),
    contextTokens: z
      .int()
      .min(8192)
      .max(1_000_000)
      .default(150_000)
      .describe('Maximum tokens of a request to a model; the agent drops the oldest turns first.'),
    tokensPerCycle: z
      .int()
      .min(1000)
      .max(100_000_000)
      .default(400_000)
      .describe('Maximum input and output tokens of one cycle.'),
    costUsdPerCycle: CostUsd.default(5).describe('Maximum cost of one cycle in US dollars.'),
    wallClockPerCycle: DurationText.default('10m').describe('Maximum duration of one cycle.'),
    toolTimeout: DurationText.default('60s').describe(
      'Maximum duration of a tool call, if the tool has no own limit; 1s to 24h.',
    ),
    toolOutputBytes: z
      .int()
      .min(1024)
      .max(1_048_576)
      .default(16_384)
      .describe(
        'Maximum characters of tool output in one message to the model; the whole output is an artifact that the model can read in pages.',
      ),
    inboxLength: z
      .int()
      .min(1)
      .max(10_000)
      .default(1000)
      .describe('Maximum number of waiting commands; the agent refuses more.'),
    concurrentRuns: z
      .int()
      .min(1)
      .max(16)
      .default(3)
      .describe(
        'Maximum number of Tasks that run at the same time, and of letters beside them. At 1, a call that does not return holds up every Task.',
      ),
    delegationDepth: z.int().min(1).max(3).default(3).describe('Maximum depth of delegation among specialists.'),
  })
  .describe('Limits of one cognitive cycle.');
export type AgentLimits = z.infer<typeof AgentLimits>;

/** Spending limits, kept in a durable ledger and checked before each call. 0 means no limit. */
export const AgentBudgets = z
  .object({
    tokensPerHour: Tokens.default(2_000_000).describe('Maximum tokens in a rolling hour; 0 for no limit.'),
    tokensPerDay: Tokens.default(20_000_000).describe('Maximum tokens in a day, UTC; 0 for no limit.'),
    costUsdPerDay: CostUsd.default(50).describe('Maximum US dollars in a day, UTC; 0 for no limit.'),
    costUsdPerTask: CostUsd.default(10).describe('Maximum US dollars for a Task without an own limit; 0 for no limit.'),
    tokensPerTask: Tokens.default(2_000_000).describe(
      'Maximum tokens for a Task without an own limit; 0 for no limit.',
    ),
    toolCallsPerDay: z
      .int()
      .min(0)
      .max(10_000_000)
      .default(0)
      .describe('Maximum number of tool calls in a day, UTC; 0 for no limit.'),
    approvals: z
      .object({
        timeout: DurationText.default('10m').describe('Time after which a request without an answer counts as denied.'),
        maxRefusalsPerTask: z.int().min(1).max(20).default(3).describe('Number of denials that stops the Task.'),
        maxRequestsPerTask: z.int().min(1).max(20).default(20).describe('Number of requests that stops the Task.'),
      })
      .prefault({})
      .describe('Limits on approval requests.'),
    hopsMax: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe(
        'Maximum number of letters that programs write to each other in one thread, one after the other; the next one is not answered.',
      ),
    pairExchangesMax: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe(
        'Maximum number of letters with like text between the agent and another one; then letters of that one wait for a person.',
      ),
  })
  .describe('Spending limits of the agent.');
export type AgentBudgets = z.infer<typeof AgentBudgets>;

const ScheduledJob = z
  .object({
    name: Slug.describe('Name of the job.'),
    cron: CronText.describe('Times at which it runs.'),
    timeZone: TimeZone.optional().describe('Time zone of this job; absent: that of the scheduler.'),
    intent: z.string().min(1).max(8192).describe('The work, in words.'),
    requiredTools: z
      .array(ToolPattern)
      .max(16)
      .default([])
      .describe('Tools that the run must call; without a call of each, it fails.'),
    onlyIfChanged: z.boolean().default(false).describe('Deliver only differences from the last result.'),
  })
  .describe('A recurring job.');

/** Limits of the Agent's own initiatives. 0 tokens or cycles: see the field. */
export const AgentScheduler = withRules(
  z
    .object({
      enabled: z.boolean().default(true).describe('Whether the agent starts work by itself.'),
      cyclesPerHour: z
        .int()
        .min(0)
        .max(10_000)
        .default(20)
        .describe('Maximum number of autonomous cycles in a rolling hour, mail included; 0 for none.'),
      tokensPerHour: Tokens.default(500_000).describe(
        'Maximum tokens of autonomous cycles in a rolling hour; 0 for no limit.',
      ),
      idleAfter: DurationText.default('10m').describe(
        'Recurring jobs wait until nobody has used the agent for this time.',
      ),
      maxDeferral: DurationText.default('1h').describe('Maximum time that a recurring job waits for that.'),
      jobTimeout: DurationText.default('5m').describe('Maximum duration of a job.'),
      catchUp: CatchUp,
      timeZone: TimeZone.default('UTC').describe('Time zone of the schedules.'),
      maxJobs: z.int().min(0).max(1000).default(100).describe('Maximum number of jobs, the agent’s own included.'),
      jobs: mapList(z.array(ScheduledJob).max(JOBS_MAX), 'name').default([]).describe('Jobs given by people.'),
    })
    .describe('Jobs that the agent starts by itself, and their limits.'),
  [
    {
      rule: 'self.jobs.size() <= self.maxJobs',
      message: 'jobs has more entries than maxJobs allows',
      fieldPath: '.jobs',
    },
  ],
);
export type AgentScheduler = z.infer<typeof AgentScheduler>;

const CuriosityAmounts = {
  minutes: z.int().min(0).max(1440),
  requests: z.int().min(0).max(100_000),
  tokens: Tokens,
} as const;

/** Budget for exploration, charged even on failure. Source: artoo B. */
export const AgentCuriosity = withRules(
  z
    .object({
      enabled: z.boolean().default(false).describe('Whether the agent explores on its own initiative.'),
      minutesPerDay: CuriosityAmounts.minutes.default(30).describe('Maximum minutes in a day, UTC.'),
      requestsPerDay: CuriosityAmounts.requests.default(60).describe('Maximum number of requests in a day, UTC.'),
      tokensPerDay: CuriosityAmounts.tokens.default(200_000).describe('Maximum tokens in a day, UTC.'),
      domains: mapList(
        z
          .array(
            z
              .object({
                domain: z.enum(['WebExploration', 'ToolInstallation', 'SkillRefactoring']).describe('The domain.'),
                minutesPerDay: CuriosityAmounts.minutes.optional().describe('Maximum minutes in a day, UTC.'),
                requestsPerDay: CuriosityAmounts.requests
                  .optional()
                  .describe('Maximum number of requests in a day, UTC.'),
                tokensPerDay: CuriosityAmounts.tokens.optional().describe('Maximum tokens in a day, UTC.'),
              })
              .describe('Budget of one domain, as a part of the whole budget.'),
          )
          .max(3),
        'domain',
      )
        .default([])
        .describe('Budgets by domain.'),
    })
    .describe('Budget for exploring. The agent cannot raise it.'),
  [
    {
      rule: 'self.domains.all(d, (!has(d.minutesPerDay) || d.minutesPerDay <= self.minutesPerDay) && (!has(d.requestsPerDay) || d.requestsPerDay <= self.requestsPerDay) && (!has(d.tokensPerDay) || d.tokensPerDay <= self.tokensPerDay))',
      message: 'a budget in domains must not exceed the budget of the whole day',
      fieldPath: '.domains',
    },
  ],
);
export type AgentCuriosity = z.infer<typeof AgentCuriosity>;
