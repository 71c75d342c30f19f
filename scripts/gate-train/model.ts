/**
 * A logistic regression over hashed n-grams, by stochastic gradient descent with a step of its own for each weight (AdaGrad).
 *
 * Order and seed are fixed: the same examples give the same weights, byte for byte.
 */
import type { Model } from '@retainer/mind/gate/detector/score-text';
import { Seeded } from '../../test/support/seeded.ts';

/** Number of weights is two to this power: 256 KiB. Twice as many told attacks apart no better. */
export const BUCKET_BITS = 18;
const BUCKETS = 2 ** BUCKET_BITS;

export interface Example {
  /** Buckets of those n-grams of a window that count. */
  readonly buckets: Int32Array;
  /** `sizeOf` the whole window. */
  readonly size: number;
  readonly isAttack: boolean;
  readonly weight: number;
}

interface Fit {
  readonly weights: Float32Array;
  bias: number;
}

const SEED = 1;
const EPOCHS = 4;
/** The weights are the mean of those after each of the last epochs. */
const AVERAGED_EPOCHS = 2;
const STEP = 0.5;
const BIAS_STEP = 0.02;
/** Pull towards zero at each visit. */
const DECAY = 2e-5;
/** Keeps the first steps of a weight small. */
const SQUARES_MIN = 1e-2;

export function train(examples: readonly Example[]): Model {
  const fit: Fit = { weights: new Float32Array(BUCKETS), bias: 0 };
  const mean: Fit = { weights: new Float32Array(BUCKETS), bias: 0 };
  const squares = new Float32Array(BUCKETS).fill(SQUARES_MIN);
  const random = new Seeded(SEED);
  const order = examples.map((_, index) => index);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const index of order) {
      const example = examples[index];
      if (example !== undefined) learn(fit, squares, example);
    }
    if (epoch >= EPOCHS - AVERAGED_EPOCHS) addShare(mean, fit);
  }
  return inBytes(mean);
}

function learn(fit: Fit, squares: Float32Array, { buckets, size, isAttack, weight }: Example): void {
  const { weights } = fit;
  let sum = 0;
  for (const bucket of buckets) sum += weights[bucket] ?? 0;
  const error = 1 / (1 + Math.exp(-(fit.bias + sum / size))) - (isAttack ? 1 : 0);
  fit.bias -= BIAS_STEP * weight * error;
  const gradient = (weight * error) / size;
  for (const bucket of buckets) {
    const now = weights[bucket] ?? 0;
    const own = gradient + DECAY * now;
    const square = (squares[bucket] ?? 0) + own * own;
    squares[bucket] = square;
    weights[bucket] = now - (STEP * own) / Math.sqrt(square);
  }
}

function addShare(mean: Fit, fit: Fit): void {
  mean.bias += fit.bias / AVERAGED_EPOCHS;
  for (const [bucket, weight] of fit.weights.entries())
    mean.weights[bucket] = (mean.weights[bucket] ?? 0) + weight / AVERAGED_EPOCHS;
}

function shuffle(order: number[], random: Seeded): void {
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
}

const BYTE_MAX = 127;
/** Share of the weights that a byte reaches; the few beyond it are cut, so that the others keep their differences. */
const REACHED_SHARE = 0.9995;

function inBytes({ weights, bias }: Fit): Model {
  const sizes = weights.map(Math.abs).toSorted();
  const scale = (sizes[Math.floor(BUCKETS * REACHED_SHARE)] ?? 1) / BYTE_MAX;
  const cut = (weight: number): number => Math.max(-BYTE_MAX, Math.min(BYTE_MAX, Math.round(weight / scale)));
  return { weights: Int8Array.from(weights, cut), bucketBits: BUCKET_BITS, scale, bias };
}
