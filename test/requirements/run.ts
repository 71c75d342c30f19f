import type { Requirements } from './requirement.ts';

export const runRequirements = {
  'run:verdicts-need-evidence': {
    source: 'artoo A.6; design 5.6',
    behavior: 'a criterion counts as met only on the record of a call that ran and succeeded',
  },
  'run:verdicts-by-index': {
    source: 'artoo RES-14',
    behavior: 'verdicts are recomputed per criterion by index; missing or doubled ones are unmet',
  },
  'run:evidence-cannot-be-forged': {
    source: 'artoo A.6; reliability-security 4.9',
    behavior: 'no text of a model, a tool or a task can pose as a line of the evidence that the validator judges',
  },
  'run:validator-input-is-bounded': {
    source: 'artoo RES-12',
    behavior: 'the validator’s input has an upper bound however many calls there were; what was cut is said',
  },
  'run:budget-covers-all-cycles': {
    source: 'design 3 (budgets)',
    behavior: 'the budget of a Task bounds all cycles of its run together; a cycle gets what earlier ones left',
  },
} as const satisfies Requirements;
