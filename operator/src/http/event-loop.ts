/** Of `monitorEventLoopDelay`: nanoseconds between what a timer asked for and got. */
export interface DelayHistogram {
  percentile(percentile: number): number;
  reset(): void;
}

/** A loop that is late by so much in half of all cases serves nobody: work of a second and more blocks it time and again. */
const MEDIAN_DELAY_MS_MAX = 1_000;

/**
 * Why the event loop is no good, judged over the time since the last call; empty when it is well. A loop that stands still
 * answers no probe at all, which the kubelet notices by itself.
 */
export function eventLoopFaults(delays: DelayHistogram): readonly string[] {
  const medianMs = delays.percentile(50) / 1e6;
  delays.reset();
  return medianMs > MEDIAN_DELAY_MS_MAX ? [`the event loop is late by ${Math.round(medianMs)} ms, as a rule`] : [];
}
