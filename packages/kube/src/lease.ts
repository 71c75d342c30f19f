/**
 * Holds a Lease, or waits for it: at most one holder acts at a time, as each judges by its own monotonic clock.
 *
 * I1  A process holds the Lease if its last successful renewal began less than `renewDeadlineMs` ago. Others wait for `leaseMs`,
 *     which is longer, from a moment after that write. So nobody else holds the Lease meanwhile, whatever the wall clocks show.
 * I2  Another process's Lease expires once this process saw it unchanged for the holder's duration, even if deleted. Its times
 *     are ignored.
 *     An exception: the caller knows that the holder has ended (`isHolderGone`).
 * I3  Every write names the version on which it is based.
 * I4  The epoch grows with every tenure, that is each time a process takes the Lease, even from its own earlier life. It stays
 *     the same if a process renews late and nobody held the Lease in between.
 *
 * A Lease is no fence: a write that left in time may arrive late. So writers add their epoch or preconditions (decision 0015).
 *
 * Source: reliability-security 2. Differs: client-go waits up to 2.2 times the retry period, we up to 1.2 times and wake at
 * the very end of another's Lease, so that a crashed holder is replaced within 18 s.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { isConflict, isNotFound } from './api-error.ts';
import { unlessAborted, withDeadline } from './deadline.ts';
import type { KubeClient } from './kube-client.ts';
import { keyText, type KubeObject, type ObjectKey } from './kube-object.ts';
import { leaseRecordOf, leaseSpecOf, type LeaseRecord } from './lease-record.ts';
import type { Resource } from './resource.ts';

export const leaseResource: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  isNamespaced: true,
};

export interface LeaseTiming {
  /** Wait of others for a silent holder. Whole seconds. */
  readonly leaseMs: number;
  /** Validity of a renewal for the holder itself. Less than `leaseMs`. */
  readonly renewDeadlineMs: number;
  readonly renewEveryMs: number;
  /** Pause after a failed try. */
  readonly retryMs: number;
}

/** The defaults of client-go and controller-runtime. */
export const defaultLeaseTiming: LeaseTiming = {
  leaseMs: 15_000,
  renewDeadlineMs: 10_000,
  renewEveryMs: 2_000,
  retryMs: 2_000,
};

/** Random extension of pauses, so that processes do not send requests all at once. */
const JITTER_RATIO = 0.2;
/** A release is a courtesy and must not delay the exit. */
const RELEASE_DEADLINE_MS = 2_000;
/** Duration of a released Lease for those who wait. */
const RELEASED_MS = 1_000;

export type LeaseLoss =
  /** Not renewed in time by our own clock. If nobody else takes the Lease, it is acquired again with the same epoch. */
  | { readonly type: 'Expired' }
  /** Somebody else holds the Lease or held it since; may follow `Expired`. `holder` is empty if that process released it. */
  | { readonly type: 'TakenOver'; readonly holder: string };

export interface LeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random: () => number;
  readonly key: ObjectKey;
  /** Unique among living processes. */
  readonly identity: string;
  readonly timing?: LeaseTiming;
  /** Whether to create a missing Lease. Default: true. */
  readonly createsMissing?: boolean;
  /** Annotations of each write of the holder. */
  readonly annotations?: () => Readonly<Record<string, string>>;
  /** Whether another holder of the Lease has certainly ended, so that nobody need wait for it. Rejects if unknown. */
  readonly isHolderGone?: (live: KubeObject) => Promise<boolean>;
  readonly onAcquired: (epoch: number) => void;
  readonly onLost: (loss: LeaseLoss) => void;
  /** Called for each failed try; another follows by itself. */
  readonly onError?: (error: Error) => void;
}

