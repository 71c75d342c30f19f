import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { refusalText } from '@retainer/agent-pod/loop/refusal-text';
import { nothing, type Amounts, type BudgetCaps, type BudgetField } from '@retainer/mind/gate/budget/budget';
import { Ledger } from '@retainer/mind/gate/budget/ledger';

const NONE: BudgetCaps = { tokensPerHour: 0, tokensPerDay: 0, costUsdPerDay: 0, toolCallsPerDay: 0 };
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
