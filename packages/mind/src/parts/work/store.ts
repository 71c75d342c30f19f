import { defineStore } from '../../part/store.ts';
import { workKinds } from './kinds.ts';

export const workStore = defineStore({
  name: 'work',
  durability: 'durable',
  kinds: workKinds,
  writers: {
    Tools: [
      'ItemCreated',
      'ItemActivated',
      'StepCompleted',
      'ItemEnded',
      'ItemEdited',
      'StepAdded',
      'StepRemoved',
      'RiskFlagged',
      'ItemDeleted',
      'EndeavourCreated',
      'EndeavourEdited',
      'PhaseAdded',
      'PhaseAdvanced',
      'SessionScheduled',
      'SessionCancelled',
      'BlockerReported',
      'BlockerResolved',
      'EndeavourDeleted',
      'ForecastScored',
    ],
    Runtime: ['ForecastScored'],
    Archivist: ['CycleCounted', 'SessionEnded'],
    Appraiser: ['PreMortemAdded', 'PostMortemAdded'],
    Person: ['ItemEnded', 'ItemDeleted', 'EndeavourDeleted'],
  },
});
