/**
 * Many lives of a journal with power cuts, or one of them again.
 *
 *   npm run chaos:journal -- --seed 4711            replays one life
 *   npm run chaos:journal -- --seeds 200000         lives 0 … 199999
 *   npm run chaos:journal -- --seeds 1000 --from 50
 *
 * The last line is a JSON object; the exit code is 1 when an invariant was violated.
 *
 * Source: reliability-security 7.
 */
import { parseArgs } from 'node:util';
import { bySize } from '../../bench/bench-size.ts';
import { simulate } from './journal-simulation.ts';

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string' }, from: { type: 'string' } },
});

/** Seeds named after a failure; more would only repeat it. */
const namedSeedsMax = 5;

const from = Number(values.seed ?? values.from ?? 0);
const count = values.seed === undefined ? Number(values.seeds ?? bySize({ smoke: 200, full: 20_000 })) : 1;
const failed: number[] = [];
const startMs = performance.now();
for (let seed = from; seed < from + count; seed += 1) {
  const violations = await simulate(seed);
  if (violations.length === 0) continue;
  failed.push(seed);
  if (failed.length > namedSeedsMax) continue;
  console.log(`seed ${seed} failed; again: npm run chaos:journal -- --seed ${seed}`);
  for (const violation of violations) console.log(`  ${violation}`);
}
const seconds = Math.round((performance.now() - startMs) / 100) / 10;
console.log(JSON.stringify({ from, seeds: count, failed, seconds }));
process.exitCode = failed.length === 0 ? 0 : 1;
