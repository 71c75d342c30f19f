/** Stops the work between tool calls, so that no effect remains without a known result. */
import type { Clock } from '@retainer/contract/std/clock';
import type { OpenedAgent } from '../open-agent.ts';

export interface Parking {
  readonly agent: Pick<OpenedAgent, 'runtime'>;
  /** Emits `record` for each durable record. */
  readonly recorded: EventTarget;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Waits until no tool call is under way, then stops the runtime in the same turn of the event loop.
 *
 * Does not wait for model calls: the next start repeats them. After the timeout it stops at once; the next start looks up the
 * results of unfinished tool calls, or records them as lost.
 */
export async function untilParked({ agent, recorded, clock, timeoutMs }: Parking): Promise<void> {
  const { runtime } = agent;
  const done = new AbortController();
  const isBusy = (): boolean => runtime.openCycles().some((cycle) => cycle.pendingTools.length > 0);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (isBusy() && !done.signal.aborted) return;
      recorded.removeEventListener('record', soon);
      resolve(runtime.stop());
    };
    // The event comes before the state machine has applied its record.
    const soon = (): void => void setImmediate(look);
    recorded.addEventListener('record', soon);
    clock.sleep(Math.max(0, timeoutMs), done.signal).then(
      () => {
        done.abort();
        look();
      },
      () => undefined,
    );
    look();
  });
  done.abort();
}
