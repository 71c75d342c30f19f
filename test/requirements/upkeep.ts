import type { Requirements } from './requirement.ts';

export const upkeepRequirements = {
  'upkeep:volume-levels': {
    source: 'reliability-security 1',
    behavior: 'The volume is looked at every 30 s: 80 % warns, 90 % takes no new tasks, 95 % is read-only.',
  },
  'upkeep:clock-jump': {
    source: 'reliability-security 1',
    behavior: 'When wall and monotonic clock differ by more than 2 s between two ticks, the jump is recorded.',
  },
  'upkeep:resume': {
    source: 'reliability-security 7',
    behavior: 'A journal that stopped because the volume was full works again within 5 s after space returned.',
  },
  'upkeep:full-volume': {
    source: 'reliability-security 7',
    behavior:
      'On a full volume the journal is degraded and readable, loses nothing that was acknowledged and leaves no torn line; on a read-only one it is readable, and no process restarts in a loop.',
  },
  'upkeep:dreams': {
    source: 'artoo A.11 (Dreamer), D',
    behavior:
      'The agent dreams 50 ms after a run is archived if it is at rest, each upkeep.dreamInterval, and when a person wants it; never at its end.',
  },
} as const satisfies Requirements;
