import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { cycleSpec } from '../../../test/support/cycles.ts';
import { verifies } from '../../../test/verifies.ts';
import { cycleStart, type Contribution } from './cycle-start.ts';

const contributions = fc.record<Contribution>(
  {
    holds: fc.record(
      { tightening: fc.double({ min: 0.1, max: 1 }), outputsHeld: fc.constant(true) },
      { requiredKeys: [] },
    ),
    told: fc.string(),
    curated: fc.constant([{ slot: 'agent', items: 1, characters: 5, cut: 0 }]),
  },
  { requiredKeys: [] },
);

describe('a cycle that begins', () => {
  verifies(
    'curator:prefix',
    'keeps the texts of its spec first, whatever contributors add, and caches nothing of it',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(contributions, { maxLength: 4 }), async (added) => {
          const asked = cycleSpec();
          const { spec } = await cycleStart(
            asked,
            added.map((it, at) => ({ atStart: () => (at % 2 === 0 ? it : Promise.resolve(it)) })),
            1,
          );
          const told = added.flatMap(({ told: text }) =>
            text === undefined ? [] : [{ text, cache: false, varies: true }],
          );
          expect(spec.system).toEqual([...asked.system, ...told]);
          const { system: _, tightening: __, outputsHeld: ___, ...rest } = spec;
          const { system: ____, ...unchanged } = asked;
          expect(rest).toEqual(unchanged);
        }),
      );
    },
  );

  verifies('curator:prefix', 'is as it was asked for where nobody adds anything', async () => {
    expect(await cycleStart(cycleSpec(), [{ atStart: () => ({}) }], 1)).toEqual({ spec: cycleSpec() });
  });
});