export class Lease {
  readonly #options: LeaseOptions;
  readonly #timing: LeaseTiming;
  /** The Lease after our last write, so that the next renewal needs no read. */
  #live: KubeObject | undefined;
  /** Another process's record, and the time at which it was first seen unchanged. */
  #seen: { readonly record: LeaseRecord; readonly sinceMs: number } | undefined;
  /** `onAcquired` was called, and no loss since. */
  #isLeading = false;
  #heldUntilMs = 0;
  /** As far as known, nobody else held it since our tenure. */
  #isOurs = false;
  #epoch = 0;
  #transitionsMax = 0;
  #acquiredMs = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#timing = options.timing ?? defaultLeaseTiming;
  }

  /** I1. Reads the clock, so it is right even after the process was suspended. */
  get isHeld(): boolean {
    return this.#isLeading && this.#nowMs() < this.#heldUntilMs;
  }

  /** Expired without a call of `onLost` yet: the call is due, or the process is stuck. */
  get isOverdue(): boolean {
    return this.#isLeading && this.#nowMs() >= this.#heldUntilMs;
  }

  /** I4. Of the last tenure; 0 before the first. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Tries to hold the Lease until the signal is aborted, then releases it and resolves, within 2 s. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#noticeExpiry();
      const isRenewed = await this.#tryToHold(signal);
      this.#noticeExpiry();
      await this.#options.clock.sleep(this.#pauseMs(isRenewed), signal).catch(() => undefined);
    }
    await this.#release();
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  #noticeExpiry(): void {
    if (!this.isOverdue) return;
    this.#isLeading = false;
    this.#options.onLost({ type: 'Expired' });
  }

  async #tryToHold(signal: AbortSignal): Promise<boolean> {
    const { clock, onError = () => undefined } = this.#options;
    const deadlineMs = this.#isLeading ? this.#heldUntilMs - this.#nowMs() : this.#timing.renewDeadlineMs;
    const expired = (): Error => new Error(`Lease ${this.#name} was not renewed within ${deadlineMs} ms`);
    try {
      return await withDeadline({ clock, deadlineMs, signal, expired }, (stop) =>
        unlessAborted(this.#hold(stop), stop),
      );
    } catch (error) {
      this.#live = undefined;
      if (!signal.aborted) onError(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  /** @returns whether this process holds the Lease; rejects if unknown */
  async #hold(signal: AbortSignal): Promise<boolean> {
    const { client, key, createsMissing = true } = this.#options;
    const startedMs = this.#nowMs();
    const known = this.#live;
    const live = known ?? (await client.get(leaseResource, key, { signal }));
    if (live === undefined) {
      // Somebody deleted it. Its holder does not know yet, and holds it until its next renewal.
      if (!this.#isOurs && this.#seenLeftMs() > 0) return false;
      // After a late renewal, nobody knows who held the deleted Lease in between.
      this.#isOurs = this.#isLeading;
      if (!createsMissing) throw new Error(`Lease ${this.#name} does not exist: create it again`);
      const object = this.#claimed({ metadata: { name: key.name, namespace: key.namespace } });
      this.#took(await client.create(leaseResource, object, { signal }), startedMs, signal);
      return true;
    }
    if (!(await this.#mayTakeNow(live))) return false;
    try {
      this.#took(await client.replace(leaseResource, this.#claimed(live), { signal }), startedMs, signal);
      return true;
    } catch (error) {
      if (known === undefined || !(isConflict(error) || isNotFound(error))) throw error;
      // Somebody wrote to it since: read it at once.
      this.#live = undefined;
      return this.#hold(signal);
    }
  }

  async #mayTakeNow(live: KubeObject): Promise<boolean> {
    return this.#mayTake(leaseRecordOf(live)) || (await this.#options.isHolderGone?.(live)) === true;
  }

  /** I2. */
  #mayTake(record: LeaseRecord): boolean {
    const { identity } = this.#options;
    this.#transitionsMax = Math.max(this.#transitionsMax, record.transitions);
    const isFromUs = record.holder === identity;
    if (this.#isOurs && !(isFromUs && record.transitions === this.#epoch)) this.#takenOver(record.holder);
    if (isFromUs || record.holder === '') return true;
    if (this.#seen?.record.fingerprint !== record.fingerprint) this.#seen = { record, sinceMs: this.#nowMs() };
    return this.#seenLeftMs() <= 0;
  }

  #takenOver(holder: string): void {
    this.#isOurs = false;
    this.#isLeading = false;
    this.#live = undefined;
    this.#options.onLost({ type: 'TakenOver', holder });
  }

  #claimed(live: KubeObject): KubeObject {
    const annotations = { ...live.metadata.annotations, ...this.#options.annotations?.() };
    return { ...live, metadata: { ...live.metadata, annotations }, spec: this.#claim() };
  }

  /** The spec to write. The epoch stays the same within a tenure. */
  #claim(): object {
    const { clock, identity } = this.#options;
    const renewedMs = clock.nowMs();
    const transitions = this.#isOurs ? this.#epoch : this.#transitionsMax + 1;
    const acquiredMs = this.#isOurs ? this.#acquiredMs : renewedMs;
    return leaseSpecOf({ holder: identity, durationMs: this.#timing.leaseMs, transitions, acquiredMs, renewedMs });
  }

  #took(object: KubeObject, startedMs: number, signal: AbortSignal): void {
    // A late answer gives no tenure: the written Lease expires, and the next try finds it.
    if (signal.aborted) return;
    const { transitions } = leaseRecordOf(object);
    if (!this.#isOurs) this.#acquiredMs = this.#options.clock.nowMs();
    this.#live = object;
    this.#isOurs = true;
    this.#epoch = transitions;
    this.#transitionsMax = Math.max(this.#transitionsMax, transitions);
    this.#heldUntilMs = startedMs + this.#timing.renewDeadlineMs;
    if (this.#isLeading || this.#nowMs() >= this.#heldUntilMs) return;
    this.#isLeading = true;
    this.#options.onAcquired(this.#epoch);
  }

  #pauseMs(isRenewed: boolean): number {
    const { renewEveryMs, retryMs } = this.#timing;
    const pauseMs = (isRenewed ? renewEveryMs : retryMs) * (1 + JITTER_RATIO * this.#options.random());
    const endMs = this.#isLeading ? this.#heldUntilMs - this.#nowMs() : this.#seenLeftMs();
    return Math.max(0, endMs > 0 ? Math.min(pauseMs, endMs) : pauseMs);
  }

  /** Remaining duration of another process's Lease; zero or less if it expired, or without one. */
  #seenLeftMs(): number {
    if (this.#seen === undefined) return 0;
    return this.#seen.sinceMs + (this.#seen.record.durationMs ?? this.#timing.leaseMs) - this.#nowMs();
  }

  async #release(): Promise<void> {
    const { clock, onError = () => undefined } = this.#options;
    if (!this.#isOurs) return;
    this.#isLeading = false;
    this.#isOurs = false;
    const expired = (): Error => new Error(`Lease ${this.#name} was not released within ${RELEASE_DEADLINE_MS} ms`);
    try {
      await withDeadline({ clock, deadlineMs: RELEASE_DEADLINE_MS, expired }, (stop) =>
        unlessAborted(this.#writeRelease(stop), stop),
      );
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #writeRelease(signal: AbortSignal): Promise<void> {
    const { client, clock, key, identity } = this.#options;
    const live = await client.get(leaseResource, key, { signal });
    if (live === undefined) return;
    const { holder, transitions } = leaseRecordOf(live);
    if (holder !== identity || transitions !== this.#epoch) return;
    const atMs = clock.nowMs();
    const claim = { holder: '', durationMs: RELEASED_MS, transitions, acquiredMs: this.#acquiredMs, renewedMs: atMs };
    await client.replace(leaseResource, { ...live, spec: leaseSpecOf(claim) }, { signal });
  }

  get #name(): string {
    return keyText(this.#options.key);
  }
}
