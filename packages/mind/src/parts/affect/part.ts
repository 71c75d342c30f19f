/** How the agent is: its twelve signals, the reading computed from them, its line. It informs and decides nothing. */
import { definePart } from '../../part/part.ts';
import { defineStore } from '../../part/store.ts';
import { affectKinds, measuredWork, newestAffect } from './affect.ts';

const store = defineStore({
  name: 'affect',
  durability: 'lazy',
  kinds: affectKinds,
  writers: { Runtime: ['AffectMeasured'] },
});

export const affectPart = definePart({
  name: 'affect',
  stores: [store],
  projections: { newestAffect, measuredWork },
  isAbout: ({ runId }, id) => runId === id,
});
