import type { Requirements } from './requirement.ts';

export const affectRequirements = {
  'springdrift 4 (affect: five dimensions from twelve signals), 17 (M5)': {
    'affect:formulas':
      'desperation, calm, confidence, frustration and pressure follow from the twelve signals by the formulas, within 0 to 100; calm moves by 0.15 of the way; the trend is a change of the pressure by more than 5',
  },
  'springdrift 3 (affect slot, the form of the paper)': {
    'affect:line': 'a measurement is one line of five rounded percentages and an arrow',
  },
  'springdrift 4 (signals as gathered), 15': {
    'affect:signals':
      'failures in a row are counted over judged attempts and over runs without one, rejected outgoing texts over all cycles; rates are of the newest twenty, and one half while there is nothing',
  },
  'springdrift 4, 17 (L1)': {
    'affect:one-measurement':
      'each Executor cycle, and each run without one, gets exactly one measurement, also a refused one, and also where a crash came between',
  },
  'springdrift 4, 17 (M5)': {
    'affect:told':
      'three rejected outgoing texts in a row show in the next recorded request: desperation of at least 80, rising, and calm on its way down',
  },
  'springdrift 4 (the menu of seven responses), 1 (the sixth virtue)': {
    'affect:choices':
      'the examples say what an agent may do when its state is bad: a skill with the seven choices, the virtue equanimity, and a commitment that pressure changes no check',
  },
  'platforms 6 (own metrics); springdrift 4': {
    'affect:metrics':
      'the metrics tell the newest measurement by dimension while the agent works and after a restart, and none before the first',
  },
  'springdrift 4; design 6': {
    'affect:shown':
      'people see the measurements with their signals, and the newest one as the line that the agent is told',
  },
  'springdrift 4 (excluded on purpose)': {
    'affect:decides-nothing':
      'no gate, no budget and no choice of a model knows how the agent is: verdicts, thresholds and models are those of a run with a pinned measurement',
  },
} as const satisfies Requirements;
