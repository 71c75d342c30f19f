/**
 * The types of the budgets: the limits of an agent for an hour and a day, the limit and the use of a call, and the reason for a
 * refusal.
 *
 * Source: reliability-security 4; design 3 (budgets).
 */
import { z } from 'zod';

/**
 * Budgets of the Agent, in the order of their checks: those of `spec.budgets` apply to all its work together, the two of
 * `spec.scheduler` to cycles of runs that no Task asked for.
 */
export const budgetFields = [
  'tokensPerHour',
  'tokensPerDay',
  'costUsdPerDay',
  'toolCallsPerDay',
  'schedulerCyclesPerHour',
  'schedulerTokensPerHour',
] as const;
export type BudgetField = (typeof budgetFields)[number];

const DAY_FIELDS: ReadonlySet<BudgetField> = new Set(['tokensPerDay', 'costUsdPerDay', 'toolCallsPerDay']);

/** Whether a budget begins anew at each midnight, UTC; the others count a rolling hour. */
export const isOfDay = (field: BudgetField): boolean => DAY_FIELDS.has(field);

/** What work that no Task asked for waits for. */
export interface OwnTimeWait {
  /** The budget that is free last. */
  readonly field: BudgetField;
  /** Milliseconds since 1970. `Never`: the Agent allows no such cycle. */
  readonly freeAtMs: number | 'Never';
}

/** 0 means no limit; of `schedulerCyclesPerHour`, that no such cycle may ask anything. */
export type BudgetCaps = Readonly<Record<BudgetField, number>>;

/** The field of the Agent, as people are told it. */
export function budgetPath(field: BudgetField): string {
  if (field === 'schedulerCyclesPerHour') return 'spec.scheduler.cyclesPerHour';
  return field === 'schedulerTokensPerHour' ? 'spec.scheduler.tokensPerHour' : `budgets.${field}`;
}

export const Amounts = z.object({
  /** Input and output together. */
  tokens: z.number(),
  /** 0 if the price is unknown. */
  costUsd: z.number(),
  toolCalls: z.number(),
});
export type Amounts = Readonly<z.infer<typeof Amounts>>;

export const nothing: Amounts = { tokens: 0, costUsd: 0, toolCalls: 0 };

/** The record of one call. Moments are milliseconds since 1970. */
export type Spending =
  /** A cycle of a run that no Task asked for. It counts once it asks for anything. */
  | { readonly kind: 'OwnCycleBegan'; readonly cycleId: string; readonly atMs: number }
  | {
      readonly kind: 'Asked';
      readonly callId: string;
      readonly cycleId: string;
      readonly atMs: number;
      readonly atMost: Amounts;
    }
  /** Without `used` the use is unknown, and the maximum counts as used. */
  | { readonly kind: 'Ended'; readonly callId: string; readonly atMs: number; readonly used?: Amounts }
  /** Calls of this cycle that have not reported their use will never report it. */
  | { readonly kind: 'CycleEnded'; readonly cycleId: string; readonly atMs: number };

/** Why a call is not made. */
export const BudgetRefusal = z.object({
  field: z.enum(budgetFields),
  /** Used in the window, plus reservations of calls under way. */
  used: z.number(),
  /** The most that this call may use. */
  asked: z.number(),
  max: z.number(),
  /** When the same call may be made if there is no other; absent if it exceeds the whole budget. */
  freeAtMs: z.number().exactOptional(),
});
export type BudgetRefusal = Readonly<z.infer<typeof BudgetRefusal>>;

export interface BudgetLevel {
  readonly field: BudgetField;
  readonly used: number;
  readonly max: number;
}
