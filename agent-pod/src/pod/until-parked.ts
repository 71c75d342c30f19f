/** Where the work can stop without leaving an effect whose result nobody knows: no tool call is under way. */
import type { Clock } from '@retainer/contract/std/clock';
import type { OpenedAgent } from '../open-agent.ts';

export interface Parking {
  readonly agent: Pick<OpenedAgent, 'runtime'>;
  /** Tells of each durable record with an event `record`. */
  readonly recorded: EventTarget;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Waits until no tool call is under way, then stops the runtime in the same turn of the event loop.
 *
 * Model calls are not waited for: they are asked again. After the time is over it stops where it is, and what was under way is
 * looked up or recorded as lost at the next start.
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
    // A record is told before the machine that asked for it has taken it.
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
