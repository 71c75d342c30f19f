/** The statistical layer as shipped. `npm run gate:train` makes its weights; `weights.md` tells from what. */
import type { Detector } from './second-line.ts';
import { trained } from './weights.ts';

/** Recorded with every score. Raise it with every change of the weights, the thresholds or how a text is scored. */
export const DETECTOR_VERSION = 1;

let made: Detector | undefined;

/** Decoded for the first text, so that an agent without work does not hold it in memory. */
export function shippedDetector(): Detector {
  return (made ??= { ...trained, version: DETECTOR_VERSION, weights: bytesOf(trained.weights) });
}

function bytesOf(base64: string): Int8Array {
  return Int8Array.from(atob(base64), (byte) => (byte.charCodeAt(0) << 24) >> 24);
}
