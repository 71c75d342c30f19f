/**
 * Limits of a cycle, of a day, and of the agent's own initiatives. Source: reliability-security 4; springdrift 9, 14; artoo B.
 */
import { z } from 'zod';
import { mapList, withRules } from './cel-rule.ts';
import { CronText, DurationText, Slug, TimeZone, ToolPattern } from './fields.ts';

const Tokens = z.int().min(0).max(10_000_000_000);
const CostUsd = z.number().min(0).max(1_000_000);
const JOBS_MAX = 100;

/** Limits of one cognitive cycle. Reaching one ends the cycle, with that reason. */
export const AgentLimits = z
  .object({
    turnsPerCycle: z.int().min(1).max(200).default(10).describe('Model calls in one cycle.'),
    toolCallsPerCycle: z.int().min(1).max(1000).default(50).describe('Tool calls in one cycle.'),
    consecutiveErrors: z.int().min(1).max(20).default(3).describe('Turns in a row in which a tool call failed.'),
    outputTokensPerCall: z.int().min(256).max(128_000).default(8192).describe('Longest answer of one model call.'),
    contextTokens: z
      .int()
      .min(8192)
      .max(1_000_000)
      .default(150_000)
      .describe('Largest request to a model; the oldest turns are left out first.'),
    tokensPerCycle: z
      .int()
      .min(1000)
      .max(100_000_000)
      .default(400_000)
      .describe('Input and output tokens of one cycle.'),
    costUsdPerCycle: CostUsd.default(5).describe('Cost of one cycle in US dollars.'),
    wallClockPerCycle: DurationText.default('10m').describe('Longest cycle.'),
    toolTimeout: DurationText.default('60s').describe(
      'Longest tool call, where the tool has no limit of its own; 1s to 24h.',
    ),
    toolOutputBytes: z
      .int()
      .min(1024)
      .max(1_048_576)
      .default(16_384)
      .describe('Characters of tool output that the model sees at once; the rest is an artifact it can page through.'),
    inboxLength: z
      .int()
      .min(1)
      .max(10_000)
      .default(1000)
      .describe('Commands that may wait; more are refused at the door.'),
    concurrentRuns: z.int().min(1).max(16).default(1).describe('Tasks that run at once.'),
    delegationDepth: z.int().min(1).max(3).default(3).describe('How deep specialists may delegate.'),
  })
  .describe('Limits of one cognitive cycle.');
export type AgentLimits = z.infer<typeof AgentLimits>;

/** Spending limits, kept in a durable ledger and checked before each call. 0 means no limit. */
export const AgentBudgets = z
  .object({
    tokensPerHour: Tokens.default(2_000_000).describe('Tokens in a rolling hour; 0 for no limit.'),
    tokensPerDay: Tokens.default(20_000_000).describe('Tokens in a day, UTC; 0 for no limit.'),
    costUsdPerDay: CostUsd.default(50).describe('US dollars in a day, UTC; 0 for no limit.'),
    costUsdPerTask: CostUsd.default(10).describe('US dollars for one Task that names no limit of its own; 0 for none.'),
    tokensPerTask: Tokens.default(2_000_000).describe(
      'Tokens for one Task that names no limit of its own; 0 for none.',
    ),
    toolCallsPerDay: z.int().min(0).max(10_000_000).default(0).describe('Tool calls in a day, UTC; 0 for no limit.'),
    approvals: z
      .object({
        timeout: DurationText.default('10m').describe('A request without an answer is refused after this time.'),
        maxRefusalsPerTask: z.int().min(1).max(20).default(3).describe('Refusals after which the Task is stopped.'),
        maxRequestsPerTask: z.int().min(1).max(20).default(20).describe('Requests after which the Task is stopped.'),
      })
      .prefault({})
      .describe('Limits on asking people.'),
  })
  .describe('Spending limits of the agent.');
export type AgentBudgets = z.infer<typeof AgentBudgets>;

const ScheduledJob = z
  .object({
    name: Slug.describe('Name of the job.'),
    cron: CronText.describe('When it runs.'),
    timeZone: TimeZone.optional().describe('Time zone of this job; that of the scheduler where absent.'),
    intent: z.string().min(1).max(8192).describe('What is to be done.'),
    requiredTools: z
      .array(ToolPattern)
      .max(16)
      .default([])
      .describe('Tools that must all have been called, else the run failed.'),
    onlyIfChanged: z.boolean().default(false).describe('Deliver only what differs from the last result.'),
  })
  .describe('A recurring job.');

/** Limits of the Agent's own initiatives. 0 tokens or cycles: see the field. */
export const AgentScheduler = withRules(
  z
    .object({
      enabled: z.boolean().default(true).describe('Whether the agent starts anything by itself.'),
      cyclesPerHour: z
        .int()
        .min(0)
        .max(10_000)
        .default(20)
        .describe('Autonomous cycles in a rolling hour, mail included; 0 for none.'),
      tokensPerHour: Tokens.default(500_000).describe('Tokens of autonomous cycles in a rolling hour; 0 for no limit.'),
      idleAfter: DurationText.default('10m').describe(
        'Recurring jobs wait until people have been quiet for this long.',
      ),
      maxDeferral: DurationText.default('1h').describe('They run anyway after this long.'),
      jobTimeout: DurationText.default('5m').describe('Longest run of a job.'),
      catchUp: z
        .enum(['Skip', 'Once', 'All'])
        .default('Once')
        .describe('What to do about moments missed while the agent was down.'),
      timeZone: TimeZone.default('UTC').describe('Time zone in which schedules are read.'),
      maxJobs: z.int().min(0).max(1000).default(100).describe('Jobs that may exist, the agent’s own included.'),
      jobs: mapList(z.array(ScheduledJob).max(JOBS_MAX), 'name').default([]).describe('Jobs given by people.'),
    })
    .describe('What the agent starts by itself, and how much of it.'),
  [
    {
      rule: 'self.jobs.size() <= self.maxJobs',
      message: 'there are more jobs than maxJobs allows',
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
      enabled: z.boolean().default(false).describe('Whether the agent explores on its own account.'),
      minutesPerDay: CuriosityAmounts.minutes.default(30).describe('Minutes in a day, UTC.'),
      requestsPerDay: CuriosityAmounts.requests.default(60).describe('Requests in a day, UTC.'),
      tokensPerDay: CuriosityAmounts.tokens.default(200_000).describe('Tokens in a day, UTC.'),
      domains: mapList(
        z
          .array(
            z
              .object({
                domain: z
                  .enum(['WebExploration', 'ToolInstallation', 'SkillRefactoring'])
                  .describe('What is explored.'),
                minutesPerDay: CuriosityAmounts.minutes.optional().describe('Minutes in a day, UTC.'),
                requestsPerDay: CuriosityAmounts.requests.optional().describe('Requests in a day, UTC.'),
                tokensPerDay: CuriosityAmounts.tokens.optional().describe('Tokens in a day, UTC.'),
              })
              .describe('Budget of one domain, within the whole.'),
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
      message: 'a domain’s budget must not be above that of the whole day',
      fieldPath: '.domains',
    },
  ],
);
export type AgentCuriosity = z.infer<typeof AgentCuriosity>;
