/** Whether a Lease is held. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { leaseRecordOf } from '@retainer/kube/lease-record';
import { momentOf, textAt } from './fields.ts';

/** Clocks of this machine and of the cluster may differ by so much before a second look is needed. */
const SKEW_MS = 5_000;

/** How long ago it was renewed, by this machine's clock; undefined where it never was. */
export function renewalAgeMs(lease: KubeObject, nowMs: number): number | undefined {
  const renewedMs = momentOf(textAt(lease, 'spec.renewTime'));
  return renewedMs === undefined ? undefined : Math.max(0, nowMs - renewedMs);
}

/** Looks as if nobody held it; a clock that is wrong looks the same. */
export function isOverdue(lease: KubeObject | undefined, leaseSeconds: number, nowMs: number): boolean {
  if (lease === undefined) return false;
  const ageMs = renewalAgeMs(lease, nowMs);
  return ageMs === undefined || ageMs > leaseSeconds * 1000 + SKEW_MS;
}

/** Somebody renewed it in between, whatever the clocks say. */
export function isRenewed(first: KubeObject, second: KubeObject): boolean {
  return leaseRecordOf(first).fingerprint !== leaseRecordOf(second).fingerprint && leaseRecordOf(second).holder !== '';
}
