/** The content of a Lease, now and after the next write. Pure. */
import type { KubeObject } from './kube-object.ts';

export interface LeaseRecord {
  /** Empty where it was released or never taken. */
  readonly holder: string;
  /** For how long after its last renewal the holder asked to be left alone; undefined where it did not say. */
  readonly durationMs: number | undefined;
  /** Changes of holder so far. */
  readonly transitions: number;
  /** Differs after each renewal. Times of other machines are compared for equality only. */
  readonly fingerprint: string;
}

export function leaseRecordOf({ spec }: KubeObject): LeaseRecord {
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime, acquireTime } = (spec ?? {}) as Readonly<
    Record<string, unknown>
  >;
  return {
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : undefined,
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
    fingerprint: JSON.stringify([holderIdentity, leaseTransitions, renewTime, acquireTime]),
  };
}

export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** Wall clock: for people who read it, and for nobody's decision. */
  readonly acquiredMs: number;
  readonly renewedMs: number;
}

export function leaseSpecOf({ holder, durationMs, transitions, acquiredMs, renewedMs }: LeaseClaim): object {
  return {
    holderIdentity: holder,
    leaseDurationSeconds: Math.max(1, Math.ceil(durationMs / 1000)),
    leaseTransitions: transitions,
    acquireTime: microTime(acquiredMs),
    renewTime: microTime(renewedMs),
  };
}

/** RFC 3339 with exactly six digits, which is all that the API server reads. */
export function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}

/** RFC 3339 in whole seconds: the form of times in status and conditions. */
export function secondTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}
