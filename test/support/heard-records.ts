/** The records that an agent wrote, as a test hears of them, and the wait for one. */
import { setImmediate } from 'node:timers/promises';
import type { JournalRecord } from '@retainer/journal/journal';

export class HeardRecords {
  readonly all: JournalRecord[] = [];
  readonly #listeners = new Set<() => void>();

  readonly take = (record: JournalRecord): void => {
    this.all.push(record);
    for (const listener of this.#listeners) listener();
  };

  of(kind: string): readonly Readonly<Record<string, unknown>>[] {
    return this.all.filter((it) => it.kind === kind).map((it) => it.payload as Record<string, unknown>);
  }

  /** So many of this kind are in the record. */
  async until(kind: string, count = 1): Promise<void> {
    while (this.of(kind).length < count) await this.#next();
  }

  /** It holds; looked at once, and after each record has had its effects. */
  async when(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await this.#next();
      await setImmediate();
    }
  }

  #next(): Promise<void> {
    return new Promise<void>((resolve) => {
      const listener = (): void => {
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
    });
  }
}
