/** The agent's Lease. The pod acquires it before it opens the journal, however long that takes. */
import { agentChildName } from '@retainer/contract/api/child-names';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log } from '@retainer/contract/std/log';
import { ConnectionError } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import { Lease, type LeaseLoss } from '@retainer/kube/lease';
import type { PodConfig } from '../config.ts';
import { raiseEpoch } from '../lease/agent-lease.ts';
import { errorKind } from '../loop/error-place.ts';
import { openRecords } from '../review/run-records.ts';

export interface PodLeaseOptions {
  readonly config: PodConfig;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Called on every acquisition, including the first. */
  readonly onHeld: () => void;
  readonly onLost: (loss: LeaseLoss) => void;
}

export interface PodLease {
  readonly isHeld: boolean;
  readonly epoch: number;
  /** Tries until aborted, then releases it. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** The Lease is acquired by `run`. */
export function podLease({ config, client, clock, log, onHeld, onLost }: PodLeaseOptions): PodLease {
  const { agent, pod, lease: timing } = config;
  const key = { namespace: agent.namespace, name: agentChildName(agent.name) };
  const lease = new Lease({
    client,
    clock,
    random: Math.random,
    key,
    identity: `${pod.name}_${pod.uid}`,
    createsMissing: false,
    timing: {
      leaseMs: timing.durationMs,
      renewDeadlineMs: timing.durationMs - timing.retryMs,
      renewEveryMs: timing.renewMs,
      retryMs: timing.retryMs,
    },
    onAcquired: (epoch) => {
      log({ level: 'info', message: 'the Lease is held', epoch });
      onHeld();
    },
    onLost: (loss) => {
      log({ level: 'error', message: 'the Lease is lost: no effects until this pod holds it again', loss: loss.type });
      onLost(loss);
    },
    onError: (error) => {
      // `Reachability` reports an unreachable API server once, not on every try.
      if (!(error instanceof ConnectionError))
        log({ level: 'warn', message: 'the Lease could not be renewed', why: error.message });
    },
  });
  return {
    get isHeld() {
      return lease.isHeld;
    },
    get epoch() {
      return lease.epoch;
    },
    run: async (signal) => {
      const epoch = await lastEpoch(config.dataDirectory);
      await untilRaised(() => raiseEpoch({ client, key, epoch, signal }), {
        clock,
        log,
        signal,
        retryMs: timing.retryMs,
      });
      if (!signal.aborted) await lease.run(signal);
    },
  };
}

async function untilRaised(
  raise: () => Promise<void>,
  { clock, log, signal, retryMs }: { clock: Clock; log: Log; signal: AbortSignal; retryMs: number },
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await raise();
    } catch (error) {
      if (attempt === 0) log({ level: 'warn', message: 'waiting for the Lease of this agent', why: errorKind(error) });
      // An aborted sleep rejects; the loop's condition ends it.
      await clock.sleep(retryMs, signal).catch(() => undefined);
    }
  }
}

/** 0 without a readable journal; opening it later reports the fault. */
async function lastEpoch(dataDirectory: string): Promise<number> {
  try {
    const reader = await openRecords(dataDirectory);
    return Math.max(0, ...reader.heads().map(({ epoch }) => epoch));
  } catch {
    return 0;
  }
}
