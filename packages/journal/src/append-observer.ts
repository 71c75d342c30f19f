import type { Clock } from '@retainer/contract/std/clock';
import type { Journal, JournalRecord } from './journal.ts';

export interface AppendObserver {
  /** Sees every record when it is durable. */
  readonly onRecord?: ((record: JournalRecord) => void) | undefined;
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Called for each append: its duration, and whether it was acknowledged. */
  readonly onAppend?: ((durationMs: number, isOk: boolean) => void) | undefined;
}

/** The same append with an observer, which cannot harm it. */
export function observedAppend(
  append: Journal['append'],
  { onRecord, onNotice, onAppend }: AppendObserver = {},
  clock: Pick<Clock, 'monotonicMs'>,
): Journal['append'] {
  const tell = (record: JournalRecord): void => {
    try {
      onRecord?.(record);
    } catch (error) {
      // The record is durable: an observer's bug must not look like a failed append.
      onNotice?.(`a record could not be shown: ${String(error)}`);
    }
  };
  return async (records) => {
    const startMs = clock.monotonicMs();
    let isOk = false;
    try {
      const appended = await append(records);
      isOk = true;
      for (const record of appended) tell(record);
      return appended;
    } finally {
      onAppend?.(clock.monotonicMs() - startMs, isOk);
    }
  };
}
