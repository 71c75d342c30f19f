/**
 * How much the tests do that draw at random or try every place: `RETAINER_TEST_SIZE`.
 *
 * `quick` is `npm test`, while somebody waits; `check` is what CI has time for, and the size where nothing is said; `nightly` is
 * as many rounds and as long times as the goals name. What a test asserts is the same in each.
 */
const sizes = ['quick', 'check', 'nightly'] as const;
type TestSize = (typeof sizes)[number];

const wanted = process.env['RETAINER_TEST_SIZE'] ?? 'check';
const size = sizes.find((it) => it === wanted);
// A misspelt size would be a smaller one that nobody asked for.
if (size === undefined) throw new Error(`RETAINER_TEST_SIZE=${wanted}: it is one of ${sizes.join(', ')}`);

export const isNightly = size === 'nightly';

/** `npm test`: files that take seconds each are left to `npm run unit` and `.ci/run`. */
export const isAwaited = process.env['RETAINER_TEST_IS_AWAITED'] !== undefined;

/** The value for this size; without one for `quick`, that for `check`, and without one for `nightly`, too. */
export function bySize<T>({ quick, check, nightly }: { readonly check: T } & Partial<Record<TestSize, T>>): T {
  if (size === 'quick') return quick ?? check;
  return size === 'nightly' ? (nightly ?? check) : check;
}

/**
 * The time limit of work that grows with the size. A limit that a test names outranks the one of `npm run nightly`.
 *
 * @param checkMs  for `check`
 * @param times    how many times as much `nightly` does
 */
export function limitMs(checkMs: number, times: number): number {
  return isNightly ? checkMs * times : checkMs;
}
