/** Carries a reply to its receiver: it may be late, never lost. */
import { backoffMs, type BackoffPolicy } from '@retainer/contract/std/backoff';
import type { Clock } from '@retainer/contract/std/clock';
import type { Delivery, DeliveryPort } from '../ports/ports.ts';

const retry: BackoffPolicy = { initialMs: 500, factor: 2, ceilingMs: 60_000, jitterRatio: 0 };

/** The first failure is reported, then one in this many: about one in ten minutes at the longest pause. */
const FAILURES_PER_NOTICE = 10;

export interface DeliverParts {
  readonly clock: Clock;
  readonly delivery: DeliveryPort;
  readonly onNotice?: (notice: string) => void;
}

/** Tries until the reply is delivered or the signal aborts. @returns false if it aborted */
export async function deliverReply(reply: Delivery, parts: DeliverParts, signal: AbortSignal): Promise<boolean> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const failure = await tryOnce(reply, parts.delivery, signal);
    if (failure === undefined) break;
    if (attempt % FAILURES_PER_NOTICE === 0)
      parts.onNotice?.(`the reply of ${reply.target} cannot be delivered yet: ${failure}`);
    await parts.clock.sleep(backoffMs(retry, attempt, 0), signal).catch(() => undefined);
  }
  return !signal.aborted;
}

async function tryOnce(reply: Delivery, port: DeliveryPort, signal: AbortSignal): Promise<string | undefined> {
  try {
    if (!(await port.isDelivered(reply))) await port.deliver(reply, signal);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
