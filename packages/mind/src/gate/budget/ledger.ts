/**
 * The agent's use in this hour and on this day, folded from its record. Nothing else is stored, so a kill does not change it.
 *
 * I1  A call is permitted if past use, the reservations of calls under way and its own maximum together fit into each budget. So
 *     concurrent calls together exceed a budget only by as much as their estimates were too low.
 * I2  A call with unknown use counts with its maximum.
 * I3  The record supplies the time. If the time goes back, use in the future counts as use now, so nothing becomes free.
 * I4  A cycle of the agent's own time counts once, with the first call that it may make. One that finds no place makes none.
 *
 * Source: reliability-security 4, 7; design 3 (budgets).
 */
import { z } from 'zod';
import { Amounts, BudgetRefusal, isOfDay, nothing } from './budget.ts';
import type { BudgetCaps, BudgetField, BudgetLevel, OwnTimeWait, Spending } from './budget.ts';
import { MINUTE_MS, RollingHour, RollingHourState } from './rolling-hour.ts';

const DAY_MS = 86_400_000;

/** Of the tokens of an hour of its own: with less left, a job is not begun, before any call has shown what it may use. */
const OWN_TOKENS_SHARE_MIN = 0.1;

/** US dollars: with less left, a job is not begun. */
const COST_USD_MIN = 0.01;

/** Milliseconds of the record that contain everything that counts. */
export const LEDGER_LOOKBACK_MS = DAY_MS + MINUTE_MS;

const OpenCall = z.object({
  cycleId: z.string(),
  askedAtMs: z.number(),
  reserved: Amounts,
  /** It counts as the agent's own time. */
  isOwn: z.literal(true).exactOptional(),
  refusal: BudgetRefusal.exactOptional(),
});
type OpenCall = Readonly<z.infer<typeof OpenCall>>;

/** A cycle of the agent's own time that is under way. It may wait for a person for days. */
const OwnCycle = z.object({ isCounted: z.boolean() });
type OwnCycle = Readonly<z.infer<typeof OwnCycle>>;

/** The whole state of a ledger, for a cache. */
export const LedgerState = z.object({
  /** Tokens. */
  minutes: RollingHourState,
  ownTokens: RollingHourState,
  ownCycles: RollingHourState,
  ownOpen: z.array(z.tuple([z.string(), OwnCycle])),
  /** The most tokens that one call of such a cycle has asked for, by minute. */
  ownCalls: RollingHourState,
  /** Day since 1970, UTC. */
  day: z.number(),
  today: Amounts,
  open: z.array(z.tuple([z.string(), OpenCall])),
});
export type LedgerState = z.infer<typeof LedgerState>;

export class Ledger {
  readonly #caps: BudgetCaps;
  readonly #tokens = new RollingHour();
  readonly #ownTokens = new RollingHour();
  readonly #ownCycles = new RollingHour();
  readonly #ownCalls = new RollingHour(Math.max);
  #ownOpen = new Map<string, OwnCycle>();
  /** Days since 1970, UTC. */
  #day = 0;
  #today: Amounts = nothing;
  #open = new Map<string, OpenCall>();

  constructor(caps: BudgetCaps) {
    this.#caps = caps;
  }

