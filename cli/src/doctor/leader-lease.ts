/** Whether a Lease is held. Pure. */
import type { KubeObject } from '@retainer/kube/kube-object';
import { leaseRecordOf } from '@retainer/kube/lease-record';
import { momentOf, textAt } from './fields.ts';

/** Tolerated difference between the clocks of this machine and of the cluster. */
const SKEW_MS = 5_000;

/** Time since the last renewal, by this machine's clock; undefined if there was none. */
export function renewalAgeMs(lease: KubeObject, nowMs: number): number | undefined {
  const renewedMs = momentOf(textAt(lease, 'spec.renewTime'));
  return renewedMs === undefined ? undefined : Math.max(0, nowMs - renewedMs);
}

/** Whether nobody seems to hold it. A wrong clock looks the same. */
export function isOverdue(lease: KubeObject | undefined, leaseSeconds: number, nowMs: number): boolean {
  if (lease === undefined) return false;
  const ageMs = renewalAgeMs(lease, nowMs);
  return ageMs === undefined || ageMs > leaseSeconds * 1000 + SKEW_MS;
}

/** Whether a holder renewed it in between; does not depend on clocks. */
export function isRenewed(first: KubeObject, second: KubeObject): boolean {
  return leaseRecordOf(first).fingerprint !== leaseRecordOf(second).fingerprint && leaseRecordOf(second).holder !== '';
}
