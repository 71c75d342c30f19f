import type { Requirements } from './requirement.ts';

export const loopRequirements = {
  'loop:unknown-is-flagged': {
    source: 'design 5.1; reliability-security 7 row 19',
    behavior: 'after a crash, an intent without a result is looked up by its key or flagged as unknown',
  },
  'loop:killed-and-resumed': {
    source: 'reliability-security 7 row 19; springdrift 17 (L4)',
    behavior: 'a killed process goes on from its record: no effect twice, none lost, one delivery',
  },
} as const satisfies Requirements;
