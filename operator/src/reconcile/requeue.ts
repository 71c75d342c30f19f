/** When to look at an object again after a pass. Pure. */
import type { ReconcileResult } from '@retainer/kube/metrics';
import type { Outcome } from './outcome.ts';

export type Requeue =
  | { readonly type: 'Never' }
  | { readonly type: 'After'; readonly delayMs: number }
  /** After the object's own back-off, which grows with every failure in a row. */
  | { readonly type: 'BackOff' };

/** Spreads resyncs over this share of their interval, so that thousands of objects do not come at once. */
const JITTER_RATIO = 0.1;

/** @param random  0 to 1 */
export function requeueOf(outcome: Outcome, random: number): Requeue {
  switch (outcome.type) {
    case 'Done':
      return { type: 'After', delayMs: outcome.resyncAfterMs * (1 + JITTER_RATIO * (2 * random - 1)) };
    case 'Wait':
      return { type: 'After', delayMs: outcome.afterMs };
    case 'Gone':
    case 'Stalled':
      return { type: 'Never' };
    case 'Failed':
      return { type: 'BackOff' };
  }
}

/** A resync counts as a success, not as unfinished work. */
export function resultOf(outcome: Outcome): ReconcileResult {
  switch (outcome.type) {
    case 'Done':
    case 'Gone':
    case 'Stalled':
      return 'success';
    case 'Wait':
      return 'requeue_after';
    case 'Failed':
      return 'error';
  }
}
