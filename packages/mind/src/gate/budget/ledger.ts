/**
 * The agent's use in this hour and on this day, folded from its record. Nothing else is stored, so a kill does not change it.
 *
 * I1  A call is permitted if past use, the reservations of calls under way and its own maximum together fit into each budget. So
 *     concurrent calls together exceed a budget only by as much as their estimates were too low.
 * I2  A call with unknown use counts with its maximum.
 * I3  The record supplies the time. If the time goes back, use in the future counts as use now, so nothing becomes free.
 *
 * Source: reliability-security 4, 7; design 3 (budgets).
 */
import { z } from 'zod';
import { Amounts, BudgetRefusal, nothing } from './budget.ts';
import type { BudgetCaps, BudgetField, BudgetLevel, Spending } from './budget.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The window in whole minutes. Use becomes free after at least an hour, and at most a minute later. */
const HOUR_MINUTES = 61;

/** Milliseconds of the record that contain everything that counts. */
export const LEDGER_LOOKBACK_MS = DAY_MS + MINUTE_MS;

const OpenCall = z.object({
  cycleId: z.string(),
  askedAtMs: z.number(),
  reserved: Amounts,
  refusal: BudgetRefusal.exactOptional(),
});
type OpenCall = Readonly<z.infer<typeof OpenCall>>;

/** The whole state of a ledger, for a cache. */
export const LedgerState = z.object({
  /** Minute since 1970, and the tokens used in it. */
  minutes: z.array(z.tuple([z.number(), z.number()])),
  /** Day since 1970, UTC. */
  day: z.number(),
  today: Amounts,
  open: z.array(z.tuple([z.string(), OpenCall])),
});
export type LedgerState = z.infer<typeof LedgerState>;

export class Ledger {
  readonly #caps: BudgetCaps;
  /** Tokens by minute since 1970. */
  #minutes = new Map<number, number>();
  /** Days since 1970, UTC. */
  #day = 0;
  #today: Amounts = nothing;
  #open = new Map<string, OpenCall>();

  constructor(caps: BudgetCaps) {
    this.#caps = caps;
  }

  get state(): LedgerState {
    return { minutes: [...this.#minutes], day: this.#day, today: this.#today, open: [...this.#open] };
  }

  restore({ minutes, day, today, open }: LedgerState): void {
    this.#minutes = new Map(minutes);
    this.#day = day;
    this.#today = today;
    this.#open = new Map(open);
  }

  /** Applies the entries of the record, in order. */
  take(entry: Spending): void {
    this.#turnTo(entry.atMs);
    switch (entry.kind) {
      case 'Asked':
        return this.#ask(entry);
      case 'Ended':
        return this.#end(entry.callId, entry.atMs, entry.used);
      case 'CycleEnded':
        for (const [callId, { cycleId }] of this.#open)
          if (cycleId === entry.cycleId) this.#end(callId, entry.atMs, undefined);
        return undefined;
    }
  }

  /** Why this requested call may not be made; undefined if it may. */
  refusal(callId: string): BudgetRefusal | undefined {
    return this.#open.get(callId)?.refusal;
  }

  /** Every limited budget, as of `atMs`. */
  levels(atMs: number): readonly BudgetLevel[] {
    this.#turnTo(atMs);
    return this.#lines(nothing).map(({ field, used, max }) => ({ field, used, max }));
  }

  #ask({ callId, cycleId, atMs, atMost }: Extract<Spending, { kind: 'Asked' }>): void {
    const refusal = this.#refuse(atMost, atMs);
    const reserved = refusal === undefined ? atMost : nothing;
    this.#open.set(callId, { cycleId, askedAtMs: atMs, reserved, ...(refusal === undefined ? {} : { refusal }) });
  }

  #refuse(asked: Amounts, atMs: number): BudgetRefusal | undefined {
    const line = this.#lines(asked).find((it) => it.asked > 0 && it.used + it.asked > it.max);
    if (line === undefined) return undefined;
    const freeAtMs = line.asked > line.max ? undefined : this.#freeAtMs(line, atMs);
    return { ...line, ...(freeAtMs === undefined ? {} : { freeAtMs }) };
  }

  #freeAtMs({ field, used, asked, max }: Line, atMs: number): number {
    if (field !== 'tokensPerHour') return (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;
    let left = used + asked;
    for (const [minute, tokens] of [...this.#minutes].toSorted(([a], [b]) => a - b)) {
      left -= tokens;
      if (left <= max) return (minute + HOUR_MINUTES) * MINUTE_MS;
    }
    // A reservation becomes free when its call ends, or has been used by then.
    return (minuteOf(atMs) + HOUR_MINUTES) * MINUTE_MS;
  }

  #end(callId: string, atMs: number, used: Amounts | undefined): void {
    const spent = used ?? this.#open.get(callId)?.reserved ?? nothing;
    this.#open.delete(callId);
    const minute = minuteOf(atMs);
    if (spent.tokens > 0) this.#minutes.set(minute, (this.#minutes.get(minute) ?? 0) + spent.tokens);
    this.#today = sum(this.#today, spent);
  }

  #turnTo(atMs: number): void {
    const now = minuteOf(atMs);
    const kept = new Map<number, number>();
    for (const [minute, tokens] of this.#minutes) {
      const counted = Math.min(minute, now);
      if (counted > now - HOUR_MINUTES) kept.set(counted, (kept.get(counted) ?? 0) + tokens);
    }
    this.#minutes = kept;
    const day = Math.floor(atMs / DAY_MS);
    if (day > this.#day) this.#today = nothing;
    this.#day = day;
    // No start resumed its cycle; it has counted long enough.
    for (const [callId, { askedAtMs }] of this.#open)
      if (askedAtMs < atMs - LEDGER_LOOKBACK_MS) this.#open.delete(callId);
  }

  #lines(asked: Amounts): readonly Line[] {
    const reserved = [...this.#open.values()].reduce((total, call) => sum(total, call.reserved), nothing);
    const hour = [...this.#minutes.values()].reduce((total, tokens) => total + tokens, reserved.tokens);
    const { tokens, costUsd, toolCalls } = sum(this.#today, reserved);
    const lines: readonly Omit<Line, 'max'>[] = [
      { field: 'tokensPerHour', used: hour, asked: asked.tokens },
      { field: 'tokensPerDay', used: tokens, asked: asked.tokens },
      { field: 'costUsdPerDay', used: costUsd, asked: asked.costUsd },
      { field: 'toolCallsPerDay', used: toolCalls, asked: asked.toolCalls },
    ];
    return lines.map((line) => ({ ...line, max: this.#caps[line.field] })).filter(({ max }) => max > 0);
  }
}

interface Line {
  readonly field: BudgetField;
  readonly used: number;
  readonly asked: number;
  readonly max: number;
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS);
}

function sum(a: Amounts, b: Amounts): Amounts {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd, toolCalls: a.toolCalls + b.toolCalls };
}
