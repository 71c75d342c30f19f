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
  'loop:full-volume-waits': {
    source: 'reliability-security 1.2, 7 row 4',
    behavior: 'on a full volume the agent stops without a restart, and goes on from its record when there is space',
  },
} as const satisfies Requirements;
