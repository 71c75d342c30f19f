import type { Clock } from '@retainer/contract/std/clock';
import { systemClock } from '@retainer/contract/std/system-clock';
import type { Journal, JournalRecord } from '@retainer/journal/journal';

interface JournalObserver {
  /** Sees every record when it is durable. */
  readonly onRecord?: (record: JournalRecord) => void;
  readonly onNotice?: (notice: string) => void;
  /** Called for each append: its duration, and whether it was acknowledged. */
  readonly onAppend?: (durationMs: number, isOk: boolean) => void;
  readonly clock?: Clock;
}

/** The same journal with an observer. The observer sees each record when it is durable, and cannot harm the append. */
export function observedJournal(
  journal: Journal,
  { onRecord, onNotice, onAppend, clock = systemClock }: JournalObserver,
): Journal {
  if (onRecord === undefined && onAppend === undefined) return journal;
  const tell = (record: JournalRecord): void => {
    try {
      onRecord?.(record);
    } catch (error) {
      // The record is durable: an observer's bug must not look like a failed append.
      onNotice?.(`a record could not be shown: ${String(error)}`);
    }
  };
  const append: Journal['append'] = async (records) => {
    const startMs = clock.monotonicMs();
    let isOk = false;
    try {
      const appended = await journal.append(records);
      isOk = true;
      for (const record of appended) tell(record);
      return appended;
    } finally {
      onAppend?.(clock.monotonicMs() - startMs, isOk);
    }
  };
  return new Proxy(journal, {
    get(target, property) {
      if (property === 'append') return append;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
