/**
 * The agent's Lease. The pod acquires it before it opens the journal. It waits for another holder until that one's Lease has run
 * out, or until the lock of the journal says that the holder has ended: decision 0013.
 */
import { agentChildName } from '@retainer/contract/api/child-names';
import type { AgentJobs } from '@retainer/contract/api/agent-jobs';
import type { AgentMail } from '@retainer/contract/api/agent-mail';
import type { BackupNote } from '@retainer/contract/api/backup-note';
import type { Clock } from '@retainer/contract/std/clock';
import type { Log } from '@retainer/contract/std/log';
import { ApiError, ConnectionError } from '@retainer/kube/api-error';
import type { KubeClient } from '@retainer/kube/kube-client';
import { Lease, type LeaseLoss } from '@retainer/kube/lease';
import type { PodConfig } from '../config.ts';
import { nameIndividual, raiseEpoch, isHeldFrom, placeNote } from '../lease/agent-lease.ts';
import { errorKind } from '../loop/error-place.ts';
import { openRecords } from '../review/run-records.ts';
import { join } from 'node:path';
import { ANNOTATIONS } from '@retainer/contract/api/names';
import { isWriterGone, writerPlace } from '@retainer/journal/open-journal';
import type { KubeObject } from '@retainer/kube/kube-object';

export interface PodLeaseOptions {
  readonly config: PodConfig;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  /** Called on every acquisition, including the first. */
  readonly onHeld: () => void;
  readonly onLost: (loss: LeaseLoss) => void;
  /** How the second copy stands; read at each renewal. Undefined: nothing to say yet. */
  readonly backup: () => BackupNote | undefined;
  /** The same of the jobs. */
  readonly jobs: () => AgentJobs | undefined;
  /** The same of the mail. */
  readonly mail: () => AgentMail | undefined;
}

export interface PodLease {
  readonly isHeld: boolean;
  readonly epoch: number;
  /** Names the individual of the volume on the Lease. Tries until aborted. Never rejects. */
  name(individual: string, signal: AbortSignal): Promise<void>;
  /** Tries until aborted, then releases it. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Part of the Lease's duration by which its holder stops before others may take it: 5 s of 90 s, for a process that stalls. */
const MARGIN_RATIO = 1 / 18;

/** The Lease is acquired by `run`. */
export function podLease({ config, client, clock, log, onHeld, onLost, ...notes }: PodLeaseOptions): PodLease {
  const { agent, pod, lease: timing } = config;
  const key = { namespace: agent.namespace, name: agentChildName(agent.name) };
  const identity = `${pod.name}_${pod.uid}`;
  const place = new LockPlace(config, identity);
  const lease = new Lease({
    client,
    clock,
    random: Math.random,
    key,
    identity,
    createsMissing: false,
    timing: {
      leaseMs: timing.durationMs,
      renewDeadlineMs: timing.durationMs * (1 - MARGIN_RATIO),
      renewEveryMs: timing.renewMs,
      retryMs: timing.retryMs,
    },
    annotations: () => ({
      ...place.note(),
      ...noted(ANNOTATIONS.backup, notes.backup()),
      ...noted(ANNOTATIONS.jobs, notes.jobs()),
      ...noted(ANNOTATIONS.mail, notes.mail()),
    }),
    isHolderGone: (live) => place.isHolderGone(live),
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
    name: (individual, signal) =>
      untilDone(() => nameIndividual({ client, key, individual, signal }), {
        ...{ clock, signal, retryMs: timing.retryMs },
        onFirst: (why) => log({ level: 'warn', message: 'the Lease does not name this individual yet', why }),
      }),
    run: async (signal) => {
      await place.find();
      const epoch = await lastEpoch(config.dataDirectory);
      await untilDone(() => raiseEpoch({ client, key, epoch, signal }), {
        ...{ clock, signal, retryMs: timing.retryMs },
        onFirst: (why) => log({ level: 'warn', message: 'waiting for the Lease of this agent', why }),
      });
      if (!signal.aborted) await lease.run(signal);
    },
  };
}

/** Without anything to say, an earlier note stands. */
function noted(annotation: string, note: object | undefined): Readonly<Record<string, string>> {
  return note === undefined ? {} : { [annotation]: JSON.stringify(note) };
}

interface Tries {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly retryMs: number;
  /** Called after the first failure only. */
  readonly onFirst: (why: string) => void;
}

async function untilDone(work: () => Promise<void>, { clock, signal, retryMs, onFirst }: Tries): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 0) onFirst(whyNot(error));
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

/** 401 says that the account of the pod is another one by now, or that the server trusts other keys. */
function whyNot(error: unknown): string {
  return error instanceof ApiError ? `${error.name} ${error.status} ${error.reason}` : errorKind(error);
}

/** What a pod notes on its Lease about the lock of its journal, and what it concludes from another's note: decision 0013. */
class LockPlace {
  readonly #directory: string;
  readonly #node: string | undefined;
  readonly #holder: string;
  #place: string | undefined;

  /** @param holder  this pod, as its Lease names it */
  constructor({ dataDirectory, pod }: PodConfig, holder: string) {
    this.#directory = join(dataDirectory, 'journal');
    this.#node = pod.node;
    this.#holder = holder;
  }

  /** To be called once, before the Lease is asked for. Without a place nothing is noted, and every Lease is waited for. */
  async find(): Promise<void> {
    if (this.#node !== undefined) this.#place = await writerPlace(this.#directory, this.#node);
  }

  note(): Readonly<Record<string, string>> {
    return this.#place === undefined ? {} : { [ANNOTATIONS.writerPlace]: placeNote(this.#holder, this.#place) };
  }

  async isHolderGone(live: KubeObject): Promise<boolean> {
    return this.#place !== undefined && isHeldFrom(this.#place, live) && isWriterGone(this.#directory);
  }
}
