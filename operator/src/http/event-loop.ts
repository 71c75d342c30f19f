/** From `monitorEventLoopDelay`: nanoseconds between the requested and the actual moment of a timer. */
export interface DelayHistogram {
  percentile(percentile: number): number;
  reset(): void;
}

/** With this median delay the loop is useless: work of a second or more blocks it again and again. */
const MEDIAN_DELAY_MS_MAX = 1_000;

/** Faults of the event loop since the last call. A fully blocked loop answers no probe, which the kubelet notices. */
export function eventLoopFaults(delays: DelayHistogram): readonly string[] {
  const medianMs = delays.percentile(50) / 1e6;
  delays.reset();
  return medianMs > MEDIAN_DELAY_MS_MAX ? [`the event loop is ${Math.round(medianMs)} ms late (median)`] : [];
}
