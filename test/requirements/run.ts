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
} as const satisfies Requirements;
