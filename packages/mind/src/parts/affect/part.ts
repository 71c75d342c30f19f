/** How the agent is: its twelve signals, the reading computed from them, its line. It informs and decides nothing. */
import { definePart, type Gauge } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';
import { affectKinds, measuredWork, newestAffect, type NewestAffect } from './affect.ts';
import { AFFECT_DIMENSIONS } from './measure.ts';

const store = defineStore({
  name: 'affect',
  durability: 'lazy',
  kinds: affectKinds,
  writers: { Runtime: ['AffectMeasured'] },
});

function dimensionGauge(dimension: (typeof AFFECT_DIMENSIONS)[number]): Gauge {
  return {
    name: 'affect_ratio',
    help: 'How the agent was at its newest measurement, by dimension, 0 to 1; absent before the first.',
    labels: { dimension },
    of: ({ newestAffect: { newest } }: { readonly newestAffect: NewestAffect }) =>
      newest === undefined ? undefined : newest.affect[dimension] / 100,
  };
}

export const affectPart = definePart({
  name: 'affect',
  stores: [store],
  projections: { newestAffect, measuredWork },
  gauges: AFFECT_DIMENSIONS.map(dimensionGauge),
  isAbout: ({ runId }, id) => runId === id,
});
