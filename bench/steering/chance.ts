import { sha256Hex } from '@retainer/contract/std/hash';

/** Hexadecimal digits that are read: 32 bits. */
const DIGITS = 8;

/** From 0 up to 1, exclusive: by the seed and the names alone, in whatever order it is asked. */
export function chance(seed: number, ...names: readonly (string | number)[]): number {
  const digits = sha256Hex([seed, ...names].join(' ')).slice(0, DIGITS);
  return Number.parseInt(digits, 16) / 2 ** (4 * DIGITS);
}
