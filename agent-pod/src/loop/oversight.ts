/**
 * What holds for all cycles of the agent together: its budgets. Told of each event of a cycle when it is durable, before the
 * effect that the event asks for begins; folded from the record at each start.
 */
import type { CycleEvent } from '../cycle/event.ts';
import { Ledger, LEDGER_LOOKBACK_MS } from '../gate/budget/ledger.ts';
import type { BudgetCaps, BudgetLevel, BudgetRefusal } from '../gate/budget/budget.ts';
import type { JournalReader } from '../journal/journal.ts';
import { eventOf } from './projections.ts';
import { refusalText } from './refusal-text.ts';
import { spendingOf, type CostUsd } from './spending.ts';

export interface OversightSettings {
  readonly budgets: BudgetCaps;
}

export class Oversight {
  readonly #ledger: Ledger;
  readonly #costUsd: CostUsd;
  /** Of the newest input: what is decided on it has no moment of its own. */
  #atMs = 0;

  constructor({ budgets }: OversightSettings, costUsd: CostUsd) {
    this.#ledger = new Ledger(budgets);
    this.#costUsd = costUsd;
  }

  /** Folds what of the record still counts. To be called once, before anything is taken. */
  async fold(journal: JournalReader, nowMs: number): Promise<void> {
    for await (const record of journal.read('cycle', { fromTimeMs: nowMs - LEDGER_LOOKBACK_MS })) {
      if (this.#atMs === 0) this.#atMs = record.timeMs;
      if (record.cycleId !== undefined) this.take(record.cycleId, [eventOf<CycleEvent>(record)]);
    }
  }

  /** Takes events of one cycle, in the order of the record. */
  take(cycleId: string, events: readonly CycleEvent[]): void {
    for (const event of events) {
      if ('atMs' in event) this.#atMs = event.atMs;
      const spending = spendingOf(cycleId, event, this.#atMs, this.#costUsd);
      if (spending !== undefined) this.#ledger.take(spending);
    }
  }

  /** Why this call, which was asked for, may not be made, with a sentence; undefined where it may. */
  refusal(callId: string): (BudgetRefusal & { readonly message: string }) | undefined {
    const refusal = this.#ledger.refusal(callId);
    return refusal === undefined ? undefined : { ...refusal, message: refusalText(refusal) };
  }

  budgets(nowMs: number): readonly BudgetLevel[] {
    return this.#ledger.levels(nowMs);
  }
}
