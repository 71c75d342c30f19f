/** Windows of texts as examples to learn from. */
import { finished } from '@retainer/mind/gate/text/pace';
import { featuresOf, type Features } from '@retainer/mind/gate/detector/features';
import { cutTokens } from '@retainer/mind/gate/detector/tokens';
import { sizeOf, windowsOf, WINDOW_TOKENS } from '@retainer/mind/gate/detector/windows';
import { BUCKET_BITS, type Example } from './model.ts';
import type { Sample } from './sample.ts';

/** An n-gram of fewer sources says something of these sources only. */
const SOURCES_MIN = 3;
/** A short text weighs as much as two windows; one of a long text weighs less, since not each shows what the text is. */
const TEXT_WEIGHT = 2;
const ATTACK_WEIGHT_MIN = 0.15;
const HARMLESS_WEIGHT_MIN = 0.3;
/** Ordinary work is not to be stopped. */
const TECHNICAL_WEIGHT = 3;

export function examplesOf(samples: readonly Sample[]): readonly Example[] {
  const read = samples.map((sample) => ({ sample, features: finished(featuresOf(finished(cutTokens(sample.text)))) }));
  const isShared = sharedBySources(read);
  return read.flatMap(({ sample, features }) => {
    const windows = windowsOf(features, isTechnical(sample) ? WINDOW_TOKENS : WINDOW_TOKENS / 2);
    const weight = weightOf(sample, windows.length);
    return windows.map((window) => {
      const hashes = features.hashes.subarray(window.from, window.to).filter(isShared);
      const buckets = hashes.map((hash) => hash >>> (HASH_BITS - BUCKET_BITS));
      return { buckets, size: sizeOf(window), isAttack: sample.isAttack, weight };
    });
  });
}

function isTechnical({ set }: Sample): boolean {
  return set === 'technical';
}

function weightOf(sample: Sample, windows: number): number {
  if (isTechnical(sample)) return TECHNICAL_WEIGHT;
  return Math.max(sample.isAttack ? ATTACK_WEIGHT_MIN : HARMLESS_WEIGHT_MIN, TEXT_WEIGHT / windows);
}

const HASH_BITS = 32;
/** Bits by which n-grams are counted: many more than there are weights. */
const COUNTED_BITS = 25;

function sharedBySources(
  read: readonly { readonly sample: Sample; readonly features: Features }[],
): (hash: number) => boolean {
  const counts = new Uint8Array(2 ** COUNTED_BITS);
  const last = new Int32Array(2 ** COUNTED_BITS);
  const numbers = new Map<string, number>();
  for (const { sample, features } of read) {
    const source = numbers.get(sample.source) ?? numbers.size + 1;
    numbers.set(sample.source, source);
    for (const hash of features.hashes) {
      const at = hash >>> (HASH_BITS - COUNTED_BITS);
      if (last[at] === source) continue;
      last[at] = source;
      counts[at] = Math.min(SOURCES_MIN, (counts[at] ?? 0) + 1);
    }
  }
  return (hash) => counts[hash >>> (HASH_BITS - COUNTED_BITS)] === SOURCES_MIN;
}
