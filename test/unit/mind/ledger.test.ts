import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { refusalText } from '@retainer/agent-pod/loop/refusal-text';
import { nothing, type Amounts, type BudgetCaps, type BudgetField } from '@retainer/mind/gate/budget/budget';
import { Ledger, LedgerState } from '@retainer/mind/gate/budget/ledger';

const NONE: BudgetCaps = {
  ...{ tokensPerHour: 0, tokensPerDay: 0, costUsdPerDay: 0, toolCallsPerDay: 0 },
  ...{ schedulerCyclesPerHour: 0, schedulerTokensPerHour: 0 },
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const noonMs = Date.UTC(2030, 0, 1, 12);

class LedgerUnderTest {
  readonly ledger: Ledger;
  #calls = 0;

  constructor(caps: Partial<BudgetCaps>) {
    this.ledger = new Ledger({ ...NONE, ...caps });
  }

  /** @returns the call's id, and whether it may be made */
  ask(atMs: number, atMost: Partial<Amounts>, cycleId = 'c'): { readonly callId: string; readonly isAllowed: boolean } {
    const callId = `${cycleId}-${(this.#calls += 1)}`;
    this.ledger.take({ kind: 'Asked', callId, cycleId, atMs, atMost: { ...nothing, ...atMost } });
    return { callId, isAllowed: this.ledger.refusal(callId) === undefined };
  }

  /** A cycle of a run that no Task asked for begins. */
  begin(cycleId: string, atMs: number): void {
    this.ledger.take({ kind: 'OwnCycleBegan', cycleId, atMs });
  }

  endCycle(cycleId: string, atMs: number): void {
    this.ledger.take({ kind: 'CycleEnded', cycleId, atMs });
  }

  end(callId: string, atMs: number, used?: Partial<Amounts>): void {
    this.ledger.take({ kind: 'Ended', callId, atMs, ...(used === undefined ? {} : { used: { ...nothing, ...used } }) });
  }

  spend(atMs: number, amounts: Partial<Amounts>): boolean {
    const { callId, isAllowed } = this.ask(atMs, amounts);
    this.end(callId, atMs, isAllowed ? amounts : nothing);
    return isAllowed;
  }

  used(field: BudgetField, atMs: number): number | undefined {
    return this.ledger.levels(atMs).find((it) => it.field === field)?.used;
  }
}

describe('a budget', () => {
  verifies('budget:checked-before-the-call', 'lets through what fits, and not a token more', () => {
    const it = new LedgerUnderTest({ tokensPerHour: 100 });
    expect(it.spend(noonMs, { tokens: 60 })).toBe(true);
    expect(it.spend(noonMs, { tokens: 41 })).toBe(false);
    expect(it.spend(noonMs, { tokens: 40 })).toBe(true);
    expect(it.spend(noonMs, { tokens: 1 })).toBe(false);
    expect(it.used('tokensPerHour', noonMs)).toBe(100);
  });

  it.each([
    ['tokensPerHour', { tokens: 10 }],
    ['tokensPerDay', { tokens: 10 }],
    ['costUsdPerDay', { costUsd: 10 }],
    ['toolCallsPerDay', { toolCalls: 10 }],
  ] as const)('%s counts its own amount alone', (field, amounts) => {
    const it = new LedgerUnderTest({ [field]: 15 });
    expect(it.spend(noonMs, amounts)).toBe(true);
    const second = it.ask(noonMs, amounts);
    expect(it.ledger.refusal(second.callId)).toMatchObject({ field, used: 10, asked: 10, max: 15 });
    const others = { tokens: 10, costUsd: 10, toolCalls: 10 };
    for (const name of Object.keys(amounts)) delete others[name as keyof typeof others];
    expect(it.spend(noonMs, others)).toBe(true);
  });

  it('of 0 is none', () => {
    const it = new LedgerUnderTest({});
    expect(it.spend(noonMs, { tokens: 1e12, costUsd: 1e6, toolCalls: 1e9 })).toBe(true);
    expect(it.ledger.levels(noonMs)).toEqual([]);
  });

  it('says which field, how much, and when it goes on', () => {
    const it = new LedgerUnderTest({ tokensPerHour: 100 });
    it.spend(noonMs, { tokens: 60 });
    it.spend(noonMs + 10 * MINUTE_MS, { tokens: 30 });
    const { callId } = it.ask(noonMs + 20 * MINUTE_MS, { tokens: 50 });
    const refusal = it.ledger.refusal(callId);
    expect(refusal && refusalText(refusal)).toBe(
      'budgets.tokensPerHour of the Agent is 100, 90 of it used or kept for calls under way; this call may take 50: ' +
        'try again at 2030-01-01T13:01:00.000Z, or raise it',
    );
    const large = it.ledger.refusal(it.ask(noonMs, { tokens: 101 }).callId);
    expect(large && refusalText(large)).toMatch(/raise budgets\.tokensPerHour$/);
  });

  it('is free again when it says so, and not a minute before', () => {
    const it = new LedgerUnderTest({ tokensPerHour: 100, costUsdPerDay: 5 });
    it.spend(noonMs, { tokens: 100 });
    const freeAtMs = it.ledger.refusal(it.ask(noonMs, { tokens: 1 }).callId)?.freeAtMs ?? 0;
    expect(it.spend(freeAtMs - 1, { tokens: 1 })).toBe(false);
    expect(it.spend(freeAtMs, { tokens: 1 })).toBe(true);
    it.spend(freeAtMs, { costUsd: 5 });
    const midnight = it.ledger.refusal(it.ask(freeAtMs, { costUsd: 1 }).callId)?.freeAtMs ?? 0;
    expect(midnight).toBe(Date.UTC(2030, 0, 2));
    expect(it.spend(midnight - 1, { costUsd: 1 })).toBe(false);
    expect(it.spend(midnight, { costUsd: 1 })).toBe(true);
  });
});

describe('a call under way', () => {
  verifies('budget:side-by-side', 'keeps what it may use at most, and gives back what it did not use', () => {
    const it = new LedgerUnderTest({ tokensPerDay: 100 });
    const first = it.ask(noonMs, { tokens: 80 });
    expect(it.spend(noonMs, { tokens: 30 })).toBe(false);
    it.end(first.callId, noonMs, { tokens: 20 });
    expect(it.spend(noonMs, { tokens: 80 })).toBe(true);
  });

  it('whose use nobody learns counts with all that it might have used', () => {
    const it = new LedgerUnderTest({ tokensPerDay: 100, toolCallsPerDay: 10 });
    it.end(it.ask(noonMs, { tokens: 40 }).callId, noonMs);
    it.ask(noonMs, { tokens: 40 });
    it.ledger.take({ kind: 'CycleEnded', cycleId: 'c', atMs: noonMs });
    expect(it.used('tokensPerDay', noonMs)).toBe(80);
  });

  it('keeps it however long it takes, and a day after its cycle was lost no more', () => {
    const it = new LedgerUnderTest({ tokensPerHour: 100 });
    it.ask(noonMs, { tokens: 80 });
    expect(it.used('tokensPerHour', noonMs + 3 * HOUR_MS)).toBe(80);
    expect(it.used('tokensPerHour', noonMs + 25 * HOUR_MS)).toBe(0);
  });

  it('that was refused keeps nothing', () => {
    const it = new LedgerUnderTest({ tokensPerDay: 100 });
    it.end(it.ask(noonMs, { tokens: 101 }).callId, noonMs);
    expect(it.used('tokensPerDay', noonMs)).toBe(0);
  });

  verifies('budget:side-by-side', 'however many there are, in whatever order they end: never above the budget', () => {
    const step = fc.record({
      ends: fc.boolean(),
      which: fc.nat(7),
      tokens: fc.nat(60),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      laterMs: fc.nat(900_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const it = new LedgerUnderTest({ tokensPerHour: 100, tokensPerDay: 150 });
        const open: { readonly callId: string; readonly tokens: number }[] = [];
        const spent: { readonly atMs: number; readonly tokens: number }[] = [];
        let atMs = noonMs;
        for (const { ends, which, tokens, part, laterMs } of steps) {
          atMs += laterMs;
          const [call] = ends ? open.splice(which % Math.max(1, open.length), 1) : [];
          if (call !== undefined) {
            const used = Math.floor(call.tokens * part);
            it.end(call.callId, atMs, { tokens: used });
            spent.push({ atMs, tokens: used });
          } else if (!ends) {
            const { callId, isAllowed } = it.ask(atMs, { tokens });
            if (isAllowed) open.push({ callId, tokens });
          }
          const since = (ms: number): number => spent.reduce((sum, one) => sum + (one.atMs > ms ? one.tokens : 0), 0);
          const midnightMs = Date.UTC(2030, 0, 1 + Math.floor((atMs - noonMs + 12 * HOUR_MS) / (24 * HOUR_MS)));
          expect(since(midnightMs - 1)).toBeLessThanOrEqual(150);
          expect(since(atMs - HOUR_MS)).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});

describe('the windows of a budget', () => {
  verifies('budget:time-windows', 'the hour rolls, the day turns at midnight UTC', () => {
    const it = new LedgerUnderTest({ tokensPerHour: 100, tokensPerDay: 1000 });
    for (let minutes = 0; minutes < 120; minutes += 1) it.spend(noonMs + minutes * MINUTE_MS, { tokens: 1 });
    expect(it.used('tokensPerHour', noonMs + 119 * MINUTE_MS)).toBe(61);
    expect(it.used('tokensPerDay', noonMs + 119 * MINUTE_MS)).toBe(120);
    expect(it.used('tokensPerHour', noonMs + 4 * HOUR_MS)).toBe(0);
    expect(it.used('tokensPerDay', Date.UTC(2030, 0, 1, 23, 59))).toBe(120);
    expect(it.used('tokensPerDay', Date.UTC(2030, 0, 2))).toBe(0);
  });

  verifies(
    'budget:time-windows',
    'a clock that goes back frees nothing, and one that was wrong holds it for an hour only',
    () => {
      const it = new LedgerUnderTest({ tokensPerHour: 100, tokensPerDay: 100 });
      it.spend(noonMs + 400 * 24 * HOUR_MS, { tokens: 100 });
      expect(it.spend(noonMs, { tokens: 1 })).toBe(false);
      expect(it.used('tokensPerHour', noonMs + HOUR_MS)).toBe(100);
      expect(it.used('tokensPerHour', noonMs + HOUR_MS + MINUTE_MS)).toBe(0);
      expect(it.used('tokensPerDay', Date.UTC(2030, 0, 2))).toBe(0);
    },
  );
});

describe('the own time of an agent', () => {
  verifies(
    'cause:own-time-budget',
    'has so many cycles in an hour: the next one may ask nothing, and Tasks go on',
    () => {
      const it = new LedgerUnderTest({ schedulerCyclesPerHour: 2 });
      for (const [at, cycleId] of ['a', 'b', 'c'].entries()) it.begin(cycleId, noonMs + at * MINUTE_MS);
      expect(it.ask(noonMs, { tokens: 10 }, 'a').isAllowed).toBe(true);
      expect(it.ask(noonMs + MINUTE_MS, { toolCalls: 1 }, 'b').isAllowed).toBe(true);
      // A cycle counts once, also where it goes on after a restart.
      it.begin('a', noonMs + MINUTE_MS);
      expect(it.ask(noonMs + MINUTE_MS, { tokens: 10 }, 'a').isAllowed).toBe(true);
      const third = it.ask(noonMs + 2 * MINUTE_MS, { tokens: 10 }, 'c');
      const refusal = it.ledger.refusal(third.callId);
      expect(refusal).toMatchObject({ field: 'schedulerCyclesPerHour', used: 2, asked: 1, max: 2 });
      expect(refusal && refusalText(refusal)).toBe(
        'spec.scheduler.cyclesPerHour of the Agent is 2, and 2 such cycles began within the hour: ' +
          'try again at 2030-01-01T13:01:00.000Z, or raise it',
      );
      expect(it.ask(noonMs + 2 * MINUTE_MS, { tokens: 10 }, 'of a Task').isAllowed).toBe(true);
      expect(it.used('schedulerCyclesPerHour', noonMs + 2 * MINUTE_MS)).toBe(2);
      expect(it.ledger.ownTimeWait(noonMs + 2 * MINUTE_MS)?.freeAtMs).toBe(refusal?.freeAtMs);
    },
  );

  verifies('cause:own-time-budget', 'of 0 cycles is none at all, and of 0 tokens has no limit', () => {
    const none = new LedgerUnderTest({});
    none.begin('a', noonMs);
    const refusal = none.ledger.refusal(none.ask(noonMs, { tokens: 1 }, 'a').callId);
    expect(refusal && refusalText(refusal)).toMatch(
      /such cycles began within the hour: raise spec\.scheduler\.cyclesPerHour$/,
    );
    expect(none.ledger.ownTimeWait(noonMs)?.freeAtMs).toBe('Never');
    const one = new LedgerUnderTest({ schedulerCyclesPerHour: 1 });
    one.begin('a', noonMs);
    expect(one.ask(noonMs, { tokens: 1e12 }, 'a').isAllowed).toBe(true);
  });

  verifies('cause:own-time-budget', 'has so many tokens in an hour, and those of Tasks are not among them', () => {
    const it = new LedgerUnderTest({ schedulerCyclesPerHour: 9, schedulerTokensPerHour: 100 });
    it.spend(noonMs, { tokens: 1000 });
    it.begin('a', noonMs);
    const first = it.ask(noonMs, { tokens: 80 }, 'a');
    expect(it.used('schedulerTokensPerHour', noonMs)).toBe(80);
    it.end(first.callId, noonMs, { tokens: 70 });
    const refusal = it.ledger.refusal(it.ask(noonMs, { tokens: 31 }, 'a').callId);
    expect(refusal && refusalText(refusal)).toBe(
      'spec.scheduler.tokensPerHour of the Agent is 100, 70 of it used or kept for calls under way; ' +
        'this call may take 31: try again at 2030-01-01T13:01:00.000Z, or raise it',
    );
    expect(it.spend(noonMs, { tokens: 1000 })).toBe(true);
    expect(it.used('schedulerTokensPerHour', noonMs)).toBe(70);
  });

  verifies('cause:own-time-budget', 'begins again at the moment that is said, and not before', () => {
    const rows: readonly (readonly [BudgetField, Partial<BudgetCaps>, Partial<Amounts>])[] = [
      ['schedulerCyclesPerHour', { schedulerCyclesPerHour: 1 }, { tokens: 1 }],
      ['schedulerTokensPerHour', { schedulerCyclesPerHour: 9, schedulerTokensPerHour: 100 }, { tokens: 95 }],
      ['tokensPerHour', { schedulerCyclesPerHour: 9, tokensPerHour: 100 }, { tokens: 100 }],
      ['tokensPerDay', { schedulerCyclesPerHour: 9, tokensPerDay: 100 }, { tokens: 100 }],
      ['costUsdPerDay', { schedulerCyclesPerHour: 9, costUsdPerDay: 5 }, { costUsd: 5 }],
      // Of several, the one that is free last.
      ['tokensPerDay', { schedulerCyclesPerHour: 1, tokensPerDay: 100 }, { tokens: 100 }],
    ];
    for (const [field, caps, amounts] of rows) {
      const it = new LedgerUnderTest(caps);
      expect(it.ledger.ownTimeWait(noonMs)?.freeAtMs).toBeUndefined();
      it.begin('a', noonMs);
      it.end(it.ask(noonMs, amounts, 'a').callId, noonMs, amounts);
      it.endCycle('a', noonMs);
      const freeAtMs = Number(it.ledger.ownTimeWait(noonMs)?.freeAtMs);
      expect(freeAtMs).toBeGreaterThan(noonMs);
      expect(it.ledger.ownTimeWait(noonMs)?.field).toBe(field);
      expect(it.ledger.ownTimeWait(freeAtMs - 1)?.freeAtMs).toBe(freeAtMs);
      expect(it.ledger.ownTimeWait(freeAtMs)?.freeAtMs).toBeUndefined();
    }
  });

  verifies('cause:own-time-budget', 'is never exceeded in any hour, and a restored ledger decides the same', () => {
    fc.assert(
      fc.property(fc.array(ownStep, { maxLength: 120 }), (steps) => {
        const life = new OwnLife();
        for (const step of steps) {
          life.take(step);
          expect(life.tokensInHour).toBeLessThanOrEqual(OWN_CAPS.schedulerTokensPerHour);
          expect(life.cyclesInHour).toBeLessThanOrEqual(OWN_CAPS.schedulerCyclesPerHour);
        }
      }),
    );
  });

  verifies('cause:own-time-budget', 'is free for a job where its largest call of the hour still fits', () => {
    const it = new LedgerUnderTest({ schedulerCyclesPerHour: 9, schedulerTokensPerHour: 60_000 });
    it.begin('a', noonMs);
    for (const tokens of [20_000, 20_000, 1_000]) it.end(it.ask(noonMs, { tokens }, 'a').callId, noonMs, { tokens });
    it.endCycle('a', noonMs);
    expect(it.ledger.ownTimeWait(noonMs)?.freeAtMs).toBe(noonMs + HOUR_MS + MINUTE_MS);
    const restored = new LedgerUnderTest({ schedulerCyclesPerHour: 9, schedulerTokensPerHour: 60_000 });
    restored.ledger.restore(it.ledger.state);
    expect(restored.ledger.ownTimeWait(noonMs)?.freeAtMs).toBe(noonMs + HOUR_MS + MINUTE_MS);
  });

  verifies(
    'cause:own-time-budget',
    'knows its largest call for an hour, as a ledger does that is folded from that hour',
    () => {
      const caps = { schedulerCyclesPerHour: 9, schedulerTokensPerHour: 60_000 };
      const it = new LedgerUnderTest(caps);
      const cold = new LedgerUnderTest(caps);
      const call = (ledger: LedgerUnderTest, atMs: number, tokens: number): void => {
        const cycleId = `c${atMs}`;
        ledger.begin(cycleId, atMs);
        ledger.end(ledger.ask(atMs, { tokens }, cycleId).callId, atMs, { tokens: Math.min(tokens, 15_000) });
        ledger.endCycle(cycleId, atMs);
      };
      const halfMs = noonMs + HOUR_MS / 2;
      call(it, noonMs, 50_000);
      for (const ledger of [it, cold]) call(ledger, halfMs, 20_000);
      expect(it.ledger.ownTimeWait(halfMs)).toMatchObject({ field: 'schedulerTokensPerHour' });
      const laterMs = noonMs + HOUR_MS + MINUTE_MS;
      expect(it.ledger.ownTimeWait(laterMs)).toBeUndefined();
      expect(it.ledger.state.ownCalls).toEqual(cold.ledger.state.ownCalls);
      // The clock goes back: what was the largest call stays so.
      it.ledger.ownTimeWait(noonMs);
      expect(it.ledger.state.ownCalls).toEqual([[noonMs / MINUTE_MS, 20_000]]);
    },
  );

  verifies('cause:own-time-budget', 'a clock that goes back frees nothing', () => {
    const it = new LedgerUnderTest({ schedulerCyclesPerHour: 1 });
    it.begin('a', noonMs + 5 * HOUR_MS);
    it.ask(noonMs + 5 * HOUR_MS, { tokens: 1 }, 'a');
    it.begin('b', noonMs);
    expect(it.ask(noonMs, { tokens: 1 }, 'b').isAllowed).toBe(false);
    expect(it.ledger.ownTimeWait(noonMs)?.freeAtMs).toBe(noonMs + HOUR_MS + MINUTE_MS);
  });
});

const OWN_CAPS = { schedulerCyclesPerHour: 3, schedulerTokensPerHour: 100 };

const ownStep = fc.record({
  does: fc.constantFrom('Begin' as const, 'Ask' as const, 'AskForTask' as const, 'End' as const, 'EndCycle' as const),
  which: fc.nat(9),
  tokens: fc.nat(60),
  laterMs: fc.nat(600_000),
});
type OwnStep = typeof ownStep extends fc.Arbitrary<infer T> ? T : never;

interface OwnCall {
  readonly callId: string;
  readonly cycleId: string;
  readonly tokens: number;
}

/** Cycles of a job's runs and a Task beside them, and what a plain count says of them. */
class OwnLife {
  readonly #it = new LedgerUnderTest(OWN_CAPS);
  #begun: readonly string[] = [];
  #cycles = 0;
  readonly #asked = new Set<string>();
  readonly #cyclesAtMs: number[] = [];
  readonly #spent: { readonly atMs: number; readonly tokens: number }[] = [];
  #open: readonly OwnCall[] = [];
  #atMs = noonMs;

  get tokensInHour(): number {
    const spent = this.#spent.filter(({ atMs }) => atMs > this.#atMs - HOUR_MS);
    return [...spent, ...this.#open].reduce((sum, { tokens }) => sum + tokens, 0);
  }

  get cyclesInHour(): number {
    return this.#cyclesAtMs.filter((atMs) => atMs > this.#atMs - HOUR_MS).length;
  }

  take({ does, which, tokens, laterMs }: OwnStep): void {
    this.#atMs += laterMs;
    const cycleId = this.#begun[which % Math.max(1, this.#begun.length)];
    const call = this.#open[which % Math.max(1, this.#open.length)];
    if (does === 'Begin') this.#begin();
    else if (does === 'AskForTask') expect(this.#ask('of a Task', tokens).isAllowed).toBe(true);
    else if (does === 'Ask' && cycleId !== undefined) this.#askOwn(cycleId, tokens);
    else if (does === 'End' && call !== undefined) this.#end(call);
    else if (does === 'EndCycle' && cycleId !== undefined) this.#endCycle(cycleId);
  }

  #begin(): void {
    const cycleId = `own-${(this.#cycles += 1)}`;
    this.#it.begin(cycleId, this.#atMs);
    this.#begun = [...this.#begun, cycleId];
  }

  #endCycle(cycleId: string): void {
    if (this.#open.some((it) => it.cycleId === cycleId)) return;
    this.#it.endCycle(cycleId, this.#atMs);
    this.#begun = this.#begun.filter((it) => it !== cycleId);
  }

  /** A ledger that was restored before it decides the same. */
  #ask(cycleId: string, tokens: number): ReturnType<LedgerUnderTest['ask']> {
    const twin = new Ledger({ ...NONE, ...OWN_CAPS });
    twin.restore(LedgerState.parse(JSON.parse(JSON.stringify(this.#it.ledger.state))));
    const asked = this.#it.ask(this.#atMs, { tokens }, cycleId);
    const { callId } = asked;
    twin.take({ kind: 'Asked', callId, cycleId, atMs: this.#atMs, atMost: { ...nothing, tokens } });
    expect(twin.refusal(callId)).toEqual(this.#it.ledger.refusal(callId));
    return asked;
  }

  #askOwn(cycleId: string, tokens: number): void {
    const { callId, isAllowed } = this.#ask(cycleId, tokens);
    if (!isAllowed) return;
    if (!this.#asked.has(cycleId)) this.#cyclesAtMs.push(this.#atMs);
    this.#asked.add(cycleId);
    this.#open = [...this.#open, { callId, cycleId, tokens }];
  }

  #end(call: OwnCall): void {
    const tokens = Math.floor(call.tokens / 2);
    this.#it.end(call.callId, this.#atMs, { tokens });
    this.#spent.push({ atMs: this.#atMs, tokens });
    this.#open = this.#open.filter((it) => it !== call);
  }
}
