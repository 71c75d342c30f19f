/**
 * How much a benchmark does: `RETAINER_BENCH_SIZE`.
 *
 * `full` is what the figures in docs/benchmarks.md were measured with, and the size where nothing is said. `smoke` shows in a minute
 * that a benchmark still runs to its end; its figures say little. `npm run bench:smoke` runs all in it.
 */
const sizes = ['smoke', 'full'] as const;
type BenchSize = (typeof sizes)[number];

const wanted = process.env['RETAINER_BENCH_SIZE'] ?? 'full';
const size = sizes.find((it) => it === wanted);
// A misspelt size would be hours that nobody asked for.
if (size === undefined) throw new Error(`RETAINER_BENCH_SIZE=${wanted}: it is one of ${sizes.join(', ')}`);

export function bySize<T>(of: Readonly<Record<BenchSize, T>>): T {
  return of[size ?? 'full'];
}
