import { describe, expect, it } from 'vitest';
import { honestDisks, mutants } from '../../../test/chaos/journal-mutants.ts';
import { simulate } from '../../../test/chaos/journal-simulation.ts';
import { bySize } from '../../../test/support/test-size.ts';
import { verifies } from '../../../test/verifies.ts';

/** More run in `test/integration/journal-power-loss.test.ts`; these keep the feedback quick. */
const seeds = bySize({ quick: 25, check: 50, nightly: 100 });
/** A mutant must show within so many lives. */
const mutantSeeds = 20;
const honestSeeds = 25;

describe('journal on a disk whose power fails', () => {
  verifies('journal:survives-power-loss', 'keeps its invariants over many lives', async () => {
    for (let seed = 0; seed < seeds; seed += 1)
      expect(await simulate(seed), `npm run chaos:journal -- --seed ${seed}`).toEqual([]);
  });

  for (const [name, disk] of Object.entries(honestDisks))
    it(`keeps its invariants on ${name}`, async () => {
      for (let seed = 0; seed < honestSeeds; seed += 1) expect(await simulate(seed, disk), `seed ${seed}`).toEqual([]);
    });

  for (const [name, mutant] of Object.entries(mutants))
    verifies('journal:bench-is-tested', `catches ${name}`, async () => {
      let violations: readonly string[] = [];
      for (let seed = 0; seed < mutantSeeds && violations.length === 0; seed += 1)
        violations = await simulate(seed, mutant);
      expect(violations).not.toEqual([]);
    });
});
