/**
 * The words of the budgets: what an agent may use in an hour and in a day, what a call may use at most and has used, and why a
 * call is not made.
 *
 * Source: reliability-security 4; design 3 (budgets).
 */
import { z } from 'zod';

/** Fields of `spec.budgets` of the Agent that hold for all its work together, in the order in which they are looked at. */
export const budgetFields = ['tokensPerHour', 'tokensPerDay', 'costUsdPerDay', 'toolCallsPerDay'] as const;
export type BudgetField = (typeof budgetFields)[number];

/** 0 is no limit. */
export type BudgetCaps = Readonly<Record<BudgetField, number>>;

export const Amounts = z.object({
  /** Input and output together. */
  tokens: z.number(),
  /** 0 where the price is not known. */
  costUsd: z.number(),
  toolCalls: z.number(),
});
export type Amounts = Readonly<z.infer<typeof Amounts>>;

export const nothing: Amounts = { tokens: 0, costUsd: 0, toolCalls: 0 };

/** What the record tells of one call. Moments are milliseconds since 1970. */
export type Spending =
  | {
      readonly kind: 'Asked';
      readonly callId: string;
      readonly cycleId: string;
      readonly atMs: number;
      readonly atMost: Amounts;
    }
  /** Without `used` nobody knows, and what it might use at most counts as used. */
  | { readonly kind: 'Ended'; readonly callId: string; readonly atMs: number; readonly used?: Amounts }
  /** What its calls used, and did not tell by now, is told by nobody. */
  | { readonly kind: 'CycleEnded'; readonly cycleId: string; readonly atMs: number };

/** Why a call is not made. */
export const BudgetRefusal = z.object({
  field: z.enum(budgetFields),
  /** Spent in the window, and kept free for calls under way. */
  used: z.number(),
  /** What this call might use. */
  asked: z.number(),
  max: z.number(),
  /** When the same call may be made, if nothing else is; absent where it is larger than the whole budget. */
  freeAtMs: z.number().exactOptional(),
});
export type BudgetRefusal = Readonly<z.infer<typeof BudgetRefusal>>;

export interface BudgetLevel {
  readonly field: BudgetField;
  readonly used: number;
  readonly max: number;
}