  get state(): LedgerState {
    return {
      minutes: this.#tokens.state,
      ownTokens: this.#ownTokens.state,
      ownCycles: this.#ownCycles.state,
      ownOpen: [...this.#ownOpen],
      ownCalls: this.#ownCalls.state,
      day: this.#day,
      today: this.#today,
      open: [...this.#open],
    };
  }

  restore({ minutes, ownTokens, ownCycles, ownOpen, ownCalls, day, today, open }: LedgerState): void {
    this.#tokens.restore(minutes);
    this.#ownTokens.restore(ownTokens);
    this.#ownCycles.restore(ownCycles);
    this.#ownOpen = new Map(ownOpen);
    this.#ownCalls.restore(ownCalls);
    this.#day = day;
    this.#today = today;
    this.#open = new Map(open);
  }

  /** Applies the entries of the record, in order. */
  take(entry: Spending): void {
    this.#turnTo(entry.atMs);
    switch (entry.kind) {
      case 'OwnCycleBegan':
        if (!this.#ownOpen.has(entry.cycleId)) this.#ownOpen.set(entry.cycleId, { isCounted: false });
        return undefined;
      case 'Asked':
        return this.#ask(entry);
      case 'Ended':
        return this.#end(entry.callId, entry.atMs, entry.used);
      case 'CycleEnded':
        for (const [callId, { cycleId }] of this.#open)
          if (cycleId === entry.cycleId) this.#end(callId, entry.atMs, undefined);
        return void this.#ownOpen.delete(entry.cycleId);
    }
  }

  /** Why this requested call may not be made; undefined if it may. */
  refusal(callId: string): BudgetRefusal | undefined {
    return this.#open.get(callId)?.refusal;
  }

  /** Every limited budget, as of `atMs`. */
  levels(atMs: number): readonly BudgetLevel[] {
    this.#turnTo(atMs);
    const lines = this.#lines(nothing, undefined).filter(({ max }) => max > 0);
    return lines.map(({ field, used, max }) => ({ field, used, max }));
  }

  /**
   * What work that no Task asked for waits for; undefined: it may begin now. Calls under way are counted with all that they may use,
   * so ask again when a cycle has ended.
   */
  ownTimeWait(atMs: number): OwnTimeWait | undefined {
    this.#turnTo(atMs);
    if (this.#caps.schedulerCyclesPerHour === 0) return { field: 'schedulerCyclesPerHour', freeAtMs: 'Never' };
    const wants: BudgetCaps = {
      tokensPerHour: 1,
      tokensPerDay: 1,
      costUsdPerDay: COST_USD_MIN,
      toolCallsPerDay: 0,
      schedulerCyclesPerHour: 1,
      schedulerTokensPerHour: this.#ownTokensWanted(),
    };
    const lines = this.#lines(nothing, undefined).map((line) => ({ ...line, asked: wants[line.field] }));
    const full = lines.filter(({ used, asked, max }) => asked > 0 && used + asked > max);
    const waits = full.map((line) => ({ field: line.field, freeAtMs: this.#freeAtMs(line, atMs) }));
    return waits.toSorted((a, b) => b.freeAtMs - a.freeAtMs)[0];
  }

  /** As many as its largest call of the hour may use: with fewer left, a job would begin and be refused. */
  #ownTokensWanted(): number {
    const { schedulerTokensPerHour: max } = this.#caps;
    return Math.min(max, Math.max(this.#ownCalls.largest, Math.ceil(max * OWN_TOKENS_SHARE_MIN)));
  }

  #ask({ callId, cycleId, atMs, atMost }: Extract<Spending, { kind: 'Asked' }>): void {
    const own = this.#ownOpen.get(cycleId);
    if (own !== undefined) this.#ownCalls.add(atMost.tokens, atMs);
    const refusal = this.#refuse(atMost, own, atMs);
    const reserved = refusal === undefined ? atMost : nothing;
    const isOwn = own === undefined ? {} : { isOwn: true as const };
    this.#open.set(callId, {
      ...{ cycleId, askedAtMs: atMs, reserved, ...isOwn },
      ...(refusal === undefined ? {} : { refusal }),
    });
    if (refusal !== undefined || own === undefined || own.isCounted) return;
    this.#ownOpen.set(cycleId, { isCounted: true });
    this.#ownCycles.add(1, atMs);
  }

  #refuse(asked: Amounts, own: OwnCycle | undefined, atMs: number): BudgetRefusal | undefined {
    const line = this.#lines(asked, own).find((it) => it.asked > 0 && it.used + it.asked > it.max);
    if (line === undefined) return undefined;
    const freeAtMs = line.asked > line.max ? undefined : this.#freeAtMs(line, atMs);
    return { ...line, ...(freeAtMs === undefined ? {} : { freeAtMs }) };
  }

  #freeAtMs({ field, used, asked, max }: Line, atMs: number): number {
    if (isOfDay(field)) return (Math.floor(atMs / DAY_MS) + 1) * DAY_MS;
    return this.#hourOf(field).freeAtMs(used + asked, max, atMs);
  }

  /** Of a budget that is not of a day. */
  #hourOf(field: BudgetField): RollingHour {
    if (field === 'tokensPerHour') return this.#tokens;
    return field === 'schedulerTokensPerHour' ? this.#ownTokens : this.#ownCycles;
  }

  #end(callId: string, atMs: number, used: Amounts | undefined): void {
    const call = this.#open.get(callId);
    const spent = used ?? call?.reserved ?? nothing;
    this.#open.delete(callId);
    this.#tokens.add(spent.tokens, atMs);
    if (call?.isOwn === true) this.#ownTokens.add(spent.tokens, atMs);
    this.#today = sum(this.#today, spent);
  }

  #turnTo(atMs: number): void {
    for (const hour of [this.#tokens, this.#ownTokens, this.#ownCycles, this.#ownCalls]) hour.turnTo(atMs);
    const day = Math.floor(atMs / DAY_MS);
    if (day > this.#day) this.#today = nothing;
    this.#day = day;
    // No start resumed its cycle; it has counted long enough.
    for (const [callId, { askedAtMs }] of this.#open)
      if (askedAtMs < atMs - LEDGER_LOOKBACK_MS) this.#open.delete(callId);
  }

  /** @param own  the cycle that asks; undefined: it is none of the agent's own time */
  #lines(asked: Amounts, own: OwnCycle | undefined): readonly Line[] {
    const calls = [...this.#open.values()];
    const reserved = calls.reduce((total, call) => sum(total, call.reserved), nothing);
    const reservedOwn = calls.reduce((total, call) => total + (call.isOwn === true ? call.reserved.tokens : 0), 0);
    const { tokens, costUsd, toolCalls } = sum(this.#today, reserved);
    const lines: readonly Omit<Line, 'max'>[] = [
      { field: 'tokensPerHour', used: this.#tokens.total + reserved.tokens, asked: asked.tokens },
      { field: 'tokensPerDay', used: tokens, asked: asked.tokens },
      { field: 'costUsdPerDay', used: costUsd, asked: asked.costUsd },
      { field: 'toolCallsPerDay', used: toolCalls, asked: asked.toolCalls },
      { field: 'schedulerCyclesPerHour', used: this.#ownCycles.total, asked: own?.isCounted === false ? 1 : 0 },
      {
        field: 'schedulerTokensPerHour',
        used: this.#ownTokens.total + reservedOwn,
        asked: own === undefined ? 0 : asked.tokens,
      },
    ];
    return lines
      .map((line) => ({ ...line, max: this.#caps[line.field] }))
      .filter(({ field, max }) => max > 0 || field === 'schedulerCyclesPerHour');
  }
}

interface Line {
  readonly field: BudgetField;
  readonly used: number;
  readonly asked: number;
  readonly max: number;
}

function sum(a: Amounts, b: Amounts): Amounts {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd, toolCalls: a.toolCalls + b.toolCalls };
}
